//! Nearest-neighbour search over the embeddings of chunks.
//!
//! [`Vectors`] is a folder of files next to a store's catalog, from which it is derived. It consists of large
//! immutable *bases*, which are memory-mapped, and a small *delta*, which is replayed from a log. It carries the
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
mod folder;
mod graph;
mod kernel;
mod mapping;
mod query;
mod vectors;

use recall_core::ModelFingerprint;

pub use error::{VectorOpenError, VectorWriteError};
pub use folder::fork;
pub use query::Exact;
pub use recall_os::quarantine;
pub use vectors::{Change, Difference, Vectors};

/// The model of the embeddings. An index contains embeddings of one model only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// What distinguishes the model from all others. Embeddings of two models do not compare.
    pub fingerprint: ModelFingerprint,
    /// The number of components of its embeddings, at most
    /// [`MOST_DIMENSIONS`](recall_core::Quantised::MOST_DIMENSIONS).
    pub dimensions: usize,
}

/// Trade-offs between scanning and walking a graph, and between frequent and rare merges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of embeddings from which the base has a graph.
    pub graph_from: usize,
    /// The number of embeddings that a walk compares at least. A larger number has better recall and takes longer.
    pub expansion: usize,
    /// The cost of expanding a node of the graph, in embeddings scanned. Used to choose between scanning the embeddings
    /// that pass a filter and walking the graph. For a filter with selectivity `share`, a walk expands about `expansion
    /// / share` nodes.
    pub node_cost: usize,
    /// The number of embeddings, or of removed ones, up to which a merge of the delta is not worth its cost.
    pub delta_least: usize,
    /// The most embeddings that bases are merged into one for. Bounds the memory of a merge.
    pub base_most: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            graph_from: GRAPH_FROM,
            expansion: EXPANSION,
            node_cost: NODE_COST,
            delta_least: MIN_MERGE_DELTA,
            base_most: MAX_BASE,
        }
    }
}

/// See the decision on vectors in `docs/adr`; measured by the bench `vector`.
const GRAPH_FROM: usize = 100_000;

/// See the decision on vectors in `docs/adr`; measured by the bench `vector`.
const EXPANSION: usize = 64;

/// See the decision on vectors in `docs/adr`; measured by the bench `vector`.
const NODE_COST: usize = 50;

/// A scan of the delta then takes 0.08 ms per query, and its log takes a megabyte.
const MIN_MERGE_DELTA: usize = 4096;

/// With 256 components a base then has 109 MB. A search walks one graph for each base, .2 ms.
const MAX_BASE: usize = 262_144;
