//! The types of documents, and those of memories, which are six of them.

use std::fmt;
use std::str::FromStr;

/// The type of a document. The last six are the types of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentType {
    /// Source code, configuration and data in a language that is parsed or windowed.
    Code,
    /// Prose that has none of the types below.
    Documentation,
    /// An architecture decision record.
    Adr,
    /// A playbook or runbook.
    Playbook,
    /// A session's summary.
    Session,
    /// A decision and its rationale.
    Decision,
    /// An approach that worked.
    Pattern,
    /// A memory of something learned.
    Lesson,
    /// Something that went wrong, and why.
    Failure,
    /// A memory of any other kind.
    Note,
    /// A memory of background that explains other things.
    Context,
}

impl DocumentType {
    /// All types, in a fixed order.
    pub const ALL: [Self; 11] = [
        Self::Code,
        Self::Documentation,
        Self::Adr,
        Self::Playbook,
        Self::Session,
        Self::Decision,
        Self::Pattern,
        Self::Lesson,
        Self::Failure,
        Self::Note,
        Self::Context,
    ];

    /// The type's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Documentation => "documentation",
            Self::Adr => "adr",
            Self::Playbook => "playbook",
            Self::Session => "session",
            Self::Decision => "decision",
            Self::Pattern => "pattern",
            Self::Lesson => "lesson",
            Self::Failure => "failure",
            Self::Note => "note",
            Self::Context => "context",
        }
    }

    /// Whether documents of this type are captured memories.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Decision | Self::Pattern | Self::Lesson | Self::Failure | Self::Note | Self::Context)
    }
}

impl fmt::Display for DocumentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for DocumentType {
    type Err = UnknownDocumentType;

    /// Parses a type's name; `runbook` is `playbook`, `doc` and `docs` are `documentation`.
    fn from_str(text: &str) -> Result<Self, UnknownDocumentType> {
        match text {
            "runbook" => Ok(Self::Playbook),
            "doc" | "docs" => Ok(Self::Documentation),
            _ => Self::ALL
                .into_iter()
                .find(|known| known.as_str() == text)
                .ok_or_else(|| UnknownDocumentType { text: text.to_owned() }),
        }
    }
}

/// The text does not name a document type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown type `{text}`: the types are code, documentation, adr, playbook, session, decision, pattern, lesson, failure, note, context"
)]
pub struct UnknownDocumentType {
    /// The rejected text.
    pub text: String,
}

/// The type of a memory. It is the letter of the id, so it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryType {
    /// A decision and its rationale.
    Decision,
    /// An approach that worked.
    Pattern,
    /// Something learned, usually from an error.
    Lesson,
    /// Something that went wrong, and why.
    Failure,
    /// Anything of no other type.
    Note,
    /// Background that explains other things.
    Context,
}

impl MemoryType {
    /// All types, in a fixed order.
    pub const ALL: [Self; 6] = [Self::Decision, Self::Pattern, Self::Lesson, Self::Failure, Self::Note, Self::Context];

    /// Returns the type's name, as interfaces and journals write it.
    pub fn as_str(self) -> &'static str {
        DocumentType::from(self).as_str()
    }

    /// The letter that ids of this type begin with.
    pub fn letter(self) -> char {
        match self {
            Self::Decision => 'D',
            Self::Pattern => 'P',
            Self::Lesson => 'L',
            Self::Failure => 'F',
            Self::Note => 'N',
            Self::Context => 'C',
        }
    }
}

impl From<MemoryType> for DocumentType {
    fn from(memory_type: MemoryType) -> Self {
        match memory_type {
            MemoryType::Decision => Self::Decision,
            MemoryType::Pattern => Self::Pattern,
            MemoryType::Lesson => Self::Lesson,
            MemoryType::Failure => Self::Failure,
            MemoryType::Note => Self::Note,
            MemoryType::Context => Self::Context,
        }
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MemoryType {
    type Err = UnknownMemoryType;

    fn from_str(text: &str) -> Result<Self, UnknownMemoryType> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == text)
            .ok_or_else(|| UnknownMemoryType { text: text.to_owned() })
    }
}

/// The text does not name a type of memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown memory type `{text}`: the types are decision, pattern, lesson, failure, note, context")]
pub struct UnknownMemoryType {
    /// The name as it was given.
    pub text: String,
}
