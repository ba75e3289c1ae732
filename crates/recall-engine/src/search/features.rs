//! The computation of the features in `ranking::features` for the candidates of a query: of each, of its neighbours,
//! and in relation to the others.
//!
//! Scores are divided by the best score of the same answer, so that they compare across questions and stores. Coverages and
//! shares are absolute.

use recall_core::{Ablation, Retriever, SearchRequest, Understood};
use recall_index::lexical::DocumentEvidence;
use recall_rank::Columns;
use recall_text::FileKind;
use rustc_hash::FxHashMap;

use super::candidates::KindCandidates;
use super::nearness::Texts;
use super::prior::{asked_for, is_learnt};
use crate::error::StoreError;
use crate::ranking::features::{COSINE_RELATIVE, FEATURES, Feature, Value};
use crate::ranking::inputs::{CosineScores, GraphScores, Inputs, KindRank, NeighbourScores, RetrieverRanks};
use crate::ranking::{ContentKind, ZScore};
use crate::search::semantic::Cosines;
use crate::search::store_results::Links;

/// Returns the features of all documents of one kind, store by store, each store's in the order of its evidence. Those of the
/// kind's ranker are 0; [`add_ranked`] sets them.
///
/// # Errors
/// The texts cannot be read.
pub(super) fn compute(
    understood: &Understood,
    request: &SearchRequest,
    stores: &[KindCandidates<'_>],
    texts: Texts,
) -> Result<Columns, StoreError> {
    let inputs = inputs(understood, request, stores, texts)?;
    let mut columns = Columns::new(FEATURES.len(), inputs.len());
    let all = |score: fn(&DocumentEvidence) -> f32| inputs.iter().map(|one| score(one.document)).collect::<Vec<_>>();
    for (column, feature) in FEATURES.iter().enumerate() {
        match feature.value {
            Value::OfDocument(value) => columns.set(column, inputs.iter().map(value)),
            Value::ShareOfBest(score) => columns.set(column, shares_of_best(&all(score))),
            Value::RankBy(score) => columns.set(column, reciprocal_ranks(&all(score))),
            Value::AfterRanking(_) => {}
        }
    }
    Ok(columns)
}

fn inputs<'a>(
    understood: &Understood,
    request: &SearchRequest,
    stores: &'a [KindCandidates<'_>],
    texts: Texts,
) -> Result<Vec<Inputs<'a>>, StoreError> {
    let wanted = asked_for(understood);
    let has_file_kind = !request.without.contains(&Ablation::FileKind);
    let best_fused = stores.iter().flat_map(|found| found.fused.iter().flatten()).map(|chunk| chunk.score);
    let best_fused = best_fused.fold(f64::MIN_POSITIVE, f64::max);
    let neighbours = compute_neighbours(stores);
    let graph = in_graph(stores);
    let cosines = compute_cosines(stores);
    let closeness = texts.closeness()?;
    let mut inputs = Vec::with_capacity(neighbours.len());
    for found in stores {
        let ranks = retriever_ranks(found);
        let fused_ranks = fused_ranks(found);
        for (place, document) in found.documents.iter().copied().enumerate() {
            let file_kind = document.traits.file_kind;
            let row = inputs.len();
            inputs.push(Inputs {
                class: understood.class,
                asks_tests: wanted.contains(&FileKind::Test),
                question: &found.of_store.evidence.query,
                document,
                file_kind: has_file_kind.then_some(file_kind),
                is_asked_for: is_learnt(file_kind) && wanted.contains(&file_kind),
                closeness: closeness.get(row).copied().flatten(),
                neighbours: neighbours[row],
                graph: graph[row],
                ranks: ranks[place],
                fused: (found.fused[place].map_or(0.0, |chunk| chunk.score) / best_fused) as f32,
                fused_rank: fused_ranks[place],
                cosines: cosines[row],
            });
        }
    }
    Ok(inputs)
}

/// Adds the features that follow from the scores of the kind's ranker: the score, the lead and the rank.
pub(super) fn add_ranked(columns: &mut Columns, scores: &[f32]) {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let best = order.first().map_or(0.0, |&first| scores[first]);
    let second = order.get(1).map_or(best, |&second| scores[second]);
    let after_ranking = |(column, feature): (usize, &Feature)| match feature.value {
        Value::AfterRanking(value) => Some((column, value)),
        _ => None,
    };
    let features: Vec<_> = FEATURES.iter().enumerate().filter_map(after_ranking).collect();
    let mut rank = 0;
    for (number, &row) in order.iter().enumerate() {
        if number == 0 || scores[order[rank]] - scores[row] > ALIKE {
            rank = number;
        }
        let lead = if rank == 0 { (best - second).max(0.0) } else { scores[row] - best };
        let lead = if lead.abs() <= ALIKE { 0.0 } else { lead };
        let kind_rank = KindRank { score: scores[row], lead, rank };
        for &(column, value) in &features {
            columns.put(column, row, value(&kind_rank));
        }
    }
}

