//! Fuzz targets: functions that take any bytes and panic if a promise is broken.
//!
//! The tests of this crate run each target briefly with mutated seeds. `guided/` runs them with libFuzzer.

mod chunker;
mod configuration;
mod driver;
mod journal;
mod query;
mod request;
mod rql;

pub use chunker::{chunker, chunker_seeds};
pub use configuration::{configuration, configuration_seeds};
pub use driver::{Plan, fuzz, with_parse_stack};
pub use journal::{journal, journal_seeds, session, session_seeds};
pub use query::{query, query_seeds};
pub use request::{request, request_seeds};
pub use rql::{rql, rql_seeds};
