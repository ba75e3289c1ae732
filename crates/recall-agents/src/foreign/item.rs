//! The items that readers return, and the error of reading a source.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use recall_core::{DocumentType, EventDetails, MemoryType, SessionEventType, StoreScope, Timestamp};

/// Receives the items of a source. It breaks to stop the reader.
pub type Sink<'s> = dyn FnMut(Item) -> ControlFlow<()> + 's;

/// An item of a foreign source.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// It becomes a memory.
    Memory(Box<ForeignMemory>),
    /// It becomes a session.
    Session(Box<ForeignSession>),
    /// It becomes a file in the folder of recall.
    File(ForeignFile),
    /// It is not imported, for a reason that is reported.
    LeftOut(LeftOut),
}

/// A foreign piece of knowledge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForeignMemory {
    /// Its id: the same whenever the same item of its kind is read, on any machine.
    pub id: String,
    /// Its type; `None` for a note.
    pub memory_type: Option<MemoryType>,
    /// The title; empty if it has none.
    pub title: String,
    /// The text, as the source has it.
    pub content: String,
    /// Labels of the source.
    pub tags: Vec<String>,
    /// The files that it names as its own, as they were written.
    pub files: Vec<String>,
    /// When it was made; `None` if that is not known.
    pub created: Option<Timestamp>,
    /// The scope and the project that it is about.
    pub belongs: Belonging,
    /// Who made it and in which state of the repository.
    pub origin: ForeignOrigin,
    /// Its ratings, one by one.
    pub feedback: Vec<ForeignFeedback>,
}

/// Where an item applies, as far as its source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Belonging {
    /// Its scope; `None` if the tool knows no scopes.
    pub scope: Option<StoreScope>,
    /// The path or the name of its project; `None` if the source does not say.
    pub project: Option<String>,
}

/// Who made an item, as far as its source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignOrigin {
    /// The agent or app.
    pub agent: Option<String>,
    /// The agent's mode.
    pub mode: Option<String>,
    /// The id of the session, as the source writes it.
    pub session: Option<String>,
    /// The git branch that was checked out.
    pub branch: Option<String>,
    /// The git commit that was checked out.
    pub commit: Option<String>,
}

/// A rating of a foreign memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFeedback {
    /// Its id within the memory.
    pub id: String,
    /// Whether the memory helped.
    pub useful: bool,
    /// The occasion, in words.
    pub note: Option<String>,
    /// When it was rated; `None` if that is not known.
    pub created: Option<Timestamp>,
    /// The id of the session in which it was rated.
    pub session: Option<String>,
}

/// A session that another tool recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignSession {
    /// Its id, by which a second import recognises it.
    pub id: String,
    /// When it started.
    pub started: Timestamp,
    /// When its last event was.
    pub ended: Timestamp,
    /// Its goal; for a transcript, the first request.
    pub goal: Option<String>,
    /// Its summary; `None` to generate one from the events.
    pub summary: Option<String>,
    /// The scope and the project that it is about.
    pub belongs: Belonging,
    /// The agent that ran it and the state of the repository.
    pub origin: ForeignOrigin,
    /// Its events, in order.
    pub events: Vec<ForeignEvent>,
    /// The number of further events, which exceed the limit.
    pub further: u64,
}

/// An event of a foreign session.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignEvent {
    /// When it happened.
    pub timestamp: Timestamp,
    /// What. Its related files are empty.
    pub details: EventDetails,
    /// The files that it concerns, as they were written.
    pub files: Vec<String>,
}

/// A foreign file that is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFile {
    /// Its plain path below the folder `.recall`.
    pub below: String,
    /// Its whole text.
    pub content: String,
    /// Where it was found.
    pub from: PathBuf,
}

/// Items that become nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The item, or what several have in common.
    pub item: String,
    /// How many items there are of this kind.
    pub count: u64,
    /// Why they are not imported.
    pub reason: LeftOutReason,
}

impl LeftOut {
    /// A single item, which is named by itself.
    pub fn one(item: impl Into<String>, reason: LeftOutReason) -> Self {
        Self { item: item.into(), count: 1, reason }
    }
}

/// The reason why an item becomes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOutReason {
    /// It has no text.
    Empty,
    /// Its text exceeds the limit of a memory.
    TooLong {
        /// Its length in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It was deleted or archived there.
    Deleted,
    /// It was derived from a file, which recall indexes itself.
    Derived,
    /// Recall has no place for it.
    NoPlace {
        /// What to do instead.
        instead: &'static str,
    },
    /// It cannot be read.
    Unreadable {
        /// What is wrong with it, in words.
        why: String,
    },
    /// It belongs to another project.
    OtherProject,
    /// It belongs to the stores of another scope.
    OtherScope,
    /// It nearly repeats another memory.
    Repeats {
        /// The id of the other memory.
        of: String,
    },
    /// A file of that name is there.
    FileExists,
}

