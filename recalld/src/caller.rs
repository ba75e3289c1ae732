//! The client of a call.

use crate::unread::Unread;

/// The id of a connection, unique in the lifetime of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientId(pub(crate) u64);

/// The client of a call.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The id of its connection.
    pub(crate) client: ClientId,
    /// The answers that it has not read yet.
    pub(crate) unread: Unread,
}
