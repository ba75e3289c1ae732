//! The errors of the use cases.
//!
//! One enum for each use case, with what failed, on which store, path or id. [`StoreError`] is what any of them meets when it opens,
//! reads or writes a store. No hints and no exit codes: the daemon maps each variant to a reason, and the clients word what to do
//! about it.

mod memory;
mod publish;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use recall_core::Scope;
use recall_index::lexical::exact::PatternError;
use recall_os::OpenError;
use recall_text::{DocPathError, UnknownLanguage};
use recall_watch::root::OutsideError;

use crate::moments::UnknownTime;
use crate::origin::OriginError;

pub use memory::{MemoryError, NoProposal};
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
        /// The folder of the store, or the file below it that was refused, in the data home.
        path: PathBuf,
        /// The operating system's error.
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
        /// The catalog's error, which says whether the file is damaged, newer, or refused by the system.
        #[source]
        source: recall_index::catalog::CatalogOpenError,
    },
    /// The catalog cannot be read.
    #[error("the catalog of {} cannot be read", root.display())]
    ReadCatalog {
        /// The store's root.
        root: PathBuf,
        /// The catalog's error: damage, or what SQLite reports.
        #[source]
        source: recall_index::catalog::ReadError,
    },
    /// The catalog cannot be written.
    #[error("the catalog of {} cannot be written", root.display())]
    WriteCatalog {
        /// The store's root.
        root: PathBuf,
        /// The catalog's error. The transaction is rolled back.
        #[source]
        source: recall_index::catalog::CatalogWriteError,
    },
    /// The lexical index cannot be opened.
    #[error("the lexical index of {} cannot be opened", root.display())]
    OpenLexical {
        /// The store's root.
        root: PathBuf,
        /// The index's error, which says whether its files are damaged, of another format, or refused by the system.
        #[source]
        source: recall_index::lexical::LexicalOpenError,
    },
    /// The lexical index cannot be searched.
    #[error("the lexical index of {} cannot be searched", root.display())]
    SearchLexical {
        /// The store's root.
        root: PathBuf,
        /// The index's error, which means damage.
        #[source]
        source: recall_index::lexical::SearchError,
    },
    /// The lexical index cannot be written.
    #[error("the lexical index of {} cannot be written", root.display())]
    WriteLexical {
        /// The store's root.
        root: PathBuf,
        /// The index's error. What was committed before stays.
        #[source]
        source: recall_index::lexical::LexicalWriteError,
    },
    /// The file of added and removed paths cannot be read or written.
    #[error("the selection `{}` cannot be used", .0.path().display())]
    Selection(#[source] OpenError),
    /// The root's files cannot be listed.
    #[error("the files of {} cannot be listed", root.display())]
    Scan {
        /// The store's root.
        root: PathBuf,
        /// The error of the walk: the root itself, a glob, or a cancellation.
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
        /// The domain that the request names.
        name: String,
        /// The domains that it sees.
        known: Vec<String>,
    },
    /// A thread for the job cannot be started.
    #[error("no thread can be started")]
    Thread {
        /// The operating system's error.
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
        /// The value of `limits.filter_time`.
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

/// Why a search has no answer, not even a partial one.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query has no words.
    #[error("the query is empty")]
    EmptyQuery,
    /// The scope names stores that are not configured.
    #[error("the scope `{scope}` has no store here")]
    NoStore {
        /// The scope that the request, or its query, names.
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
    /// A filter names no time.
    #[error(transparent)]
    Time(#[from] UnknownTime),
    /// A store that the request needs cannot be opened, read or written.
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

/// Why an index job ended early. Committed batches stay.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A path is outside of the root.
    #[error("`{}` cannot be indexed here", path.display())]
    Outside {
        /// The path as it was given.
        path: PathBuf,
        /// Why the path is none below the root.
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
        /// The glob as the request has it.
        glob: String,
        /// What is wrong with it, as the library for globs says.
        reason: String,
    },
    /// Ignore patterns were given without a path below the root.
    #[error("ignore patterns need a path below the root of the project")]
    IgnoreEverywhere,
    /// The scope names stores that are not configured, or several.
    #[error("the scope `{scope}` does not name a single store")]
    NoStore {
        /// The scope that the request names.
        scope: Scope,
    },
    /// The store cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why an item is not returned.
#[derive(Debug, thiserror::Error)]
pub enum GetError {
    /// Nothing has that id or path.
    #[error("not found: `{id}`")]
    NotFound {
        /// The id or path as the request has it.
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
    /// A folder has that path.
    #[error("`{path}` is a folder, not a file")]
    Folder {
        /// The path as the request has it.
        path: String,
    },
    /// The path leads out of the project.
    #[error("not found: `{path}`, which is outside the project `{}`", root.display())]
    Outside {
        /// The path as the request has it.
        path: String,
        /// The project's root.
        root: PathBuf,
    },
    /// The beginning of an id fits several memories or documents.
    #[error("`{id}` fits several: {}", candidates.join(", "))]
    Ambiguous {
        /// The beginning as the request has it.
        id: String,
        /// The whole ids that begin with it.
        candidates: Vec<String>,
    },
    /// The memory cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A store that the request needs cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A shared store did not answer.
    #[error("the shared store `{store}` did not answer")]
    Shared {
        /// The name of the store in the configuration.
        store: String,
        /// What the client of the server reports.
        source: recall_shared::StoreError,
    },
}

impl GetError {
    /// Returns whether no item has that id or path.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::NotFound { .. } | Self::LeftOut { .. } | Self::Folder { .. } | Self::Outside { .. })
    }
}

/// A query of the graph or for related documents failed.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// Nothing has that id, path or name.
    #[error("not found: `{node}`")]
    NotFound {
        /// The id, path or name as the request has it.
        node: String,
        /// Similar names, the most similar first.
        near: Vec<String>,
    },
    /// The path is outside of the project.
    #[error("`{path}` is not in the project")]
    Outside {
        /// The path as the request has it.
        path: String,
    },
    /// The document does not have those lines.
    #[error("`{path}` has {lines} lines and none of {start} to {end}")]
    NoLines {
        /// The path of the document below the root.
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
        /// The scope that the request names.
        scope: Scope,
    },
    /// A store that the request needs cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why items cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The scope names stores that are not configured.
    #[error("the scope `{scope}` has no store here")]
    NoStore {
        /// The scope that the request names.
        scope: Scope,
    },
    /// A filter names an unknown language.
    #[error(transparent)]
    Language(#[from] UnknownLanguage),
    /// The filter names a path outside of the project.
    #[error(transparent)]
    Outside(#[from] OutsideFilter),
    /// A filter names no time.
    #[error(transparent)]
    Time(#[from] UnknownTime),
    /// A store that the request needs cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a document or memory was not removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// Nothing has that id or path.
    #[error("not found: `{item}`")]
    NotFound {
        /// The id or path as the request has it.
        item: String,
    },
    /// The scope names stores that are not configured, or several.
    #[error("the scope `{scope}` does not name a single store")]
    NoStore {
        /// The scope that the request names.
        scope: Scope,
    },
    /// The path is not that of a document.
    #[error("`{item}` is not a path below the root")]
    Path {
        /// The path as the request has it.
        item: String,
        /// Which rule of paths it breaks.
        #[source]
        source: DocPathError,
    },
    /// A memory was not deleted.
    #[error(transparent)]
    Memory(MemoryError),
    /// The store cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a status or a check has no result.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    /// A store that the request needs cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
