//! The folder of a store in the data home.
//!
//! Nothing derived is read from a project (ADR 21): a clone could bring an index, links in place of its folders, and lists of files
//! to delete. A checksum shows that bytes are intact, not who wrote them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use recall_core::ContentHash;
use recall_os::{Access, Folder, OpenError};
use recall_text::PROJECT_FOLDER;

use crate::settings::Places;

/// The file that is written and deleted to check whether an index can be changed.
const PROBE: &str = ".writable";

/// The file that holds the root's path, for people who inspect the data home.
const ROOT_FILE: &str = "root";

/// The name of the folder of an index.
const INDEX: &str = "index";

/// The longest path of a root that is read from its file, in bytes.
const ROOT_BYTES: u64 = 16 * 1024;

/// The name of the folder of the embeddings in it.
const VECTORS: &str = "vectors";

/// The name of the catalog in the folder of an index.
const CATALOG: &str = "catalog.db";

/// The name of its write-ahead log.
const CATALOG_LOG: &str = "catalog.db-wal";

/// The file whose time is that when the root was first found missing.
const GONE_FILE: &str = "gone";

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
        self.index.join(CATALOG)
    }

    pub(crate) fn lexical(&self) -> PathBuf {
        self.index.join(LEXICAL)
    }

    pub(crate) fn vectors(&self) -> PathBuf {
        self.index.join(VECTORS)
    }

    /// Deletes the folder of the index.
    ///
    /// # Errors
    /// It is missing, or the system refuses.
    pub(crate) fn delete_index(&self) -> Result<(), OpenError> {
        Folder::open(&self.path)?.remove(INDEX)
    }

    /// Deletes the embeddings, if there are any.
    pub(crate) fn delete_vectors(&self) -> Result<(), OpenError> {
        match Folder::open(&self.index)?.remove(VECTORS) {
            Err(OpenError::Missing { .. }) => Ok(()),
            outcome => outcome,
        }
    }

    /// Deletes damaged parts of the index that were quarantined.
    pub(crate) fn delete_quarantined(&self) -> Result<(), OpenError> {
        let folder = Folder::open(&self.index)?;
        for name in folder.names().map_err(|source| OpenError::Io { path: self.index.clone(), source })? {
            if name.to_string_lossy().contains(".damaged-") {
                folder.remove(&name)?;
            }
        }
        Ok(())
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

    /// Returns whether a root has an index.
    pub(crate) fn has_index(root: &Path, places: &Places) -> bool {
        places.stores.join(name_of(root)).join(INDEX).join(CATALOG).exists()
    }

    /// Returns the folders of all stores with their roots, in no particular order.
    pub(crate) fn all(places: &Places) -> Vec<(PathBuf, Self)> {
        let Ok(entries) = fs::read_dir(&places.stores) else { return Vec::new() };
        let stores = entries.flatten().filter_map(|entry| {
            let path = entry.path();
            let root = Folder::open(&path).ok()?.read(ROOT_FILE, ROOT_BYTES).ok()?;
            let root = PathBuf::from(String::from_utf8(root).ok()?.trim_end_matches('\n'));
            (entry.file_name() == *name_of(&root)).then(|| (root, Self { index: path.join(INDEX), path }))
        });
        stores.collect()
    }

    /// Returns the time of the last change of the catalog; `None` if there is no index.
    pub(crate) fn last_change(&self) -> Option<SystemTime> {
        let log = self.index.join(CATALOG_LOG).metadata().and_then(|log| log.modified()).ok();
        self.catalog().metadata().and_then(|catalog| catalog.modified()).ok().max(log)
    }

    /// Returns the size of the catalog with its log, without what it shares.
    pub(crate) fn catalog_bytes(&self) -> u64 {
        let files = [self.catalog(), self.index.join(CATALOG_LOG)];
        files.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum()
    }

    /// Returns since when the root is missing, as far as [`mark_gone`](Self::mark_gone) noticed.
    pub(crate) fn gone_since(&self) -> Option<SystemTime> {
        self.path.join(GONE_FILE).metadata().and_then(|mark| mark.modified()).ok()
    }

    /// Notes that the root is missing, or that it is back; returns since when it is missing.
    pub(crate) fn mark_gone(&self, is_gone: bool) -> Result<Option<SystemTime>, OpenError> {
        match (is_gone, self.gone_since()) {
            (true, None) => Folder::open(&self.path)?.replace(GONE_FILE, b"")?,
            (false, Some(_)) => Folder::open(&self.path)?.remove(GONE_FILE)?,
            _ => {}
        }
        Ok(self.gone_since())
    }

    /// Returns the size of the index on disk, in bytes. A file that several indexes share is counted in parts.
    pub(crate) fn index_bytes(&self) -> u64 {
        fn bytes_of(folder: &Path) -> u64 {
            let Ok(entries) = fs::read_dir(folder) else { return 0 };
            entries
                .flatten()
                .map(|entry| match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => bytes_of(&entry.path()),
                    Ok(metadata) => metadata.len() / names_of(&metadata),
                    Err(_) => 0,
                })
                .sum()
        }
        bytes_of(&self.index)
    }
}

/// Returns how many names a file has.
fn names_of(metadata: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        metadata.nlink().max(1)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        1
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
    let mut name = ContentHash::hash(root.as_os_str().as_encoded_bytes()).to_string();
    name.truncate(16);
    name
}
