//! The daemon's program.

use std::process::ExitCode;

/// Indexing makes and drops many small buffers on several threads; the allocator of the C library keeps far more memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    recalld::main()
}
