//! Settings of an index.

use recall_core::ModelFingerprint;

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
}

impl Default for Settings {
    fn default() -> Self {
        Self { graph_from: GRAPH_FROM, expansion: EXPANSION, node_cost: NODE_COST, delta_least: MIN_MERGE_DELTA }
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
