//! Opening of an index, with the repair of damaged parts and the quarantine of folders, pipes and links at the paths of
//! its files.
//!
//! Reading such an entry may block for ever or leave the folder. It is renamed, never opened or deleted, and the file is created
//! again.

use std::fs::{self, FileType};
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicUsize;

use parking_lot::Mutex;
use recall_core::Timestamp;
use recall_index::catalog::Catalog;
use recall_index::lexical::Lexical;

use super::{CatalogViews, GenerationGate, Index, IndexLock, IndexPart};
use crate::embeddings::{Embeddings, Models};
use crate::error::StoreError;
use crate::settings::Places;
use crate::store::ordered::{OrderedMutex, Rank};
use crate::store_folder::StoreFolder;

impl Index {
    /// Opens the index of a root, and creates it if it does not exist. Damaged parts are quarantined and rebuilt, which `repaired`
    /// then names.
    pub(in crate::store) fn open(
        root: &Path,
        folder: &StoreFolder,
        lock: IndexLock,
        models: &Models,
        now: Timestamp,
        repaired: &mut Vec<String>,
    ) -> Result<Self, StoreError> {
        if lock.is_held() {
            let strangers = quarantine(folder, now);
            repaired.extend(strangers.map_err(|source| StoreError::Folder { path: folder.index.clone(), source })?);
        }
        // The catalog first: the lexical index is repaired from it, and embeddings are compared with its generation.
        let catalog = open_catalog(root, folder, &lock, now, repaired)?;
        if lock.is_held() && !catalog.is_read_only() {
            let adopted = catalog.adopt_base();
            adopted.map_err(|source| StoreError::WriteCatalog { root: root.to_owned(), source })?;
        }
        let lexical = open_lexical(root, folder, &lock, now, repaired)?;
        let generation = catalog.generation();
        let generation = generation.map_err(|source| StoreError::ReadCatalog { root: root.to_owned(), source })?;
        let embeddings = Embeddings::open(folder.vectors(), models, generation, now);
        let index = Self {
            root: root.to_owned(),
            lock,
            published: GenerationGate::new(lexical.generation()),
            catalog,
            lexical,
            embeddings,
            writing: OrderedMutex::new(Rank::Writing, None),
            short_writes: AtomicUsize::new(0),
            views: CatalogViews::default(),
            checked: Mutex::new(None),
        };
        index.reload_known()?;
        index.repair_lexical()?;
        Ok(index)
    }
}

fn open_catalog(
    root: &Path,
    folder: &StoreFolder,
    lock: &IndexLock,
    now: Timestamp,
    repaired: &mut Vec<String>,
) -> Result<Catalog, StoreError> {
    let path = folder.catalog();
    let failed = |source| StoreError::OpenCatalog { root: root.to_owned(), source };
    match Catalog::open(&path) {
        Err(recall_index::catalog::CatalogOpenError::Damaged { .. }) => {
            repaired.push(quarantine_catalog(&path, lock, now)?);
            Catalog::open(&path).map_err(failed)
        }
        // A catalog of an older schema is not damaged: it is rebuilt from the files, and no repair is reported.
        Err(recall_index::catalog::CatalogOpenError::OlderSchema { .. }) => {
            lock.take()?;
            recall_index::catalog::delete(&path).map_err(|source| StoreError::Folder { path: path.clone(), source })?;
            // They name chunks of the older catalog.
            folder.delete_vectors()?;
            Catalog::open(&path).map_err(failed)
        }
        other => other.map_err(failed),
    }
}

/// Quarantines a damaged catalog; returns a sentence with its new path.
pub(in crate::store) fn quarantine_catalog(
    path: &Path,
    lock: &IndexLock,
    now: Timestamp,
) -> Result<String, StoreError> {
    lock.take()?;
    let kept = recall_index::catalog::quarantine(path, &now.as_millis().to_string())
        .map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    Ok(format!("the catalog was damaged; it is kept as {}", kept.display()))
}

