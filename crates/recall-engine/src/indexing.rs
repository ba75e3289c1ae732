//! Indexing of the files and memories of a root: scans, ingests, and the requests to add, remove and rebuild.

mod freshness;
mod index;
mod ingest;
mod left_out;
mod memories;
mod put_back;
mod rebuild;
mod remove;

pub use index::{IndexReport, IndexRequest};
pub use left_out::LeftOutFile;
pub use rebuild::RebuildPart;
pub use remove::{Removal, RemoveReport, RemoveRequest, Tombstones};

pub(crate) use freshness::{freshen, refresh_documents};
pub(crate) use left_out::explain_left_out;
pub(crate) use put_back::{index_memories_soon, put_back_now, put_back_since, vanished_problems};
