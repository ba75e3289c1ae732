//! An open store: its catalog, lexical index, embeddings, ledger and caches, and the registry of open stores.

mod adopted;
mod anchor_texts;
mod configured;
mod contributors;
mod dirty_files;
mod follow_structure;
mod fork;
mod generation_gate;
mod git_facts;
mod hit_cache;
mod imported;
mod imported_files;
mod index_lock;
mod ingest_outcome;
mod left_out;
mod open;
mod private_summaries;
pub(crate) mod provenance;
mod ranking;
mod rated;
mod read_passages;
mod registry;
mod retrievals;
mod retry;
mod scan_state;
mod selection;
mod signatures;
mod strangers;
mod structure;
mod task_tracker;
mod watch;
mod watching;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use recall_catalog::Catalog;
use recall_chunk::CodeParser;
use recall_core::{Generation, StoreScope};
use recall_lexical::{Lexical, LexicalWriter, WriterSettings};
use recall_os::FileStamp;
use recall_os::git::UserConfig;
use recall_watch::{GitFacts, Watch};

use crate::coverage::{Coverage, Indexing};
use crate::embeddings::{Embeddings, Models, UpdateExtent};
use crate::error::StoreError;
use crate::index_runs::{IndexRun, IndexRuns};
use crate::known::{Known, Written};
use crate::ledger::Ledger;
use crate::links::stated::Stated;
use crate::progress::Cancel;
use crate::ranking::Rankers;
use crate::session_log::Sessions;
use crate::settings::{StoreSettings, StoreSettingsSource};
use crate::shared::repository_name;

use crate::store_folder::StoreFolder;
pub(crate) use adopted::{AdoptedCell, CheckedAt};
pub(crate) use anchor_texts::{AnchorTexts, MovedFiles, SymbolHashes};
pub(crate) use configured::Configuration;
pub(crate) use contributors::Contributors;
pub(crate) use dirty_files::{Check, DirtyFiles, DirtySnapshot};
pub(crate) use follow_structure::StructureWait;
pub(crate) use generation_gate::GenerationGate;
pub(crate) use hit_cache::{HitCache, Passage, Passages};
pub(crate) use imported::{Imported, ImportedCell, ImportedDocument, ImportedWriter};
pub(crate) use index_lock::{IndexLock, IndexLocks};
pub(crate) use ingest_outcome::IngestOutcome;
pub(crate) use open::OpenContext;
pub(crate) use private_summaries::SUMMARIES;
pub(crate) use ranking::{Ranking, RankingCell};
pub(crate) use rated::{Rated, RatedCell};
pub(crate) use registry::Registry;
pub(crate) use retrievals::Retrievals;
pub(crate) use scan_state::{Freshness, Phase, RuledOut, ScanState};
pub(crate) use selection::{Added, Decision, Selection, UnreadLine};
pub(crate) use signatures::SignatureCache;
pub(crate) use structure::StructureCell;
pub(crate) use task_tracker::TaskTracker;
pub(crate) use watch::Disturbed;

/// A part of a store's index that can be quarantined and rebuilt on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexPart {
    /// The catalog, rebuilt from the files.
    Catalog,
    /// The lexical index, rebuilt from the catalog.
    Lexical,
}

