//! The origin of a request: the client's directory and project.

use std::path::{Path, PathBuf};

use recall_watch::root;

use crate::settings::Places;

/// The origin of a request. The daemon keeps no state about clients, so every request carries it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The client's working directory, absolute.
    pub directory: PathBuf,
    /// The project's root, absolute; `None` to find it from the directory.
    pub project: Option<PathBuf>,
    /// Whether a root that is refused by default is accepted.
    pub root_check: RootCheck,
    /// The domain that a request with the scope of domains is about; `None` for all that the project sees.
    pub domain: Option<String>,
}

/// Whether `/`, the home folder and drive roots are refused as project roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RootCheck {
    /// They are refused: their index would hold everything that the user has.
    #[default]
    Refuse,
    /// They are accepted, because a person asked for it.
    Force,
}

impl Origin {
    /// Returns the root of the client's project.
    ///
    /// # Errors
    /// The directory is relative, missing, not a directory, or refused as a root.
    pub(crate) fn root(&self, places: &Places) -> Result<PathBuf, OriginError> {
        let start = self.project.as_deref().unwrap_or(&self.directory);
        if !start.is_absolute() {
            return Err(OriginError::Relative { path: start.to_owned() });
        }
        let root =
            if self.project.is_some() { start.to_owned() } else { root::project_root(start, places.home.as_deref()) };
        let force = match self.root_check {
            RootCheck::Refuse => root::RootCheck::Checked,
            RootCheck::Force => root::RootCheck::Forced,
        };
        root::check_root(&root, places.home.as_deref(), force)
            .map_err(|source| OriginError::Root { path: root.clone(), source })
    }

    /// Resolves a path of the request against the client's working directory.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }
}

/// A request's project cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// The client's directory is not absolute.
    #[error("the project directory `{}` is not absolute", path.display())]
    Relative {
        /// The directory as the request has it.
        path: PathBuf,
    },
    /// The directory cannot be a project's root.
    #[error("`{}` cannot be searched as a project", path.display())]
    Root {
        /// The root that was found for the directory.
        path: PathBuf,
        /// Which property of the directory forbids it.
        #[source]
        source: root::RootError,
    },
}
