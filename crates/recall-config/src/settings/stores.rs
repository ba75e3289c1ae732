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
    /// Which of several servers a search asks.
    pub read: ReadFrom,
}

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// PostgreSQL with pgvector.
    Postgres,
}

/// Which of several servers a search asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadFrom {
    /// Any that answers.
    #[default]
    Any,
    /// The primary.
    Primary,
}