/// An open store.
pub(crate) struct Store {
    pub(crate) scope: StoreScope,
    /// Whether its root is the memory of another program, where nothing is written.
    pub(crate) is_adopted: bool,
    pub(crate) root: PathBuf,
    pub(crate) folder: StoreFolder,
    /// The right to write the index.
    pub(crate) index_lock: IndexLock,
    /// The current settings of its project.
    settings: ArcSwap<StoreSettings>,
    /// Reads the settings again.
    settings_source: Arc<StoreSettingsSource>,
    /// The stamps of the files that the settings and the selection were read from.
    configured: Mutex<Vec<Option<FileStamp>>>,
    /// Where the user's configuration of git is.
    user_git: UserConfig,
    /// What git says about its files; `None` until the first scan.
    git: ArcSwapOption<GitFacts>,
    pub(crate) catalog: Catalog,
    pub(crate) lexical: Lexical,
    pub(crate) embeddings: Embeddings,
    pub(crate) selection: Mutex<Selection>,
    /// The documents that were imported without their files.
    pub(crate) imported: ImportedCell,
    /// The journals of memories.
    pub(crate) ledger: Ledger,
    /// A cache of the symbol hashes that anchors are compared with.
    pub(crate) anchor_texts: AnchorTexts,
    /// A cache of where anchored files were moved.
    pub(crate) moved_files: MovedFiles,
    /// The authors of the memories in its repository, according to git.
    pub(crate) contributors: Arc<Contributors>,
    /// The events of its sessions.
    pub(crate) sessions: Sessions,
    /// The ranking factors from feedback on files.
    pub(crate) rated: RatedCell,
    /// The check of its files with instructions for agents.
    pub(crate) adopted: AdoptedCell,
    /// How often each item was returned as a hit.
    pub(crate) retrievals: Retrievals,
    /// A cache of recently returned chunks.
    passages: HitCache,
    /// A cache of the signatures of its texts.
    pub(crate) signatures: SignatureCache,
    /// The state of each file in the catalog, as of the last published generation.
    known: ArcSwap<Known>,
    /// The links that documents state, as of the generation that was last read.
    stated: ArcSwapOption<Stated>,
    /// Held while the index is written; a store has one writer at a time.
    pub(crate) writing: Mutex<()>,
    /// The writer of the lexical index, while it is open. Used only while `writing` is held.
    pub(crate) lexical_writer: Mutex<Option<LexicalWriter>>,
    pub(crate) generation_gate: GenerationGate,
    pub(crate) freshness: Freshness,
    /// The watch on its files; `None` if this process does not watch files.
    watch: Option<Watch>,
    pub(crate) dirty: DirtyFiles,
    pub(crate) background: Arc<TaskTracker>,
    /// The graph of the documents, as of its own generation.
    pub(crate) structure: StructureCell,
    /// The rankers that order its candidates.
    ranking: RankingCell,
    indexing: Mutex<Option<Indexing>>,
    /// When the index files were last checked for foreign changes.
    checked: Mutex<Option<Instant>>,
    /// The parts that were damaged at open and rebuilt.
    pub(crate) repaired: Vec<String>,
    /// Whether an answer has reported them.
    are_repairs_reported: AtomicBool,
    /// Asks the store's background jobs to stop.
    pub(crate) cancel: Cancel,
    /// The queue of index runs, shared by all stores.
    pub(crate) index_runs: Arc<IndexRuns>,
    /// Parses source code outside of this process.
    pub(crate) code_parser: Option<Arc<dyn CodeParser>>,
    /// A cache of its name in shared stores.
    repository: OnceLock<String>,
}

impl Store {
    /// Returns the current settings of its project.
    pub(crate) fn settings(&self) -> Arc<StoreSettings> {
        self.settings.load_full()
    }

    /// Returns the parts that were damaged at open and rebuilt, at the first call only, so that one answer reports them. Status
    /// and doctor report them for as long as the store is open.
    pub(crate) fn unreported_repairs(&self) -> &[String] {
        if self.are_repairs_reported.swap(true, Ordering::Relaxed) { &[] } else { &self.repaired }
    }

    /// Returns the name that its repository has in shared stores.
    pub(crate) fn repository_name(&self) -> String {
        self.repository.get_or_init(|| repository_name(&self.root)).clone()
    }

    /// Returns the state of each file in the catalog, as of the last published generation.
    pub(crate) fn known_documents(&self) -> Arc<Known> {
        self.known.load_full()
    }

