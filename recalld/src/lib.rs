//! The daemon: one process per user that serves `recall.v1` on a local socket.
//!
//! Wiring only. The use cases are in `recall-engine`; this crate adds what a process needs around them: a lock, a socket,
//! a gRPC service, deadlines, a log and an orderly shutdown. `ARCHITECTURE.md` describes the life of a query.
//!
//! Begin with `start` (what happens before the first connection), `server` (the layers between socket and service), `blocking` (how a
//! synchronous call gets a thread), `standing` (why there is one daemon) and `admission` (why its memory is bounded).

mod accept;
mod activity;
mod admission;
mod blocking;
mod configuration;
mod connection;
mod daemon;
mod event;
mod failure;
mod lifecycle;
mod lock;
mod log;
mod meter;
mod middleware;
mod models;
mod parsers;
mod places;
mod process;
mod reported;
mod server;
mod service;
mod socket;
mod standing;
mod start;
mod unread;
mod wiring;

pub use start::{main, main_with};
