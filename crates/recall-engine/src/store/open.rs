//! Opening a store, with the repair of damaged parts.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use recall_catalog::Catalog;
use recall_chunk::CodeParser;
use recall_core::{DocumentRow, Generation, PROJECT_FOLDER, StoreScope, Timestamp};
use recall_lexical::{Lexical, WriterSettings};
use recall_watch::Watcher;

use super::{AdoptedCell, AnchorTexts, Freshness, MovedFiles, RatedCell};
use crate::embeddings::{Embeddings, Models};
use crate::error::StoreError;
use crate::fault::Fault;
use crate::index_runs::IndexRuns;
use crate::known::Known;
use crate::ledger::{Ledger, Own, RepositoryLog};
use crate::progress::Cancel;
use crate::session_log::Sessions;
use crate::settings::{JournalSource, Places, StoreSettings, StoreSettingsSource};
use crate::store::configured::configuration_stamps;
use crate::store::{
    DirtyFiles, GenerationGate, HitCache, Imported, ImportedCell, IndexLock, IndexLocks, IndexPart, RankingCell,
    Retrievals, Selection, SignatureCache, Store, StructureCell, TaskTracker, strangers,
};
use crate::store_folder::StoreFolder;

/// How many documents are read from the catalog at a time while the lexical index is rebuilt.
const DOCUMENTS_A_PAGE: usize = 256;

