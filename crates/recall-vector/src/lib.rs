//! Nearest-neighbour search over the embeddings of chunks.
//!
//! [`Vectors`] is a folder of files next to a store's catalog, from which it is derived. It consists of a large
//! immutable *base*, which is memory-mapped, and a small *delta*, which is replayed from a log. It carries the
//! catalog's generation. Up to some size a search compares every embedding; a larger base has an HNSW graph. [`Exact`]
//! is an in-memory index without a graph and serves as the reference for the graph. Both implement
//! [`VectorIndex`](recall_core::VectorIndex) and return bit-identical cosines for equal embeddings.
//!
//! The crate computes no embeddings, reads no text and repairs nothing. An index that is damaged, of another model or
//! of another format is reported; the caller moves it away with [`quarantine()`] and rebuilds it from the embedding
//! store.

mod base;
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
mod slot_set;
mod top_k;
mod vectors;

pub use error::{OpenError, WriteError};
pub use exact::Exact;
pub use folder::fork;
pub use recall_os::quarantine;
pub use settings::{Model, Settings};
pub use vectors::{Change, Difference, Vectors};
