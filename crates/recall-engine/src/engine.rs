//! The engine: the open stores of one user, and the state that all use cases share.
//!
//! Each use case is a method of [`Engine`] in a file of its own; the type lists them all.

mod published;
pub(crate) mod recorder;
mod session_hits;
mod stores;

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use arc_swap::ArcSwapOption;
use recall_core::{Clock, Comparer};
use recall_journal::Disk;
use recall_os::Folder;
use recall_text::error_chain;
use recall_watch::Watcher;

use crate::budget::BudgetUse;
use crate::embeddings::{EmbeddingCache, Encoders, Models};
use crate::git::{RecentCommits, Removals};
use crate::index_runs::{IndexRuns, Room, Shed};
use crate::live::LiveSessions;
use crate::operations::{OperationProgress, Operations};
use crate::origin::Origin;
use crate::settings::{EngineSettings, JournalSource, Places, Reranker, StoreSettingsSource};
use crate::store::{PairComparer, Registry};
use crate::task_pool::TaskPool;

pub(crate) use published::split_chunk;
use recorder::FlightRecorder;
pub use recorder::RecorderCounts;
pub(crate) use session_hits::{SessionHit, SessionHits};
pub(crate) use stores::{MountedStore, MountedStores};

/// The state of one daemon. Cheap to share in an [`Arc`]; every method may be called from any thread.
///
/// Each use case is a method in the file or folder of its room:
///
/// - Find: [`search`](Self::search), [`search_where`](Self::search_where), [`search_or_find`](Self::search_or_find),
///   [`find_exact`](Self::find_exact), [`query`](Self::query), [`context`](Self::context), [`remind`](Self::remind),
///   [`names`](Self::names).
/// - Read: [`get`](Self::get), [`get_cited`](Self::get_cited), [`list`](Self::list), [`history`](Self::history), [`why`](Self::why),
///   [`graph`](Self::graph), [`related_documents`](Self::related_documents), [`whole_id`](Self::whole_id),
///   [`as_of`](Self::as_of), [`layout`](Self::layout).
/// - Remember: [`add_memory`](Self::add_memory), [`add_memory_of`](Self::add_memory_of), [`update_memory`](Self::update_memory),
///   [`verify_memories`](Self::verify_memories), [`promote_memory`](Self::promote_memory), [`rate_item`](Self::rate_item),
///   [`note_use`](Self::note_use), [`memories_similar_to`](Self::memories_similar_to), [`recorded_uses`](Self::recorded_uses),
///   [`review_memory`](Self::review_memory), [`roll_back`](Self::roll_back), [`audit`](Self::audit), [`migrate`](Self::migrate).
/// - Sessions: [`start_session`](Self::start_session), [`log_event`](Self::log_event), [`list_events`](Self::list_events),
///   [`note_search`](Self::note_search), [`keep_session`](Self::keep_session), [`end_session`](Self::end_session),
///   [`list_sessions`](Self::list_sessions), [`live_sessions`](Self::live_sessions), [`count_open_sessions`](Self::count_open_sessions),
///   [`draft_memories`](Self::draft_memories), [`briefing`](Self::briefing), [`changes`](Self::changes), [`stats`](Self::stats),
///   [`search_transcripts`](Self::search_transcripts), [`find_fix`](Self::find_fix), [`hand_off`](Self::hand_off).
/// - Index: [`index`](Self::index), [`remove`](Self::remove), [`rebuild`](Self::rebuild), [`settle`](Self::settle),
///   [`compact`](Self::compact), [`delete_gone_indexes`](Self::delete_gone_indexes), [`kept_stores`](Self::kept_stores),
///   [`publish`](Self::publish), [`learn_from_history`](Self::learn_from_history).
/// - Care: [`status`](Self::status), [`status_of_open_stores`](Self::status_of_open_stores), [`doctor`](Self::doctor),
///   [`backup`](Self::backup), [`restore`](Self::restore), [`export`](Self::export), [`import`](Self::import),
///   [`recorder_counts`](Self::recorder_counts).
/// - Life of the daemon: [`new`](Self::new), [`with_journals`](Self::with_journals), [`close`](Self::close),
///   [`make_room`](Self::make_room), [`index_runs`](Self::index_runs), [`running_jobs`](Self::running_jobs),
///   [`operations`](Self::operations), [`awaited_indexes`](Self::awaited_indexes), [`has_more_for`](Self::has_more_for),
///   [`first_index_wait`](Self::first_index_wait),
///   [`chunks_to_embed`](Self::chunks_to_embed), [`use_encoders`](Self::use_encoders), [`use_preranker`](Self::use_preranker),
///   [`use_reranker`](Self::use_reranker), [`use_judge`](Self::use_judge), [`use_comparer`](Self::use_comparer).
/// - Training: [`candidates`](Self::candidates).
pub struct Engine {
    pub(crate) registry: Arc<Registry>,
    pub(crate) settings: EngineSettings,
    pub(crate) preranker: ArcSwapOption<Reranker>,
    pub(crate) reranker: ArcSwapOption<Reranker>,
    pub(crate) judge: ArcSwapOption<Reranker>,
    pub(crate) comparer: Arc<PairComparer>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) recorder: FlightRecorder,
    pub(crate) live: LiveSessions,
    pub(crate) operations: Operations,
    pub(crate) session_hits: SessionHits,
    pub(crate) recent_commits: Arc<RecentCommits>,
    pub(crate) removals: Arc<Removals>,
    pub(crate) tasks: TaskPool,
}

