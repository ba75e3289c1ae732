//! What can be wrong with a store?

use std::path::PathBuf;

use recall_core::{DocPath, Generation, MemoryId};

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The root of the store.
    pub root: PathBuf,
    /// What is wrong.
    pub problem: Problem,
    /// Whether it was mended.
    pub is_mended: bool,
}

impl Finding {
    /// By what findings are ordered: the worst first, then by store and check.
    pub(crate) fn rank(&self) -> (Gravity, PathBuf, Check) {
        (self.problem.gravity(), self.root.clone(), self.problem.check())
    }
}

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// The journals, and what git knows of them.
    Journal,
    /// The selection of paths.
    Selection,
    /// The catalog.
    Catalog,
    /// The lexical index.
    Lexical,
    /// The embeddings.
    Vectors,
    /// Secrets in what is indexed.
    Secrets,
}

impl Check {
    /// The check's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Journal => "journal",
            Self::Selection => "selection",
            Self::Catalog => "catalog",
            Self::Lexical => "lexical",
            Self::Vectors => "vectors",
            Self::Secrets => "secrets",
        }
    }
}

/// How bad a problem is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// Something is lost, or may be, unless a person looks.
    Error,
    /// Something is not as it should be.
    Warning,
    /// Worth knowing.
    Notice,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The journals cannot be read.
    JournalsUnread {
        /// Why.
        reason: String,
    },
    /// A line of a journal cannot be read as it stands; it stays.
    JournalLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
        /// Whether something that may be an event is not known: not so for the marks of a merge.
        is_loss: bool,
    },
    /// A line of the selection cannot be read; it decides nothing, and stays.
    SelectionLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// Of a memory only amendments are known: its addition is missing.
    Orphan {
        /// Which.
        id: MemoryId,
    },
    /// Another text was added under the id of a memory.
    Rivals {
        /// Which.
        id: MemoryId,
    },
    /// A file for git beside the journals lacks a line, without which branches do not merge, or the index is committed.
    GitLine {
        /// The file.
        path: PathBuf,
        /// The line.
        line: &'static str,
    },
    /// Events that this user wrote are in no journal and nowhere in git.
    Vanished {
        /// How many.
        events: u64,
        /// Why they are not put back by themselves; `None` if that is about to be done.
        reason: Option<String>,
    },
    /// Events that this user wrote had vanished from the journals and were put back.
    PutBack {
        /// How many.
        events: u64,
        /// When the last ones were, in RFC 3339.
        last: String,
        /// How many of them are gone again, which is taken for somebody's wish.
        gone_again: u64,
    },
    /// What this user's recall wrote, or what became of it, cannot be read.
    OwnUnread {
        /// Why.
        reason: String,
    },
    /// Memories came with the repository, and this user has not confirmed them.
    Unconfirmed {
        /// How many.
        memories: u64,
    },
    /// The index does not have the memories that the journals tell.
    MemoriesBehind {
        /// How many.
        memories: u64,
    },
    /// The catalog is damaged.
    CatalogDamaged {
        /// What was found.
        reason: String,
    },
    /// The lexical index is of another generation than the catalog.
    LexicalBehind {
        /// The catalog's.
        catalog: Generation,
        /// The lexical index's.
        lexical: Generation,
    },
    /// Embeddings are passed over.
    Vectors {
        /// Why.
        reason: String,
    },
    /// The project holds an index. It is ignored: an index is kept in the data home.
    IndexInProject {
        /// Where.
        path: PathBuf,
    },
    /// Something was found damaged when the store was opened, and was made anew.
    Repaired {
        /// What.
        what: String,
    },
    /// Secrets stand in an indexed file; they are masked wherever it is told.
    Secrets {
        /// The file.
        path: DocPath,
        /// How many.
        count: u64,
        /// By which rules, in order.
        rules: Vec<&'static str>,
    },
}

impl Problem {
    /// Which check found it.
    pub fn check(&self) -> Check {
        match self {
            Self::JournalsUnread { .. }
            | Self::JournalLine { .. }
            | Self::Orphan { .. }
            | Self::Rivals { .. }
            | Self::GitLine { .. }
            | Self::Vanished { .. }
            | Self::PutBack { .. }
            | Self::OwnUnread { .. }
            | Self::Unconfirmed { .. }
            | Self::MemoriesBehind { .. } => Check::Journal,
            Self::SelectionLine { .. } => Check::Selection,
            Self::CatalogDamaged { .. } | Self::Repaired { .. } | Self::IndexInProject { .. } => Check::Catalog,
            Self::LexicalBehind { .. } => Check::Lexical,
            Self::Vectors { .. } => Check::Vectors,
            Self::Secrets { .. } => Check::Secrets,
        }
    }

    /// How bad it is.
    pub fn gravity(&self) -> Gravity {
        match self {
            Self::JournalsUnread { .. }
            | Self::JournalLine { is_loss: true, .. }
            | Self::SelectionLine { .. }
            | Self::CatalogDamaged { .. }
            | Self::Vanished { reason: Some(_), .. }
            | Self::OwnUnread { .. }
            | Self::Secrets { .. } => Gravity::Error,
            Self::JournalLine { is_loss: false, .. }
            | Self::Orphan { .. }
            | Self::Rivals { .. }
            | Self::GitLine { .. }
            | Self::Vanished { reason: None, .. }
            | Self::MemoriesBehind { .. }
            | Self::LexicalBehind { .. }
            | Self::Vectors { .. } => Gravity::Warning,
            Self::Repaired { .. } | Self::IndexInProject { .. } | Self::PutBack { .. } | Self::Unconfirmed { .. } => {
                Gravity::Notice
            }
        }
    }
}
