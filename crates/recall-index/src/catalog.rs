//! Storage of a store's documents, chunks, symbols, edges and texts.
//!
//! One SQLite file per store, in WAL mode: one [`Writer`] at a time, and any number of [`Snapshot`]s, which never wait
//! for it. The contents are derived from the store's files; a catalog that is lost or moved away is rebuilt from them.
//!
//! One [`EmbeddingStore`] is shared by the catalogs of all stores. It caches embeddings by model and text, so that none
//! is computed twice, and may be lost at any time.
//!
//! The module does not read the store's files, does not rank, and has no clock: times are arguments.
//!
//! SQLite provides what an index of words lacks: transactions over documents, chunks, symbols and edges. Its own full-text search
//! scores every match and is a hundred times slower than tantivy, so words are in [`lexical`](crate::lexical), which follows by generation
//! (ADR 1). A text is stored once per document, compressed, and a chunk is a range of it: windows overlap, and small rows do not
//! compress (ADR 2).
//!
//! Callers may rely on this: a row is never reused, a commit increases the generation by one if documents changed, and a snapshot
//! stays as it is. Begin with `database`, `write`, `read` and `rows`; `base` is how work trees share contents (ADR 27).

#![forbid(unsafe_code)]

mod base;
mod connection;
mod database;
mod embeddings;
mod error;
mod open;
mod packing;
mod read;
mod rows;
mod write;

pub use connection::{Checkpoint, Disturbance, delete, quarantine};
pub use database::{Catalog, Problem};
pub use embeddings::{EmbeddingStatistics, EmbeddingStore, EmbeddingStoreError, ModelStatistics};
pub use error::{CatalogOpenError, CatalogWriteError, ReadError, SqliteError};
pub use read::{
    ChunkedDocument, Column, ColumnValue, Condition, Counts, FileState, ListQuery, ListSort, OwnedRecord, PlacedChunk,
    Snapshot, StoredChunk, StoredDocument, UnparsedDocument,
};
pub use rows::documents::{ChunkRun, DocumentPlace};
pub use rows::failures::{FailureKind, FileFailure};
pub use write::{DocumentRecord, Inserted, Transaction, Writer};
