//! What can go wrong, sorted by what the caller can do about it?

use std::io;
use std::path::{Path, PathBuf};

use recall_core::{ModelFingerprint, NearestError};

use crate::graph::GraphError;

/// An index of embeddings was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its files are not what was written: cut, altered or missing. It can be set aside and made again.
    #[error("the index of embeddings `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// It holds the embeddings of another model. It can be set aside and made again.
    #[error("the index of embeddings `{}` is of model {found} with {dimensions} dimensions", path.display())]
    OtherModel {
        /// The file.
        path: PathBuf,
        /// The model that its embeddings are of.
        found: ModelFingerprint,
        /// How many components they have.
        dimensions: usize,
    },
    /// It was written in another format. It can be set aside and made again.
    #[error("the index of embeddings `{}` has format {found}, known is {known}", path.display())]
    Outdated {
        /// The file.
        path: PathBuf,
        /// The format that it was written in.
        found: u32,
        /// The format that is read and written here.
        known: u32,
    },
    /// The operating system refused.
    #[error("cannot read or write the index of embeddings `{}`", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl OpenError {
    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.into() }
    }

    /// Sorts what a read said: what ends too early was cut, everything else is the system's.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged(path, "it ends too early"),
            _ => Self::Io { path: path.to_owned(), source },
        }
    }
}

/// A change was not written. The index is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An embedding has other dimensions than the index: it is of another model.
    #[error("the embedding of chunk row {row} has {found} dimensions, those of the index have {expected}")]
    Dimensions {
        /// The chunk.
        row: i64,
        /// How many the index's embeddings have.
        expected: usize,
        /// How many this one has.
        found: usize,
    },
    /// The operating system refused.
    #[error("cannot write the index of embeddings `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The files to be merged are not what was written. The index can be set aside and made again.
    #[error("the index of embeddings is damaged: {reason}")]
    Damaged {
        /// What was found.
        reason: String,
    },
    /// No graph could be made: memory is short.
    #[error("no graph can be made of the embeddings")]
    Graph {
        /// What the library said.
        source: GraphError,
    },
}

impl WriteError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

impl From<OpenError> for WriteError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io { path, source } => Self::Io { path, source },
            damaged => Self::Damaged { reason: damaged.to_string() },
        }
    }
}

impl From<GraphError> for WriteError {
    fn from(source: GraphError) -> Self {
        Self::Graph { source }
    }
}

/// Why a base cannot be searched. Kept, since it is told to everybody who tries.
#[derive(Clone, Debug)]
pub(crate) enum Unusable {
    Damaged(String),
    /// The operating system refused a read, by its code and words.
    Unreadable(String),
}

impl From<Unusable> for NearestError {
    fn from(why: Unusable) -> Self {
        match why {
            Unusable::Damaged(reason) => Self::Damaged { reason },
            Unusable::Unreadable(what) => Self::Unreadable { source: what.into() },
        }
    }
}
