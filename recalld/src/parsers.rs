//! Parsers of source code in child processes: a grammar that crashes or hangs costs one file, not the daemon.
//!
//! See [ADR 26](../../docs/adr/0026-parsers-run-in-child-processes.md). The parent and its workers are the same program and
//! exchange length-prefixed frames over the worker's standard input and output.

mod frame;
mod pool;
mod process;
mod worker;

pub(crate) use pool::ParserPool;
pub(crate) use worker::{COMMAND, run};
