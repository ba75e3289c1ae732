//! What can go wrong with models?

use std::path::PathBuf;

use recall_models::{AddError, FetchError, FolderError, InstallError, PullError, RuntimeError};

/// Something about models failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelsError {
    /// The folder of models cannot be used, or a model is not what was asked for.
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
    /// Nothing can be fetched at all.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// There is no folder.
    #[error("there is no folder {}", path.display())]
    NoFolder {
        /// Where there should be one.
        path: PathBuf,
    },
    /// No model that can be pulled has that name.
    #[error("no model that can be pulled is called `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A model was removed from the folder while something was done with it.
    #[error("the model {name} has been removed")]
    Vanished {
        /// Its name.
        name: String,
    },
    /// The built-in model shall be used, and the settings leave it out.
    #[error("the built-in model is off")]
    BuiltInIsOff,
    /// The built-in model shall be removed.
    #[error("the built-in model is a part of the program")]
    BuiltInStays,
    /// The library at hand is no package.
    #[error("{} is a library, not the package that holds it", path.display())]
    NoPackage {
        /// The file.
        path: PathBuf,
    },
    /// There is no package with that provider.
    #[error("no package of the runtime with the provider `{provider}` is known")]
    NoProvider {
        /// The provider.
        provider: String,
    },
}
