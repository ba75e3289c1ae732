//! The daemon under test: the real program, whose parse workers crash or hang on texts with a marker, and whose version a
//! test of upgrades may choose.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let version = std::env::var("RECALL_TEST_VERSION").map_or(env!("CARGO_PKG_VERSION"), |version| version.leak());
    recalld::main_with(version, before_parse)
}

/// Runs in a parse worker before each text.
fn before_parse(text: &str) {
    if text.contains("TEST: THE PARSER ABORTS HERE") {
        std::process::abort();
    }
    if text.contains("TEST: THE PARSER OVERFLOWS ITS STACK HERE") {
        std::hint::black_box(overflow(0));
    }
    if text.contains("TEST: THE PARSER HANGS HERE") {
        loop {
            std::hint::spin_loop();
        }
    }
}

#[expect(unconditional_recursion, reason = "it is to overflow the stack")]
fn overflow(depth: u64) -> u64 {
    std::hint::black_box(overflow(std::hint::black_box(depth + 1))) + 1
}
