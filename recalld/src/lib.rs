//! The daemon: one process per user that serves `recall.v1` on a local socket.
//!
//! Wiring only. The use cases are in `recall-engine`; here is what a process around them needs: a lock, a socket, a
//! service, deadlines, a log, and an end. `ARCHITECTURE.md` tells the life of a query.

mod accept;
mod activity;
mod admission;
mod args;
mod blocking;
mod clock;
mod connection;
mod daemon;
mod deadline;
mod event;
mod failure;
mod in_place;
mod jobs;
mod lifecycle;
mod lock;
mod log;
mod lookout;
mod memory;
mod meter;
mod models;
mod notify;
mod panic;
mod peer;
mod places;
mod pressure;
mod reflection;
mod reported;
mod server;
mod service;
mod socket;
mod standing;
mod start;
mod unread;
mod wake;
mod wiring;

pub use start::main;
