//! The domain of recall: what a document, a chunk, a query and a hit are, and how candidates become an order.
//!
//! Pure: no I/O, no async, no clock, no environment, no serialisation. Everything arrives as an argument.

mod ablation;
mod chunk;
mod doc_path;
mod document;
mod embedder;
mod embedding;
mod file_kind;
mod form;
mod fusion;
mod ids;
mod language;
mod likeness;
mod limits;
mod nearest;
mod relation;
mod request;
mod row_set;
mod scope;
mod select;
mod time;
pub mod tokens;
mod understand;
mod vector_index;
pub mod words;

pub use ablation::Ablation;
pub use chunk::{
    ByteSpan, Chunk, ChunkKind, Edge, EdgeKind, Enclosing, ParseOutcome, ParsedDocument, Span, Symbol, SymbolKind,
};
pub use doc_path::{DocPath, DocPathError};
pub use document::{Document, DocumentType, UnknownDocumentType};
pub use embedder::{ChunkText, CrossEncoder, Embedder, Embedding, ModelError};
pub use embedding::{ModelFingerprint, QuantiseError, Quantised, TextHash};
pub use file_kind::FileKind;
pub use form::Form;
pub use fusion::{Candidate, Fused, RRF_K, RankedList, Retriever, Traits, fuse};
pub use ids::{ChunkId, ChunkRow, ContentHash, DocumentId, DocumentRow, Generation, IdError};
pub use language::{LANGUAGES, Language, UnknownLanguage};
pub use likeness::Likeness;
pub use limits::{LOW_CONFIDENCE, Limits};
pub use nearest::{near, nearest};
pub use relation::Relation;
pub use request::{Explain, Facets, Filters, PathFilter, SearchRequest, Weights};
pub use row_set::RowSet;
pub use scope::{Scope, StoreScope, UnknownScope};
pub use select::{Selectable, select};
pub use time::{Clock, Timestamp};
pub use understand::{QueryClass, Understood, understand};
pub use vector_index::{NearestError, Neighbour, RowFilter, VectorIndex};
