//! The kinds of text that are ranked, and the sets of features that rankers use.

use recall_core::{DocumentType, Traits};
use recall_text::FileKind;

/// The features that are available for ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeatureSet {
    /// Words, names, paths and the graph.
    Words,
    /// Those, and the similarity of embeddings.
    Semantic,
    /// The same, if the similarity is blended from an encoder and the built-in model.
    Blended,
}

/// The kinds of text that are ranked separately before they are merged into one list: features that make a code file relevant
/// say little about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentKind {
    /// Source code, configuration and data.
    Code,
    /// Documentation, decision records, playbooks, sessions.
    Prose,
    /// Memories. They are ranked by the rankers of prose.
    Memory,
}

impl ContentKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Code, Self::Prose, Self::Memory];

    /// Whether a document is code of the program itself: no test, example, page or memory.
    pub(crate) fn is_main_code(traits: Traits) -> bool {
        Self::from_traits(traits) == Self::Code && traits.file_kind == FileKind::Main
    }

    /// Returns the kind of a document.
    pub fn from_traits(traits: Traits) -> Self {
        match traits.document_type {
            DocumentType::Code => Self::Code,
            memory if memory.is_memory() => Self::Memory,
            _ => Self::Prose,
        }
    }

    /// Returns the kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Prose => "prose",
            Self::Memory => "memory",
        }
    }
}
