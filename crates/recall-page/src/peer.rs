//! The user at the other end of a connection.
//!
//! A Unix socket names its caller; a TCP connection of this machine does not. Linux lists the owner of each connection, so connections of
//! other users are refused there. Other systems have no such list, and the cookie alone decides.

use std::net::SocketAddr;

/// Returns whether a connection from `peer` to `local` may be served: it is the own user's, or the system does not say whose.
pub(crate) fn is_own(peer: SocketAddr, local: SocketAddr) -> bool {
    platform::is_own(peer, local)
}

#[cfg(target_os = "linux")]
mod platform {
    //! The owner of a connection in the tables of the Linux kernel.

    use std::fmt::Write as _;
    use std::net::{IpAddr, SocketAddr};

    /// The states in which a connection has an owner: established, and closed by one side.
    const OWNED: [&str; 4] = ["01", "04", "05", "08"];

    pub(super) fn is_own(peer: SocketAddr, local: SocketAddr) -> bool {
        let table = if peer.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
        let Ok(table) = std::fs::read_to_string(table) else { return true };
        owner(&table, peer, local) == Some(rustix::process::geteuid().as_raw())
    }

    /// Finds the user whose end of the connection has the address `own`.
    fn owner(table: &str, own: SocketAddr, other: SocketAddr) -> Option<u32> {
        let (own, other) = (kernel_form(own), kernel_form(other));
        let rows = table.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
        let mut found = rows.filter(|row| row.len() > 7 && row[1] == own && row[2] == other && OWNED.contains(&row[3]));
        found.next()?[7].parse().ok()
    }

    /// Writes an address as the kernel does: the words of the address in the byte order of the machine.
    fn kernel_form(address: SocketAddr) -> String {
        let octets = match address.ip() {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        };
        let mut text = String::new();
        for word in octets.chunks_exact(4) {
            let _ = write!(text, "{:08X}", u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
        }
        let _ = write!(text, ":{:04X}", address.port());
        text
    }

    #[cfg(test)]
    mod tests {
        use std::net::{TcpListener, TcpStream};

        use super::*;

        const TABLE: &str = "\
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
       1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0 20 4 30 10 -1
       2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4 30 10 -1
       3: 0100007F:C351 0100007F:1F90 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0
    ";

        #[test]
        #[cfg(target_endian = "little")]
        fn the_owner_of_the_other_end_is_found() {
            let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
            assert_eq!(owner(TABLE, at(50000), at(8080)), Some(1001));
            assert_eq!(owner(TABLE, at(50001), at(8080)), None, "it has ended and has no owner");
            assert_eq!(owner(TABLE, at(50002), at(8080)), None);
            assert_eq!(owner("", at(50000), at(8080)), None);
        }

        #[test]
        fn a_connection_of_this_process_is_the_own_users() {
            for address in ["127.0.0.1:0", "[::1]:0"] {
                // A machine may have no IPv6.
                let Ok(listener) = TcpListener::bind(address) else { continue };
                let client = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
                let (server, peer) = listener.accept().expect("a connection");
                assert!(is_own(peer, server.local_addr().expect("connected")), "{address}");
                drop(client);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    //! Systems that do not list the owners of connections.

    use std::net::SocketAddr;

    pub(super) fn is_own(_peer: SocketAddr, _local: SocketAddr) -> bool {
        true
    }
}
