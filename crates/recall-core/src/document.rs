//! Documents: the units that are indexed.

use std::fmt;
use std::str::FromStr;

use crate::{ContentHash, DocPath, DocumentId, FileKind, Language, MemoryId, Timestamp};

/// One indexed file or memory: its identity and its state when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its stable id, derived from `path`.
    pub id: DocumentId,
    /// The path below its store's root. For a memory its id, which no file has as its path.
    pub path: DocPath,
    /// The memory that it represents; `None` for a file.
    pub memory: Option<MemoryId>,
    /// What kind of text it is.
    pub document_type: DocumentType,
    /// The title: the first heading, the front matter's title, or the file name.
    pub title: String,
    /// The language, if one was recognised.
    pub language: Option<Language>,
    /// The hash of the bytes on disk, before any decoding.
    pub hash: ContentHash,
    /// The file's length in bytes.
    pub size_bytes: u64,
    /// The file's modification time.
    pub modified: Timestamp,
    /// The file's role in the project.
    pub file_kind: FileKind,
    /// Labels from the front matter and from the user; sorted, without repetition.
    pub tags: Vec<String>,
    /// Its source, as stated when it was added.
    pub source: Option<String>,
}

impl Document {
    /// Returns what the document represents.
    pub fn key(&self) -> DocumentKey {
        self.memory.map_or_else(|| DocumentKey::File(self.path.clone()), DocumentKey::Memory)
    }
}

/// What a document represents: a file or a memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKey {
    /// The file at a path below the store's root.
    File(DocPath),
    /// A memory of the store.
    Memory(MemoryId),
}

impl DocumentKey {
    /// Returns the path of the document in its store: that of the file, or the id of the memory.
    pub fn to_path(&self) -> DocPath {
        match self {
            Self::File(path) => path.clone(),
            Self::Memory(id) => id.to_path(),
        }
    }
}

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
