//! Bringing the files and memories of a root into its store: scans, ingests, and what a person adds, removes or rebuilds.

mod freshness;
mod index;
mod ingest;
mod memories;
mod put_back;
mod rebuild;
mod remove;

pub use index::{IndexReport, IndexRequest};
pub use remove::{Removal, RemoveReport, RemoveRequest, Tombstones};

pub(crate) use freshness::{freshen, refresh_files};
