//! Stages of a search that can be disabled, to measure their value.

use std::fmt;

/// A stage of the search that can be disabled.
///
/// Nothing replaces a disabled stage: a retriever returns no candidates, a prior changes no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ablation {
    /// Retrieval by words.
    Lexical,
    /// Retrieval by names of definitions.
    Symbol,
    /// Retrieval by paths.
    Path,
    /// Retrieval by embeddings, and their features in the rankers.
    Semantic,
    /// The worth of a word that hardly any document contains.
    RareWords,
    /// The prior of the file's role.
    FileKind,
    /// The prior of the graph of imports and references.
    Structure,
    /// The learned ranker; the order is that of weighted fusion.
    Ranker,
    /// The small cross-encoder that rescores many candidates.
    Prerank,
    /// The cross-encoder that rescores the top candidates.
    Rerank,
    /// The language model that rescores the first hits.
    Judge,
    /// The collapse of repeated texts.
    Collapse,
}

impl Ablation {
    /// All stages, in the order in which a search runs them.
    pub const ALL: [Self; 12] = [
        Self::Lexical,
        Self::Symbol,
        Self::Path,
        Self::Semantic,
        Self::RareWords,
        Self::FileKind,
        Self::Structure,
        Self::Ranker,
        Self::Prerank,
        Self::Rerank,
        Self::Judge,
        Self::Collapse,
    ];

    /// The stage's name, as interfaces and explanations write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Symbol => "symbol",
            Self::Path => "path",
            Self::Semantic => "semantic",
            Self::RareWords => "rare_words",
            Self::FileKind => "file_kind",
            Self::Structure => "structure",
            Self::Ranker => "ranker",
            Self::Prerank => "prerank",
            Self::Rerank => "rerank",
            Self::Judge => "judge",
            Self::Collapse => "collapse",
        }
    }

    /// Returns the stage with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == name)
    }
}

impl fmt::Display for Ablation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
