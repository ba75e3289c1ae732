//! The folder of a store in the data home.

use std::fs;
use std::path::{Path, PathBuf};

use recall_core::{ContentHash, PROJECT_FOLDER};
use recall_folder::{Access, Folder, OpenError};

use crate::settings::Places;

/// The file that is written and deleted to check whether an index can be changed.
const PROBE: &str = ".writable";

/// The file that holds the root's path, for people who inspect the data home.
const ROOT_FILE: &str = "root";

/// The name of the folder of an index.
const INDEX: &str = "index";

/// The name of the folder of the lexical index in it.
const LEXICAL: &str = "lexical";

/// The folder of a store in the data home, named by a hash of its root. A project has no derived files: its files may be another
/// user's work, which must never be deleted or memory-mapped.
#[derive(Clone, Debug)]
pub(crate) struct StoreFolder {
    /// The folder. Except for the index, its content cannot be derived: the selection and the sessions of a project that was not
    /// initialised.
    pub(crate) path: PathBuf,
    /// The folder of the index, which may be deleted at any time.
    pub(crate) index: PathBuf,
}

impl StoreFolder {
    /// Opens the folder of the store with that root. Creates it if it is missing, accessible to this user only.
    ///
    /// # Errors
    /// It cannot be created or written, or is not owned by this user.
    pub(crate) fn prepare(root: &Path, places: &Places) -> Result<Self, OpenError> {
        let path = places.stores.join(name_of(root));
        Folder::private(&places.stores)?;
        let folder = Folder::private(&path)?;
        let index = folder.make_folder(INDEX)?;
        drop(index.file(PROBE, Access::AppendOrCreate)?);
        match index.remove(PROBE) {
            // Another process that checks at the same moment may have removed it.
            Ok(()) | Err(OpenError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
        let text = format!("{}\n", root.display());
        if !folder.read(ROOT_FILE, text.len() as u64 + 1).is_ok_and(|known| known == text.as_bytes()) {
            folder.replace(ROOT_FILE, text.as_bytes())?;
        }
        Ok(Self { index: path.join(INDEX), path })
    }

    pub(crate) fn catalog(&self) -> PathBuf {
        self.index.join("catalog.db")
    }

    pub(crate) fn lexical(&self) -> PathBuf {
        self.index.join(LEXICAL)
    }

    pub(crate) fn vectors(&self) -> PathBuf {
        self.index.join("vectors")
    }

    /// Deletes the folder of the index.
    ///
    /// # Errors
    /// It is missing, or the system refuses.
    pub(crate) fn delete_index(&self) -> Result<(), OpenError> {
        Folder::open(&self.path)?.remove(INDEX)
    }

    /// Deletes the lexical index.
    ///
    /// # Errors
    /// It is missing, or the system refuses.
    pub(crate) fn delete_lexical(&self) -> Result<(), OpenError> {
        Folder::open(&self.index)?.remove(LEXICAL)
    }

    /// Returns the lock file of the index.
    pub(crate) fn lock(root: &Path, places: &Places) -> PathBuf {
        places.stores.join(name_of(root)).join("lock")
    }

    /// Returns the size of the index on disk, in bytes.
    pub(crate) fn index_bytes(&self) -> u64 {
        fn bytes_of(folder: &Path) -> u64 {
            let Ok(entries) = fs::read_dir(folder) else { return 0 };
            entries
                .flatten()
                .map(|entry| match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => bytes_of(&entry.path()),
                    Ok(metadata) => metadata.len(),
                    Err(_) => 0,
                })
                .sum()
        }
        bytes_of(&self.index)
    }
}

/// Returns whether a project was initialised: it has settings of its own.
pub(crate) fn is_initialised(root: &Path) -> bool {
    let settings = Path::new(PROJECT_FOLDER).join("recall.toml");
    Folder::open(root).is_ok_and(|root| root.has_file(settings))
}

/// Returns the index folder that an earlier version, or another program, left in a project. It is never read.
pub(crate) fn index_in_project(root: &Path) -> Option<PathBuf> {
    let index = root.join(PROJECT_FOLDER).join(INDEX);
    fs::symlink_metadata(&index).is_ok().then_some(index)
}

/// Returns the name of the folder for a root: stable, 16 hexadecimal digits.
pub(crate) fn name_of(root: &Path) -> String {
    let mut name = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_string();
    name.truncate(16);
    name
}
