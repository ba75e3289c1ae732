//! The features of a document for ranking: one row for each, with its name, its group and the function that computes it.
//!
//! The order of the rows is the order of the columns: features of words first, then those of embeddings, then those of the kind's
//! ranker. Rankers find their features by name, so a row may be added anywhere within its part.

use recall_core::{DocumentType, QueryClass};
use recall_index::lexical::DocumentEvidence;
use recall_text::{FileKind, Form};

use super::inputs::{FeatureSet, Inputs, KindRank};
use FeatureGroup::{
    Absolute, Body, Closeness, Comments, Graph, Kinds, Names, Neighbours, Path, Question, Ranked, Retrievers, Semantic,
    Sizes,
};

/// A feature of a document.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// The name, which rankers refer to.
    pub name: &'static str,
    /// The group that it is left out with in ablations.
    pub group: FeatureGroup,
    pub(crate) scale: Scale,
    pub(crate) value: Value,
}

/// A group of related features. Leaving out a single feature shows no effect if another one of its group says nearly the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureGroup {
    /// The ranks of the retrievers, and their fusion.
    Retrievers,
    /// How well the text matches.
    Body,
    /// The names that the document defines.
    Names,
    /// How well the doc comments match.
    Comments,
    /// How well the path matches.
    Path,
    /// Shares of a perfect match, and flags: comparable between stores and kinds.
    Absolute,
    /// The proximity of the query's words.
    Closeness,
    /// PageRank, the weights of links, and walks from the candidates.
    Graph,
    /// Other candidates in the directory or with a similar name.
    Neighbours,
    /// The kind of the file.
    Kinds,
    /// Lengths in tokens and chunks, and the position of the representing chunk.
    Sizes,
    /// Properties of the query, equal for all candidates.
    Question,
    /// Cosines of the chunks, and their ranks.
    Semantic,
    /// The score of the kind's ranker.
    Ranked,
}

/// Where the values of a feature are comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Between answers.
    Absolute,
    /// Among the candidates of one answer only. The relevance, which compares between answers, does not use such a feature.
    Relative,
}

/// How a feature is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    OfDocument(fn(&Inputs<'_>) -> f32),
    /// A score, divided by the best of the candidates.
    ShareOfBest(fn(&DocumentEvidence) -> f32),
    /// The reciprocal rank by a score.
    RankBy(fn(&DocumentEvidence) -> f32),
    /// From the score of the kind's ranker. The ranker itself cannot use it.
    AfterRanking(fn(&KindRank) -> f32),
}

