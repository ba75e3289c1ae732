//! The tests of shared stores on PostgreSQL and on Qdrant's segments.

#[path = "postgres/main.rs"]
mod postgres;
#[path = "segments/main.rs"]
mod segments;
#[path = "conformance/suite.rs"]
mod suite;
