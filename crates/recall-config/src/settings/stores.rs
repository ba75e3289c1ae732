//! The stores that a team shares.

use std::time::Duration;

/// A store that a team shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreConfig {
    /// What kind of server it is.
    pub kind: StoreKind,
    /// Its address, without a password.
    pub address: String,
    /// The tenant, whose documents alone are read and written.
    pub tenant: String,
    /// How long a search waits for it.
    pub deadline: Duration,
    /// How long one request of a publication may take.
    pub publish_deadline: Duration,
    /// Which of several servers of PostgreSQL a search asks.
    pub read: ReadFrom,
    /// How new collections of Qdrant are spread over the servers of a cluster.
    pub spread: SpreadConfig,
}

/// How new collections are spread over the servers of a cluster. What is `None` is decided by the server's configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpreadConfig {
    /// The number of shards of a collection.
    pub shards: Option<u32>,
    /// On how many servers each shard is.
    pub replicas: Option<u32>,
    /// How many of these must have stored a write before it is confirmed.
    pub write_consistency: Option<u32>,
}

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// PostgreSQL with pgvector.
    Postgres,
    /// Qdrant, over gRPC.
    Qdrant,
}

/// Which of several servers a search asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadFrom {
    /// The first that answers, a standby too.
    #[default]
    Any,
    /// The one that accepts writes.
    Primary,
}
