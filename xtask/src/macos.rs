//! The type-check for macOS. Nothing of it runs here, and nothing is linked: the frameworks of the system are not there.

use std::process::ExitCode;

use crate::cross::{self, Install};
use crate::say;
use crate::zig::Zig;

/// The target.
const TARGET: &str = "aarch64-apple-darwin";

/// Checks every crate.
pub(crate) fn run(install: Install) -> ExitCode {
    match check(install) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn check(install: Install) -> Result<(), String> {
    let mut command = Zig::provide(install)?.cargo("macos", TARGET, "check");
    command.args(["--workspace", "--keep-going"]);
    cross::run(&mut command)
}
