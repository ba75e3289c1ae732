//! The JSON of answers as seen by a client: no unknown fields, no wrong types.

mod migrate;
mod rows;
mod schema;
mod sessions;
mod stores;
