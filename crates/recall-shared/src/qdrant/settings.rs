//! The settings of a Qdrant store.

use std::sync::Arc;
use std::time::Duration;

/// Where a Qdrant store is, and who reads it.
#[derive(Clone)]
pub struct QdrantSettings {
    /// The address of its gRPC interface: `https://host:6334`; `http` only on this machine.
    pub address: String,
    /// The API key; empty for none.
    pub key: String,
    /// The tenant, whose points alone are read and written.
    pub tenant: String,
    /// How long a search waits for an answer.
    pub deadline: Duration,
    /// How long a request of a publication may take.
    pub publish_deadline: Duration,
    /// How new collections are spread over the servers of a cluster.
    pub spread: Spread,
    /// Returns the seconds since 1970.
    pub clock: Arc<dyn Fn() -> u64 + Send + Sync>,
}

/// How a new collection is spread over the servers of a cluster. What is `None` is decided by the server's configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The number of its shards.
    pub shards: Option<u32>,
    /// On how many servers each shard is.
    pub replicas: Option<u32>,
    /// How many of these must have stored a write before it is confirmed.
    pub write_consistency: Option<u32>,
}
