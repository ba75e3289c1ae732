//! Which stage of a search is left out, to measure what it is worth?

use std::fmt;

/// A stage of the search that can be left out.
///
/// Nothing takes the place of a stage that is left out: a retriever brings no candidates, a prior changes no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ablation {
    /// Retrieval by words.
    Lexical,
    /// Retrieval by names of definitions.
    Symbol,
    /// Retrieval by paths.
    Path,
    /// Retrieval by meaning, and what it tells the rankers.
    Semantic,
    /// The prior of the file's role.
    FileKind,
    /// The prior of the graph of imports and references.
    Structure,
    /// The learned ranker; the weighted fusion orders in its place.
    Ranker,
    /// The cross-encoder that rescores the first candidates.
    Rerank,
    /// The collapse of repeated texts.
    Collapse,
}

impl Ablation {
    /// Every stage that can be left out, in the order in which a search runs them.
    pub const ALL: [Self; 9] = [
        Self::Lexical,
        Self::Symbol,
        Self::Path,
        Self::Semantic,
        Self::FileKind,
        Self::Structure,
        Self::Ranker,
        Self::Rerank,
        Self::Collapse,
    ];

    /// The stage's name, as interfaces and explanations write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Symbol => "symbol",
            Self::Path => "path",
            Self::Semantic => "semantic",
            Self::FileKind => "file_kind",
            Self::Structure => "structure",
            Self::Ranker => "ranker",
            Self::Rerank => "rerank",
            Self::Collapse => "collapse",
        }
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == name)
    }
}

impl fmt::Display for Ablation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
