//! Errors, grouped by what the caller can do.

use std::io;
use std::path::{Path, PathBuf};

use recall_core::{ModelFingerprint, NearestError};

use crate::vector::graph::GraphError;

/// The reason why an index of embeddings was not opened.
#[derive(Debug, thiserror::Error)]
pub enum VectorOpenError {
    /// Its files were truncated, altered or removed. It can be moved away and rebuilt.
    #[error("the index of embeddings `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The base or the delta that is damaged.
        path: PathBuf,
        /// The damage found.
        reason: String,
    },
    /// It contains embeddings of another model. It can be moved away and rebuilt.
    #[error("the index of embeddings `{}` belongs to model {found} with {dimensions} dimensions", path.display())]
    OtherModel {
        /// The base or the delta.
        path: PathBuf,
        /// The model of its embeddings.
        found: ModelFingerprint,
        /// The number of their components.
        dimensions: usize,
    },
    /// It was written in another format. It can be moved away and rebuilt.
    #[error("the index of embeddings `{}` has format {found}, but this version needs {known}", path.display())]
    Outdated {
        /// The base or the delta.
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The format that this version reads and writes.
        known: u32,
    },
    /// The operating system reported an error.
    #[error("cannot read or write the index of embeddings `{}`", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl VectorOpenError {
    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.into() }
    }

    /// Classifies a read error: an unexpected end of file is damage, any other error comes from the system.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged(path, "unexpected end of file"),
            _ => Self::Io { path: path.to_owned(), source },
        }
    }
}

/// The reason why a change was not written. The index is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum VectorWriteError {
    /// The dimensions of an embedding differ from the index, so it belongs to another model.
    #[error("the embedding of chunk row {row} has {found} dimensions, but the index has {expected}")]
    Dimensions {
        /// The row of the chunk.
        row: i64,
        /// The dimensions of the index.
        expected: usize,
        /// The dimensions of the embedding.
        found: usize,
    },
    /// The operating system reported an error.
    #[error("cannot write the index of embeddings `{}`", path.display())]
    Io {
        /// The base or the delta that was to be written.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The files to be merged are damaged. The index can be moved away and rebuilt.
    #[error("the index of embeddings is damaged: {reason}")]
    Damaged {
        /// The damage found.
        reason: String,
    },
    /// The graph could not be built, for lack of memory.
    #[error("cannot build a graph of the embeddings")]
    Graph {
        /// The error of usearch.
        source: GraphError,
    },
}

impl VectorWriteError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

impl From<VectorOpenError> for VectorWriteError {
    fn from(error: VectorOpenError) -> Self {
        match error {
            VectorOpenError::Io { path, source } => Self::Io { path, source },
            damaged => Self::Damaged { reason: damaged.to_string() },
        }
    }
}

impl From<GraphError> for VectorWriteError {
    fn from(source: GraphError) -> Self {
        Self::Graph { source }
    }
}

/// The reason why a base cannot be searched. Cloneable, because every search returns it.
#[derive(Clone, Debug)]
pub(crate) enum ContentError {
    Damaged(String),
    /// The operating system reported an error, given as text.
    Unreadable(String),
}

impl From<ContentError> for NearestError {
    fn from(why: ContentError) -> Self {
        match why {
            ContentError::Damaged(reason) => Self::Damaged { reason },
            ContentError::Unreadable(what) => Self::Unreadable { source: what.into() },
        }
    }
}
