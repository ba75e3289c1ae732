//! The errors of the use cases.
//!
//! One enum for each use case, with what failed, on which store, path or id. [`StoreError`] is what any of them meets when it opens,
//! reads or writes a store. No hints and no exit codes: the daemon maps each variant to a reason, and the clients word what to do
//! about it.

mod publish;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{DocPathError, Scope, UnknownLanguage};
use recall_lexical::exact::PatternError;
use recall_os::OpenError;
use recall_watch::root::OutsideError;

use crate::origin::OriginError;

pub use publish::{PublishError, PublishSourceError};

/// A store cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The request's project cannot be used.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The folder for the index cannot be created or read.
    #[error("the index folder `{}` cannot be used", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Another process holds the lock on the store's index.
    #[error("another process{} has the index of {} open", process_name(*pid), root.display())]
    InUse {
        /// The store's root.
        root: PathBuf,
        /// The other process, if it is known.
        pid: Option<u32>,
    },
    /// The catalog cannot be opened.
    #[error("the catalog of {} cannot be opened", root.display())]
    OpenCatalog {
        /// The store's root.
        root: PathBuf,
        /// Why.
        #[source]
        source: recall_catalog::OpenError,
    },
    /// The catalog cannot be read.
    #[error("the catalog of {} cannot be read", root.display())]
    ReadCatalog {
        /// The store's root.
        root: PathBuf,
        /// Why.
        #[source]
        source: recall_catalog::ReadError,
    },
    /// The catalog cannot be written.
    #[error("the catalog of {} cannot be written", root.display())]
    WriteCatalog {
        /// The store's root.
        root: PathBuf,
        /// Why.
        #[source]
        source: recall_catalog::WriteError,
    },
    /// The lexical index cannot be opened.
    #[error("the lexical index of {} cannot be opened", root.display())]
    OpenLexical {
        /// The store's root.
        root: PathBuf,
        /// Why.
        #[source]
        source: recall_lexical::OpenError,
    },
    /// The lexical index cannot be searched.
    #[error("the lexical index of {} cannot be searched", root.display())]
    SearchLexical {
        /// The store's root.
        root: PathBuf,
        /// Why.
        #[source]
        source: recall_lexical::SearchError,
    },
    /// The lexical index cannot be written.
    #[error("the lexical index of {} cannot be written", root.display())]
    WriteLexical {
        /// The store's root.
        root: PathBuf,
        /// Why.
        #[source]
        source: recall_lexical::WriteError,
    },
    /// The file of added and removed paths cannot be read or written.
    #[error("the selection `{}` cannot be used", .0.path().display())]
    Selection(#[source] OpenError),
    /// The root's files cannot be listed.
    #[error("the files of {} cannot be listed", root.display())]
    Scan {
        /// The store's root.
        root: PathBuf,
        /// Why.
        #[source]
        source: recall_watch::ScanError,
    },
    /// The store was never indexed, and indexing it failed.
    #[error("`{}` could not be indexed", root.display())]
    NotIndexed {
        /// The store's root.
        root: PathBuf,
        /// Why; reported to every search until indexing succeeds.
        #[source]
        source: Arc<StoreError>,
    },
    /// The project does not see the domain.
    #[error("the project sees no domain `{name}`{}", list_names(known))]
    NoDomain {
        /// What was given.
        name: String,
        /// The domains that it sees.
        known: Vec<String>,
    },
    /// A thread for the job cannot be started.
    #[error("no thread can be started")]
    Thread {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A filter read for the time of `limits.filter_time` and was not done.
    #[error(
        "the filter read {documents} documents of `{}` in {} ms, which is the limit, and was not done",
        root.display(),
        limit.as_millis()
    )]
    FilterTime {
        /// The store's root.
        root: PathBuf,
        /// The documents that were read.
        documents: u64,
        /// The limit.
        limit: Duration,
    },
    /// The job was cancelled. Committed batches stay.
    #[error("the job was cancelled")]
    Cancelled,
    /// The engine is closing.
    #[error("the daemon is shutting down")]
    Closing,
}

impl From<OpenError> for StoreError {
    fn from(error: OpenError) -> Self {
        Self::Folder { path: error.path().to_owned(), source: error.into() }
    }
}

fn process_name(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

fn list_names(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!(": those that it sees are {}", known.join(", ")) }
}

