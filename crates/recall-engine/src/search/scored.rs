//! Chunks with the scores of one or two retrievers, without any other ranking.

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{ChunkRow, DocumentRow, Filters, RowSet, Weights, understand_words};

use super::retriever_weights::{RetrieverWeights, merge};
use super::semantic;
use crate::engine::MountedStore;
use crate::error::StoreError;

/// The number of chunks that each retriever returns of a store. A deeper rank is noise.
const DEPTH: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoredChunk {
    /// The index of its store.
    pub(crate) store: usize,
    pub(crate) chunk: ChunkRow,
    pub(crate) document: DocumentRow,
    /// From 0 to 1; comparable within one list.
    pub(crate) score: f64,
}

/// The result of the retrievers.
pub(crate) struct Scored {
    /// In no particular order.
    pub(crate) chunks: Vec<ScoredChunk>,
    /// The name of the embedding model that was used.
    pub(crate) model: Option<Arc<str>>,
    /// Whether a store has no complete embeddings, so that its chunks have no semantic score.
    pub(crate) lacks_embeddings: bool,
}

/// Returns the best chunks of the stores by a semantic query, a lexical one, or both. `only` restricts the chunks of each store.
///
/// The scores of a retriever are divided by its best one. Of two retrievers, they are combined with the weights that the
/// settings or the class of the query give them.
pub(crate) fn score_chunks(
    stores: &[MountedStore],
    by_meaning: Option<&str>,
    by_words: Option<&str>,
    only: &[Option<Arc<RowSet>>],
) -> Result<Scored, StoreError> {
    let mut lacks_embeddings = false;
    let mut model = None;
    let (mut near, mut lexical) = (Vec::new(), Vec::new());
    let models = semantic::common_models(stores.iter().map(|store| semantic::models_of(store)));
    for (store, (of_store, only)) in stores.iter().zip(only).enumerate() {
        let failed = |source| of_store.index.search_error(source);
        let searcher = of_store.index.searcher().among(only.clone());
        if let Some(text) = by_words {
            let understood = understand_words(text);
            let found = searcher.lexical(&understood, &Filters::default(), DEPTH).map_err(failed)?;
            lexical.extend(found.into_iter().map(|one| ScoredChunk {
                store,
                chunk: one.chunk,
                document: one.document,
                score: f64::from(one.score),
            }));
        }
        if let Some(text) = by_meaning {
            let understood = understand_words(text);
            let find = semantic::near(of_store, &searcher, &understood, DEPTH, models.as_deref()).map_err(failed)?;
            let Some(found) = find.and_then(|find| find()) else {
                lacks_embeddings |= !of_store.index.holds_nothing();
                continue;
            };
            let rows: Vec<ChunkRow> = found.neighbours.iter().map(|one| one.row).collect();
            let documents = of_store.index.read(|snapshot| snapshot.documents_of_chunks(&rows))?;
            // A chunk without a document was deleted meanwhile.
            near.extend(found.neighbours.iter().zip(documents).filter_map(|(one, document)| {
                let score = f64::from(one.cosine.max(0.0));
                Some(ScoredChunk { store, chunk: one.row, document: document?, score })
            }));
            model = Some(found.model);
        }
    }
    let class = understand_words(by_meaning.or(by_words).unwrap_or_default()).class;
    let settings = stores.first().map(|store| store.settings().weights).unwrap_or_default();
    let weights = RetrieverWeights::resolve(class, &merge(&Weights::default(), &settings));
    let chunks = match (by_meaning, by_words) {
        (Some(_), Some(_)) => combine(near, lexical, &weights),
        _ => normalise(near.into_iter().chain(lexical).collect()),
    };
    Ok(Scored { chunks, model, lacks_embeddings })
}

/// Divides the scores by the best one.
fn normalise(mut list: Vec<ScoredChunk>) -> Vec<ScoredChunk> {
    let best = list.iter().map(|one| one.score).fold(0.0, f64::max);
    for one in &mut list {
        one.score = if best > 0.0 { one.score / best } else { 0.0 };
    }
    list
}

fn combine(near: Vec<ScoredChunk>, lexical: Vec<ScoredChunk>, weights: &RetrieverWeights) -> Vec<ScoredChunk> {
    let sum = weights.semantic + weights.lexical;
    let share = |weight: f64| if sum > 0.0 { weight / sum } else { 0.5 };
    let mut all: HashMap<(usize, ChunkRow), ScoredChunk> = HashMap::new();
    for (list, weight) in [(near, share(weights.semantic)), (lexical, share(weights.lexical))] {
        for one in normalise(list) {
            let known = all.entry((one.store, one.chunk)).or_insert(ScoredChunk { score: 0.0, ..one });
            known.score += weight * one.score;
        }
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lists_are_normalised_and_combined_by_weight() {
        let one = |chunk, score| ScoredChunk { store: 0, chunk: ChunkRow(chunk), document: DocumentRow(1), score };
        let weights = RetrieverWeights { lexical: 1.0, symbol: 9.0, path: 9.0, semantic: 3.0 };
        let mut all = combine(vec![one(1, 0.8), one(2, 0.4)], vec![one(2, 30.0), one(3, 15.0)], &weights);
        all.sort_by_key(|one| one.chunk);
        let scores: Vec<f64> = all.iter().map(|one| one.score).collect();
        let expected = [0.75, 0.625, 0.125];
        assert!(scores.iter().zip(expected).all(|(score, expected)| (score - expected).abs() < 1e-12), "{scores:?}");
        assert!(combine(Vec::new(), Vec::new(), &weights).is_empty());
    }
}