impl Engine {
    /// Creates an engine without opening a store. The first request that needs a store opens it.
    pub fn new(
        places: Places,
        settings: EngineSettings,
        store_settings: Box<StoreSettingsSource>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self::with_journals(
            places,
            settings,
            store_settings,
            clock,
            Box::new(|root, below| Arc::new(Disk::below(root, below))),
        )
    }

    /// Creates an engine whose journals are opened by `journals`.
    pub fn with_journals(
        places: Places,
        settings: EngineSettings,
        store_settings: Box<StoreSettingsSource>,
        clock: Arc<dyn Clock>,
        journals: Box<JournalSource>,
    ) -> Self {
        let cache =
            settings.embedding_store.as_ref().map(|cache| Arc::new(EmbeddingCache::new(cache, Arc::clone(&clock))));
        let comparer = Arc::new(PairComparer::new(cache.clone()));
        let models = Models::new(settings.model.clone(), cache, settings.on_battery.clone());
        let watcher = settings.watch.then(|| watcher(&places)).flatten();
        let registry = Arc::new_cyclic(|registry| {
            let index_runs = IndexRuns::new(&settings.memory, shedding(Weak::clone(registry)));
            Registry::new(places, &settings, store_settings, models, journals, index_runs, watcher)
        });
        let recorder = FlightRecorder::new(Arc::clone(&registry), Arc::clone(&clock));
        Self {
            registry,
            settings,
            preranker: ArcSwapOption::empty(),
            reranker: ArcSwapOption::empty(),
            judge: ArcSwapOption::empty(),
            comparer,
            clock,
            recorder,
            live: LiveSessions::default(),
            operations: Operations::default(),
            session_hits: SessionHits::default(),
            recent_commits: Arc::default(),
            removals: Arc::default(),
            tasks: TaskPool::default(),
        }
    }

    /// Writes the pending notes of the flight recorder, cancels running index jobs, waits for their writers, and closes every
    /// store.
    pub fn close(&self) {
        self.recorder.flush();
        self.registry.close();
    }

    /// Waits until all notes of the flight recorder are on disk.
    pub(crate) fn flush_recorder(&self) {
        self.recorder.flush();
    }

