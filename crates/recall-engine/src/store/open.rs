//! Opening a store, with the repair of damaged parts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use recall_catalog::Catalog;
use recall_core::{DocumentRow, Generation, PROJECT_FOLDER, StoreScope, Timestamp};
use recall_lexical::{Lexical, WriterSettings};
use recall_watch::Watcher;

use super::{AnchorTexts, Freshness, RatedCell};
use crate::embeddings::{Models, Semantic};
use crate::error::StoreError;
use crate::fault::Fault;
use crate::imports::Imports;
use crate::known::Known;
use crate::ledger::{Ledger, Own};
use crate::progress::Cancel;
use crate::session_log::Sessions;
use crate::settings::{JournalSource, Places, StoreSettings, StoreSettingsSource};
use crate::store::{
    Attention, Background, FileStat, IndexLock, IndexLocks, KeptPassages, Part, Publication, RankingCell, Retrievals,
    Selection, Store, StructureCell, strangers,
};
use crate::store_folder::StoreFolder;

/// How many documents are read from the catalog at a time while the lexical index is rebuilt.
const DOCUMENTS_A_PAGE: usize = 256;

/// The shared objects that opening a store needs.
pub(crate) struct Surroundings<'a> {
    pub(crate) places: &'a Places,
    pub(crate) models: &'a Models,
    pub(crate) journals: &'a JournalSource,
    pub(crate) settings_source: &'a Arc<StoreSettingsSource>,
    pub(crate) own: &'a Arc<Own>,
    pub(crate) locks: &'a Arc<IndexLocks>,
    pub(crate) imports: &'a Arc<Imports>,
    pub(crate) watcher: Option<&'a Arc<Watcher>>,
    pub(crate) now: Timestamp,
}

impl Store {
    /// Opens the store of a root, and creates it if it does not exist.
    ///
    /// A damaged catalog or lexical index is quarantined under another name and rebuilt: the catalog from the files
    /// by the next scan, the lexical index from the catalog at once. `damaged` is the part that an earlier read found damaged.
    ///
    /// While another process has the store open, its index is only read.
    ///
    /// # Errors
    /// The folder cannot be used, the index is damaged while another process has it open, or the catalog was written by a
    /// newer version, which is left untouched.
    pub(crate) fn open(
        scope: StoreScope,
        root: &Path,
        settings: StoreSettings,
        surroundings: &Surroundings<'_>,
        damaged: Option<Part>,
    ) -> Result<Self, StoreError> {
        let new_lock = || IndexLock::new(root, StoreFolder::lock(root, surroundings.places), surroundings.locks);
        let lock = new_lock();
        // Every write takes the lock again and reports the failure.
        let _ = lock.take();
        let repaired = match damaged {
            Some(part) => vec![set_aside(root, surroundings, &lock, part)?],
            None => Vec::new(),
        };
        match Self::open_once(scope, root, settings.clone(), surroundings, lock, repaired) {
            // Rebuilding the lexical index reads every text, and so finds damage in the catalog that opening it does not.
            Err(error @ StoreError::ReadCatalog { .. }) if error.fault() == Fault::Damaged => {
                let folder = StoreFolder::prepare(root, surroundings.places)?;
                let lock = new_lock();
                let kept = set_catalog_aside(&folder.catalog(), &lock, surroundings.now)?;
                Self::open_once(scope, root, settings, surroundings, lock, vec![kept])
            }
            opened => opened,
        }
    }

