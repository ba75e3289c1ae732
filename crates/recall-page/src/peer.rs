//! The user at the other end of a connection.
//!
//! A Unix socket names its caller; a TCP connection of this machine does not. Linux lists the owner of each connection, so connections of
//! other users are refused there. Other systems have no such list, and the cookie alone decides.

#[cfg(target_os = "linux")]
#[path = "peer/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "peer/elsewhere.rs"]
mod platform;

use std::net::SocketAddr;

/// Returns whether a connection from `peer` to `local` may be served: it is the own user's, or the system does not say whose.
pub(crate) fn is_own(peer: SocketAddr, local: SocketAddr) -> bool {
    platform::is_own(peer, local)
}
