//! Invalid requests, files and stores: each gives a clear error or a recorded reason, no data is lost, and the daemon
//! keeps running.
//!
//! Another user's connection and a client that hangs during shutdown are tested in `daemon.rs`.

#![cfg(target_os = "linux")]

mod case;
mod clients;
mod crashes;
mod disk;
mod files;
mod neighbours;
mod paths;
mod requests;
mod storage;