    fn open_once(
        scope: StoreScope,
        root: &Path,
        settings: StoreSettings,
        surroundings: &Surroundings<'_>,
        index_lock: IndexLock,
        mut repaired: Vec<String>,
    ) -> Result<Self, StoreError> {
        let &Surroundings { places, models, journals, settings_source, own, locks: _, imports, watcher, now } =
            surroundings;
        let folder = StoreFolder::prepare(root, places)?;
        if index_lock.is_held() {
            let strangers = strangers::set_aside(&folder, now);
            repaired.extend(strangers.map_err(|source| StoreError::Folder { path: folder.index.clone(), source })?);
        }
        let catalog = open_catalog(root, &folder, &index_lock, now, &mut repaired)?;
        let lexical = open_lexical(root, &folder, &index_lock, now, &mut repaired)?;
        let generation = catalog.generation();
        let generation = generation.map_err(|source| StoreError::ReadCatalog { root: root.to_owned(), source })?;
        let semantic = Semantic::open(folder.vectors(), models, generation, now);
        let configured = FileStat::of_all(&settings, root, &folder.path);
        let selection = Selection::load(root, &folder.path);
        let index = folder.index.clone();
        let most_directories = settings.limits.watched_directories as usize;
        let watcher = watcher.filter(|_| most_directories > 0);
        let store = Self {
            scope,
            root: root.to_owned(),
            publication: Publication::new(lexical.generation()),
            sessions: Sessions::new(root, &folder.path),
            folder,
            index_lock,
            settings: ArcSwap::from_pointee(settings),
            settings_source: Arc::clone(settings_source),
            configured: Mutex::new(configured),
            catalog,
            lexical,
            semantic,
            selection: Mutex::new(selection),
            ledger: Ledger::new(root, journals(root, Path::new(PROJECT_FOLDER)), own.log(scope, root)),
            contributors: Arc::default(),
            anchor_texts: AnchorTexts::default(),
            rated: RatedCell::default(),
            retrievals: Retrievals::open(&index),
            passages: KeptPassages::default(),
            known: ArcSwap::from_pointee(Known::default()),
            stated: ArcSwapOption::empty(),
            writing: Mutex::new(()),
            lexical_writer: Mutex::new(None),
            freshness: Freshness::default(),
            watch: watcher.map(|watcher| watcher.watch(root, most_directories)),
            attention: Attention::default(),
            background: Arc::new(Background::default()),
            structure: StructureCell::default(),
            ranking: RankingCell::default(),
            indexing: Mutex::new(None),
            looked: Mutex::new(None),
            repaired,
            has_told_repairs: AtomicBool::new(false),
            cancel: Cancel::default(),
            imports: Arc::clone(imports),
        };
        store.reload_known()?;
        store.heal_lexical()?;
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general over the snapshot's lifetime"
        )]
        let parsing = store.read(|snapshot| snapshot.parsing())?;
        let can_be_written = !store.catalog.is_read_only();
        if parsing != recall_chunk::VERSION && can_be_written && !store.holds_nothing() {
            tracing::info!(root = %store.root.display(), "an older version parsed the documents; they are parsed again");
            store.attention.rewrite_everything();
        }
        Ok(store)
    }

    /// Rebuilds the lexical index from the catalog if their generations differ.
    pub(crate) fn heal_lexical(&self) -> Result<(), StoreError> {
        let _writing = self.writing.lock();
        let generation = self.catalog.generation().map_err(|source| self.read_failed(source))?;
        // If another process writes the index, it is between its two commits, or rebuilds the lexical index itself.
        if self.lexical.generation() == generation || self.index_lock.take().is_err() {
            return Ok(());
        }
        tracing::info!(root = %self.root.display(), %generation, "the lexical index is rebuilt from the catalog");
        self.refill_lexical(generation)?;
        self.reload_known()?;
        Ok(())
    }

    /// Clears the lexical index and writes every document of the catalog to it. The caller holds `writing`.
    pub(crate) fn refill_lexical(&self, generation: Generation) -> Result<(), StoreError> {
        let failed = |source| self.lexical_write_failed(source);
        // An open writer may hold some of the documents that are written here.
        drop(self.lexical_writer.lock().take());
        let mut writer = self.lexical.writer(WriterSettings::default()).map_err(failed)?;
        writer.clear().map_err(failed)?;
        let mut after = DocumentRow(0);
        loop {
            let page = self.read(|snapshot| snapshot.records_after(after, DOCUMENTS_A_PAGE))?;
            let Some(last) = page.last() else { break };
            after = last.row;
            for record in &page {
                writer
                    .add(&recall_lexical::IndexedDocument {
                        row: record.row,
                        first_chunk: record.first_chunk,
                        document: &record.document,
                        parsed: &record.parsed,
                        text: &record.text,
                    })
                    .map_err(failed)?;
            }
        }
        writer.commit(generation).map_err(failed)?;
        writer.finish().map_err(failed)?;
        self.publication.publish(generation);
        Ok(())
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
        Err(recall_catalog::OpenError::Damaged { .. }) => {
            repaired.push(set_catalog_aside(&path, lock, now)?);
            Catalog::open(&path).map_err(failed)
        }
        other => other.map_err(failed),
    }
}

/// Quarantines a damaged catalog; returns a sentence with its new path.
fn set_catalog_aside(path: &Path, lock: &IndexLock, now: Timestamp) -> Result<String, StoreError> {
    lock.take()?;
    let kept = recall_catalog::set_aside(path, &now.as_millis().to_string())
        .map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    Ok(format!("the catalog was damaged; it is kept as {}", kept.display()))
}

/// Quarantines a damaged lexical index; returns a sentence with its new path.
fn set_lexical_aside(path: &Path, lock: &IndexLock, now: Timestamp) -> Result<String, StoreError> {
    lock.take()?;
    let kept = recall_lexical::set_aside(path, &now.as_millis().to_string())
        .map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    Ok(format!("the lexical index was damaged; it is kept as {}", kept.display()))
}

/// Quarantines a damaged part of an index; returns a sentence with its new path.
fn set_aside(
    root: &Path,
    &Surroundings { places, now, .. }: &Surroundings<'_>,
    lock: &IndexLock,
    part: Part,
) -> Result<String, StoreError> {
    let folder = StoreFolder::prepare(root, places)?;
    let path = match part {
        Part::Catalog => folder.catalog(),
        Part::Lexical => folder.lexical(),
    };
    if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(format!("{} was missing", path.display()));
    }
    match part {
        Part::Catalog => set_catalog_aside(&folder.catalog(), lock, now),
        Part::Lexical => set_lexical_aside(&folder.lexical(), lock, now),
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
        Err(recall_lexical::OpenError::Damaged { .. }) => {
            repaired.push(set_lexical_aside(&path, lock, now)?);
            Lexical::open(&path).map_err(failed)
        }
        // An index of another format is not damaged: it is rebuilt, and no repair is reported.
        Err(recall_lexical::OpenError::Outdated { .. }) => {
            lock.take()?;
            folder.delete_lexical()?;
            Lexical::open(&path).map_err(failed)
        }
        other => other.map_err(failed),
    }
}
