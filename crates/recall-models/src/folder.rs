//! Which models are installed, and what are they used for?

mod add;
mod known;
mod probe;
mod pull;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_folder::{Folder, OpenError};

use crate::manifest::{Manifest, ManifestError, Role};

pub use add::AddError;
pub use known::{KNOWN, Known};
pub use pull::PullError;

/// Which model is used in which role.
const ROLES: &str = "roles.json";

/// Names that mean what is built in; no installed model may have them.
const RESERVED: [&str; 3] = ["static", "hash", "none"];

/// The longest name of a model; it is the name of a folder.
const LONGEST_NAME: usize = 80;

/// The folder of installed models, each in a folder of its own by its name.
///
/// A model appears whole or not at all: it is made ready under a name that begins with a dot, and renamed.
#[derive(Clone, Debug)]
pub struct ModelsFolder {
    path: PathBuf,
}

/// A model in the folder.
#[derive(Debug)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// What it is, or why that cannot be told.
    pub manifest: Result<Manifest, ManifestError>,
    /// What it is used for.
    pub used_as: Vec<Role>,
}

impl ModelsFolder {
    /// The models in a folder, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where the model of a name is, or would be.
    ///
    /// # Errors
    /// No model can have that name.
    pub fn path_of(&self, name: &str) -> Result<PathBuf, FolderError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_good = name.len() <= LONGEST_NAME
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(is_plain)
            && !RESERVED.contains(&name);
        if is_good { Ok(self.path.join(name)) } else { Err(FolderError::BadName { name: name.to_owned() }) }
    }

    /// The installed models, by name. One that is damaged is listed with what is wrong.
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

    /// Which model is used in each role; in one that is absent, what is built in.
    ///
    /// # Errors
    /// The file that says so cannot be read.
    pub fn roles(&self) -> Result<BTreeMap<Role, String>, FolderError> {
        let path = self.path.join(ROLES);
        match read_text(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|source| FolderError::Malformed { path, source }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(source) => Err(FolderError::Unreadable { path, source }),
        }
    }

    /// Uses a model in a role from now on; `None` is what is built in.
    ///
    /// # Errors
    /// There is no such model, or it is made for another role. See [`FolderError`].
    pub fn use_as(&self, role: Role, name: Option<&str>) -> Result<(), FolderError> {
        let mut roles = self.roles()?;
        match name {
            None => drop(roles.remove(&role)),
            Some(name) => {
                let manifest = Manifest::read(&self.installed(name)?)?;
                if manifest.role != role {
                    return Err(FolderError::OtherRole { name: name.to_owned(), found: manifest.role, asked: role });
                }
                roles.insert(role, name.to_owned());
            }
        }
        self.write_roles(&roles)
    }

    /// Removes a model. One that is used is not removed.
    ///
    /// # Errors
    /// See [`FolderError`].
    pub fn remove(&self, name: &str) -> Result<(), FolderError> {
        let path = self.installed(name)?;
        if let Some((role, _)) = self.roles()?.into_iter().find(|(_, used)| used == name) {
            return Err(FolderError::InUse { name: name.to_owned(), role });
        }
        // Renamed first, so that it is gone at once and as a whole.
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

    fn installed(&self, name: &str) -> Result<PathBuf, FolderError> {
        let path = self.path_of(name)?;
        if path.is_dir() { Ok(path) } else { Err(FolderError::NotInstalled { name: name.to_owned() }) }
    }

    fn write_roles(&self, roles: &BTreeMap<Role, String>) -> Result<(), FolderError> {
        let path = self.path.join(ROLES);
        let text = serde_json::to_vec_pretty(roles).expect("roles and names are texts");
        write_whole(&path, &text).map_err(|source| FolderError::Unwritable { path, source })
    }
}

/// Reads a file; what is none, such as a pipe that would be waited for, is refused.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    fs::read_to_string(path)
}

/// Writes a file so that a reader sees the old one or the new one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The folder of models was not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// No model can have that name.
    #[error("`{name}` is no name of a model: letters, digits, `-`, `_` and `.`, and none of what is built in")]
    BadName {
        /// The name.
        name: String,
    },
    /// There is no such model.
    #[error("the model {name} is not installed")]
    NotInstalled {
        /// Its name.
        name: String,
    },
    /// It is used and cannot be removed.
    #[error("the model {name} is used to {role}")]
    InUse {
        /// Its name.
        name: String,
        /// What it is used for.
        role: Role,
    },
    /// It is made for something else.
    #[error("the model {name} is made for the role `{found}`, not `{asked}`")]
    OtherRole {
        /// Its name.
        name: String,
        /// What it is for.
        found: Role,
        /// What was wanted.
        asked: Role,
    },
    /// Its manifest cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Something cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// What.
        path: PathBuf,
        /// What was said.
        source: io::Error,
    },
    /// The file of roles is not what it should be.
    #[error("{} does not say which models are used", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was said.
        source: serde_json::Error,
    },
    /// Something cannot be written.
    #[error("{} cannot be written", path.display())]
    Unwritable {
        /// What.
        path: PathBuf,
        /// What was said.
        source: io::Error,
    },
}