    /// Reads the state of each file from the catalog again.
    pub(crate) fn reload_known(&self) -> Result<Arc<Known>, StoreError> {
        let known = Arc::new(self.read(Known::read)?);
        self.known.store(Arc::clone(&known));
        Ok(known)
    }

    /// Reads the state of the files that an ingest wrote; of all files if another process wrote meanwhile.
    pub(crate) fn reload_written(&self, written: &Written<'_>) -> Result<Arc<Known>, StoreError> {
        let before = self.known_documents();
        let known = self.read(|snapshot| {
            // The ingest's transaction adds one to the generation; a greater generation includes another writer's transaction.
            if snapshot.generation().0 == before.generation.0 + 1 {
                before.read_again(snapshot, written)
            } else {
                Known::read(snapshot)
            }
        })?;
        let known = Arc::new(known);
        self.known.store(Arc::clone(&known));
        Ok(known)
    }

    /// Returns the links that the documents of a snapshot state. They are read once per generation.
    pub(crate) fn stated_links(&self, snapshot: &recall_catalog::Snapshot<'_>) -> Result<Arc<Stated>, StoreError> {
        if let Some(stated) = self.stated.load_full().filter(|stated| stated.generation == snapshot.generation()) {
            return Ok(stated);
        }
        let stated = Arc::new(Stated::read(snapshot).map_err(|source| self.read_error(source))?);
        self.stated.store(Some(Arc::clone(&stated)));
        Ok(stated)
    }

    /// Returns the rankers that order its candidates now: `built_in`, unless it has its own.
    pub(crate) fn ranking(&self, built_in: &Rankers) -> Arc<Ranking> {
        self.ranking.current(&self.settings().ranker, built_in)
    }

