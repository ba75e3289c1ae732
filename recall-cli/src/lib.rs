//! The `recall` command: a client of the daemon with text output for people and JSON for scripts.
//!
//! Each command is one file in `command`: its arguments and its requests to the daemon. `output` formats the responses
//! for people and, with `--json`, for programs in a documented schema. Standard output is data; everything else goes to
//! standard error. This crate does not index or search and opens no store: the daemon does.

mod args;
mod caller;
mod clients;
mod command;
mod complaint;
mod connection;
mod evaluation;
mod exit;
mod hint;
mod indexing;
mod invocation;
mod learning;
mod output;
mod own_ranker;
mod panic;
mod progress;
mod project_root;
mod report;
mod surroundings;
mod transfer;

use std::ffi::OsString;

use clap::{CommandFactory as _, Parser as _};

pub use exit::Exit;

use crate::args::Cli;
use crate::complaint::{CommandError, Complaint};
use crate::invocation::Invocation;
use crate::output::Output;

/// Runs the command given by the arguments and returns its exit code. The first argument is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    panic::report_in_plain_words();
    // Every file that a command creates is private to the user, as the daemon's files are.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return args::refuse(error, &arguments),
    };
    let Cli { global, command } = cli;
    let output = Output::new(global.format(), global.color);
    let ended = panic::caught(|| {
        let invocation = Invocation::begin(global, output)?;
        command::run(command, Cli::command, &invocation)
    });
    match ended {
        Ok(exit) => exit,
        // The reader has closed the pipe, as in `recall search … | head -1`.
        Err(CommandError::ReaderGone) => Exit::Done,
        Err(CommandError::Complaint(complaint)) => complain(&complaint, &output),
    }
}

fn complain(complaint: &Complaint, output: &Output) -> Exit {
    // If the error cannot be written, the exit code still reports it.
    let _ = output.complain(complaint);
    complaint.exit
}
