//! The tests of the readers by their interface.

mod databases;
mod notes;
mod support;
mod transcripts;
