//! Opening an index, with the repair of damaged parts.

use std::path::Path;

use parking_lot::Mutex;
use recall_core::Timestamp;
use recall_index::catalog::Catalog;
use recall_index::lexical::Lexical;

use super::{CatalogViews, GenerationGate, Index, IndexLock, IndexPart, strangers};
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
            let strangers = strangers::quarantine(folder, now);
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
