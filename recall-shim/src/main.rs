//! MCP over stdio, in front of the daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    recall_shim::main()
}
