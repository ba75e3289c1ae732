//! Ranked chunks: with all scores, or with those of one or two retrievers and without any other ranking.

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{ChunkRow, DocumentRow, Filters, RowSet, Selectable, Weights, understand_words};
use recall_rank::Columns;

use super::fused::FusedChunk;
use super::retriever_weights::{RetrieverWeights, merge};
use super::semantic;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::ranking::{Factor, FeatureSet};
use crate::search::answer::Reranked;

/// A ranked chunk, before its text is read.
#[derive(Clone, Debug)]
pub(super) struct Ranked<'a> {
    /// The index of its store in the request's list of stores.
    pub(super) store: usize,
    pub(super) document: DocumentRow,
    pub(super) chunk: recall_core::ChunkRow,
    /// The tie-breaker of equal scores; see [`Known::tie_breaker`](crate::known::Known::tie_breaker).
    pub(super) tie: u64,
    /// Comparable within one answer; above 0.
    pub(super) score: f64,
    /// The fused chunk. If a ranker decided, this is the best chunk of the document, if any was ranked.
    pub(super) fused: Option<&'a FusedChunk>,
    /// The factor of the file kind on the odds, if rankers decided. The score includes it.
    pub(super) demotion: Option<Factor>,
    /// The features and scores of the ranker.
    pub(super) learned: Option<Learned>,
    /// The priors of the item: those of a memory, or the feedback on a file.
    pub(super) item_priors: Vec<Factor>,
    /// The score of the cross-encoder.
    pub(super) reranked: Option<Reranked>,
}

/// The features of a document and what the rankers made of them.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    pub(super) set: FeatureSet,
    /// The features of all documents of the kind, and the row of this one.
    pub(super) features: Arc<Columns>,
    pub(super) place: usize,
    /// The probability that the document answers, 0 to 1.
    pub(super) confidence: f32,
    /// How strongly the document supports that the query has an answer; see [`Signs`](super::verdict::Signs).
    pub(super) support: f32,
}

impl Selectable for Ranked<'_> {
    type Document = (usize, i64);

    fn document(&self) -> Self::Document {
        (self.store, self.document.0)
    }
}

/// Sorts chunks, best first.
pub(super) fn sort(ranked: &mut [Ranked<'_>]) {
    let place = |one: &Ranked<'_>| (one.store, one.tie, one.chunk);
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
}

/// Returns `count`, extended by the chunks with the same score as the last one. The order of equal scores depends on texts that
/// are not read yet.
pub(super) fn with_ties(ranked: &[Ranked<'_>], count: usize) -> usize {
    let Some(last) = ranked.get(count - 1) else { return ranked.len() };
    count + ranked[count..].iter().take_while(|ranked| ranked.score.total_cmp(&last.score).is_eq()).count()
}

/// The least standard deviation of rankers' scores that are standardised: below it, all count as equal.
pub(super) const MIN_DEVIATION: f64 = 1e-6;

/// Returns the probability after multiplying its odds by a factor.
pub(super) fn with_odds(probability: f64, factor: f64) -> f64 {
    probability * factor / (1.0 - probability + probability * factor)
}

/// Converts log odds to a probability.
pub(super) fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

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
    fn the_first_include_all_that_tie_with_the_last() {
        let ranked = |(row, score): (i64, f64)| Ranked {
            store: 0,
            document: DocumentRow(row),
            chunk: recall_core::ChunkRow(row),
            tie: 0,
            score,
            fused: None,
            learned: None,
            demotion: None,
            item_priors: Vec::new(),
            reranked: None,
        };
        let all: Vec<Ranked<'_>> = (1..).zip([0.9, 0.8, 0.8, 0.8, 0.7]).map(ranked).collect();
        let counts: Vec<usize> = (1..=6).map(|count| with_ties(&all, count)).collect();
        assert_eq!(counts, [1, 4, 4, 4, 5, 5]);
    }

    #[test]
    fn odds_are_multiplied() {
        assert!((with_odds(0.5, 1.0) - 0.5).abs() < 1e-12);
        assert!((with_odds(0.5, 0.5) - 1.0 / 3.0).abs() < 1e-12);
        assert!(with_odds(0.998, 0.2) < 0.998);
    }

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
