//! The problems that a check of a store can find.

use std::path::PathBuf;

use recall_core::{Generation, MemoryId};
use recall_text::DocPath;

/// A problem that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The root of the store.
    pub root: PathBuf,
    /// What is wrong, with the place and the numbers.
    pub problem: Problem,
    /// Whether it was repaired.
    pub is_fixed: bool,
}

impl Finding {
    /// Returns the sort key of findings: the worst first, then by store and check.
    pub(crate) fn rank(&self) -> (Gravity, PathBuf, Check) {
        (self.problem.gravity(), self.root.clone(), self.problem.check())
    }
}

/// What a check looks at. The order is that of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// The journals, and the files that configure git for them.
    Journal,
    /// The selection of paths.
    Selection,
    /// The catalog, and what was damaged when the store was opened.
    Catalog,
    /// The lexical index: whether it is of the catalog's generation.
    Lexical,
    /// The embeddings: whether they can be used.
    Vectors,
    /// Secrets in what is indexed.
    Secrets,
}

impl Check {
    /// Returns the check's name, as interfaces show it.
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

/// The severity of a problem, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// Data is lost, or may be lost without a person's action.
    Error,
    /// Something is wrong that can be repaired.
    Warning,
    /// Nothing is wrong; a person may want to know it.
    Notice,
}

/// A problem of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The journals cannot be read.
    JournalsUnread {
        /// The error and its causes, as one text.
        reason: String,
    },
    /// A line of a journal cannot be read as it is. It stays in the file.
    JournalLine {
        /// The day's file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Why it cannot be read.
        reason: String,
        /// Whether the line may have been an event; false for the markers of a merge conflict.
        is_loss: bool,
    },
    /// A line of the selection cannot be read. It is ignored and stays in the file.
    SelectionLine {
        /// The file of the selection that has the line.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Why it cannot be read.
        reason: String,
    },
    /// A memory has updates but its addition is missing.
    Orphan {
        /// The id that the updates name.
        id: MemoryId,
    },
    /// Two memories share an id.
    Rivals {
        /// The id; the later one counts as the memory.
        id: MemoryId,
    },
    /// A file for git next to the journals lacks a line, without which branches do not merge, or the index is committed.
    GitLine {
        /// The file for git, such as `.gitattributes`.
        path: PathBuf,
        /// The line that it lacks.
        line: &'static str,
    },
    /// Git is not run in the project: its references or objects are those of another repository.
    LeadsOut {
        /// Git's folder.
        path: PathBuf,
    },
    /// Events that this user wrote are in no journal and nowhere in git.
    Vanished {
        /// The number of events.
        events: u64,
        /// Why they are not put back without a request; `None` if they are about to be put back.
        reason: Option<String>,
    },
    /// Events that this user wrote had vanished from the journals and were put back.
    PutBack {
        /// The number of events over all time.
        events: u64,
        /// When the last ones were put back, in RFC 3339.
        last: String,
        /// How many of them vanished again, which counts as intended.
        gone_again: u64,
    },
    /// A person took events that this user wrote out of the journals. They stay out.
    TakenOut {
        /// The number of events over all time.
        events: u64,
    },
    /// The log of this user's own events, or the record of their fates, cannot be read.
    OwnUnread {
        /// The error and its causes, as one text.
        reason: String,
    },
    /// Memories that were saved in linked work trees are in no journal yet.
    Pending {
        /// The number of memories with a pending addition or change.
        memories: u64,
    },
    /// Memories came with the repository, and this user has not confirmed them.
    Unconfirmed {
        /// The number of memories in force that are neither own nor confirmed.
        memories: u64,
    },
    /// The index lacks memories of the journals.
    MemoriesBehind {
        /// The number of memories whose documents are missing, outdated or to be removed.
        memories: u64,
    },
    /// The catalog has damaged contents. A request that reads them has it rebuilt.
    CatalogDamaged {
        /// What the check of the whole catalog found.
        reason: String,
    },
    /// The lexical index is of another generation than the catalog.
    LexicalBehind {
        /// The generation of the catalog, which is right.
        catalog: Generation,
        /// The generation that the lexical index was built from.
        lexical: Generation,
    },
    /// Embeddings are not used.
    Vectors {
        /// Why not, as one text.
        reason: String,
    },
    /// The project has an index folder. It is ignored: the index is in the data home.
    IndexInProject {
        /// The folder, which can be deleted by hand.
        path: PathBuf,
    },
    /// A part of the index was damaged when the store was opened, and was rebuilt.
    Repaired {
        /// A sentence that names the part.
        what: String,
    },
    /// An indexed file has secrets. They are masked in every answer.
    Secrets {
        /// The path below the root.
        path: DocPath,
        /// The number of secrets in its text.
        count: u64,
        /// The names of the rules that matched, in order.
        rules: Vec<&'static str>,
    },
}

impl Problem {
    /// Returns the check that a problem of this kind belongs to.
    pub fn check(&self) -> Check {
        match self {
            Self::JournalsUnread { .. }
            | Self::JournalLine { .. }
            | Self::Orphan { .. }
            | Self::Rivals { .. }
            | Self::GitLine { .. }
            | Self::LeadsOut { .. }
            | Self::Vanished { .. }
            | Self::PutBack { .. }
            | Self::TakenOut { .. }
            | Self::OwnUnread { .. }
            | Self::Unconfirmed { .. }
            | Self::Pending { .. }
            | Self::MemoriesBehind { .. } => Check::Journal,
            Self::SelectionLine { .. } => Check::Selection,
            Self::CatalogDamaged { .. } | Self::Repaired { .. } | Self::IndexInProject { .. } => Check::Catalog,
            Self::LexicalBehind { .. } => Check::Lexical,
            Self::Vectors { .. } => Check::Vectors,
            Self::Secrets { .. } => Check::Secrets,
        }
    }

    /// Returns the severity, which depends on the kind and on whether anything is lost.
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
            | Self::LeadsOut { .. }
            | Self::Vanished { reason: None, .. }
            | Self::MemoriesBehind { .. }
            | Self::LexicalBehind { .. }
            | Self::Vectors { .. } => Gravity::Warning,
            Self::Repaired { .. }
            | Self::IndexInProject { .. }
            | Self::PutBack { .. }
            | Self::TakenOut { .. }
            | Self::Pending { .. }
            | Self::Unconfirmed { .. } => Gravity::Notice,
        }
    }
}
