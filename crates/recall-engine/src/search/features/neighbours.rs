//! Scores from the neighbours of a document: its directory, files with the same stem, and the link graph.

use recall_index::lexical::DocumentEvidence;
use rustc_hash::FxHashMap;

use super::ranks::reciprocal_ranks;
use crate::ranking::inputs::{GraphScores, NeighbourScores};
use crate::search::candidates::KindCandidates;
use crate::search::store_results::Links;

/// Returns one entry for each document, store by store.
pub(super) fn compute(stores: &[KindCandidates<'_>]) -> Vec<NeighbourScores> {
    let best = best_of(stores);
    let mut all = Vec::new();
    for found in stores {
        let documents = &found.documents;
        // `f64`, so that the order of summation does not show in the result.
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
            all.push(NeighbourScores { folder, stem });
        }
    }
    all
}

/// Returns one entry for each document, store by store; `None` for a document that is newer than the graph.
pub(super) fn in_graph(stores: &[KindCandidates<'_>]) -> Vec<Option<GraphScores>> {
    let best = best_of(stores);
    let mut all = Vec::new();
    for found in stores {
        let Links::Read(structure) = &found.of_store.links else {
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
        let reciprocal_ranks = reciprocal_ranks(&over_links);
        for (number, place) in places.iter().enumerate() {
            all.push(place.map(|at_place| GraphScores {
                rank: structure.rank(at_place),
                used: structure.use_count(at_place),
                uses: structure.uses(at_place),
                walked: at(place).all / most,
                walked_over_links: over_links[number] / most_over_links,
                walked_rank: reciprocal_ranks[number],
            }));
        }
    }
    all
}

/// Returns the weight of a document as a seed of the walk. The score is squared, because only good candidates are evidence for
/// their neighbours.
fn seed(document: &DocumentEvidence, best: f32) -> Option<f32> {
    let score = document.chunk_score / best;
    (score > 0.0).then_some(score * score)
}

fn best_of(stores: &[KindCandidates<'_>]) -> f32 {
    let documents = stores.iter().flat_map(|found| &found.documents);
    documents.map(|document| document.chunk_score).fold(f32::MIN_POSITIVE, f32::max)
}
