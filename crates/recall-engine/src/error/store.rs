//! The error of opening, reading and writing stores, which the other errors have as a source.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use recall_os::OpenError;

use crate::origin::OriginError;

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
    /// Another thread writes the index for longer than this request waits.
    #[error("the index of {} is being written", root.display())]
    Writing {
        /// The root of the store.
        root: PathBuf,
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
