//! How does a program reach the daemon?
//!
//! [`Client::connect`] connects to the daemon of this user, starts it where it is not running, replaces one that is
//! older, and exchanges versions before anything else. Every RPC is then a method of [`Client`].
//!
//! Words no hints and prints nothing: an error says what failed, the interface says what to do about it.

mod client;
mod connect;
pub mod daemon;
mod environment;
mod error;
mod handshake;
mod holder;
mod key;
mod launch;
mod link;
mod options;
mod private;
mod socket;
mod version;

pub use client::Client;
pub use error::{ConnectError, Unreached, is_gone};
pub use handshake::DaemonIdentity;
pub use options::{ConnectOptions, Launch};

/// The largest message that is taken from the daemon or given to it: a document of the largest size that can be
/// configured, with room to spare.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
