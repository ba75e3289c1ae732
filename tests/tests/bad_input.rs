//! Invalid requests, files and stores: each gives a clear error or a recorded reason, no data is lost, and the daemon
//! keeps running.
//!
//! Another user's connection and a client that hangs during shutdown are tested in `daemon.rs`.

#![cfg(target_os = "linux")]

#[path = "bad_input/case.rs"]
mod case;
#[path = "bad_input/clients.rs"]
mod clients;
#[path = "bad_input/crashes.rs"]
mod crashes;
#[path = "bad_input/disk.rs"]
mod disk;
#[path = "bad_input/files.rs"]
mod files;
#[path = "bad_input/neighbours.rs"]
mod neighbours;
#[path = "bad_input/paths.rs"]
mod paths;
#[path = "bad_input/requests.rs"]
mod requests;
#[path = "bad_input/storage.rs"]
mod storage;
