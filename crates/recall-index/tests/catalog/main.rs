//! Tests of the catalog through its public interface.

#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod damage;
mod embeddings;
mod forks;
mod listing;
mod model;
mod opening;
mod quarantine;
mod relations;
mod sample;
mod select;
mod snapshots;
