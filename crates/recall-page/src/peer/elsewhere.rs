//! Systems that do not list the owners of connections.

use std::net::SocketAddr;

pub(super) fn is_own(_peer: SocketAddr, _local: SocketAddr) -> bool {
    true
}
