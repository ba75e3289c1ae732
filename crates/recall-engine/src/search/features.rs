//! What does the learned ranker see of a document?
//!
//! One number a feature and document, in the order of [`names`]. Scores are divided by the best of the same answer, so that they
//! compare across questions and stores; coverages and shares are absolute.

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
use crate::rankers::Basis;
use ranks::{relative, worths};

/// One score of a document, of which the best and the ranks are taken.
type Score = fn(&DocumentEvidence) -> f32;

/// The scores of a document, by name: each gives a feature relative to the answer's best and one by its rank.
const SCORES: [(&str, &str, Score); 9] = [
    ("body_best", "body_best_rank", |document| document.body_best),
    ("body_top", "body_top_rank", |document| document.body_top),
    ("body_whole", "body_whole_rank", |document| document.body_whole),
    ("symbol_best", "symbol_best_rank", |document| document.symbol_best),
    ("symbol_whole", "symbol_whole_rank", |document| document.symbol_whole),
    ("comment_best", "comment_best_rank", |document| document.comment_best),
    ("comment_whole", "comment_whole_rank", |document| document.comment_whole),
    ("path", "path_rank", |document| document.path),
    ("chunk_score", "chunk_score_rank", |document| document.chunk_score),
];

/// What is taken of a document as it is.
const FACTS: [(&str, Score); 25] = [
    ("body_coverage", |document| document.body_coverage),
    ("chunk_coverage", |document| document.chunk_coverage),
    ("symbol_coverage", |document| document.symbol_coverage),
    ("chunk_symbol_coverage", |document| document.chunk_symbol_coverage),
    ("symbol_share", |document| document.symbol_share),
    ("comment_coverage", |document| document.comment_coverage),
    ("path_coverage", |document| document.path_coverage),
    ("stem_coverage", |document| document.stem_coverage),
    ("stem_share", |document| document.stem_share),
    ("folder_share", |document| document.folder_share),
    ("names_equal", |document| document.names_equal),
    ("names_folded", |document| document.names_folded),
    ("names_begun", |document| document.names_begun),
    ("names_stem", |document| document.names_stem),
    ("holds_rarest", |document| document.holds_rarest),
    ("place", |document| document.place),
    ("matched_chunks", |document| document.matched_chunks),
    ("chunks", |document| document.chunks.ln_1p()),
    ("tokens", |document| document.tokens.ln_1p()),
    ("symbol_tokens", |document| document.symbol_tokens.ln_1p()),
    ("comment_tokens", |document| document.comment_tokens.ln_1p()),
    ("chunk_tokens", |document| document.chunk_tokens.ln_1p()),
    ("is_test", |document| flag(document.traits.file_kind == FileKind::Test)),
    ("is_example", |document| flag(document.traits.file_kind == FileKind::Example)),
    ("is_declaration", |document| flag(document.traits.file_kind == FileKind::Declaration)),
];

/// What is known beside the evidence: of the document, then of the question.
const OTHERS: [&str; 32] = [
    "pairs",
    "near",
    "lead",
    "is_data",
    "is_markup",
    "is_unknown",
    "folder_mass",
    "kin",
    "rank",
    "used",
    "uses",
    "walked",
    "walked_over_links",
    "walked_rank",
    "is_generated",
    "is_prose",
    "is_record",
    "lexical_rank",
    "symbol_rank",
    "path_name_rank",
    "fused",
    "fused_rank",
    "asked_for",
    "asks_symbol",
    "asks_path",
    "asks_question",
    "terms",
    "names",
    "mean_weight",
    "rarest",
    "unknown",
    "store_chunks",
];

/// What a document says by itself, so that it means the same in every store and for every kind of text: shares of what could
/// not match better, and whether it is called so.
const ABSOLUTE: [&str; 12] = [
    "body_part",
    "chunk_part",
    "symbol_part",
    "path_part",
    "held",
    "phrase_equal",
    "path_equal",
    "names_near",
    "is_memory",
    "asks_decision",
    "asks_docs",
    "asks_tests",
];

/// What is known of a document once its kind is in order; the rankers of the kinds do not see it.
const RANKED: [&str; 3] = ["ranked", "ranked_lead", "ranked_place"];

