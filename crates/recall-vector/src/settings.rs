//! What can be chosen?

use recall_core::ModelFingerprint;

/// The model that made the embeddings. Those of another are never mixed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// What tells the model from every other.
    pub fingerprint: ModelFingerprint,
    /// How many components its embeddings have; at most
    /// [`MOST_DIMENSIONS`](recall_core::Quantised::MOST_DIMENSIONS).
    pub dimensions: usize,
}

/// Where the balance lies between looking at everything and walking a graph, between writing often and little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// From how many embeddings on the base has a graph.
    pub graph_from: usize,
    /// How many embeddings the graph compares at least for a query. More find more, and take longer.
    pub expansion: usize,
    /// What it costs to expand a node of the graph, in embeddings looked at one after another. Decides between looking at
    /// what a filter lets through, which costs as many, and a walk, which for a filter that lets a share through expands
    /// about `expansion / share` nodes.
    pub node_cost: usize,
    /// How many embeddings the delta may hold in any case before it is merged into the base.
    pub delta_least: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { graph_from: GRAPH_FROM, expansion: EXPANSION, node_cost: NODE_COST, delta_least: DELTA_LEAST }
    }
}

/// See the decision on vectors in `docs/adr`; measured by the bench `vector`.
const GRAPH_FROM: usize = 100_000;

/// See the decision on vectors in `docs/adr`; measured by the bench `vector`.
const EXPANSION: usize = 64;

/// See the decision on vectors in `docs/adr`; measured by the bench `vector`.
const NODE_COST: usize = 50;

/// A scan of the delta then costs 0.08 ms a query, and its log takes a megabyte.
const DELTA_LEAST: usize = 4096;
