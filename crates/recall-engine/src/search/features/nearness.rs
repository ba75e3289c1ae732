//! How near in meaning is a document, beside the others?

use super::ranks::worths;
use crate::search::meaning::Nearness;
use crate::search::pool::OfKind;

/// How near a document is, among all of its kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Among {
    nearness: Option<Nearness>,
    /// By how many standard deviations it is nearer than the mean.
    relative: f32,
    /// The worth of its rank.
    place: f32,
    /// The cosine of the nearest of all.
    nearest: f32,
}

impl Among {
    /// In the order of the features' names; `listed` is the worth of its rank in the retriever's list.
    pub(super) fn features(&self, listed: f32) -> [f32; 6] {
        let Some(Nearness { best, chunk, greatest: _ }) = self.nearness else { return [f32::NAN; 6] };
        [best, self.relative, self.place, chunk, listed, self.nearest]
    }
}

/// For each document, store by store.
pub(super) fn of(stores: &[OfKind<'_>]) -> Vec<Among> {
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
    // A cosine of a candidate is hardly ever below 0, and then worth nothing.
    let worths = worths(&all.iter().map(|one| one.map_or(0.0, |nearness| nearness.best)).collect::<Vec<_>>());
    let among = |(nearness, place): (Option<Nearness>, f32)| Among {
        nearness,
        relative: nearness.map_or(0.0, |nearness| (nearness.best - mean) / deviation),
        place,
        nearest,
    };
    all.into_iter().zip(worths).map(among).collect()
}
