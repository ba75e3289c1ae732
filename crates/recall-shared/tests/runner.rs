//! The tests of shared stores that need no server.

mod memory;
#[path = "qdrant/main.rs"]
mod qdrant;
#[path = "conformance/suite.rs"]
mod suite;
