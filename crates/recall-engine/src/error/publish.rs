//! The errors of a publication to a shared store.

use super::{IndexError, StoreError};

/// A project was not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// No shared store is configured.
    #[error("no shared store is configured")]
    NoStores,
    /// The request names no store, and there are several.
    #[error("several shared stores are configured: {}", known.join(", "))]
    SeveralStores {
        /// The names of all of them, in the order of the configuration.
        known: Vec<String>,
    },
    /// No shared store has this name.
    #[error("no shared store is named `{name}`; there are: {}", known.join(", "))]
    NoStore {
        /// The name that the request has.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// No branch is checked out, and the request names none.
    #[error("no branch is checked out")]
    NoBranch,
    /// The project cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The documents cannot be read.
    #[error(transparent)]
    Source(#[from] PublishSourceError),
    /// The shared store failed.
    #[error("the shared store `{store}` failed")]
    Shared {
        /// Its name in the configuration.
        store: String,
        /// What the server or its client reports, after all repetitions.
        #[source]
        source: recall_shared::StoreError,
    },
    /// The client cancelled it.
    #[error("the publication was cancelled")]
    Cancelled,
}

impl PublishError {
    pub(crate) fn new(store: String, error: recall_shared::PublishError<PublishSourceError>) -> Self {
        match error {
            recall_shared::PublishError::Store(source) => Self::Shared { store, source },
            recall_shared::PublishError::Source(source) => Self::Source(source),
            recall_shared::PublishError::Cancelled => Self::Cancelled,
        }
    }
}

/// The documents that are published cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PublishSourceError {
    /// The project is not a git repository, or git does not list its files.
    #[error("git lists no files of the project")]
    NotTracked,
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A text cannot be embedded.
    #[error("the texts cannot be embedded")]
    Model(#[source] recall_core::ModelError),
}
