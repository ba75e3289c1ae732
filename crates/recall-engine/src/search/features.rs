//! The computation of the features in `ranking::features` for the candidates of a query.
//!
//! Scores are divided by the best score of the same answer, so that they compare across questions and stores. Coverages and
//! shares are absolute.

mod cosines;
mod neighbours;
mod ranks;

use recall_core::{Ablation, SearchRequest, Understood};
use recall_index::lexical::DocumentEvidence;
use recall_rank::Columns;
use recall_text::FileKind;

use super::candidates::KindCandidates;
use super::prior::{asked_for, is_learnt};
use super::texts::Texts;
use crate::error::StoreError;
use crate::ranking::features::{COSINE_RELATIVE, FEATURES, Feature, Value};
use crate::ranking::inputs::{Inputs, KindRank};
use ranks::{reciprocal_ranks, shares_of_best};

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
    let neighbours = neighbours::compute(stores);
    let graph = neighbours::in_graph(stores);
    let cosines = cosines::compute(stores);
    let closeness = texts.closeness()?;
    let mut inputs = Vec::with_capacity(neighbours.len());
    for found in stores {
        let ranks = ranks::retriever_ranks(found);
        let fused_ranks = ranks::fused_ranks(found);
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
