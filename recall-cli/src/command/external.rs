//! The commands that another program runs, as git runs its own.

use std::ffi::OsString;
use std::io;
use std::process;

use clap::Args;
use recall_api::Reason;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::{Color, Format, Output};
use crate::program::{asks_for_json, report};

/// The program that runs `recall bench` and `recall eval`.
const BENCH: &str = "recall-bench";

/// Arguments that another program parses.
#[derive(Debug, Args)]
pub(crate) struct ExternalArgs {
    /// The arguments of the command.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    given: Vec<OsString>,
}

/// Runs `recall-bench` with the arguments of this program, of which the first is its name.
pub(super) fn run(args: &ExternalArgs, arguments: &[OsString], context: &CommandContext) -> Result<Exit, CommandError> {
    let cli_error = match context.process_env.programs.own_program(BENCH) {
        Some(program) => {
            let mut command = process::Command::new(&program);
            let error = replace_by(command.args(arguments.iter().skip(1)));
            CliError::refusal(format!("cannot run `{}`", program.display()), &error)
        }
        None => missing(),
    };
    // Options after the command are left to the other program, which is not there to read them.
    if asks_for_json(&args.given) {
        return Ok(report(&cli_error, &Output::new(Format::Json, Color::Never)));
    }
    Err(cli_error.into())
}

fn missing() -> CliError {
    let message = format!("the program `{BENCH}`, which runs this command, is neither next to `recall` nor on PATH");
    CliError::new(Exit::Usage, Reason::NotFound, message).with_hint(
        "install it from a clone of recall with `cargo install --locked --path crates/recall-bench`; see docs/install.md",
    )
}

/// Replaces this process by a command. Returns only if that fails.
#[cfg(unix)]
pub(super) fn replace_by(command: &mut process::Command) -> io::Error {
    use std::os::unix::process::CommandExt;

    command.exec()
}

/// Runs a command and ends this process with its exit code. Returns only if that fails.
#[cfg(not(unix))]
pub(super) fn replace_by(command: &mut process::Command) -> io::Error {
    match command.status() {
        Ok(status) => process::exit(status.code().unwrap_or(Exit::Internal.code().into())),
        Err(error) => error,
    }
}
