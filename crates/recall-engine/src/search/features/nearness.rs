//! Features from the cosine of a document to the query, alone and in relation to the other candidates.

use super::ranks::reciprocal_ranks;
use crate::search::meaning::Nearness;
use crate::search::pool::OfKind;

/// The cosine of a document, in relation to all candidates of its kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RelativeNearness {
    nearness: Option<Nearness>,
    /// By how many standard deviations the cosine exceeds the mean.
    relative: f32,
    /// The score of its rank by cosine.
    place: f32,
    /// The greatest cosine of all candidates.
    nearest: f32,
}

impl RelativeNearness {
    /// Returns the features in the order of their names. `listed` is the score of the document's rank in the retriever's list.
    pub(super) fn features(&self, listed: f32) -> [f32; 6] {
        let Some(Nearness { best, chunk, greatest: _ }) = self.nearness else { return [f32::NAN; 6] };
        [best, self.relative, self.place, chunk, listed, self.nearest]
    }
}

/// Returns one entry for each document, store by store.
pub(super) fn of(stores: &[OfKind<'_>]) -> Vec<RelativeNearness> {
    let documents = stores.iter().flat_map(|found| {
        let meaning = found.finds.meaning.as_ref();
        found.documents.iter().map(move |document| meaning.and_then(|meaning| meaning.nearness(document.document)))
    });
    let all: Vec<Option<Nearness>> = documents.collect();
    let known: Vec<f32> = all.iter().flatten().map(|nearness| nearness.best).collect();
    let count = known.len().max(1) as f32;
    let mean = known.iter().sum::<f32>() / count;
    let variance = known.iter().map(|best| (best - mean).powi(2)).sum::<f32>() / count;
    let deviation = variance.sqrt().max(1e-3);
    let nearest = known.iter().copied().fold(0.0, f32::max);
    // A candidate's cosine is hardly ever below 0. Such a candidate gets no rank.
    let reciprocal_ranks =
        reciprocal_ranks(&all.iter().map(|one| one.map_or(0.0, |nearness| nearness.best)).collect::<Vec<_>>());
    let relative_nearness = |(nearness, place): (Option<Nearness>, f32)| RelativeNearness {
        nearness,
        relative: nearness.map_or(0.0, |nearness| (nearness.best - mean) / deviation),
        place,
        nearest,
    };
    all.into_iter().zip(reciprocal_ranks).map(relative_nearness).collect()
}