/// All features, in the order of the columns.
pub(crate) const FEATURES: &[Feature] = &[
    share_of_best("body_best", Body, |document| document.body_best),
    share_of_best("body_top", Body, |document| document.body_top),
    share_of_best("body_whole", Body, |document| document.body_whole),
    share_of_best("symbol_best", Names, |document| document.symbol_best),
    share_of_best("symbol_whole", Names, |document| document.symbol_whole),
    share_of_best("comment_best", Comments, |document| document.comment_best),
    share_of_best("comment_whole", Comments, |document| document.comment_whole),
    share_of_best("path", Path, |document| document.path),
    share_of_best("chunk_score", Body, |document| document.chunk_score),
    rank_by("body_best_rank", Body, |document| document.body_best),
    rank_by("body_top_rank", Body, |document| document.body_top),
    rank_by("body_whole_rank", Body, |document| document.body_whole),
    rank_by("symbol_best_rank", Names, |document| document.symbol_best),
    rank_by("symbol_whole_rank", Names, |document| document.symbol_whole),
    rank_by("comment_best_rank", Comments, |document| document.comment_best),
    rank_by("comment_whole_rank", Comments, |document| document.comment_whole),
    rank_by("path_rank", Path, |document| document.path),
    rank_by("chunk_score_rank", Body, |document| document.chunk_score),
    absolute("body_coverage", Body, |i| i.document.body_coverage),
    absolute("chunk_coverage", Body, |i| i.document.chunk_coverage),
    absolute("symbol_coverage", Names, |i| i.document.symbol_coverage),
    absolute("chunk_symbol_coverage", Names, |i| i.document.chunk_symbol_coverage),
    absolute("symbol_share", Names, |i| i.document.symbol_share),
    absolute("comment_coverage", Comments, |i| i.document.comment_coverage),
    absolute("path_coverage", Path, |i| i.document.path_coverage),
    absolute("stem_coverage", Path, |i| i.document.stem_coverage),
    absolute("stem_share", Path, |i| i.document.stem_share),
    absolute("folder_share", Path, |i| i.document.folder_share),
    absolute("names_equal", Names, |i| i.document.names_equal),
    absolute("names_folded", Names, |i| i.document.names_folded),
    absolute("names_begun", Names, |i| i.document.names_begun),
    absolute("names_stem", Names, |i| i.document.names_stem),
    absolute("holds_rarest", Body, |i| i.document.holds_rarest),
    absolute("place", Sizes, |i| i.document.place),
    absolute("matched_chunks", Body, |i| i.document.matched_chunks),
    absolute("chunks", Sizes, |i| i.document.chunks.ln_1p()),
    absolute("tokens", Sizes, |i| i.document.tokens.ln_1p()),
    absolute("symbol_tokens", Sizes, |i| i.document.symbol_tokens.ln_1p()),
    absolute("comment_tokens", Sizes, |i| i.document.comment_tokens.ln_1p()),
    absolute("chunk_tokens", Sizes, |i| i.document.chunk_tokens.ln_1p()),
    absolute("is_test", Kinds, |i| flag(i.file_kind == Some(FileKind::Test))),
    absolute("is_example", Kinds, |i| flag(i.file_kind == Some(FileKind::Example))),
    absolute("is_declaration", Kinds, |i| flag(i.file_kind == Some(FileKind::Declaration))),
    absolute("pairs", Closeness, |i| missing_if_none(i.closeness, |closeness| closeness.pairs)),
    absolute("near", Closeness, |i| missing_if_none(i.closeness, |closeness| closeness.near)),
    absolute("lead", Closeness, |i| missing_if_none(i.closeness, |closeness| closeness.lead)),
    absolute("is_data", Kinds, |i| flag(i.document.traits.form == Form::Data)),
    absolute("is_markup", Kinds, |i| flag(i.document.traits.form == Form::Markup)),
    absolute("is_unknown", Kinds, |i| flag(i.document.traits.form == Form::Unknown)),
    relative("folder_mass", Neighbours, |i| i.neighbours.folder),
    relative("kin", Neighbours, |i| i.neighbours.stem),
    absolute("rank", Graph, |i| missing_if_none(i.graph, |graph| graph.rank.ln_1p())),
    absolute("used", Graph, |i| missing_if_none(i.graph, |graph| graph.used.ln_1p())),
    absolute("uses", Graph, |i| missing_if_none(i.graph, |graph| graph.uses.ln_1p())),
    relative("walked", Graph, |i| missing_if_none(i.graph, |graph| graph.walked)),
    relative("walked_over_links", Graph, |i| missing_if_none(i.graph, |graph| graph.walked_over_links)),
    relative("walked_rank", Graph, |i| missing_if_none(i.graph, |graph| graph.walked_rank)),
    absolute("is_generated", Kinds, |i| flag(i.file_kind == Some(FileKind::Generated))),
    absolute("is_prose", Kinds, |i| flag(i.document.traits.document_type != DocumentType::Code)),
    absolute("is_record", Kinds, |i| flag(is_record(i.document.traits.document_type))),
    relative("lexical_rank", Retrievers, |i| i.ranks.lexical),
    relative("symbol_rank", Retrievers, |i| i.ranks.symbol),
    relative("path_name_rank", Retrievers, |i| i.ranks.path),
    relative("fused", Retrievers, |i| i.fused),
    relative("fused_rank", Retrievers, |i| i.fused_rank),
    absolute("asked_for", Kinds, |i| flag(i.is_asked_for)),
    absolute("asks_symbol", Question, |i| flag(i.class == QueryClass::Symbol)),
    absolute("asks_path", Question, |i| flag(i.class == QueryClass::Path)),
    absolute("asks_question", Question, |i| flag(matches!(i.class, QueryClass::Question | QueryClass::Relationship))),
    absolute("terms", Question, |i| i.question.terms),
    absolute("names", Question, |i| i.question.names),
    absolute("mean_weight", Question, |i| i.question.weight / i.question.terms.max(1.0)),
    absolute("rarest", Question, |i| i.question.rarest),
    absolute("unknown", Question, |i| i.question.unknown),
    relative("store_chunks", Question, |i| i.question.chunks.ln_1p()),
    absolute("body_part", Absolute, |i| i.document.body_best / perfect(i)),
    absolute("chunk_part", Absolute, |i| i.document.chunk_score / perfect(i)),
    absolute("symbol_part", Absolute, |i| i.document.symbol_best / perfect(i)),
    absolute("path_part", Absolute, |i| i.document.path / perfect(i)),
    absolute("held", Absolute, |i| covered_share(i.document)),
    absolute("phrase_equal", Absolute, |i| i.document.phrase_equal),
    absolute("path_equal", Absolute, |i| i.document.path_equal),
    absolute("names_near", Absolute, |i| i.document.names_near),
    absolute("is_memory", Absolute, |i| flag(i.document.traits.document_type.is_memory())),
    absolute("asks_decision", Absolute, |i| flag(i.class == QueryClass::Decision)),
    absolute("asks_docs", Absolute, |i| flag(i.class == QueryClass::Docs)),
    absolute("asks_tests", Absolute, |i| flag(i.asks_tests)),
    absolute("cosine", Semantic, |i| missing_if_none(i.cosines, |cosines| cosines.best)),
    relative("cosine_relative", Semantic, |i| missing_if_none(i.cosines, |cosines| cosines.relative)),
    relative("cosine_rank", Semantic, |i| missing_if_none(i.cosines, |cosines| cosines.rank)),
    absolute("chunk_cosine", Semantic, |i| missing_if_none(i.cosines, |cosines| cosines.chunk)),
    relative("semantic_rank", Semantic, |i| missing_if_none(i.cosines, |_| i.ranks.semantic)),
    absolute("nearest_cosine", Semantic, |i| missing_if_none(i.cosines, |cosines| cosines.nearest)),
    after_ranking("ranked", |kind| kind.score),
    after_ranking("ranked_lead", |kind| kind.lead),
    after_ranking("ranked_place", |kind| 1.0 / (1.0 + kind.rank as f32)),
];

