//! Which documents, chunks, symbols and edges does a store hold, and where is their text?
//!
//! One SQLite file a store, in WAL mode: one [`Writer`] at a time, any number of [`Snapshot`]s that never wait for it.
//! All of it is derived from the store's files: a catalog that is lost or set aside is built again by reading them.
//!
//! Beside the catalogs of all stores stands one [`EmbeddingStore`]: embeddings by model and text, so that none is computed
//! twice. It may be lost at any time.
//!
//! The crate neither reads those files nor ranks anything, and it knows no clock: times arrive as arguments.

mod catalog;
mod check;
mod checksum;
mod connection;
mod embeddings;
mod error;
mod imprint;
mod open;
mod packing;
mod read;
mod rows;
mod set_aside;
mod text_blocks;
mod write;

pub use catalog::{Catalog, Checkpoint};
pub use check::Problem;
pub use embeddings::{EmbeddingStatistics, EmbeddingStore, EmbeddingStoreError, ModelStatistics};
pub use error::{OpenError, ReadError, SqliteError, WriteError};
pub use imprint::Disturbance;
pub use read::{
    ChunkRun, Chunked, Counts, DocumentPlace, FileState, ListQuery, ListSort, OwnedRecord, Snapshot, StoredChunk,
    StoredDocument, UnparsedDocument,
};
pub use set_aside::set_aside;
pub use write::{DocumentRecord, FailureKind, FileFailure, Inserted, Transaction, Writer};
