//! The settings of a PostgreSQL store.

use std::time::Duration;

/// Where a PostgreSQL store is, and who reads it.
#[derive(Clone)]
pub struct PostgresSettings {
    /// The address: `postgres://user@host:port/database`, with several hosts separated by commas for a primary and its standbys.
    pub address: String,
    /// The password; empty for none.
    pub password: String,
    /// The tenant, whose rows alone are read and written.
    pub tenant: String,
    /// How long a search waits for an answer.
    pub deadline: Duration,
    /// Which server a search asks.
    pub read: Replica,
    /// How long a request of a publication may take.
    pub publish_deadline: Duration,
}

/// Which of several servers is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replica {
    /// Any that answers, a standby too.
    #[default]
    Any,
    /// The primary.
    Primary,
}
