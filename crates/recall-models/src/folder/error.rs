//! Errors of the folder of models, and of installing a model.

use std::io;
use std::path::PathBuf;

use crate::manifest::{DescribeError, ManifestError, NetworkKind, Role};
use crate::onnx::{LoadError, RunError};

/// An operation on the folder of models failed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The name is not a valid model name.
    #[error(
        "`{name}` is not a valid model name: use letters, digits, `-`, `_` and `.`, and not the name of a built-in model"
    )]
    BadName {
        /// The name as given.
        name: String,
    },
    /// No model of that name is installed.
    #[error("the model `{name}` is not installed")]
    NotInstalled {
        /// The model's name.
        name: String,
    },
    /// The model is in use and cannot be removed.
    #[error("the model `{name}` is in use for the role `{role}`")]
    InUse {
        /// The model's name.
        name: String,
        /// The role in which it is in use.
        role: Role,
    },
    /// The model has another role.
    #[error("the model `{name}` is made for the role `{found}`, not `{asked}`")]
    OtherRole {
        /// The model's name.
        name: String,
        /// What its network does, by the manifest.
        found: NetworkKind,
        /// The role in which it was to be used.
        asked: Role,
    },
    /// The model's manifest cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file or folder cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The file of roles is malformed.
    #[error("`{}` is malformed", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// A file or folder cannot be written.
    #[error("cannot write `{}`", path.display())]
    Unwritable {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

/// A model could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The name is invalid, or the folder of models cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A model of that name is installed already.
    #[error("the model `{name}` is already installed")]
    AlreadyThere {
        /// The model's name.
        name: String,
    },
    /// A required file is missing.
    #[error("there is no `{}`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The folder has a model's weights, but not its network.
    #[error("`{}` holds weights, but no ONNX network `model.onnx` is next to it", weights.display())]
    OnlyWeights {
        /// The folder that was to be added.
        folder: PathBuf,
        /// The file of weights.
        weights: PathBuf,
    },
    /// The configuration cannot be used.
    #[error(transparent)]
    Describe(#[from] DescribeError),
    /// The model cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The model was loaded, but failed on a text.
    #[error("the model failed on a short text")]
    Run(#[from] RunError),
    /// The dimension of the embeddings differs from the stated one.
    #[error("the model's embeddings have {found} dimensions, but its configuration says {expected}")]
    WrongDimensions {
        /// The number of dimensions that the configuration states.
        expected: usize,
        /// The number of dimensions that the network returned.
        found: usize,
    },
    /// The files cannot be copied or written.
    #[error("cannot install the model in `{}`", path.display())]
    Unwritable {
        /// The path in the folder of models.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}