const fn absolute(name: &'static str, group: FeatureGroup, value: fn(&Inputs<'_>) -> f32) -> Feature {
    Feature { name, group, scale: Scale::Absolute, value: Value::OfDocument(value) }
}

const fn relative(name: &'static str, group: FeatureGroup, value: fn(&Inputs<'_>) -> f32) -> Feature {
    Feature { name, group, scale: Scale::Relative, value: Value::OfDocument(value) }
}

const fn share_of_best(name: &'static str, group: FeatureGroup, score: fn(&DocumentEvidence) -> f32) -> Feature {
    Feature { name, group, scale: Scale::Relative, value: Value::ShareOfBest(score) }
}

const fn rank_by(name: &'static str, group: FeatureGroup, score: fn(&DocumentEvidence) -> f32) -> Feature {
    Feature { name, group, scale: Scale::Relative, value: Value::RankBy(score) }
}

const fn after_ranking(name: &'static str, value: fn(&KindRank) -> f32) -> Feature {
    Feature { name, group: Ranked, scale: Scale::Absolute, value: Value::AfterRanking(value) }
}

/// Returns 1 for true and 0 for false.
fn flag(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

/// Returns the value of some scores; NaN, which stands for a missing value, if there are none.
fn missing_if_none<T>(scores: Option<T>, value: impl FnOnce(T) -> f32) -> f32 {
    scores.map_or(f32::NAN, value)
}

fn is_record(document_type: DocumentType) -> bool {
    !matches!(document_type, DocumentType::Code | DocumentType::Documentation)
}

/// Returns the score of a perfect match.
fn perfect(inputs: &Inputs<'_>) -> f32 {
    inputs.question.perfect().max(f32::MIN_POSITIVE)
}

/// Returns the share of the question that a document contains in its text, its names or its path.
pub(crate) fn covered_share(document: &DocumentEvidence) -> f32 {
    document.body_coverage.max(document.symbol_coverage).max(document.path_coverage).min(1.0)
}

pub(crate) const COSINE_RELATIVE: usize = column("cosine_relative");

/// Returns the column of a feature. A constant of an unknown name does not compile.
const fn column(name: &str) -> usize {
    let mut column = 0;
    while !is_equal(FEATURES[column].name.as_bytes(), name.as_bytes()) {
        column += 1;
    }
    column
}

const fn is_equal(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns all features, in the order of the columns: those of [`names`], then those that are known after each kind was ranked.
pub fn features() -> &'static [Feature] {
    FEATURES
}

/// Returns the names of the features that a ranker of a kind may use, in the order of the columns. They are the first columns.
pub fn names(set: FeatureSet) -> Vec<&'static str> {
    let is_known = |feature: &&Feature| feature.group != Ranked && feature.is_in(set);
    FEATURES.iter().filter(is_known).map(|feature| feature.name).collect()
}

