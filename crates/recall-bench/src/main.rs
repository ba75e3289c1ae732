//! The program behind `recall bench` and `recall eval`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(recall_bench::run(std::env::args_os()).code())
}
