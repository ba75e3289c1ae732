//! The errors of operations on models.

use std::path::PathBuf;

use recall_models::{AddError, FetchError, FolderError, InstallError, PullError, RuntimeError};

use super::remote::RemoteError;

/// An operation on models failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelsError {
    /// The folder of models cannot be used, or a model does not fit the request.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A model was not installed.
    #[error(transparent)]
    Add(#[from] AddError),
    /// A model was not pulled.
    #[error(transparent)]
    Pull(#[from] PullError),
    /// The runtime cannot be used.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The runtime was not installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// A remote model cannot be used.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A download failed, or none is possible.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The folder does not exist.
    #[error("there is no folder {}", path.display())]
    NoFolder {
        /// The folder that the client named.
        path: PathBuf,
    },
    /// No model that can be pulled has that name.
    #[error("no model that can be pulled is called `{name}`")]
    Unknown {
        /// The name that the client gave.
        name: String,
    },
    /// A model was removed from the folder during the operation.
    #[error("the model {name} has been removed")]
    Vanished {
        /// Its name.
        name: String,
    },
    /// The built-in model was selected, but the settings turn it off.
    #[error("the built-in model is off")]
    BuiltInIsOff,
    /// No encoder would embed what a language model writes about chunks.
    #[error("no encoder is selected, which would embed the descriptions")]
    NothingDescribed,
    /// The built-in model cannot be removed.
    #[error("the built-in model is a part of the program")]
    BuiltInStays,
    /// The given file is a library, not a package.
    #[error("{} is a library, not the package that holds it", path.display())]
    NoPackage {
        /// The file that the client named.
        path: PathBuf,
    },
    /// There is no package with that provider.
    #[error("no package of the runtime with the provider `{provider}` is known")]
    NoProvider {
        /// The provider.
        provider: String,
    },
}
