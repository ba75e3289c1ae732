//! Indexing of the files and memories of a root: scans, ingests, and the requests to add, remove and rebuild.
//!
//! ```text
//! freshness (is a scan needed?) ─► scan (compare stats with the catalog) ─► ingest (read, parse, write) ─► publish ─► embeddings, graph
//! ```
//!
//! A scan decides what changed; file events only say when to scan (ADR 3, ADR 23). Memories are compared in the same scan, by the
//! hashes of their documents. An interrupted run leaves nothing to undo: committed batches stay, and the next scan finds the rest as
//! a difference.
//!
//! Begin with `freshness`, `freshness/scan` and `ingest/write`; `memories` indexes what the journals say, and `put_back` recovers own
//! events that vanished from them.

mod freshness;
mod index;
mod ingest;
mod memories;
mod put_back;
mod remove;

pub use freshness::scan::LeftOutFile;
pub use index::{IndexReport, IndexRequest, RebuildPart};
pub use remove::{Removal, RemoveReport, RemoveRequest, Tombstones};

pub(crate) use freshness::scan::explain_left_out;
pub(crate) use freshness::{freshen, freshen_for, refresh_documents};
pub(crate) use put_back::{index_memories_soon, put_back_now, put_back_since, vanished_problems};