/// Quarantines a damaged lexical index; returns a sentence with its new path.
fn quarantine_lexical(path: &Path, lock: &IndexLock, now: Timestamp) -> Result<String, StoreError> {
    lock.take()?;
    let kept = recall_index::lexical::quarantine(path, &now.as_millis().to_string())
        .map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    Ok(format!("the lexical index was damaged; it is kept as {}", kept.display()))
}

/// Quarantines a damaged part of an index; returns a sentence with its new path.
pub(in crate::store) fn quarantine_part(
    root: &Path,
    places: &Places,
    lock: &IndexLock,
    part: IndexPart,
    now: Timestamp,
) -> Result<String, StoreError> {
    let folder = StoreFolder::prepare(root, places)?;
    let path = match part {
        IndexPart::Catalog => folder.catalog(),
        IndexPart::Lexical => folder.lexical(),
    };
    if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(format!("{} was missing", path.display()));
    }
    match part {
        IndexPart::Catalog => quarantine_catalog(&folder.catalog(), lock, now),
        IndexPart::Lexical => quarantine_lexical(&folder.lexical(), lock, now),
    }
}

fn open_lexical(
    root: &Path,
    folder: &StoreFolder,
    lock: &IndexLock,
    now: Timestamp,
    repaired: &mut Vec<String>,
) -> Result<Lexical, StoreError> {
    let path = folder.lexical();
    let failed = |source| StoreError::OpenLexical { root: root.to_owned(), source };
    match Lexical::open(&path) {
        Err(recall_index::lexical::LexicalOpenError::Damaged { .. }) => {
            repaired.push(quarantine_lexical(&path, lock, now)?);
            Lexical::open(&path).map_err(failed)
        }
        // An index of another format is not damaged: it is rebuilt, and no repair is reported.
        Err(recall_index::lexical::LexicalOpenError::Outdated { .. }) => {
            lock.take()?;
            folder.delete_lexical()?;
            Lexical::open(&path).map_err(failed)
        }
        other => other.map_err(failed),
    }
}

/// The files of an index.
const INDEX_FILES: [&str; 6] =
    ["base.db", "catalog.db", "catalog.db-wal", "catalog.db-shm", "retrievals", "vectors.lock"];

/// Renames entries of an unexpected kind, as a folder in place of a file; returns a sentence for each.
pub(super) fn quarantine(folder: &StoreFolder, now: Timestamp) -> io::Result<Vec<String>> {
    let mut quarantined = Vec::new();
    for name in INDEX_FILES {
        if kind_of(&folder.index.join(name))?.is_some_and(|kind| !kind.is_file()) {
            quarantined.push(rename(&folder.index, name, now)?);
        }
    }
    for name in ["lexical", "vectors"] {
        if !holds_index_files(&folder.index.join(name))? {
            quarantined.push(rename(&folder.index, name, now)?);
        }
    }
    Ok(quarantined)
}

/// Returns whether a path does not exist, or is a folder that only index files are in.
fn holds_index_files(path: &Path) -> io::Result<bool> {
    let Some(kind) = kind_of(path)? else { return Ok(true) };
    if !kind.is_dir() {
        return Ok(false);
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = entry.file_name();
        let is_fine = if kind.is_dir() {
            // Only embeddings have subfolders, one per model.
            path.ends_with("vectors") && holds_files(&entry.path())?
        } else {
            kind.is_file()
        };
        if !is_fine {
            tracing::warn!(folder = %path.display(), name = %name.display(), "this does not belong into an index");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether every entry of a folder is a file.
fn holds_files(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if !entry?.file_type()?.is_file() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the kind of the entry at a path, without following a link; `None` if it does not exist.
fn kind_of(path: &Path) -> io::Result<Option<FileType>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.file_type())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn rename(index: &Path, name: &str, now: Timestamp) -> io::Result<String> {
    let wanted = format!("{name}.damaged-{}", now.as_millis());
    let numbered = (2_u32..).map(|number| format!("{wanted}-{number}"));
    let mut free = std::iter::once(wanted.clone()).chain(numbered);
    let free = free.find(|name| index.join(name).symlink_metadata().is_err()).expect("there are numbers enough");
    fs::rename(index.join(name), index.join(&free))?;
    Ok(format!("{name} was not a file of an index; it is kept as {}", index.join(free).display()))
}
