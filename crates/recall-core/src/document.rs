//! Documents: the units that are indexed.

use crate::{ContentHash, DocumentId, DocumentType, MemoryId, Timestamp};
use recall_text::{DocPath, FileKind, Language};

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
