//! What is indexed as one unit?

use std::fmt;
use std::str::FromStr;

use crate::{ContentHash, DocPath, DocumentId, FileKind, Language, Timestamp};

/// One indexed file (later also a memory, a session, a decision): who it is and what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its stable id, derived from `path`.
    pub id: DocumentId,
    /// Where it lives below its store's root.
    pub path: DocPath,
    /// What kind of text it is.
    pub document_type: DocumentType,
    /// What a person would call it: the first heading, the front matter's title, or the file name.
    pub title: String,
    /// The language it is written in, where one was recognised.
    pub language: Option<Language>,
    /// The hash of the bytes on disk, before any decoding.
    pub hash: ContentHash,
    /// The file's length in bytes.
    pub size_bytes: u64,
    /// The file's modification time.
    pub modified: Timestamp,
    /// What its role in the project looks like.
    pub file_kind: FileKind,
    /// Labels from front matter and from whoever added it; sorted, without repetition.
    pub tags: Vec<String>,
    /// Where whoever added it says that it comes from.
    pub source: Option<String>,
}

/// The type of a document. The last six are the types of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentType {
    /// Source code, configuration and data in a language that is parsed or windowed.
    Code,
    /// Prose that is none of the others.
    Documentation,
    /// An architecture decision record.
    Adr,
    /// A playbook or runbook.
    Playbook,
    /// A session's summary.
    Session,
    /// A decision and its rationale.
    Decision,
    /// A way of doing things that worked.
    Pattern,
    /// Something learned.
    Lesson,
    /// Something that went wrong, and why.
    Failure,
    /// A remark.
    Note,
    /// Background.
    Context,
}

impl DocumentType {
    /// Every type, in a fixed order.
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

    /// Reads a type's name; `runbook` is `playbook`, `doc` and `docs` are `documentation`.
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

/// There is no document type of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown type `{text}`: the types are code, documentation, adr, playbook, session, decision, pattern, lesson, failure, note, context"
)]
pub struct UnknownDocumentType {
    /// What was given.
    pub text: String,
}
