//! Scores from the cosine of a document to the query, alone and in relation to the other candidates.

use super::ranks::reciprocal_ranks;
use crate::ranking::ZScore;
use crate::ranking::inputs::CosineScores;
use crate::search::candidates::KindCandidates;
use crate::search::semantic::Cosines;

/// Below this standard deviation, the cosines differ too little to tell documents apart.
const MIN_DEVIATION: f32 = 1e-3;

/// Returns one entry for each document, store by store; `None` for a document without embeddings.
pub(super) fn compute(stores: &[KindCandidates<'_>]) -> Vec<Option<CosineScores>> {
    let documents = stores.iter().flat_map(|found| {
        let semantic = found.of_store.semantic.as_ref();
        found.documents.iter().map(move |document| semantic.and_then(|semantic| semantic.cosines(document.document)))
    });
    let all: Vec<Option<Cosines>> = documents.collect();
    let known: Vec<f32> = all.iter().flatten().map(|cosines| cosines.best).collect();
    let standard = ZScore::<f32>::compute(&known).with_min_deviation(MIN_DEVIATION);
    let nearest = known.iter().copied().fold(0.0, f32::max);
    // A candidate's cosine is hardly ever below 0. Such a candidate gets no rank.
    let ranks = reciprocal_ranks(&all.iter().map(|one| one.map_or(0.0, |cosines| cosines.best)).collect::<Vec<_>>());
    let in_relation = |(cosines, rank): (Option<Cosines>, f32)| {
        let Cosines { best, chunk, greatest: _, preferred: _ } = cosines?;
        Some(CosineScores { best, chunk, relative: standard.score(best), rank, nearest })
    };
    all.into_iter().zip(ranks).map(in_relation).collect()
}