/// Returns the names of all features, in the order of the columns.
pub fn all_names() -> Vec<&'static str> {
    FEATURES.iter().map(|feature| feature.name).collect()
}

/// Returns the names of the features that the relevance may use, in the order of the columns.
pub fn relevance_names(set: FeatureSet) -> Vec<&'static str> {
    let is_known = |feature: &&Feature| feature.scale == Scale::Absolute && feature.is_in(set);
    FEATURES.iter().filter(is_known).map(|feature| feature.name).collect()
}

/// Returns whether a feature depends on embeddings.
pub(crate) fn is_semantic(name: &str) -> bool {
    FEATURES.iter().any(|feature| feature.name == name && feature.group == Semantic)
}

impl Feature {
    fn is_in(&self, set: FeatureSet) -> bool {
        set != FeatureSet::Words || self.group != Semantic
    }
}

impl FeatureGroup {
    /// All groups, in the order in which they are listed.
    pub const ALL: [Self; 14] = [
        Retrievers, Body, Names, Comments, Path, Absolute, Closeness, Graph, Neighbours, Kinds, Sizes, Question,
        Semantic, Ranked,
    ];

    /// Returns the group's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Retrievers => "retrievers",
            Body => "body",
            Names => "names",
            Comments => "comments",
            Path => "path",
            Absolute => "absolute",
            Closeness => "closeness",
            Graph => "graph",
            Neighbours => "neighbours",
            Kinds => "kinds",
            Sizes => "sizes",
            Question => "question",
            Semantic => "semantic",
            Ranked => "ranked",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct() {
        let names: BTreeSet<&str> = FEATURES.iter().map(|feature| feature.name).collect();
        assert_eq!(names.len(), FEATURES.len());
    }

    #[test]
    fn the_features_of_words_come_first_and_those_of_the_kinds_ranker_last() {
        let all = all_names();
        for set in [FeatureSet::Words, FeatureSet::Semantic] {
            let names = names(set);
            assert_eq!(names, all[..names.len()], "{set:?}");
        }
        assert_eq!(names(FeatureSet::Blended), names(FeatureSet::Semantic));
        assert_eq!(all[names(FeatureSet::Semantic).len()..], ["ranked", "ranked_lead", "ranked_place"]);
    }

    #[test]
    fn the_constant_is_the_column_of_the_relative_cosine() {
        assert_eq!(FEATURES[COSINE_RELATIVE].name, "cosine_relative");
    }

    #[test]
    fn the_relevance_uses_no_feature_that_depends_on_other_candidates() {
        let names = relevance_names(FeatureSet::Semantic);
        for relative in ["body_best", "path_rank", "kin", "walked", "lexical_rank", "fused", "cosine_rank"] {
            assert!(!names.contains(&relative), "{relative}");
        }
        for absolute in ["body_coverage", "body_part", "rank", "terms", "cosine", "ranked"] {
            assert!(names.contains(&absolute), "{absolute}");
        }
    }

    #[test]
    fn every_group_has_a_feature() {
        for group in FeatureGroup::ALL {
            assert!(FEATURES.iter().any(|feature| feature.group == group), "{group:?}");
        }
    }

    #[test]
    fn every_feature_has_a_distinct_description() {
        let words: Vec<&str> = all_names()
            .into_iter()
            .map(|name| recall_core::feature_words(name).unwrap_or_else(|| panic!("{name}")))
            .collect();
        let distinct: BTreeSet<&str> = words.iter().copied().collect();
        assert_eq!(distinct.len(), words.len());
        assert_eq!(recall_core::feature_words("nonsense"), None);
    }
}
