//! The JSON of answers as seen by a client.

mod answers;
