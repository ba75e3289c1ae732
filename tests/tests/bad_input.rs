//! What nobody should ask, index, store or do: each has a clear error or a recorded reason, nothing is lost, and the
//! daemon lives.
//!
//! Another user's connection and a client that hangs while the daemon ends are in `daemon.rs`.

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