/// What is known of the meaning; missing where a store's embeddings have no say.
const MEANING: [&str; 6] =
    ["cosine", "cosine_relative", "cosine_rank", "chunk_cosine", "semantic_rank", "nearest_cosine"];

/// The number of features that words, names, paths and the graph give.
const BY_WORDS: usize = 2 * SCORES.len() + FACTS.len() + OTHERS.len() + ABSOLUTE.len();

/// The number of features that the rankers of the kinds may see.
const BEFORE_RANKING: usize = BY_WORDS + MEANING.len();

/// The number of features.
const COUNT: usize = BEFORE_RANKING + RANKED.len();

/// The names of the features that a ranker of a kind sees on a basis, in their order; what words alone give comes first.
pub fn names(basis: Basis) -> Vec<&'static str> {
    let mut names = all();
    names.truncate(if basis == Basis::Words { BY_WORDS } else { BEFORE_RANKING });
    names
}

/// The names of all features, in their order: those of [`names`], and what is known once each kind is in order.
pub fn all() -> Vec<&'static str> {
    let mut names = Vec::with_capacity(COUNT);
    names.extend(SCORES.iter().map(|&(name, _, _)| name));
    names.extend(SCORES.iter().map(|&(_, name, _)| name));
    names.extend(FACTS.iter().map(|&(name, _)| name));
    names.extend(OTHERS);
    names.extend(ABSOLUTE);
    names.extend(MEANING);
    names.extend(RANKED);
    names
}

/// What depends on the other candidates: the relevance does not see it, so that it means the same whatever else is found.
const RELATIVE: [&str; 14] = [
    "folder_mass",
    "kin",
    "walked",
    "walked_over_links",
    "walked_rank",
    "lexical_rank",
    "symbol_rank",
    "path_name_rank",
    "fused",
    "fused_rank",
    "store_chunks",
    "cosine_relative",
    "cosine_rank",
    "semantic_rank",
];

/// The names of the features that the relevance sees on a basis, in their order.
pub fn of_relevance(basis: Basis) -> Vec<&'static str> {
    let is_seen = |name: &&str| {
        let is_score = SCORES.iter().any(|(score, rank, _)| name == score || name == rank);
        !is_score && !RELATIVE.contains(name) && (basis != Basis::Words || !is_of_meaning(name))
    };
    all().into_iter().filter(is_seen).collect()
}

/// Whether a feature is missing where nothing tells the meaning.
pub(crate) fn is_of_meaning(name: &str) -> bool {
    MEANING.contains(&name)
}

/// Adds what is known of the documents once they have the scores of their kind's ranker.
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

/// Scores of a kind's ranker that differ by no more share a place and have no lead: of two texts that say the same, which is first
/// must not make one of them much more likely.
const ALIKE: f32 = 0.3;

/// The features of all documents of one kind, store by store, each store's in the order of its evidence.
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
        columns.set(column + SCORES.len(), worths(&all));
    }
    for (column, (_, fact)) in (2 * SCORES.len()..).zip(FACTS) {
        columns.set(column, documents.iter().map(|document| fact(document)));
    }
    let wanted = asked_for(understood);
    let best_fused = stores.iter().flat_map(|found| found.fused.iter().flatten()).map(|chunk| chunk.score);
    let best_fused = best_fused.fold(f64::MIN_POSITIVE, f64::max);
    let beside = neighbours::of(stores);
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
            let among = beside[row];
            let walk = walked[row];
            let text = texts.get(row).copied().flatten();
            let others: [f32; OTHERS.len()] = [
                text.map_or(f32::NAN, |text| text.pairs),
                text.map_or(f32::NAN, |text| text.near),
                text.map_or(f32::NAN, |text| text.lead),
                flag(traits.form == Form::Data),
                flag(traits.form == Form::Markup),
                flag(traits.form == Form::Unknown),
                among.folder,
                among.stem,
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

/// The features that tell a file's role.
const KINDS: [&str; 4] = ["is_test", "is_example", "is_declaration", "is_generated"];

fn flag(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}
