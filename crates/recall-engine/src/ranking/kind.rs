//! The kinds of text that rankers put in order, and what they decide on.

use recall_core::{DocumentType, Traits};

/// What is known of candidates when they are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Words, names, paths and the graph.
    Words,
    /// That, and how near in meaning they are to the query.
    Meaning,
    /// The same, where an encoder and the model that follows at once tell the meaning together.
    Together,
}

/// The kinds of text that are put in order among themselves before they make one list: what speaks for a file of code says
/// little about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Source code, configuration and data.
    Code,
    /// Documentation, decision records, playbooks, sessions.
    Prose,
    /// Memories. The rankers of prose put them in order.
    Memory,
}

impl Kind {
    /// All, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Code, Self::Prose, Self::Memory];

    /// The kind of a document.
    pub fn of(traits: Traits) -> Self {
        match traits.document_type {
            DocumentType::Code => Self::Code,
            memory if memory.is_memory() => Self::Memory,
            _ => Self::Prose,
        }
    }

    /// The kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Prose => "prose",
            Self::Memory => "memory",
        }
    }
}
