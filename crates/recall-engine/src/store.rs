//! One store, open: its catalog, its lexical index, and what is known of its files.

mod anchor_texts;
mod attention;
mod background;
mod configured;
mod contributors;
mod follow_structure;
mod index_lock;
mod ingest_outcome;
mod looks;
mod open;
mod passages;
pub(crate) mod provenance;
mod publication;
mod ranking;
mod rated;
mod read_passages;
mod registry;
mod retrievals;
mod scan_state;
mod selection;
mod strangers;
mod structure;
mod watch;
mod watching;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use recall_catalog::Catalog;
use recall_core::{Generation, StoreScope};
use recall_lexical::{Lexical, LexicalWriter};
use recall_watch::Watch;

use crate::coverage::{Coverage, Indexing};
use crate::embeddings::{Models, Reach, Semantic};
use crate::error::StoreError;
use crate::imports::{Import, Imports};
use crate::known::Known;
use crate::ledger::Ledger;
use crate::links::stated::Stated;
use crate::progress::Cancel;
use crate::ranking::Rankers;
use crate::session_log::Sessions;
use crate::settings::{StoreSettings, StoreSettingsSource};

use crate::store_folder::StoreFolder;
pub(crate) use anchor_texts::{AnchorTexts, SymbolHashes};
pub(crate) use attention::{Attention, Look, Noted};
pub(crate) use background::Background;
pub(crate) use configured::Configuration;
pub(crate) use contributors::Contributors;
pub(crate) use follow_structure::StructureWait;
pub(crate) use index_lock::{IndexLock, IndexLocks};
pub(crate) use ingest_outcome::IngestOutcome;
use looks::Looks;
pub(crate) use open::Surroundings;
pub(crate) use passages::{KeptPassages, Passage, Passages};
pub(crate) use publication::Publication;
pub(crate) use ranking::{Ranking, RankingCell};
pub(crate) use rated::{Rated, RatedCell};
pub(crate) use registry::Registry;
pub(crate) use retrievals::Retrievals;
pub(crate) use scan_state::{Freshness, Phase, ScanState};
pub(crate) use selection::{Added, Decision, Selection, UnreadLine};
pub(crate) use structure::StructureCell;
pub(crate) use watch::Disturbed;

/// A part of a store's index that can be set aside and made anew by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The catalog, from the files.
    Catalog,
    /// The lexical index, from the catalog.
    Lexical,
}

/// An open store.
pub(crate) struct Store {
    pub(crate) scope: StoreScope,
    pub(crate) root: PathBuf,
    pub(crate) folder: StoreFolder,
    /// The right to write what is derived.
    pub(crate) index_lock: IndexLock,
    /// What its project's configuration says at present.
    settings: ArcSwap<StoreSettings>,
    /// Where that is read again.
    settings_source: Arc<StoreSettingsSource>,
    /// What the files looked like that the settings and the selection were read from.
    configured: Mutex<Vec<Looks>>,
    pub(crate) catalog: Catalog,
    pub(crate) lexical: Lexical,
    pub(crate) semantic: Semantic,
    pub(crate) selection: Mutex<Selection>,
    /// What is remembered.
    pub(crate) ledger: Ledger,
    /// What anchors were compared with.
    pub(crate) anchor_texts: AnchorTexts,
    /// Who added what to its repository.
    pub(crate) contributors: Arc<Contributors>,
    /// What happens in its sessions.
    pub(crate) sessions: Sessions,
    /// What feedback says of files.
    pub(crate) rated: RatedCell,
    /// How often items were among the hits.
    pub(crate) retrievals: Retrievals,
    /// The chunks that were hits lately.
    passages: KeptPassages,
    /// What the catalog holds of each file, at the generation that was published last.
    known: ArcSwap<Known>,
    /// What the documents state about each other, at the generation that was last asked about it.
    stated: ArcSwapOption<Stated>,
    /// Held by whoever writes; one writer a store.
    pub(crate) writing: Mutex<()>,
    /// The writer of the lexical index, while it is open; touched by whoever holds `writing`.
    pub(crate) lexical_writer: Mutex<Option<LexicalWriter>>,
    pub(crate) publication: Publication,
    pub(crate) freshness: Freshness,
    /// What the operating system tells of its changes; `None` where nothing is watched.
    watch: Option<Watch>,
    pub(crate) attention: Attention,
    pub(crate) background: Arc<Background>,
    /// How the documents hang together, as of its own generation.
    pub(crate) structure: StructureCell,
    /// Which rankers decide on the order of its candidates.
    ranking: RankingCell,
    indexing: Mutex<Option<Indexing>>,
    /// When the files were last looked at.
    looked: Mutex<Option<Instant>>,
    /// What was found damaged at open and made anew.
    pub(crate) repaired: Vec<String>,
    /// Whether an answer has told so.
    has_told_repairs: AtomicBool,
    /// Asks the store's background jobs to stop.
    pub(crate) cancel: Cancel,
    /// The turns to import, of all stores.
    pub(crate) imports: Arc<Imports>,
}

