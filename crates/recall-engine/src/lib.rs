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
mod embeddings;
mod engine;
mod errand;
mod error;
mod fault;
mod finding;
mod freshness;
mod get;
mod git;
mod graph;
mod imports;
mod index;
mod ingest;
mod known;
mod ledger;
mod list;
mod mask;
mod memory;
mod models;
mod origin;
mod progress;
mod ranking;
mod rebuild;
mod registry;
mod related;
mod remove;
mod search;
mod selection;
mod session;
mod settings;
mod status;
mod store;
mod store_folder;
mod structure;
mod warning;

pub use answer::{Answer, Explanation, Facet, Hit, Reranked, Stage, StageTimes};
pub use briefing::{Briefing, BriefingSection, SectionKind};
pub use budget::{Acquire, Budget, BudgetUse, Permit};
pub use candidates::RankedDocument;
pub use coverage::{Coverage, Indexing};
pub use doctor::{DoctorReport, DoctorRequest, Mend, SecretScan};
pub use embeddings::Encoders;
pub use engine::Engine;
pub use error::{
    GetError, GraphError, IndexError, ListError, MemoryError, RemoveError, SearchError, StatusError, StoreError,
};
pub use fault::Fault;
pub use finding::{Check, Finding, Gravity, Problem};
pub use get::{Item, ItemRequest, Parent};
pub use graph::{Graph, GraphEdge, GraphNode, GraphRequest, NodeThing};
pub use graph::{Links, links};
pub use imports::Room;
pub use index::{IndexReport, IndexRequest};
pub use list::{ListRequest, Listed, Listing, Said};
pub use memory::{
    AddOutcome, AddReport, FeedbackReport, MemoryNote, PromoteReport, SimilarMemory, UpdateReport, VerifyReport,
};
pub use origin::{Origin, OriginError, RootCheck};
pub use progress::{Cancel, Progress};
pub use ranking::Factor;
pub use ranking::schema::{all as all_feature_names, names as feature_names, of_relevance as relevance_feature_names};
pub use ranking::{Basis, Kind, RankerError, RankerUse, Rankers};
pub use related::{Related, RelatedDocument, RelatedRequest, Tie};
pub use remove::{Removal, RemoveReport, RemoveRequest, Tombstones};
pub use session::{
    EndedSession, EventListing, LoggedEvent, RecorderCounts, SessionError, SessionListing, StartedSession,
};
pub use settings::{
    EmbeddingModel, EmbeddingStoreSettings, EngineSettings, JournalSource, MemorySettings, Places, RankerChoice,
    RerankSettings, Reranker, StoreSettings, StoreSettingsSource,
};
pub use status::{FailureEntry, Status, StoreStatus};
pub use warning::{UnreadLines, Warning};

pub use recall_catalog::ListSort;
