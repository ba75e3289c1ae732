//! The domain of recall: what a document, a chunk, a query and a hit are, and how candidates become an order.
//!
//! What knows only strings is `recall-text`.
//!
//! Pure: no I/O, no async, no clock, no environment, no serialisation. Everything arrives as an argument.
//!
//! A daemon serves many clients and has no current directory; a rule that takes its facts as arguments is tested without a store, and
//! gives the same answer in the command, the shim and the engine. Foreign things that the
//! domain needs, such as models and nearest-neighbour search, are ports here and are implemented elsewhere.
//!
//! Begin with `document` (what is indexed), `understand` (what a query says), `candidate`, `embedder` (the
//! ports), then `event`, `memory` and `validity` (what is remembered).

mod ascending;
pub mod breaker;
mod candidate;
mod cue_derivation;
mod document;
mod document_type;
mod embedder;
mod embedding;
mod event;
mod feature_words;
mod foreign_kind;
mod ids;
mod memory;
mod memory_id;
mod remember;
mod request;
mod review;
pub mod rql;
mod scope;
mod session;
mod session_part;
mod session_request;
mod time;
mod time_words;
mod understand;
mod validity;
mod vector_index;
mod when;

pub use ascending::{find_ascending, last_at_most};
pub use candidate::{Candidate, RankedList, Retriever, Selectable, Traits, select};
pub use cue_derivation::derive_cues;
pub use document::{
    ByteSpan, Chunk, ChunkKind, Document, DocumentKey, Edge, EdgeKind, Enclosing, ParseOutcome, ParsedDocument,
    Relation, Span, Symbol, SymbolKind,
};
pub use document_type::{
    AgeLimits, DocumentType, Freshness, MemoryType, STALE_AFTER_DAYS, UnknownDocumentType, UnknownMemoryType,
};
pub use embedder::{
    ChunkText, Comparer, CrossEncoder, Describer, Embedder, Embedding, ModelError, PairVerdict, Provider,
};
pub use embedding::{ModelFingerprint, QuantiseError, Quantised, TextHash};
pub use event::{Amendment, Event, EventBody, Feedback, MemoryChange, NewMemory, Verdict};
pub use feature_words::feature_words;
pub use foreign_kind::{ForeignKind, UnknownForeignKind};
pub use ids::{
    ChunkId, ChunkRow, Citation, ContentHash, ContentHasher, DocumentId, DocumentRow, Generation, IdError, Lines,
};
pub use memory::{
    Anchor, CUE_BYTES, Cue, CueKind, Deleted, FeedbackTally, InvalidCue, ItemStats, Lineage, Memory, MemoryOrigin,
    Promotion, Provenance, UnknownMemoryOrigin, UseCounts, Verified,
};
pub use memory_id::{EventId, EventIdError, ItemId, ItemIdError, MemoryId, MemoryIdError};
pub use remember::{
    AddMemory, MEMORY_BYTES, MEMORY_ENTRIES, PromoteMemory, RateItem, Repeats, SHORT_TEXT_BYTES, UpdateMemory,
    VerifyMemories, VerifyMode, title_of,
};
pub use request::{
    Ablation, Case, ExactRequest, Explain, Facets, Filters, JudgeUse, LOW_CONFIDENCE, Limits, Needle, OtherProjects,
    PathFilter, Recording, SearchRequest, Weights, escape_glob,
};
pub use review::{Admission, ReviewAction, ReviewMemory, ReviewPolicy, RollBack, RollBackMode};
pub use scope::{Scope, StoreScope, UnknownScope, UnknownStoreScope};
pub use session::{
    EndReason, EventDetails, HookRecord, ITEMS, Metadata, MetadataValue, Session, SessionEvent, SessionEventType,
    SessionShare, SessionState, SessionTask, TASKS, TaskState, UnknownSessionEventType, exact_integer,
};
pub use session_part::{SessionEntry, SessionPart, SessionPartKind};
pub use session_request::{
    AskBriefing, BriefingSubject, EndSession, ListEvents, ListSessions, LogEvent, METADATA_BYTES, METADATA_DEPTH,
    METADATA_VALUES, RECORD_TEXT_BYTES, Replacement, StartSession,
};
pub use time::{Clock, Timestamp};
pub use time_words::{TimeWords, read_time_words};
pub use understand::{
    Original, QueryClass, Understood, UnknownFilter, UseKind, UsedName, take_as_of, understand, understand_whole,
    understand_words,
};
pub use validity::{
    AnchorState, CONTRIBUTOR_CHARS, Contributor, MemoryStatus, MemoryView, MovedFile, OpposedMemory, Ownership,
    Successor, Trust, ValidityInputs, Verification, age_days,
};
pub use vector_index::{NearestError, Neighbour, RowFilter, RowSet, VectorIndex};
pub use when::{Holds, NewBound, TimePoint, ValidTime, ValidTimeChange, WHEN_BYTES, When, WordedTime};
