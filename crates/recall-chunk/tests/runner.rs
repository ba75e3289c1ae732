//! The tests of the chunker by its interface.

mod file_kinds;
mod fixtures;
mod hostile;
mod laws;
mod members;
mod qualified;
