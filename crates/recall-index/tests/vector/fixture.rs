//! Indexes for tests.

use std::path::Path;

use recall_core::{ChunkRow, Generation, ModelFingerprint, Neighbour, Quantised, VectorIndex};
use recall_index::vector::{Change, Exact, Model, Settings, Vectors};

pub(crate) const DIMENSIONS: usize = 24;

pub(crate) fn model() -> Model {
    Model { fingerprint: ModelFingerprint::hash(&[b"a model"]), dimensions: DIMENSIONS }
}

/// Builds graphs and merges as early as possible, and walks whenever there is a graph.
pub(crate) fn eager() -> Settings {
    Settings { graph_from: 1, expansion: 64, node_cost: 0, delta_least: 8, base_most: 10_000 }
}

/// Never builds a graph.
pub(crate) fn plain() -> Settings {
    Settings { graph_from: usize::MAX, ..eager() }
}

pub(crate) fn open(dir: &Path, settings: Settings) -> Vectors {
    Vectors::open(dir, model(), settings).unwrap()
}

pub(crate) fn quantised(embedding: &[f32]) -> Quantised {
    Quantised::quantise(embedding).unwrap()
}

/// A change that adds rows from `from` on, one per embedding.
pub(crate) fn added(from: i64, embeddings: &[Vec<f32>]) -> Change {
    let added = (from..).zip(embeddings).map(|(row, embedding)| (ChunkRow(row), quantised(embedding))).collect();
    Change { removed: Vec::new(), added }
}

pub(crate) fn removed(rows: impl IntoIterator<Item = i64>) -> Change {
    Change { removed: rows.into_iter().map(ChunkRow).collect(), added: Vec::new() }
}

pub(crate) fn exact(from: i64, embeddings: &[Vec<f32>]) -> Exact {
    let mut exact = Exact::new(embeddings[0].len());
    for (row, embedding) in added(from, embeddings).added {
        exact.insert(row, &embedding);
    }
    exact
}

/// The share of the expected neighbours that were found.
pub(crate) fn recall(found: &[Neighbour], expected: &[Neighbour]) -> f64 {
    let hits = expected.iter().filter(|wanted| found.iter().any(|neighbour| neighbour.row == wanted.row)).count();
    if expected.is_empty() { 1.0 } else { hits as f64 / expected.len() as f64 }
}

/// Applies a change as the next generation.
pub(crate) fn apply(vectors: &Vectors, change: &Change) -> Generation {
    let generation = vectors.generation().next();
    vectors.apply(generation, change).unwrap();
    assert_eq!(vectors.generation(), generation);
    generation
}

/// All embeddings of an index, by a search without a limit.
pub(crate) fn all(vectors: &impl VectorIndex, query: &[f32]) -> Vec<Neighbour> {
    vectors.nearest(query, recall_core::RowFilter::All, usize::MAX).unwrap()
}
