//! Nearest-neighbour search over the embeddings of chunks.
//!
//! [`Vectors`] is a folder of files next to a store's catalog, from which it is derived. It consists of a large
//! immutable *base*, which is memory-mapped, and a small *delta*, which is replayed from a log. It carries the
//! catalog's generation. Up to some size a search compares every embedding; a larger base has an HNSW graph. [`Exact`]
//! is an in-memory index without a graph and serves as the reference for the graph. Both implement
//! [`VectorIndex`](recall_core::VectorIndex) and return bit-identical cosines for equal embeddings.
//!
//! The module computes no embeddings, reads no text and repairs nothing. An index that is damaged, of another model or
//! of another format is reported; the caller moves it away with [`quarantine()`] and rebuilds it from the embedding
//! store.
//!
//! Components are one byte each, without a scale: a cosine depends on directions only, and sums of integers are equal on every
//! processor, so the scan and the graph agree bit for bit. A graph pays only above 100,000 embeddings; below, it would save a
//! millisecond or two of a search and cost a minute to build. The graph library trusts its bytes and crashes on flipped ones, so
//! everything is verified before it sees them (ADR 7).
//!
//! Begin with `vectors`, `base`, `delta` and `graph`.

mod base;
mod delta;
mod error;
mod exact;
mod folder;
mod graph;
mod kernel;
mod mapping;
mod query;
mod settings;
mod vectors;

pub use error::{VectorOpenError, VectorWriteError};
pub use exact::Exact;
pub use folder::fork;
pub use recall_os::quarantine;
pub use settings::{Model, Settings};
pub use vectors::{Change, Difference, Vectors};
