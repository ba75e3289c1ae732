//! Test support for running the real programs in isolation.
//!
//! A [`Sandbox`] is a separate home: the programs see no variables of the test's environment and no files of its user,
//! and all processes started in it, detached daemons included, end with it. [`Running`] communicates with a process
//! over pipes, with deadlines; [`redact()`] replaces the parts of an output that differ between runs; a [`ModelDisk`]
//! crashes, fills up and fails at any step; a [`PostgresServer`] is a database server of its own, a `ContractServer` (with the
//! feature `contract-server`) answers as Qdrant does, and a [`CuttingProxy`] cuts the connections to either; [`check_promises`] compares what the code has with what
//! releases promise.
//!
//! A failing step panics with a description: the crate is for tests only.

#[cfg(feature = "contract-server")]
mod contract;
mod model_disk;
#[cfg(unix)]
mod postgres;
mod promises;
mod provider;
mod proxy;
mod redact;
mod running;
mod sandbox;

#[cfg(feature = "contract-server")]
pub use contract::{Call, ContractServer, FailureMoment};
pub use model_disk::{ConcurrentEdit, Failures, History, Image, ModelDisk, Moment};
#[cfg(unix)]
pub use postgres::PostgresServer;
pub use promises::check_promises;
pub use provider::{FAKE_MODEL, FakeProvider, FakeRules, Fault, Mutation, Received, fake_vector};
pub use proxy::CuttingProxy;
pub use redact::{redact, redact_json};
pub use running::{DEADLINE, Outcome, Running, wait_until};
pub use sandbox::{Binaries, Project, Sandbox};
