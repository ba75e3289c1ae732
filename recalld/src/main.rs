//! The daemon's program.

use std::process::ExitCode;

/// Indexing allocates and frees many small buffers on several threads; the allocator of the C library would hold on to
/// far more memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    recalld::main(env!("CARGO_PKG_VERSION"))
}