/// The shared objects that opening a store needs.
pub(crate) struct OpenContext<'a> {
    pub(crate) places: &'a Places,
    pub(crate) models: &'a Models,
    pub(crate) journals: &'a JournalSource,
    pub(crate) settings_source: &'a Arc<StoreSettingsSource>,
    pub(crate) own: &'a Arc<Own>,
    pub(crate) locks: &'a Arc<IndexLocks>,
    pub(crate) index_runs: &'a Arc<IndexRuns>,
    pub(crate) code_parser: Option<&'a Arc<dyn CodeParser>>,
    pub(crate) watcher: Option<&'a Arc<Watcher>>,
    pub(crate) now: Timestamp,
    /// Whether the root is the memory of another program. Then journals, sessions and the selection are kept in the store's folder.
    pub(crate) is_adopted: bool,
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
        context: &OpenContext<'_>,
        damaged: Option<IndexPart>,
    ) -> Result<Self, StoreError> {
        let new_lock = || IndexLock::new(root, StoreFolder::lock(root, context.places), context.locks);
        let lock = new_lock();
        // Every write takes the lock again and reports the failure.
        let _ = lock.take();
        let repaired = match damaged {
            Some(part) => vec![quarantine_part(root, context, &lock, part)?],
            None => Vec::new(),
        };
        match Self::open_once(scope, root, settings.clone(), context, lock, repaired) {
            // Rebuilding the lexical index reads every text, and so finds damage in the catalog that opening it does not.
            Err(error @ (StoreError::ReadCatalog { .. } | StoreError::WriteCatalog { .. }))
                if error.fault() == Fault::Damaged =>
            {
                let folder = StoreFolder::prepare(root, context.places)?;
                let lock = new_lock();
                let kept = quarantine_catalog(&folder.catalog(), &lock, context.now)?;
                Self::open_once(scope, root, settings, context, lock, vec![kept])
            }
            opened => opened,
        }
    }

    fn open_once(
        scope: StoreScope,
        root: &Path,
        settings: StoreSettings,
        context: &OpenContext<'_>,
        index_lock: IndexLock,
        mut repaired: Vec<String>,
    ) -> Result<Self, StoreError> {
        let &OpenContext {
            places,
            models,
            journals,
            settings_source,
            own,
            locks: _,
            index_runs,
            code_parser,
            watcher,
            now,
            is_adopted,
        } = context;
        let folder = StoreFolder::prepare(root, places)?;
        let kept_in = if is_adopted { folder.path.clone() } else { root.to_owned() };
        if index_lock.is_held() {
            let strangers = strangers::quarantine(&folder, now);
            repaired.extend(strangers.map_err(|source| StoreError::Folder { path: folder.index.clone(), source })?);
        }
        let catalog = open_catalog(root, &folder, &index_lock, now, &mut repaired)?;
        if index_lock.is_held() && !catalog.is_read_only() {
            let adopted = catalog.adopt_base();
            adopted.map_err(|source| StoreError::WriteCatalog { root: root.to_owned(), source })?;
        }
        let lexical = open_lexical(root, &folder, &index_lock, now, &mut repaired)?;
        let generation = catalog.generation();
        let generation = generation.map_err(|source| StoreError::ReadCatalog { root: root.to_owned(), source })?;
        let embeddings = Embeddings::open(folder.vectors(), models, generation, now);
        let configured = configuration_stamps(&settings, &kept_in, &folder.path);
        let selection = Selection::load(&kept_in, &folder.path);
        let imported = Imported::load(&folder.path, |problem| repaired.push(problem));
        let index = folder.index.clone();
        let most_directories = settings.limits.watched_directories as usize;
        let watcher = watcher.filter(|_| most_directories > 0);
        let store = Self {
            scope,
            is_adopted,
            root: root.to_owned(),
            generation_gate: GenerationGate::new(lexical.generation()),
            sessions: Sessions::new(&kept_in, &folder.path),
            folder,
            index_lock,
            settings: ArcSwap::from_pointee(settings),
            settings_source: Arc::clone(settings_source),
            configured: Mutex::new(configured),
            user_git: places.git(),
            git: ArcSwapOption::empty(),
            catalog,
            lexical,
            embeddings,
            selection: Mutex::new(selection),
            imported: ImportedCell::new(imported),
            ledger: Ledger::new(
                &kept_in,
                journals(&kept_in, Path::new(PROJECT_FOLDER)),
                own.log(scope, root),
                RepositoryLog::find(own, scope, root).filter(|_| !is_adopted),
            ),
            contributors: Arc::default(),
            anchor_texts: AnchorTexts::default(),
            moved_files: MovedFiles::default(),
            rated: RatedCell::default(),
            adopted: AdoptedCell::default(),
            retrievals: Retrievals::open(&index),
            passages: HitCache::default(),
            signatures: SignatureCache::default(),
            known: ArcSwap::from_pointee(Known::default()),
            stated: ArcSwapOption::empty(),
            writing: Mutex::new(()),
            lexical_writer: Mutex::new(None),
            freshness: Freshness::default(),
            watch: watcher.map(|watcher| watcher.watch(root, most_directories)),
            dirty: DirtyFiles::default(),
            background: Arc::new(TaskTracker::default()),
            structure: StructureCell::default(),
            ranking: RankingCell::default(),
            indexing: Mutex::new(None),
            checked: Mutex::new(None),
            repaired,
            are_repairs_reported: AtomicBool::new(false),
            cancel: Cancel::default(),
            index_runs: Arc::clone(index_runs),
            code_parser: code_parser.cloned(),
            repository: OnceLock::new(),
        };
        store.reload_known()?;
        store.repair_lexical()?;
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general over the snapshot's lifetime"
        )]
        let parser_version = store.read(|snapshot| snapshot.parser_version())?;
        let can_be_written = !store.catalog.is_read_only();
        if parser_version != recall_chunk::VERSION && can_be_written && !store.holds_nothing() {
            tracing::info!(root = %store.root.display(), "an older version parsed the documents; they are parsed again");
            store.dirty.rewrite_everything();
        }
        Ok(store)
    }

    /// Rebuilds the lexical index from the catalog if their generations differ.
    pub(crate) fn repair_lexical(&self) -> Result<(), StoreError> {
        let _writing = self.writing.lock();
        let generation = self.catalog.generation().map_err(|source| self.read_error(source))?;
        // If another process writes the index, it is between its two commits, or rebuilds the lexical index itself.
        if self.lexical.generation() == generation || self.index_lock.take().is_err() {
            return Ok(());
        }
        tracing::info!(root = %self.root.display(), %generation, "the lexical index is rebuilt from the catalog");
        self.write_lexical(generation)?;
        self.reload_known()?;
        Ok(())
    }

    /// Rebuilds the lexical index from the catalog.
    pub(crate) fn rebuild_lexical(&self) -> Result<(), StoreError> {
        self.index_lock.take()?;
        let _writing = self.writing.lock();
        let generation = self.catalog.generation().map_err(|source| self.read_error(source))?;
        self.write_lexical(generation)
    }

    /// Clears the lexical index and writes every document of the catalog to it. The caller holds `writing`.
    pub(crate) fn write_lexical(&self, generation: Generation) -> Result<(), StoreError> {
        let failed = |source| self.lexical_write_error(source);
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
        self.generation_gate.publish(generation);
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
            repaired.push(quarantine_catalog(&path, lock, now)?);
            Catalog::open(&path).map_err(failed)
        }
        other => other.map_err(failed),
    }
}

/// Quarantines a damaged catalog; returns a sentence with its new path.
fn quarantine_catalog(path: &Path, lock: &IndexLock, now: Timestamp) -> Result<String, StoreError> {
    lock.take()?;
    let kept = recall_catalog::quarantine(path, &now.as_millis().to_string())
        .map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    Ok(format!("the catalog was damaged; it is kept as {}", kept.display()))
}

/// Quarantines a damaged lexical index; returns a sentence with its new path.
fn quarantine_lexical(path: &Path, lock: &IndexLock, now: Timestamp) -> Result<String, StoreError> {
    lock.take()?;
    let kept = recall_lexical::quarantine(path, &now.as_millis().to_string())
        .map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    Ok(format!("the lexical index was damaged; it is kept as {}", kept.display()))
}

/// Quarantines a damaged part of an index; returns a sentence with its new path.
fn quarantine_part(
    root: &Path,
    &OpenContext { places, now, .. }: &OpenContext<'_>,
    lock: &IndexLock,
    part: IndexPart,
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
        Err(recall_lexical::OpenError::Damaged { .. }) => {
            repaired.push(quarantine_lexical(&path, lock, now)?);
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
