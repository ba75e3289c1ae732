//! The remote models that the user chose, in a file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_os::{Folder, OpenError};
use serde::{Deserialize, Serialize};

use crate::providers::model::RemoteModel;

/// The file, in the folder of models.
const FILE: &str = "remote.json";

/// The most bytes of the file that are read.
const MOST_BYTES: u64 = 1 << 20;

/// The format of the file.
const VERSION: u32 = 1;

/// The remote models that the user chose, with the addresses that the user was told. Texts are sent to no other.
#[derive(Clone, Debug)]
pub struct Remembered {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    models: Vec<RemoteModel>,
}

impl Remembered {
    /// Uses a file in a folder, which need not exist yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Lists the models, ordered by name.
    ///
    /// # Errors
    /// The file cannot be read, or is malformed.
    pub fn list(&self) -> Result<Vec<RemoteModel>, RememberedError> {
        let bytes = match Folder::open(&self.folder).and_then(|folder| folder.read(FILE, MOST_BYTES)) {
            Err(OpenError::Missing { .. }) => return Ok(Vec::new()),
            read => read.map_err(RememberedError::Open)?,
        };
        let path = || self.folder.join(FILE);
        let File { version, mut models } =
            serde_json::from_slice(&bytes).map_err(|source| RememberedError::Malformed { path: path(), source })?;
        if version != VERSION {
            return Err(RememberedError::Version { path: path(), found: version });
        }
        models.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(models)
    }

    /// Adds a model, or replaces the one of the same name.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn keep(&self, model: RemoteModel) -> Result<(), RememberedError> {
        let mut models = self.list()?;
        models.retain(|known| known.name != model.name);
        models.push(model);
        self.write(models)
    }

    /// Forgets a model; returns whether there was one.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn forget(&self, name: &str) -> Result<bool, RememberedError> {
        let mut models = self.list()?;
        let before = models.len();
        models.retain(|known| known.name != name);
        let is_known = models.len() < before;
        if is_known {
            self.write(models)?;
        }
        Ok(is_known)
    }

    fn write(&self, models: Vec<RemoteModel>) -> Result<(), RememberedError> {
        let text = serde_json::to_vec_pretty(&File { version: VERSION, models }).expect("strings and numbers");
        fs::create_dir_all(&self.folder)
            .map_err(|source| RememberedError::Create { path: self.folder.clone(), source })?;
        Folder::open(&self.folder).and_then(|folder| folder.replace(FILE, &text)).map_err(RememberedError::Open)
    }
}

/// The file of remote models cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RememberedError {
    /// It cannot be opened or written.
    #[error(transparent)]
    Open(OpenError),
    /// Its folder cannot be created.
    #[error("cannot create `{}`", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// It is not JSON, or has other fields.
    #[error("`{}` is malformed", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// It has another format.
    #[error("`{}` has version {found}, expected {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str, dimensions: usize) -> RemoteModel {
        RemoteModel {
            name: name.to_owned(),
            address: "http://127.0.0.1:1/v1".to_owned(),
            dimensions,
            query_prefix: String::new(),
            document_prefix: String::new(),
            window_tokens: 512,
        }
    }

    #[test]
    fn models_are_kept_replaced_and_forgotten() {
        let place = tempfile::tempdir().expect("a folder");
        let remembered = Remembered::new(&place.path().join("models"));
        assert_eq!(remembered.list().expect("none"), []);
        for one in [model("b:m", 3), model("a:m", 4), model("b:m", 5)] {
            remembered.keep(one).expect("writable");
        }
        assert_eq!(remembered.list().expect("two"), [model("a:m", 4), model("b:m", 5)]);
        assert!(remembered.forget("a:m").expect("writable") && !remembered.forget("a:m").expect("writable"));
        assert_eq!(remembered.list().expect("one"), [model("b:m", 5)]);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays() {
        let place = tempfile::tempdir().expect("a folder");
        let remembered = Remembered::new(place.path());
        for damaged in ["{", r#"{"version":2,"models":[]}"#, r#"{"version":1,"models":[{}]}"#] {
            fs::write(place.path().join(FILE), damaged).expect("written");
            assert!(remembered.list().is_err() && remembered.keep(model("a:m", 1)).is_err(), "{damaged}");
            assert_eq!(fs::read_to_string(place.path().join(FILE)).expect("there"), damaged);
        }
    }
}
