//! The query language by its interface.

mod rows;
mod text;
