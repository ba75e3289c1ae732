//! The messages and the JSON of answers as seen by a client.

mod answers;
mod stability;
