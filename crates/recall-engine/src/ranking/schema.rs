//! The features of a document for ranking: their names, their order, and those that are copied from the evidence.
//!
//! `search::features` computes them in this order.

use recall_core::FileKind;
use recall_lexical::DocumentEvidence;

use super::kind::Basis;

/// A function that reads one value of a document's evidence.
pub(crate) type Score = fn(&DocumentEvidence) -> f32;

/// The scores of a document. Each makes two features: its ratio to the best score of the answer, and its rank.
pub(crate) const SCORES: [(&str, &str, Score); 9] = [
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

/// The features that are copied from a document's evidence.
pub(crate) const FACTS: [(&str, Score); 25] = [
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

/// The features from other sources: those of the document, then those of the query.
pub(crate) const OTHERS: [&str; 32] = [
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

/// The features that do not depend on other documents and so are comparable between stores and kinds: shares of a perfect match,
/// and flags.
pub(crate) const ABSOLUTE: [&str; 12] = [
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

/// The features that are known after a kind was ranked. The rankers of the kinds do not use them.
const RANKED: [&str; 3] = ["ranked", "ranked_lead", "ranked_place"];

/// The features of embeddings; missing if no embeddings cover the store.
const MEANING: [&str; 6] =
    ["cosine", "cosine_relative", "cosine_rank", "chunk_cosine", "semantic_rank", "nearest_cosine"];

/// The number of features of words, names, paths and the graph.
pub(crate) const BY_WORDS: usize = 2 * SCORES.len() + FACTS.len() + OTHERS.len() + ABSOLUTE.len();

/// The index of `cosine_relative` among all features.
pub(crate) const COSINE_RELATIVE: usize = BY_WORDS + 1;

/// The number of features that the rankers of the kinds may use.
pub(crate) const BEFORE_RANKING: usize = BY_WORDS + MEANING.len();

/// The number of features.
pub(crate) const COUNT: usize = BEFORE_RANKING + RANKED.len();

/// Returns the names of the features that a ranker of a kind may use for a basis, in order. Those of words come first.
pub fn names(basis: Basis) -> Vec<&'static str> {
    let mut names = all();
    names.truncate(if basis == Basis::Words { BY_WORDS } else { BEFORE_RANKING });
    names
}

/// Returns the names of all features, in order: those of [`names`], then those that are known after each kind was ranked.
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

/// The features that depend on the other candidates. The relevance does not use them, so that it is comparable between answers.
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

/// Returns the names of the features that the relevance may use for a basis, in order.
pub fn of_relevance(basis: Basis) -> Vec<&'static str> {
    let is_seen = |name: &&str| {
        let is_score = SCORES.iter().any(|(score, rank, _)| name == score || name == rank);
        !is_score && !RELATIVE.contains(name) && (basis != Basis::Words || !is_of_meaning(name))
    };
    all().into_iter().filter(is_seen).collect()
}

/// Returns whether a feature depends on embeddings.
pub(crate) fn is_of_meaning(name: &str) -> bool {
    MEANING.contains(&name)
}

/// Returns 1 for true and 0 for false.
pub(crate) fn flag(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_is_the_index_of_the_relative_cosine() {
        assert_eq!(all()[COSINE_RELATIVE], "cosine_relative");
    }

    #[test]
    fn every_feature_has_a_distinct_description() {
        let words: Vec<&str> = all()
            .into_iter()
            .map(|name| recall_core::feature_words(name).unwrap_or_else(|| panic!("{name}")))
            .collect();
        let distinct: std::collections::BTreeSet<&str> = words.iter().copied().collect();
        assert_eq!(distinct.len(), words.len());
        assert_eq!(recall_core::feature_words("nonsense"), None);
    }
}
