//! Here is a text; what is its embedding?
//!
//! [`StaticModel`] is the model that is built into the program: a table of vectors, one a word, and their weighted sum. It
//! needs no library, no file and no network, and answers in microseconds.
//!
//! Which texts are embedded, where embeddings are kept and how near ones are found is not asked here.

mod static_model;

pub use static_model::{BuiltIn, MOST_TEXT_BYTES, ReadError, StaticModel};
