//! The use cases of recall: index, search, read, remember, list, remove, rebuild and report.
//!
//! All of them are synchronous and work on the stores of one user. The crate does not know the protocol, the terminal, the
//! environment, or the libraries that implement the catalog, the lexical index, the parser and the directory walker.

mod budget;
mod coverage;
mod embeddings;
mod engine;
mod error;
mod fault;
mod finding;
mod git;
mod graph;
mod imports;
mod indexing;
mod inspect;
mod known;
mod ledger;
mod links;
mod mask;
mod memory;
mod origin;
mod progress;
mod ranking;
mod search;
mod session;
mod session_log;
mod settings;
mod store;
mod store_folder;
mod task_pool;
mod warning;

pub use budget::{Acquire, Budget, BudgetUse, Permit};
pub use coverage::{Coverage, Indexing};
pub use embeddings::Encoders;
pub use engine::{Engine, RecorderCounts};
pub use error::{
    GetError, GraphError, IndexError, ListError, MemoryError, RemoveError, SearchError, StatusError, StoreError,
};
pub use fault::Fault;
pub use finding::{Check, Finding, Gravity, Problem};
pub use graph::{Graph, GraphEdge, GraphNode, GraphRequest, NodeThing, Related, RelatedDocument, RelatedRequest, Tie};
pub use imports::Room;
pub use indexing::{IndexReport, IndexRequest, Removal, RemoveReport, RemoveRequest, Tombstones};
pub use inspect::{
    DoctorReport, DoctorRequest, FailureEntry, Item, ItemRequest, ListRequest, Listed, Listing, Mend, Parent, Said,
    SecretScan, Status, StoreStatus,
};
pub use links::{Links, links};
pub use memory::{
    AddOutcome, AddReport, FeedbackReport, MemoryNote, PromoteReport, SimilarMemory, UpdateReport, VerifyReport,
};
pub use origin::{Origin, OriginError, RootCheck};
pub use progress::{Cancel, Progress};
pub use ranking::Factor;
pub use ranking::schema::{all as all_feature_names, names as feature_names, of_relevance as relevance_feature_names};
pub use ranking::{Basis, Kind, RankerError, RankerUse, Rankers};
pub use search::{Answer, Explanation, Facet, Hit, RankedDocument, Reranked, Stage, StageTimes};
pub use session::{
    Briefing, BriefingSection, EndedSession, EventListing, LoggedEvent, SectionKind, SessionListing, StartedSession,
};
pub use session_log::SessionError;
pub use settings::{
    EmbeddingModel, EmbeddingStoreSettings, EngineSettings, JournalSource, MemorySettings, Places, RankerChoice,
    RerankSettings, Reranker, StoreSettings, StoreSettingsSource,
};
pub use warning::{UnreadLines, Warning};

pub use recall_catalog::ListSort;
