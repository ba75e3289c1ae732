//! Parsers of source code in child processes: a grammar that crashes or hangs costs one file, not the daemon.
//!
//! See [ADR 26](../../docs/adr/0026-parsers-run-in-child-processes.md). The parent and its workers are the same program and
//! exchange length-prefixed frames over the worker's standard input and output.
//!
//! A process for each file would take as long to start as a usual file takes to parse, so workers are reused; a large text ends its
//! worker, since the allocator would keep the memory of the syntax tree. Catching the signal in the daemon would not do: after a
//! stack overflow, nothing in a process can be relied on. Begin with `pool` and `worker`.

mod pool;
mod process;
mod worker;

pub(crate) use pool::ParserPool;
pub(crate) use worker::{COMMAND, run};