    /// Closes idle stores while the process is above its memory ceiling, the least recently used first.
    ///
    /// The next request reopens a closed store from its files.
    pub fn make_room(&self) -> Room {
        self.registry.index_runs.make_room()
    }

    /// Returns how much memory is reserved for index runs, and how many index runs wait for it.
    pub fn index_runs(&self) -> BudgetUse {
        self.registry.index_runs.usage()
    }

    /// Returns how far the long operations are that run for a client's project, the latest first.
    pub fn operations(&self, origin: &Origin) -> Vec<OperationProgress> {
        self.operations.progress(&self.place_of_operations(origin))
    }

    /// Returns the root of a client's project; its directory if that is in none.
    pub(crate) fn place_of_operations(&self, origin: &Origin) -> PathBuf {
        origin.root(&self.registry.places).unwrap_or_else(|_| origin.directory.clone())
    }

    /// Returns the number of running index jobs.
    pub fn running_jobs(&self) -> usize {
        self.registry.running_jobs()
    }
}

/// Returns a function that closes idle stores of a registry to free memory for index runs.
fn shedding(registry: Weak<Registry>) -> Box<Shed> {
    Box::new(move || registry.upgrade().is_some_and(|registry| registry.close_oldest_idle()))
}

/// Creates the watcher of all stores' files. Without one, the files are scanned before every search.
fn watcher(places: &Places) -> Option<Arc<Watcher>> {
    let markers = places.markers();
    // A killed process leaves its markers. A process that still uses one of them then scans instead.
    if let Some((home, all)) = markers.parent().and_then(|all| Some((all.parent()?, all.file_name()?))) {
        let _ = Folder::open(home).and_then(|home| home.remove(all));
    }
    match Watcher::new(&markers) {
        Ok(watcher) => Some(Arc::new(watcher)),
        Err(error) => {
            let reason = error_chain(&error);
            tracing::warn!(reason, "changes are not watched; files are scanned before each search");
            None
        }
    }
}

impl Engine {
    /// Replaces the encoders of all stores.
    ///
    /// Open stores start to embed in the background. The existing embeddings answer until that is done. Pass an unchanged model
    /// as the same [`Arc`], so that running work on it continues.
    pub fn use_encoders(&self, encoders: Encoders) {
        self.registry.use_encoders(encoders);
    }

    /// Replaces the small cross-encoder that rescores many candidates of every search. `None` turns it off.
    pub fn use_preranker(&self, preranker: Option<Reranker>) {
        self.preranker.store(preranker.map(Arc::new));
    }

    /// Replaces the cross-encoder that rescores the first candidates of every search. `None` turns rescoring off.
    pub fn use_reranker(&self, reranker: Option<Reranker>) {
        self.reranker.store(reranker.map(Arc::new));
    }

    /// Replaces the language model that rescores the first hits of hard questions. `None` turns it off.
    pub fn use_judge(&self, judge: Option<Reranker>) {
        self.judge.store(judge.map(Arc::new));
    }

    /// Replaces the language model that compares memories. `None` leaves it to their words.
    pub fn use_comparer(&self, model: Option<Arc<dyn Comparer>>) {
        if self.comparer.replace(model) {
            self.registry.open_stores().iter().for_each(|store| store.oppositions.forget_verdicts());
        }
    }

    /// Returns how many chunks of the open stores the selected encoder has not embedded yet.
    pub fn chunks_to_embed(&self) -> u64 {
        let stores = self.registry.open_stores();
        let chunks = |snapshot: &recall_index::catalog::Snapshot<'_>| Ok(snapshot.counts()?.chunks);
        let missing = stores.iter().filter_map(|store| {
            let embedded = store.index.embeddings().selected_model(store.coverage().generation)?;
            // A store that cannot be read is not counted; its next request reports the error.
            let chunks = if embedded.is_whole { return None } else { store.index.read(chunks).ok()? };
            Some(chunks.saturating_sub(embedded.chunks))
        });
        missing.sum()
    }
}