    /// Returns whether no search can find anything in it: it was never indexed, or the first run did not finish.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.lexical.generation() == Generation::default()
    }

    /// Returns whether its first index run is pending. A store that is empty after a scan has no files to index.
    pub(crate) fn awaits_first_index(&self) -> bool {
        self.holds_nothing() && !self.freshness.is_compared()
    }

    /// Reloads what another process has written to the store.
    pub(crate) fn follow(&self) -> Result<(), StoreError> {
        let generation = self.catalog.generation().map_err(|source| self.read_error(source))?;
        if generation != self.known.load().generation {
            self.lexical.refresh().map_err(|source| StoreError::OpenLexical { root: self.root.clone(), source })?;
            self.reload_known()?;
            self.generation_gate.publish(self.lexical.generation());
        }
        Ok(())
    }

    /// Runs a reader inside one read transaction.
    pub(crate) fn read<T>(
        &self,
        reader: impl FnOnce(&recall_catalog::Snapshot<'_>) -> Result<T, recall_catalog::ReadError>,
    ) -> Result<T, StoreError> {
        let snapshot = self.catalog.snapshot().map_err(|source| self.read_error(source))?;
        reader(&snapshot).map_err(|source| self.read_error(source))
    }

    /// Finishes an index job on a thread of its own: updates the embeddings that follow at once, closes the lexical writer, which
    /// waits for its merges, then reads the graph and starts the slow embeddings. The index run ends before the last two steps.
    pub(crate) fn settle_soon(self: &Arc<Self>, index_run: Option<IndexRun>) {
        self.work("settle", |store| {
            store.catch_up(UpdateExtent::Complete);
            store.settle();
            drop(index_run);
            // The first search after a job then ranks by the same graph as the second.
            store.follow_structure();
            store.embed_soon();
        });
    }

    /// Updates the embeddings that follow at once to the catalog, within `extent`.
    pub(crate) fn catch_up(&self, extent: UpdateExtent) {
        self.embeddings.follow(&self.catalog, extent, &self.cancel);
    }

    /// Updates the embeddings to the catalog on a thread of their own, if any are missing.
    pub(crate) fn catch_up_soon(self: &Arc<Self>) {
        let generation = self.known.load().generation;
        if self.embeddings.embedded_chunks(generation).iter().any(|embedded| !embedded.is_whole) {
            self.work("embed", |store| {
                store.catch_up(UpdateExtent::Complete);
                store.embed_soon();
            });
        }
    }

    /// Updates the embeddings that follow in the background on a thread of their own, if any are missing.
    pub(crate) fn embed_soon(self: &Arc<Self>) {
        if self.embeddings.is_behind(self.known.load().generation) {
            self.work("embed", Self::embed);
        }
    }

    /// Replaces the models.
    pub(crate) fn use_models(&self, models: &Models) {
        self.embeddings.use_models(models, self.known.load().generation);
    }

    /// Runs a job on a thread of its own. Closing the store waits for it.
    pub(crate) fn work(self: &Arc<Self>, name: &str, work: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let (store, working) = (Arc::clone(self), self.background.begin());
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            work(&store);
            drop(store);
            drop(working);
        });
        if let Err(error) = thread {
            tracing::warn!(name, %error, "no thread to work for a store");
        }
    }

    /// Closes the lexical index's writer, which waits for its merges, and checkpoints the catalog's write-ahead log.
    pub(crate) fn settle(&self) {
        if self.index_lock.is_held() {
            self.retrievals.keep();
        }
        let _writing = self.writing.lock();
        self.close_lexical_writer();
    }

    /// Closes the lexical index's writer, if it is open. The caller holds `writing`.
    fn close_lexical_writer(&self) {
        let Some(writer) = self.lexical_writer.lock().take() else { return };
        if let Err(error) = writer.finish() {
            tracing::warn!(root = %self.root.display(), %error, "the lexical index could not be sealed");
        }
        // After an index run the write-ahead log is as large as the index run, and every later reader would search it.
        if let Err(error) = self.catalog.checkpoint() {
            tracing::warn!(root = %self.root.display(), %error, "the catalog's log could not be folded in");
        }
    }

    /// Rewrites the index without the space of deleted data, and deletes its quarantined parts.
    pub(crate) fn compact(&self) -> Result<(), StoreError> {
        self.index_lock.take()?;
        let _writing = self.writing.lock();
        // Its merges are repeated by the compaction.
        drop(self.lexical_writer.lock().take());
        let writer = self.lexical.writer(WriterSettings::default());
        writer.and_then(LexicalWriter::compact).map_err(|source| self.lexical_write_error(source))?;
        self.catalog.compact().map_err(|source| self.write_error(source))?;
        Ok(self.folder.delete_quarantined()?)
    }

    /// Sets the progress of the running index job; `None` if none is running.
    pub(crate) fn set_indexing(&self, indexing: Option<Indexing>) {
        *self.indexing.lock() = indexing;
    }

    /// Returns the progress of the running index job; `None` if none is running.
    pub(crate) fn indexing(&self) -> Option<Indexing> {
        *self.indexing.lock()
    }

    /// Returns what an answer given now covers.
    pub(crate) fn coverage(&self) -> Coverage {
        let known = self.known.load();
        Coverage {
            scope: self.scope,
            root: self.root.clone(),
            generation: known.generation,
            documents: known.documents,
            newest: known.newest,
            is_elsewhere: false,
            is_shared: false,
            indexing: self.indexing(),
        }
    }

    pub(crate) fn read_error(&self, source: recall_catalog::ReadError) -> StoreError {
        StoreError::ReadCatalog { root: self.root.clone(), source }
    }

    pub(crate) fn write_error(&self, source: recall_catalog::WriteError) -> StoreError {
        StoreError::WriteCatalog { root: self.root.clone(), source }
    }

    pub(crate) fn search_error(&self, source: recall_lexical::SearchError) -> StoreError {
        StoreError::SearchLexical { root: self.root.clone(), source }
    }

    pub(crate) fn lexical_write_error(&self, source: recall_lexical::WriteError) -> StoreError {
        StoreError::WriteLexical { root: self.root.clone(), source }
    }
}
