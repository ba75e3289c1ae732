//! The connection to the daemon.
//!
//! [`Client::connect`] connects to the user's daemon, starts it if it is not running, replaces it if it is older, and
//! exchanges versions first. Every RPC is a method of [`Client`].
//!
//! The crate prints nothing. Errors say what failed, and [`hint`] says what to do about it.

mod attempts;
mod client;
mod connect;
pub mod daemon;
mod environment;
mod error;
mod handshake;
pub mod hint;
mod holder;
mod key;
mod launch;
mod link;
mod options;
mod private;
mod socket;
mod upgrade;
mod version;

pub use attempts::Attempts;
pub use client::Client;
pub use error::{ConnectError, Unreached};
pub use handshake::DaemonIdentity;
pub use options::{ConnectOptions, Launch, Replace};
pub use upgrade::{KeptBecause, OlderDaemon};

/// The largest message in either direction: a document of the largest configurable size, with room to spare.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
