//! Which chunks' embeddings lie nearest to this one?
//!
//! [`Vectors`] is a folder of files beside a store's catalog and derived from it: a large immutable *base*, mapped into
//! memory, and a small *delta* behind it, replayed from a log. It carries the catalog's generation. Up to some size every
//! embedding is looked at; a larger base holds an HNSW graph. [`Exact`] does the same in memory without a graph, and is
//! what the graph is measured against. Both are a [`VectorIndex`](recall_core::VectorIndex), and tell equal cosines of
//! equal embeddings, bit for bit.
//!
//! It deliberately makes no embedding, reads no text and repairs nothing: what is damaged, of another model or of another
//! format is reported, [`set_aside()`] by the caller and made again from the embedding store.

mod base;
mod best;
mod delta;
mod error;
mod exact;
mod folder;
mod graph;
mod kernel;
mod mapping;
mod query;
mod record;
mod settings;
mod slots;
mod vectors;

pub use error::{OpenError, WriteError};
pub use exact::Exact;
pub use recall_folder::set_aside;
pub use settings::{Model, Settings};
pub use vectors::{Change, Difference, Vectors};
