//! The `recall` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(recall_cli::run(std::env::args_os()).code())
}
