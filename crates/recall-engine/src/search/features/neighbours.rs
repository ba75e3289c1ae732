//! What do the documents around a document say for it?

use recall_lexical::DocumentEvidence;
use rustc_hash::FxHashMap;

use super::ranks::worths;
use crate::search::pool::OfKind;

/// What the candidates beside a document say for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beside {
    /// How well the others of its directory fit, summed and damped, in relation to the greatest such sum.
    pub(super) folder: f32,
    /// How well the best of the others fits whose file is named alike, in relation to the best of all.
    pub(super) stem: f32,
}

/// For each document, store by store.
pub(super) fn of(stores: &[OfKind<'_>]) -> Vec<Beside> {
    let best = best_of(stores);
    let mut all = Vec::new();
    for found in stores {
        let documents = &found.documents;
        // Wide enough that the order in which they are summed does not show.
        let mut folders: FxHashMap<u32, f64> = FxHashMap::default();
        let mut stems: FxHashMap<u32, [f32; 2]> = FxHashMap::default();
        for document in documents {
            let score = document.chunk_score / best;
            *folders.entry(document.folder).or_default() += f64::from(score);
            let two = stems.entry(document.stem).or_default();
            if score > two[0] {
                *two = [score, two[0]];
            } else if score > two[1] {
                two[1] = score;
            }
        }
        for document in documents {
            let score = document.chunk_score / best;
            let [first, second] = stems[&document.stem];
            let stem = if score >= first { second } else { first };
            let folder = (folders[&document.folder] - f64::from(score)).max(0.0).ln_1p() as f32;
            all.push(Beside { folder, stem });
        }
    }
    all
}

/// What the graph says for a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walked {
    pub(super) rank: f32,
    pub(super) used: f32,
    pub(super) uses: f32,
    /// In relation to the best of the answer.
    pub(super) all: f32,
    /// In relation to the best of the answer.
    pub(super) over_links: f32,
    /// The worth of its rank by the walks that came over links.
    pub(super) place: f32,
}

/// For each document, store by store; `None` for one that is newer than the graph.
pub(super) fn walked(stores: &[OfKind<'_>]) -> Vec<Option<Walked>> {
    let best = best_of(stores);
    let mut all = Vec::new();
    for found in stores {
        let Some(structure) = &found.finds.structure else {
            all.extend(found.documents.iter().map(|_| None));
            continue;
        };
        let places: Vec<Option<u32>> =
            found.documents.iter().map(|document| structure.place(document.document)).collect();
        let documents = places.iter().zip(&found.documents).zip(&found.ties);
        let mut seeds: Vec<(u64, (u32, f32))> =
            documents.filter_map(|((place, document), tie)| Some((*tie, ((*place)?, seed(document, best)?)))).collect();
        seeds.sort_by_key(|(tie, _)| *tie);
        let seeds: Vec<(u32, f32)> = seeds.into_iter().map(|(_, seed)| seed).collect();
        let arrived = structure.walk(&seeds);
        let at = |place: &Option<u32>| place.and_then(|place| arrived.get(&place)).copied().unwrap_or_default();
        let over_links: Vec<f32> = places.iter().map(|place| at(place).over_links).collect();
        let most_of = |values: &[f32]| values.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let most_over_links = most_of(&over_links);
        let most = most_of(&places.iter().map(|place| at(place).all).collect::<Vec<_>>());
        let worths = worths(&over_links);
        for (number, place) in places.iter().enumerate() {
            all.push(place.map(|at_place| Walked {
                rank: structure.rank(at_place),
                used: structure.used(at_place),
                uses: structure.uses(at_place),
                all: at(place).all / most,
                over_links: over_links[number] / most_over_links,
                place: worths[number],
            }));
        }
    }
    all
}

/// The weight with which walks begin at a document. Squared, because only good candidates say something for others.
fn seed(document: &DocumentEvidence, best: f32) -> Option<f32> {
    let score = document.chunk_score / best;
    (score > 0.0).then_some(score * score)
}

fn best_of(stores: &[OfKind<'_>]) -> f32 {
    let documents = stores.iter().flat_map(|found| &found.documents);
    documents.map(|document| document.chunk_score).fold(f32::MIN_POSITIVE, f32::max)
}