/// Scores of a kind's ranker that differ by at most this share a rank and have no lead. Of two near-duplicates, the order must
/// not make one much more likely.
const ALIKE: f32 = 0.3;

/// Returns by how many standard deviations each document's cosine to the query exceeds the mean of its kind; NaN for a document
/// without an embedding.
pub(super) fn nearer_than_mean(columns: &Columns) -> &[f32] {
    columns.values(COSINE_RELATIVE)
}

/// Below this standard deviation, the cosines differ too little to tell documents apart.
const MIN_DEVIATION: f32 = 1e-3;

/// Returns one entry for each document, store by store; `None` for a document without embeddings.
fn compute_cosines(stores: &[KindCandidates<'_>]) -> Vec<Option<CosineScores>> {
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

/// Returns one entry for each document, store by store.
fn compute_neighbours(stores: &[KindCandidates<'_>]) -> Vec<NeighbourScores> {
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
fn in_graph(stores: &[KindCandidates<'_>]) -> Vec<Option<GraphScores>> {
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

/// The smoothing of the reciprocal rank: rank 1 scores 1/21, rank 22 half of that (1/42).
const SMOOTHING: f32 = 20.0;

fn reciprocal_rank(rank: usize) -> f32 {
    1.0 / (SMOOTHING + rank as f32)
}

/// Returns each score divided by the best; all 0 if the best is 0.
fn shares_of_best(scores: &[f32]) -> impl Iterator<Item = f32> {
    let best = scores.iter().copied().fold(0.0, f32::max);
    let factor = if best > 0.0 { 1.0 / best } else { 0.0 };
    scores.iter().map(move |score| score * factor)
}

/// Returns the reciprocal rank of each score. Equal scores share a rank; a score of 0 has no rank and gives 0.
fn reciprocal_ranks(scores: &[f32]) -> Vec<f32> {
    // The bit patterns of positive floats sort like the floats, and integers sort faster than pairs.
    let descending = |(&score, place): (&f32, u32)| u64::from(!score.to_bits()) << 32 | u64::from(place);
    let mut order: Vec<u64> = scores.iter().zip(0..).filter(|&(&score, _)| score > 0.0).map(descending).collect();
    order.sort_unstable();
    let mut reciprocal_ranks = vec![0.0; scores.len()];
    let (mut rank, mut before) = (0, None);
    for (at, key) in order.into_iter().enumerate() {
        let (score, place) = (key >> 32, key as u32 as usize);
        if before != Some(score) {
            (rank, before) = (at + 1, Some(score));
        }
        reciprocal_ranks[place] = reciprocal_rank(rank);
    }
    reciprocal_ranks
}

/// Returns the reciprocal ranks of each document in the lists of the retrievers.
fn retriever_ranks(kind: &KindCandidates<'_>) -> Vec<RetrieverRanks> {
    let [lexical, symbol, path, semantic] =
        [Retriever::Lexical, Retriever::Symbol, Retriever::Path, Retriever::Semantic]
            .map(|one| ranks_in_list(kind, one));
    let ranks = |place: usize| RetrieverRanks {
        lexical: lexical[place],
        symbol: symbol[place],
        path: path[place],
        semantic: semantic[place],
    };
    (0..kind.documents.len()).map(ranks).collect()
}

/// Returns the reciprocal rank of each document in a retriever's list, by its best chunk, counted in documents of the kind; 0
/// if the list does not hold the document.
fn ranks_in_list(kind: &KindCandidates<'_>, retriever: Retriever) -> Vec<f32> {
    let mut reciprocal_ranks = vec![0.0; kind.documents.len()];
    let mut rank = 0;
    let lists = kind.of_store.lists.iter().filter(|list| list.retriever == retriever);
    let here = lists
        .flat_map(|list| &list.candidates)
        .filter(|candidate| ContentKind::from_traits(candidate.traits) == kind.kind);
    for place in here.filter_map(|candidate| kind.place(candidate.document)) {
        if reciprocal_ranks[place] == 0.0 {
            rank += 1;
            reciprocal_ranks[place] = reciprocal_rank(rank);
        }
    }
    reciprocal_ranks
}

/// Returns the reciprocal rank of each document by its best fused chunk; 0 if it has none.
fn fused_ranks(kind: &KindCandidates<'_>) -> Vec<f32> {
    let chunks = kind.fused.iter().enumerate();
    let mut order: Vec<(f64, u64, usize)> =
        chunks.filter_map(|(place, chunk)| Some((chunk.as_ref()?.score, kind.ties[place], place))).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut reciprocal_ranks = vec![0.0; kind.documents.len()];
    for (rank, (_, _, place)) in (1..).zip(order) {
        reciprocal_ranks[place] = reciprocal_rank(rank);
    }
    reciprocal_ranks
}
