//! The use cases of recall: index, search, read, remember, list, remove, rebuild and report.
//!
//! The files of a root and the journals in it are the truth. An index is derived from them and can be deleted at any time. A request
//! that reads it brings it up to date first, as far as time allows. An index that follows file events alone would be stale without
//! knowing it (ADR 3).
//!
//! All use cases are synchronous and work on the stores of one user: what they do is processor and disk, and a caller with an
//! asynchronous runtime gives them a thread. The crate does not know the protocol, the terminal, the environment, or the libraries
//! that implement the catalog, the lexical index, the parser and the directory walker.
//!
//! Begin with `engine.rs`, which has the objects that all requests share, then `store.rs`, `indexing/freshness.rs`, `search.rs` and
//! `memory/add.rs`. `ARCHITECTURE.md` lists the rooms and their order.

mod adopted;
mod auto_memory;
mod backup;
mod budget;
mod context;
mod doubt;
mod embeddings;
mod engine;
mod error;
mod exact;
mod fault;
mod finding;
mod git;
mod graph;
mod home_memory;
mod index_runs;
mod indexing;
mod inspect;
mod known;
mod ledger;
mod links;
mod live;
mod mask;
mod matching;
mod memory;
mod migrate;
mod moments;
mod mount;
mod occurrences;
mod operations;
mod origin;
mod past;
mod past_root;
mod publish;
mod query;
mod ranking;
mod remind;
mod search;
mod session;
mod session_log;
mod settings;
mod shared;
mod store;
mod store_folder;
mod task_pool;
mod transcripts;
mod warning;

pub use backup::{
    BackupError, BackupReport, BackupRequest, Embeddings, ExistingFile, ExportError, ExportRequest, ExportSink,
    ImportError, ImportReport, ImportRequest, RestoreError, RestoreMode, RestoreReport, RestoreRequest, Resume, Trust,
    Unused,
};
pub use budget::{Acquire, Budget, BudgetUse, Permit};
pub use context::{ContextError, ContextRequest, ContextSection, ContextSpan, ContextWindow, WorkTreeChanges};
pub use doubt::{AdoptedHit, AdoptedReport, Doubt, DoubtKind, Owner};
pub use embeddings::Encoders;
pub use engine::{Engine, RecorderCounts};
pub use error::{
    GetError, GraphError, IndexError, ListError, MemoryError, NoProposal, OutsideFilter, PublishError,
    PublishSourceError, RemoveError, SearchError, StatusError, StoreError,
};
pub use exact::{ExactAnswer, ExactTotals};
pub use fault::Fault;
pub use finding::{Check, Finding, Gravity, Problem};
pub use git::{DocumentCommit, LineCommit, RemovingCommit};
pub use graph::{Graph, GraphEdge, GraphNode, GraphRequest, NodeThing, Related, RelatedDocument, RelatedRequest, Tie};
pub use index_runs::{Cancel, Progress, Room};
pub use indexing::{
    IndexReport, IndexRequest, LeftOutFile, RebuildPart, Removal, RemoveReport, RemoveRequest, Tombstones,
};
pub use inspect::{
    Abbreviated, CitedItem, CompactReport, DoctorReport, DoctorRequest, FailureEntry, FailureEntryKind, FileCounts,
    Fix, FolderImports, History, HistoryRequest, HistoryStatus, HotFile, Item, ItemRequest, KeptStore, LayoutFolder,
    LayoutRequest, ListRequest, Listed, Listing, NamesRequest, Parent, ProjectLayout, RecordStatus, Said, SecretScan,
    StaleReason, Status, StoreStatus,
};
pub use links::{Links, links};
pub use live::{LiveFile, LiveSession};
pub use matching::{ConditionPlan, Evaluated, ReadCounts, StorePlan};
pub use memory::{
    AddOutcome, AddReport, AnchorChange, Dependent, FeedbackReport, ItemUse, MemoryNote, PromoteReport, ReviewReport,
    RollBackReport, SimilarMemory, TakenBack, UpdateReport, VerifyReport,
};
pub use migrate::{
    Arrivals, AuditFinding, AuditFindingKind, AuditReport, AuditedSource, ForeignProjects, ForeignSource, LeftOutItem,
    LeftOutTally, MigrateError, MigrateReport, MigrateRequest, ReadError,
};
pub use moments::UnknownTime;
pub use operations::{OperationKind, OperationProgress};
pub use origin::{Origin, OriginError, RootCheck};
pub use past::PastError;
pub use publish::{Comparison, PublishReport, PublishRequest};
pub use query::{QueryAnswer, QueryPlan, QueryRequest, QueryRow, RowOrder};
pub use ranking::features::{
    all_names as all_feature_names, features, names as feature_names, relevance_names as relevance_feature_names,
};
pub use ranking::{ContentKind, Factor, Feature, FeatureGroup, FeatureSet, RankerError, RankerUse, Rankers};
pub use remind::{Occasion, RemindRequest, Reminder, ReminderSubject, Reminders};
pub use search::{
    Answer, Explanation, Facet, Hit, RankedDocument, Reranked, Rescorer, RetrieverWeights, Stage, StageTimes,
};
pub use session::{
    Briefing, BriefingSection, ChangedMemory, ChangesSince, CountRecords, DayCounts, Draft, EndedSession, ErrorFix,
    ErrorFixes, EventListing, FixStep, HandOff, HandOffRequest, Keeping, KeptSession, LineOrigin, LineSession, LineTie,
    LineTrace, LoggedEvent, RecordedUse, RecordedUseKind, RecordedUses, Records, Savings, SectionKind, SessionListing,
    StartedSession, Stats, StoreStats, TraceContributor, UnknownCommit, Why, WhyRequest,
};
pub use session_log::SessionError;
pub use settings::{
    AdoptSettings, BriefingParts, EmbeddingModel, EmbeddingStoreSettings, EngineSettings, JournalSource, JudgeSettings,
    MemorySettings, OnBattery, PastSettings, Places, RerankSettings, Reranker, StoreSettings, StoreSettingsSource,
    TranscriptSettings, WhySettings,
};
pub use transcripts::{CommandOutcome, SaidTurn, SaidTurns, TranscriptCoverage};
pub use warning::{
    Coverage, FirstIndex, FirstIndexStage, IndexedProject, Indexing, LeftOutGroup, UnreadLines, Warning,
};

pub use recall_index::catalog::{Counts, ListSort};
pub use recall_index::lexical::exact::PatternError;
