//! The connection to the daemon.
//!
//! [`Client::connect`] connects to the user's daemon, starts it if it is not running, replaces it if it is older, and
//! exchanges versions first. Every RPC is a method of [`Client`].
//!
//! The crate prints nothing. Errors say what failed, and [`hint`] says what to do about it.
//!
//! The daemon holds everything expensive, and every other program is a client of it. Many clients may start at once, while a daemon
//! is starting, ending, hung or older. They agree without talking to each other: locks of the operating system say who is there,
//! since they end with their process (ADR 17). The daemon keeps no state about a client, so reconnecting is opening a socket (ADR 5).
//! A command that has the indexes in it would be a second code path; `--no-daemon` is a private daemon instead (ADR 4).
//!
//! Begin with `connect`, `handshake`, `upgrade` and `link`.

mod client;
mod connect;
pub mod daemon;
mod error;
mod handshake;
pub mod hint;
mod holder;
mod launch;
mod link;
mod options;
mod socket;

pub use client::{Client, unique_key};
pub use error::{ConnectError, Unreached};
pub use handshake::{DaemonIdentity, KeptBecause, OlderDaemon};
pub use link::{Attempts, REPEAT_PAUSE};
pub use options::{ConnectOptions, Launch, Replace};

/// The largest message in either direction: a document of the largest configurable size, with room to spare.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
