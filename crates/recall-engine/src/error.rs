//! The errors of the use cases.
//!
//! One enum for each use case, with what failed, on which store, path or id. [`StoreError`] is what any of them meets when it opens,
//! reads or writes a store. No hints and no exit codes: the daemon maps each variant to a reason, and the clients word what to do
//! about it.

mod memory;
mod publish;
mod store;

use std::path::PathBuf;

use recall_core::Scope;
use recall_index::lexical::exact::PatternError;
use recall_text::{DocPathError, UnknownLanguage};
use recall_watch::root::OutsideError;

use crate::moments::UnknownTime;

pub use memory::{MemoryError, NoProposal};
pub use publish::{PublishError, PublishSourceError};
pub use store::StoreError;

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
        /// The paths with similar file names, nearest first.
        near: Vec<String>,
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
    /// The document is published, and what was asked about it is not.
    #[error("`{path}` is in the shared store `{store}`, which has no commits")]
    NotPublished {
        /// The path of the document, as answers show it.
        path: String,
        /// The name of the store in the configuration.
        store: String,
    },
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
    /// The document is published, and the links between documents are not.
    #[error("`{path}` is in the shared store `{store}`, which has no links between documents")]
    NotPublished {
        /// The path of the document, as answers show it.
        path: String,
        /// The name of the store in the configuration.
        store: String,
    },
    /// A shared store did not answer.
    #[error("the shared store `{store}` did not answer")]
    Shared {
        /// The name of the store in the configuration.
        store: String,
        /// What the client of the server reports.
        source: recall_shared::StoreError,
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