/// A search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query has no words.
    #[error("the query is empty")]
    EmptyQuery,
    /// The scope names stores that are not configured.
    #[error("the scope `{scope}` has no store here")]
    NoStore {
        /// The scope.
        scope: Scope,
    },
    /// A filter names an unknown language.
    #[error(transparent)]
    Language(#[from] UnknownLanguage),
    /// The text to find is not a pattern.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A filter names a path outside of the project.
    #[error(transparent)]
    Outside(#[from] OutsideFilter),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A filter of a request names a path outside of the client's project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is not in the project")]
pub struct OutsideFilter {
    /// The path as it was written.
    pub path: String,
}

/// Indexing failed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A path is outside of the root.
    #[error("`{}` cannot be indexed here", path.display())]
    Outside {
        /// The path as it was given.
        path: PathBuf,
        /// Why.
        #[source]
        source: OutsideError,
    },
    /// The path does not exist.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path as it was given.
        path: PathBuf,
    },
    /// A glob is malformed.
    #[error("`{glob}` is not a glob: {reason}")]
    Glob {
        /// The glob.
        glob: String,
        /// Why.
        reason: String,
    },
    /// Ignore patterns were given without a path below the root.
    #[error("ignore patterns need a path below the root of the project")]
    IgnoreEverywhere,
    /// The scope names stores that are not configured, or several.
    #[error("the scope `{scope}` does not name a single store")]
    NoStore {
        /// The scope.
        scope: Scope,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reading an item failed.
#[derive(Debug, thiserror::Error)]
pub enum GetError {
    /// Nothing has that id or path.
    #[error("not found: `{id}`")]
    NotFound {
        /// What was given.
        id: String,
    },
    /// The file exists and is not indexed.
    #[error("`{path}` is not indexed: {reason}")]
    LeftOut {
        /// Its path below the root.
        path: String,
        /// Why: a clause to follow the path.
        reason: String,
    },
    /// The beginning of an id fits several memories or documents.
    #[error("`{id}` fits several: {}", candidates.join(", "))]
    Ambiguous {
        /// What was given.
        id: String,
        /// The ids.
        candidates: Vec<String>,
    },
    /// The memory cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A shared store did not answer.
    #[error("the shared store `{store}` did not answer")]
    Shared {
        /// Its name.
        store: String,
        /// The reason.
        source: recall_shared::StoreError,
    },
}

/// A query of the graph or for related documents failed.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// Nothing has that id, path or name.
    #[error("not found: `{node}`")]
    NotFound {
        /// What was given.
        node: String,
        /// Similar names, the most similar first.
        near: Vec<String>,
    },
    /// The path is outside of the project.
    #[error("`{path}` is not in the project")]
    Outside {
        /// What was given.
        path: String,
    },
    /// The document does not have those lines.
    #[error("`{path}` has {lines} lines and none of {start} to {end}")]
    NoLines {
        /// The document.
        path: String,
        /// How many lines it has.
        lines: u32,
        /// The first line asked for.
        start: u32,
        /// The last line asked for.
        end: u32,
    },
    /// The scope names stores that are not configured.
    #[error("the scope `{scope}` has no store here")]
    NoStore {
        /// The scope.
        scope: Scope,
    },
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Listing failed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The scope names stores that are not configured.
    #[error("the scope `{scope}` has no store here")]
    NoStore {
        /// The scope.
        scope: Scope,
    },
    /// A filter names an unknown language.
    #[error(transparent)]
    Language(#[from] UnknownLanguage),
    /// The filter names a path outside of the project.
    #[error(transparent)]
    Outside(#[from] OutsideFilter),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Removing failed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// Nothing has that id or path.
    #[error("not found: `{item}`")]
    NotFound {
        /// What was given.
        item: String,
    },
    /// The scope names stores that are not configured, or several.
    #[error("the scope `{scope}` does not name a single store")]
    NoStore {
        /// The scope.
        scope: Scope,
    },
    /// The path is not that of a document.
    #[error("`{item}` is not a path below the root")]
    Path {
        /// What was given.
        item: String,
        /// Why.
        #[source]
        source: DocPathError,
    },
    /// A memory was not deleted.
    #[error(transparent)]
    Memory(MemoryError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Writing or reading memories failed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Nothing has that id.
    #[error("not found: `{id}`")]
    NotFound {
        /// What was given.
        id: String,
    },
    /// The scope names stores that are not configured, or several.
    #[error("the scope `{scope}` does not name a single store")]
    NoStore {
        /// The scope.
        scope: Scope,
    },
    /// A related file is outside of the project.
    #[error("`{path}` is not a file of the project")]
    Outside {
        /// What was given.
        path: String,
        /// Why.
        #[source]
        source: OutsideError,
    },
    /// The journals cannot be read.
    #[error(transparent)]
    ReadJournal {
        /// Why.
        source: recall_journal::ReadError,
    },
    /// The journals cannot be opened to be written.
    #[error("the journals in `{}` cannot be written", folder.display())]
    OpenJournal {
        /// Their folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: recall_journal::OpenError,
    },
    /// A journal was not written: nothing is stored.
    #[error("the journals in `{}` could not be written", folder.display())]
    Write {
        /// The folder of the journals.
        folder: PathBuf,
        /// Why.
        #[source]
        source: recall_journal::AppendError,
    },
    /// An agent asked to promote a memory that came with the repository and that this user has not confirmed.
    #[error("`{id}` came with the repository and is not confirmed")]
    Unconfirmed {
        /// The memory.
        id: recall_core::MemoryId,
    },
    /// The memory was amended at another time than the client expects.
    #[error("`{id}` was amended elsewhere meanwhile")]
    Amended {
        /// The memory.
        id: recall_core::MemoryId,
    },
    /// The record of what was handed over from the repository's log to a journal.
    #[error("the memories of linked work trees could not be handed over")]
    HandOver {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The user's confirmation was not stored.
    #[error("the confirmation could not be stored")]
    Confirm {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file for git next to the journals was not written.
    #[error("cannot write `{}`", .0.path().display())]
    GitFile(#[source] OpenError),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reporting failed.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
