//! In which folder does a store keep what it derives and decides?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_core::{ContentHash, StoreScope};

use crate::settings::Places;

/// The folder of a store: `.recall` in the root of a project that was initialised, else a folder in the data home.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// Holds the selection; what is here is truth.
    pub(crate) path: PathBuf,
    /// Holds the index; may be deleted at any time.
    pub(crate) index: PathBuf,
}

impl Folder {
    /// Chooses and makes the folder of the store with that root.
    ///
    /// A project whose own folder cannot be written keeps its index in the data home.
    pub(crate) fn prepare(scope: StoreScope, root: &Path, places: &Places) -> Result<Self, (PathBuf, io::Error)> {
        let (own, away) = (root.join(".recall"), Self::at(places.stores.join(name_of(root))));
        let is_initialised = own.join("recall.toml").is_file() || own.join("index").is_dir();
        // A project becomes no other by being remembered about: it keeps its index, and what was selected, where they are.
        let is_own = scope == StoreScope::Global || is_initialised || (own.is_dir() && !away.index.is_dir());
        if is_own {
            let folder = Self::at(own);
            if folder.make().is_ok() {
                return Ok(folder);
            }
        }
        let folder = away;
        folder.make().map_err(|error| (folder.index.clone(), error))?;
        folder.name_root(root).map_err(|error| (folder.path.clone(), error))?;
        Ok(folder)
    }

    fn at(path: PathBuf) -> Self {
        let index = path.join("index");
        Self { path, index }
    }

    fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.index)?;
        // An index on a read-only file system may exist and still be of no use for writing.
        let probe = self.index.join(".writable");
        fs::write(&probe, b"")?;
        fs::remove_file(&probe)
    }

    /// Writes the root's path beside the index, for people who look into the data home.
    fn name_root(&self, root: &Path) -> io::Result<()> {
        let file = self.path.join("root");
        let text = format!("{}\n", root.display());
        if fs::read_to_string(&file).is_ok_and(|known| known == text) {
            return Ok(());
        }
        fs::write(file, text)
    }

    pub(crate) fn catalog(&self) -> PathBuf {
        self.index.join("catalog.db")
    }

    pub(crate) fn lexical(&self) -> PathBuf {
        self.index.join("lexical")
    }

    pub(crate) fn vectors(&self) -> PathBuf {
        self.index.join("vectors")
    }

    /// The file whose lock is the right to write the index. It is in the data home, wherever the index is.
    pub(crate) fn lock(root: &Path, places: &Places) -> PathBuf {
        places.stores.join(name_of(root)).join("lock")
    }

    /// How many bytes the index takes on disk.
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

/// The name of the folder for a root: stable, free of separators, 16 hexadecimal digits.
fn name_of(root: &Path) -> String {
    let mut name = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_string();
    name.truncate(16);
    name
}
