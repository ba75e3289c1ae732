//! The `recall` command: a client of the daemon with text output for people and JSON for scripts.
//!
//! Each command is one file in `command`: its arguments, its requests to the daemon, and its text unless that is long or
//! shared. `output` formats the other responses for people and has what all need; `recall_api::json` has the documented schema of
//! `--json`. Standard output is data; everything else goes to
//! standard error. This crate does not index or search and opens no store: the daemon does.
//!
//! `recall bench` and `recall eval` are run by another program, `recall-bench`. It shares the public items of this crate:
//! the global options, the connection to the daemon, the output and the errors.

/// The examples at the end of a command's help, one line each.
#[macro_export]
macro_rules! examples {
    ($($line:literal),+ $(,)?) => { concat!("Examples:", $("\n  ", $line),+) };
}

pub mod agent_process;
mod agents;
mod args;
mod command;
mod command_context;
mod complete;
mod connection;
mod editor;
mod error;
mod finder;
mod hook;
mod last_search;
mod output;
mod pager;
mod process_env;
mod program;
mod progress;
pub mod project_root;
mod service;
mod standard_input;

use std::ffi::OsString;

use clap::{Args as _, CommandFactory as _};

pub use args::Global;
pub use command_context::CommandContext;
pub use error::{CliError, CommandError, Exit};
pub use output::{Format, Output};
pub use program::{restore_umask, run_program, wait};
pub use progress::ProgressLine;

use crate::args::Cli;
use crate::args::groups::with_groups;

/// Text for a terminal: styles, tables, quantities, and what may be shown of text from elsewhere.
pub mod text {
    pub use crate::output::human::quantity::{count, count_noun};
    pub use crate::output::human::text::printable;
    pub use crate::output::human::{style, table};
}

/// Runs the command given by the arguments and returns its exit code. The first argument is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if complete::answer(&arguments, definition) {
        return Exit::Done;
    }
    let exit = run_program(
        &arguments,
        definition,
        definition_of,
        |cli: &Cli| &cli.global,
        |cli, context| command::run(cli.command, definition, &arguments, context),
    );
    // Agents read other exit codes of a hook as a refusal of what they are doing.
    if arguments.get(1).is_some_and(|command| command == "hook") { Exit::Done } else { exit }
}

/// Returns as much of the definition as parses these arguments; `None` if that is not known before it is built.
fn definition_of(arguments: &[OsString]) -> Option<clap::Command> {
    let name = arguments.get(1)?.to_str()?;
    let is_version = arguments.len() == 2 && matches!(name, "--version" | "-V");
    let root = || Global::augment_args(clap::Command::new("recall").version(env!("CARGO_PKG_VERSION")));
    if is_version { Some(root()) } else { command::define_alone(name).map(|command| root().subcommand(command)) }
}

/// Returns the definition of the program's arguments.
pub fn definition() -> clap::Command {
    with_groups(Cli::command())
}
