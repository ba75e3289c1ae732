//! Stores that a team shares: one seam, and the servers behind it.
//!
//! A [`SharedStore`] holds documents of many repositories, cut into chunks. [`publish()`] sends what a repository's branch has and
//! the store lacks, and replaces the branch's documents as a whole. A search asks for the [statistics](SharedStore::statistics) of
//! its keys, then for [candidates](SharedStore::find), and reads the [texts](SharedStore::texts) of the chunks that it shows. A
//! [document](SharedStore::document) is read by its path, and a search for a literal [compares](SharedStore::scan_texts) all texts.
//! [Facets](SharedStore::facets) count the documents with a word. [`Guarded`] bounds the time of each call, and stops asking a server that does not answer.
//!
//! The crate does not know what the keys, records and analyses mean, does not rank, and reads no files.
//!
//! A server only finds candidates, by numbers and vectors; it does not rank. Ranking on the server would be a second order to keep
//! equal in each server's language, and lists that are merged by rank would lose the confidence that one list has (ADR 41). Every
//! kind of store passes one suite, which compares it with a store in memory (`memory`) that compares everything with everything.
//!
//! Begin with `seam`, `store`, `publish` and `guarded`; then `postgres` (one transaction commits, ADR 43) and `qdrant` (one conditional write
//! does, ADR 45).

mod facets;
mod guarded;
mod memory;
mod paths;
mod postgres;
mod publish;
mod qdrant;
mod seam;
mod store;
mod text_scan;
pub use facets::{FacetCounts, FacetScan};
pub use guarded::{Guarded, Standing};
pub use memory::Memory;
pub use postgres::{Authentication, Postgres, PostgresSettings, Replica};
pub use publish::{Difference, Outcome, PublishError, Source, publish, verify};
pub use qdrant::{Qdrant, QdrantSettings, Spread};
pub use seam::{
    Ask, Branch, BranchState, Chunk, ChunkRecord, Depths, Document, DocumentRecord, Filters, Found, Key, Manifest,
    Model, PathCondition, Place, Publication, Statistics, StoreError, Weighted, WholeDocument,
};
pub use store::SharedStore;
pub use text_scan::{TextPosition, TextScan, TextStep};