impl Store {
    /// What its project's configuration says at present.
    pub(crate) fn settings(&self) -> Arc<StoreSettings> {
        self.settings.load_full()
    }

    /// What was found damaged at open and made anew, for the first answer after it. Status and doctor tell it as long as the store is
    /// open.
    pub(crate) fn untold_repairs(&self) -> &[String] {
        if self.has_told_repairs.swap(true, Ordering::Relaxed) { &[] } else { &self.repaired }
    }

    /// What is known of the files.
    pub(crate) fn known(&self) -> Arc<Known> {
        self.known.load_full()
    }

    /// Reads anew what the catalog holds of each file.
    pub(crate) fn reload_known(&self) -> Result<Arc<Known>, StoreError> {
        let known = Arc::new(self.read(Known::read)?);
        self.known.store(Arc::clone(&known));
        Ok(known)
    }

    /// Reads anew what an ingest wrote of what the catalog holds: a few files alone, where nobody else wrote meanwhile.
    pub(crate) fn reload_written(&self, written: &HashSet<&str>) -> Result<Arc<Known>, StoreError> {
        let before = self.known();
        let known = self.read(|snapshot| {
            // The ingest's own transaction is the next one; a greater number has another writer's too.
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

    /// What the documents of a snapshot state about each other. Read once a generation.
    pub(crate) fn stated(&self, snapshot: &recall_catalog::Snapshot<'_>) -> Result<Arc<Stated>, StoreError> {
        if let Some(stated) = self.stated.load_full().filter(|stated| stated.generation == snapshot.generation()) {
            return Ok(stated);
        }
        let stated = Arc::new(Stated::read(snapshot).map_err(|source| self.read_failed(source))?);
        self.stated.store(Some(Arc::clone(&stated)));
        Ok(stated)
    }

    /// Which rankers decide on the order of its candidates at this moment; `built_in` where it has none of its own.
    pub(crate) fn ranking(&self, built_in: &Rankers) -> Arc<Ranking> {
        self.ranking.look(&self.settings().ranker, built_in)
    }

    /// Whether no search can find anything in it: it was never indexed, or the first run did not get to its end.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.lexical.generation() == Generation::default()
    }

    /// Whether its first index is yet to come. A store that was compared with its files and holds nothing has none to index.
    pub(crate) fn awaits_first_index(&self) -> bool {
        self.holds_nothing() && !self.freshness.is_compared()
    }

    /// Follows what another process wrote to the store since.
    pub(crate) fn follow(&self) -> Result<(), StoreError> {
        let generation = self.catalog.generation().map_err(|source| self.read_failed(source))?;
        if generation != self.known.load().generation {
            self.lexical.refresh().map_err(|source| StoreError::OpenLexical { root: self.root.clone(), source })?;
            self.reload_known()?;
            self.publication.publish(self.lexical.generation());
        }
        Ok(())
    }

    /// Runs a reader inside one read transaction.
    pub(crate) fn read<T>(
        &self,
        reader: impl FnOnce(&recall_catalog::Snapshot<'_>) -> Result<T, recall_catalog::ReadError>,
    ) -> Result<T, StoreError> {
        let snapshot = self.catalog.snapshot().map_err(|source| self.read_failed(source))?;
        reader(&snapshot).map_err(|source| self.read_failed(source))
    }

    /// Brings the embeddings up that follow at once, and closes the lexical index's writer, which waits for its merges, on a
    /// thread of its own; then leaves what takes long to another. An import ends with it.
    pub(crate) fn settle_soon(self: &Arc<Self>, import: Option<Import>) {
        self.work("settle", |store| {
            store.catch_up(Reach::Whole);
            store.settle();
            drop(import);
            // So that the first search after a job ranks by the graph as the second does.
            store.follow_structure();
            store.embed_soon();
        });
    }

    /// Brings the embeddings that follow at once up to the catalog, as far as `reach` says.
    pub(crate) fn catch_up(&self, reach: Reach) {
        self.semantic.follow(&self.catalog, reach, &self.cancel);
    }

    /// Brings the embeddings up to the catalog on a thread of their own, where they are behind.
    pub(crate) fn catch_up_soon(self: &Arc<Self>) {
        let generation = self.known.load().generation;
        if self.semantic.embedded(generation).iter().any(|embedded| !embedded.is_whole) {
            self.work("embed", |store| {
                store.catch_up(Reach::Whole);
                store.embed_soon();
            });
        }
    }

    /// Brings the embeddings that take long up to the catalog on a thread of their own, where they are behind.
    pub(crate) fn embed_soon(self: &Arc<Self>) {
        if self.semantic.is_behind(self.known.load().generation) {
            self.work("embed", |store| store.semantic.follow_patiently(&store.catalog, &store.cancel));
        }
    }

    /// Has these models from now on.
    pub(crate) fn use_models(&self, models: &Models) {
        self.semantic.use_models(models, self.known.load().generation);
    }

    /// Works for the store on a thread of its own.
    fn work(self: &Arc<Self>, name: &str, work: impl FnOnce(&Arc<Self>) + Send + 'static) {
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

    /// Closes the lexical index's writer, which waits for its merges, and folds the catalog's log into its file.
    pub(crate) fn settle(&self) {
        if self.index_lock.is_held() {
            self.retrievals.keep();
        }
        let _writing = self.writing.lock();
        let Some(writer) = self.lexical_writer.lock().take() else { return };
        if let Err(error) = writer.finish() {
            tracing::warn!(root = %self.root.display(), %error, "the lexical index could not be sealed");
        }
        // An import leaves a write-ahead log as large as itself, which every later reader would look through.
        if let Err(error) = self.catalog.checkpoint() {
            tracing::warn!(root = %self.root.display(), %error, "the catalog's log could not be folded in");
        }
    }

    /// Says how far the running index job is, or that none is running.
    pub(crate) fn set_indexing(&self, indexing: Option<Indexing>) {
        *self.indexing.lock() = indexing;
    }

    /// How far the running index job is.
    pub(crate) fn indexing(&self) -> Option<Indexing> {
        *self.indexing.lock()
    }

    /// What an answer given at this moment sees.
    pub(crate) fn coverage(&self) -> Coverage {
        let known = self.known.load();
        Coverage {
            scope: self.scope,
            root: self.root.clone(),
            generation: known.generation,
            documents: known.documents,
            newest: known.newest,
            indexing: self.indexing(),
        }
    }

    pub(crate) fn read_failed(&self, source: recall_catalog::ReadError) -> StoreError {
        StoreError::ReadCatalog { root: self.root.clone(), source }
    }

    pub(crate) fn write_failed(&self, source: recall_catalog::WriteError) -> StoreError {
        StoreError::WriteCatalog { root: self.root.clone(), source }
    }

    pub(crate) fn search_failed(&self, source: recall_lexical::SearchError) -> StoreError {
        StoreError::SearchLexical { root: self.root.clone(), source }
    }

    pub(crate) fn lexical_write_failed(&self, source: recall_lexical::WriteError) -> StoreError {
        StoreError::WriteLexical { root: self.root.clone(), source }
    }
}
