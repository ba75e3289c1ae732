//! The features that the learned ranker reads of a document.
//!
//! One number for each feature and document, in the order of [`names`]. Scores are divided by the best score of the same
//! answer, so that they compare across questions and stores. Coverages and shares are absolute.

mod nearness;
mod neighbours;
mod ranks;

use recall_core::{Ablation, DocumentType, FileKind, Form, QueryClass, SearchRequest, Understood};
use recall_lexical::DocumentEvidence;
use recall_rank::Columns;

use super::pool::OfKind;
use super::prior::{asked_for, is_learnt};
use super::texts::Texts;
use crate::error::StoreError;
use crate::ranking::Basis;
use crate::ranking::schema::{
    ABSOLUTE, BEFORE_RANKING, BY_WORDS, COSINE_RELATIVE, COUNT, FACTS, OTHERS, SCORES, flag, names,
};
use ranks::{reciprocal_ranks, relative};

/// Returns by how many standard deviations each document's cosine to the query exceeds the mean of its kind; NaN for a document
/// without an embedding.
pub(super) fn nearer_than_mean(columns: &Columns) -> &[f32] {
    columns.values(COSINE_RELATIVE)
}

/// Adds the features that follow from the scores of the kind's ranker: the score, the lead and the rank.
pub(super) fn add_ranked(columns: &mut Columns, scores: &[f32]) {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let best = order.first().map_or(0.0, |&first| scores[first]);
    let second = order.get(1).map_or(best, |&second| scores[second]);
    let mut place = 0;
    for (number, &row) in order.iter().enumerate() {
        if number == 0 || scores[order[place]] - scores[row] > ALIKE {
            place = number;
        }
        let lead = if place == 0 { (best - second).max(0.0) } else { scores[row] - best };
        let lead = if lead.abs() <= ALIKE { 0.0 } else { lead };
        let values = [scores[row], lead, 1.0 / (1.0 + place as f32)];
        for (column, value) in (BEFORE_RANKING..).zip(values) {
            columns.put(column, row, value);
        }
    }
}

/// Scores of a kind's ranker that differ by at most this share a rank and have no lead. Of two near-duplicates, the order must
/// not make one much more likely.
const ALIKE: f32 = 0.3;

/// Returns the features of all documents of one kind, store by store, each store's in the order of its evidence.
///
/// # Errors
/// The texts cannot be read.
pub(super) fn of(
    understood: &Understood,
    request: &SearchRequest,
    stores: &[OfKind<'_>],
    texts: Texts,
) -> Result<Columns, StoreError> {
    let documents: Vec<&DocumentEvidence> = stores.iter().flat_map(|found| found.documents.iter().copied()).collect();
    let mut columns = Columns::new(COUNT, documents.len());
    for (column, (_, _, score)) in SCORES.iter().enumerate() {
        let all: Vec<f32> = documents.iter().map(|document| score(document)).collect();
        columns.set(column, relative(&all));
        columns.set(column + SCORES.len(), reciprocal_ranks(&all));
    }
    for (column, (_, fact)) in (2 * SCORES.len()..).zip(FACTS) {
        columns.set(column, documents.iter().map(|document| fact(document)));
    }
    let wanted = asked_for(understood);
    let best_fused = stores.iter().flat_map(|found| found.fused.iter().flatten()).map(|chunk| chunk.score);
    let best_fused = best_fused.fold(f64::MIN_POSITIVE, f64::max);
    let neighbour_scores = neighbours::of(stores);
    let walked = neighbours::walked(stores);
    let near = nearness::of(stores);
    let texts = texts.closeness()?;
    let asks = |classes: &[QueryClass]| flag(classes.contains(&understood.class));
    let mut row = 0;
    for found in stores {
        let question = &found.finds.evidence.question;
        let by_retriever: Vec<Vec<f32>> =
            found.finds.lists.iter().map(|list| ranks::of_documents(list, found)).collect();
        let by_fusion = ranks::of_fused(found);
        for (place, document) in found.documents.iter().enumerate() {
            let rank = |list: usize| by_retriever.get(list).map_or(0.0, |ranks| ranks[place]);
            let traits = document.traits;
            let neighbours = neighbour_scores[row];
            let walk = walked[row];
            let text = texts.get(row).copied().flatten();
            let others: [f32; OTHERS.len()] = [
                text.map_or(f32::NAN, |text| text.pairs),
                text.map_or(f32::NAN, |text| text.near),
                text.map_or(f32::NAN, |text| text.lead),
                flag(traits.form == Form::Data),
                flag(traits.form == Form::Markup),
                flag(traits.form == Form::Unknown),
                neighbours.folder,
                neighbours.stem,
                walk.map_or(f32::NAN, |walk| walk.rank.ln_1p()),
                walk.map_or(f32::NAN, |walk| walk.used.ln_1p()),
                walk.map_or(f32::NAN, |walk| walk.uses.ln_1p()),
                walk.map_or(f32::NAN, |walk| walk.all),
                walk.map_or(f32::NAN, |walk| walk.over_links),
                walk.map_or(f32::NAN, |walk| walk.place),
                flag(traits.file_kind == FileKind::Generated),
                flag(traits.document_type != DocumentType::Code),
                flag(!matches!(traits.document_type, DocumentType::Code | DocumentType::Documentation)),
                rank(0),
                rank(1),
                rank(2),
                (found.fused[place].map_or(0.0, |chunk| chunk.score) / best_fused) as f32,
                by_fusion[place],
                flag(is_learnt(traits.file_kind) && wanted.contains(&traits.file_kind)),
                asks(&[QueryClass::Symbol]),
                asks(&[QueryClass::Path]),
                asks(&[QueryClass::Question, QueryClass::Relationship]),
                question.terms,
                question.names,
                question.weight / question.terms.max(1.0),
                question.rarest,
                question.unknown,
                question.chunks.ln_1p(),
            ];
            let perfect = question.perfect().max(f32::MIN_POSITIVE);
            let absolute: [f32; ABSOLUTE.len()] = [
                document.body_best / perfect,
                document.chunk_score / perfect,
                document.symbol_best / perfect,
                document.path / perfect,
                document.body_coverage.max(document.symbol_coverage).max(document.path_coverage).min(1.0),
                document.phrase_equal,
                document.path_equal,
                document.names_near,
                flag(traits.document_type.is_memory()),
                asks(&[QueryClass::Decision]),
                asks(&[QueryClass::Docs]),
                flag(wanted.contains(&FileKind::Test)),
            ];
            let all = others.into_iter().chain(absolute).chain(near[row].features(rank(3)));
            for (column, value) in (BY_WORDS - OTHERS.len() - ABSOLUTE.len()..).zip(all) {
                columns.put(column, row, value);
            }
            row += 1;
        }
    }
    if request.without.contains(&Ablation::FileKind) {
        for (column, _) in names(Basis::Words).iter().enumerate().filter(|(_, name)| KINDS.contains(name)) {
            columns.set(column, std::iter::repeat_n(0.0, documents.len()));
        }
    }
    Ok(columns)
}

/// The features that depend on the file kind.
const KINDS: [&str; 4] = ["is_test", "is_example", "is_declaration", "is_generated"];
