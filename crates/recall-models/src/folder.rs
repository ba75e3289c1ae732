//! The installed models and their roles.
//!
//! A model is a folder with a manifest, which has the checksum of each file; it appears and disappears by a rename, so no process
//! sees a part of one. A role (embed, rerank, …) is a line in one file, apart from the models: another model is selected without
//! touching either, and a model in use cannot be removed.

mod add;
mod pull;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use recall_os::{Folder, OpenError};

use crate::files::{read_text, write_whole};
use crate::manifest::{DescribeError, Manifest, ManifestError, NetworkKind, Role};
use crate::onnx::{LoadError, RunError};

pub use pull::{PullError, REGISTRY, RegistryModel};

/// The file that says which model has which role.
const ROLES: &str = "roles.json";

/// Names of the built-in models. No installed model may have one of them.
const RESERVED: [&str; 3] = ["static", "hash", "none"];

/// The maximum length of a model's name, which is also that of its folder.
const LONGEST_NAME: usize = 80;

/// The folder of installed models. Each model has a subfolder with its name.
///
/// A model is installed atomically: it is prepared under a name that begins with a dot, and renamed.
#[derive(Clone, Debug)]
pub struct ModelsFolder {
    path: PathBuf,
}

/// An installed model, which may be unusable.
#[derive(Debug)]
pub struct Installed {
    /// The name of its folder, by which it is selected.
    pub name: String,
    /// The path of its folder.
    pub path: PathBuf,
    /// Its manifest, or why it cannot be read.
    pub manifest: Result<Manifest, ManifestError>,
    /// The roles in which it is in use.
    pub used_as: Vec<Role>,
}

impl ModelsFolder {
    /// Uses a folder of models, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path at which the model of a name is or would be installed.
    ///
    /// # Errors
    /// The name is not a valid model name.
    pub fn path_of(&self, name: &str) -> Result<PathBuf, FolderError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_good = name.len() <= LONGEST_NAME
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(is_plain)
            && !RESERVED.contains(&name);
        if is_good { Ok(self.path.join(name)) } else { Err(FolderError::BadName { name: name.to_owned() }) }
    }

    /// Lists the installed models, ordered by name. A damaged model is listed with its error.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self) -> Result<Vec<Installed>, FolderError> {
        let unreadable = |source| FolderError::Unreadable { path: self.path.clone(), source };
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let roles = self.roles()?;
        let mut models = Vec::new();
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = entry.path();
            if path.is_dir() && self.path_of(&name).is_ok() {
                let used_as = roles.iter().filter(|(_, used)| **used == name).map(|(role, _)| *role).collect();
                models.push(Installed { manifest: Manifest::read(&path), name, path, used_as });
            }
        }
        models.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(models)
    }

    /// Returns the model in use for each role. Without an entry, the built-in model is used.
    ///
    /// # Errors
    /// The file of roles cannot be read.
    pub fn roles(&self) -> Result<BTreeMap<Role, String>, FolderError> {
        let path = self.path.join(ROLES);
        match read_text(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|source| FolderError::Malformed { path, source }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(source) => Err(FolderError::Unreadable { path, source }),
        }
    }

    /// Sets the model of a role. `None` restores the built-in one.
    ///
    /// # Errors
    /// The model is not installed or has another role; see [`FolderError`].
    pub fn use_as(&self, role: Role, name: Option<&str>) -> Result<(), FolderError> {
        let mut roles = self.roles()?;
        match name {
            None => drop(roles.remove(&role)),
            Some(name) => {
                let manifest = Manifest::read(&self.installed_folder(name)?)?;
                if !manifest.kind.roles().contains(&role) {
                    return Err(FolderError::OtherRole { name: name.to_owned(), found: manifest.kind, asked: role });
                }
                roles.insert(role, name.to_owned());
            }
        }
        self.write_roles(&roles)
    }

    /// Sets the model of a role to one that is not installed here. Its name has a colon, which no installed model's has.
    ///
    /// # Errors
    /// The file of roles cannot be read or written; see [`FolderError`].
    pub fn use_remote(&self, role: Role, name: &str) -> Result<(), FolderError> {
        let mut roles = self.roles()?;
        roles.insert(role, name.to_owned());
        self.write_roles(&roles)
    }

    /// Removes a model that is not in use.
    ///
    /// # Errors
    /// See [`FolderError`].
    pub fn remove(&self, name: &str) -> Result<(), FolderError> {
        let path = self.installed_folder(name)?;
        if let Some((role, _)) = self.roles()?.into_iter().find(|(_, used)| used == name) {
            return Err(FolderError::InUse { name: name.to_owned(), role });
        }
        // Rename first, so that the model disappears atomically.
        let unwritable = |source| FolderError::Unwritable { path: path.clone(), source };
        let removed = format!(".removed-{name}");
        let delete = |folder: &Folder| match folder.remove(&removed) {
            Err(OpenError::Missing { .. }) => Ok(()),
            outcome => outcome,
        };
        let outcome = Folder::open(&self.path).and_then(|folder| {
            delete(&folder)?;
            folder.rename(name, &removed)?;
            delete(&folder)
        });
        outcome.map_err(|error| unwritable(error.into()))
    }

    fn installed_folder(&self, name: &str) -> Result<PathBuf, FolderError> {
        let path = self.path_of(name)?;
        if path.is_dir() { Ok(path) } else { Err(FolderError::NotInstalled { name: name.to_owned() }) }
    }

    fn write_roles(&self, roles: &BTreeMap<Role, String>) -> Result<(), FolderError> {
        let path = self.path.join(ROLES);
        let text = serde_json::to_vec_pretty(roles).expect("roles and names are strings");
        write_whole(&path, &text).map_err(|source| FolderError::Unwritable { path, source })
    }
}

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