impl LeftOutReason {
    /// Returns the stable code of the reason.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "EMPTY",
            Self::TooLong { .. } => "TOO_LONG",
            Self::Deleted => "DELETED",
            Self::Derived => "DERIVED",
            Self::NoPlace { .. } => "NO_PLACE",
            Self::Unreadable { .. } => "UNREADABLE",
            Self::OtherProject => "OTHER_PROJECT",
            Self::OtherScope => "OTHER_SCOPE",
            Self::Repeats { .. } => "REPEATS",
            Self::FileExists => "FILE_EXISTS",
        }
    }
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it has no text"),
            Self::TooLong { bytes, limit } => write!(f, "it has {bytes} bytes; the limit is {limit}"),
            Self::Deleted => f.write_str("it was deleted or archived there"),
            Self::Derived => f.write_str("it was derived from a file, which recall indexes itself"),
            Self::NoPlace { instead } => f.write_str(instead),
            Self::Unreadable { why } => write!(f, "it cannot be read: {why}"),
            Self::OtherProject => f.write_str("it belongs to another project"),
            Self::OtherScope => f.write_str("it belongs to another scope"),
            Self::Repeats { of } => write!(f, "it nearly repeats {of}"),
            Self::FileExists => f.write_str("a file of that name is there"),
        }
    }
}

/// Returns the type of memory for a foreign type, and a label for a type that recall does not have.
pub(crate) fn memory_type(foreign: &str) -> (Option<MemoryType>, Option<String>) {
    let foreign = foreign.trim().to_lowercase();
    let known = match &*foreign {
        "adr" => Some(MemoryType::Decision),
        "bugfix" | "bug" | "incident" => Some(MemoryType::Failure),
        "discovery" | "learning" => Some(MemoryType::Lesson),
        "runbook" => Some(MemoryType::Pattern),
        "note" | "manual" | "memory" | "" => return (None, None),
        known => known.parse::<MemoryType>().ok(),
    };
    let is_same = known.is_some_and(|known| DocumentType::from(known).as_str() == foreign);
    (known, (!is_same).then_some(foreign))
}

/// Returns the type of a session's event for a foreign type, as far as it is one that a client may log.
pub(crate) fn event_type(foreign: &str) -> SessionEventType {
    match foreign.trim() {
        "task_complete" => SessionEventType::Milestone,
        known => known
            .parse()
            .ok()
            .filter(|known: &SessionEventType| !known.is_boundary())
            .unwrap_or(SessionEventType::Observation),
    }
}

/// A foreign source cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing is at the path.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path that was given.
        path: PathBuf,
    },
    /// The file or folder is something else.
    #[error("`{}` is not {expected}: {found}", path.display())]
    Unexpected {
        /// The path of the file or folder.
        path: PathBuf,
        /// What the reader expects there, with its article.
        expected: &'static str,
        /// What is there instead, in words.
        found: String,
    },
    /// A newer version wrote the file.
    #[error("`{}` has version {version} of its format; this recall reads up to {known}", path.display())]
    Newer {
        /// The path of the file.
        path: PathBuf,
        /// The version of the file.
        version: i64,
        /// The newest known version.
        known: i64,
    },
    /// The database is damaged or truncated.
    #[error("the database `{}` is damaged", path.display())]
    Damaged {
        /// The path of the database.
        path: PathBuf,
        /// SQLite's error, which names the damage.
        #[source]
        source: rusqlite::Error,
    },
    /// The file exceeds the limit.
    #[error("`{}` has {bytes} bytes; the limit is {limit}", path.display())]
    TooLarge {
        /// The path of the file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// The greatest size that is read, in bytes.
        limit: u64,
    },
    /// Another program writes to the database without a pause.
    #[error("`{}` is being written by another program; close that program and try again", path.display())]
    Changing {
        /// The path of the database.
        path: PathBuf,
    },
    /// The file or folder cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The path of the file or folder.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// The copy of a database cannot be written.
    #[error("cannot write a copy of `{}` to `{}`", path.display(), scratch.display())]
    Copy {
        /// The path of the database.
        path: PathBuf,
        /// The folder of the copy.
        scratch: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
}
