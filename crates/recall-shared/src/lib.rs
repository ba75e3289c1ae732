//! Stores that a team shares: one seam, and the servers behind it.
//!
//! A [`SharedStore`] holds documents of many repositories, cut into chunks. [`publish()`] sends what a repository's branch has and
//! the store lacks, and replaces the branch's documents as a whole. A search asks for the [statistics](SharedStore::statistics) of
//! its keys, then for [candidates](SharedStore::find), and reads the [texts](SharedStore::texts) of the chunks that it shows. A
//! [document](SharedStore::document) is read by its path.
//! [`Guarded`] bounds the time of each call, and stops asking a server that does not answer.
//!
//! The crate does not know what the keys, records and analyses mean, does not rank, and reads no files.

mod breaker;
mod error;
mod guarded;
mod memory;
mod paths;
mod postgres;
mod publish;
mod qdrant;
mod seam;
mod worker;

pub use breaker::Standing;
pub use error::StoreError;
pub use guarded::Guarded;
pub use memory::Memory;
pub use postgres::{Postgres, PostgresSettings, Replica};
pub use publish::{Difference, Outcome, PublishError, Source, publish, verify};
pub use qdrant::{Qdrant, QdrantSettings, Spread};
pub use seam::{
    Ask, Branch, BranchState, Chunk, ChunkRecord, Depths, Document, DocumentRecord, Filters, Found, Key, Manifest,
    Model, PathCondition, Place, Publication, SharedStore, Statistics, Weighted, WholeDocument,
};
