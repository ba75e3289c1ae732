//! What can be done with a project's memory: ingest, search, read, remember, list, remove, rebuild, report.
//!
//! The use cases, synchronous, over the stores of one user. Knows no protocol, no terminal, no environment, and no
//! foreign library behind the catalog, the lexical index, the parser and the directory walker.

mod answer;
mod briefing;
mod budget;
mod candidates;
mod coverage;
mod doctor;
mod errand;
mod error;
mod fault;
mod freshness;
mod get;
mod git;
mod graph;
mod imports;
mod index;
mod ingest;
mod list;
mod mask;
mod memory;
mod models;
mod origin;
mod progress;
mod rankers;
mod rebuild;
mod registry;
mod related;
mod remove;
mod search;
mod selection;
mod semantic;
mod session;
mod settings;
mod status;
mod store;
mod structure;

use std::sync::{Arc, Weak};

use arc_swap::ArcSwapOption;

pub use answer::{Answer, Explanation, Facet, Factor, Hit, Reranked, Stage, StageTimes, UnreadLines, Warning};
pub use briefing::{Briefing, BriefingSection, SectionKind};
pub use budget::{Acquire, Budget, BudgetUse, Permit};
pub use candidates::RankedDocument;
pub use coverage::{Coverage, Indexing};
pub use doctor::{Check, DoctorReport, DoctorRequest, Finding, Gravity, Mend, Problem, SecretScan};
pub use error::{
    GetError, GraphError, IndexError, ListError, MemoryError, RemoveError, SearchError, StatusError, StoreError,
};
pub use fault::Fault;
pub use get::{Item, ItemRequest, Parent};
pub use graph::{Graph, GraphEdge, GraphNode, GraphRequest, Links, NodeThing, links};
pub use imports::Room;
pub use index::{IndexReport, IndexRequest};
pub use list::{ListRequest, Listed, Listing, Said};
pub use memory::{
    AddOutcome, AddReport, FeedbackReport, MemoryNote, PromoteReport, SimilarMemory, UpdateReport, VerifyReport,
};
pub use models::Encoders;
pub use origin::{Origin, OriginError, RootCheck};
pub use progress::{Cancel, Progress};
pub use rankers::{Basis, Kind, RankerError, RankerUse, Rankers};
pub use related::{Related, RelatedDocument, RelatedRequest, Tie};
pub use remove::{Removal, RemoveReport, RemoveRequest, Tombstones};
pub use search::features::{all as all_feature_names, names as feature_names, of_relevance as relevance_feature_names};
pub use session::{
    EndedSession, EventListing, LoggedEvent, RecorderCounts, SessionError, SessionListing, StartedSession,
};
pub use settings::{
    EmbeddingModel, EmbeddingStoreSettings, EngineSettings, JournalSource, MemorySettings, Places, RankerChoice,
    RerankSettings, Reranker, StoreSettings, StoreSettingsSource,
};
pub use status::{FailureEntry, Status, StoreStatus};

pub use recall_catalog::ListSort;
use recall_core::Clock;
use recall_folder::Folder;
use recall_journal::Disk;
use recall_watch::Watcher;

use crate::errand::Helpers;
use crate::imports::Imports;
use crate::models::Models;
use crate::registry::Registry;
use crate::semantic::Kept;
use crate::session::FlightRecorder;

/// All that one daemon serves. Cheap to share behind an [`Arc`]; every method may be called from any thread.
pub struct Engine {
    registry: Arc<Registry>,
    settings: EngineSettings,
    reranker: ArcSwapOption<Reranker>,
    clock: Arc<dyn Clock>,
    recorder: FlightRecorder,
    helpers: Helpers,
}

impl Engine {
    /// Makes an engine. Opens nothing: a store is opened by the first request that needs it.
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

    /// The same with journals that lie elsewhere.
    pub fn with_journals(
        places: Places,
        settings: EngineSettings,
        store_settings: Box<StoreSettingsSource>,
        clock: Arc<dyn Clock>,
        journals: Box<JournalSource>,
    ) -> Self {
        let kept = settings.embedding_store.as_ref().map(|kept| Arc::new(Kept::new(kept, Arc::clone(&clock))));
        let models = Models { encoders: Encoders::default(), instant: settings.model.clone(), kept };
        let watcher = settings.watch.then(|| watcher(&places)).flatten();
        let registry = Arc::new_cyclic(|registry| {
            let imports = Imports::new(&settings.memory, Weak::clone(registry));
            Registry::new(places, settings.open_stores, store_settings, models, journals, imports, watcher)
        });
        let recorder = FlightRecorder::new(Arc::clone(&registry), Arc::clone(&clock));
        Self { registry, settings, reranker: ArcSwapOption::empty(), clock, recorder, helpers: Helpers::default() }
    }

    /// Writes what waits for the flight recorder, cancels running index jobs, waits for their writers, and closes every store.
    pub fn close(&self) {
        self.recorder.flush();
        self.registry.close();
    }

    /// Waits until what was noted is on disk.
    pub(crate) fn flush_recorder(&self) {
        self.recorder.flush();
    }

    /// Closes stores that nobody uses while the process is above its memory ceiling, the least recently used one first.
    ///
    /// The next request opens a closed one again, from what it wrote.
    pub fn make_room(&self) -> Room {
        self.registry.imports.make_room()
    }

    /// How much memory is set aside for imports, and how many wait.
    pub fn imports(&self) -> BudgetUse {
        self.registry.imports.usage()
    }

    /// How many index jobs are running.
    pub fn running_jobs(&self) -> usize {
        self.registry.running_jobs()
    }
}

/// What watches the files of all stores; without it they are scanned before every search.
fn watcher(places: &Places) -> Option<Arc<Watcher>> {
    let markers = places.markers();
    // A process that was killed leaves its markers behind. Whoever may still use some then scans.
    if let Some((home, all)) = markers.parent().and_then(|all| Some((all.parent()?, all.file_name()?))) {
        let _ = Folder::open(home).and_then(|home| home.remove(all));
    }
    match Watcher::new(&markers) {
        Ok(watcher) => Some(Arc::new(watcher)),
        Err(error) => {
            let reason = recall_core::error_chain(&error);
            tracing::warn!(reason, "changes are not watched; files are scanned before each search");
            None
        }
    }
}
