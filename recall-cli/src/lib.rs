//! The `recall` command: arguments to requests, and the daemon's answers to text for people and JSON for scripts.
//!
//! A command is one file in `command`: its arguments and what it asks of the daemon. What is printed is made in `output`,
//! for people and, with `--json`, for programs in a documented schema. Standard output is data; everything else goes to
//! standard error. Nothing is indexed or searched here, and no store is opened: that is the daemon's part.

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

/// Runs the command that the arguments name, and tells how it ended. The first argument is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    panic::report_in_plain_words();
    // Every file that a command creates belongs to the user alone, as those of the daemon do.
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
        // Whoever reads has seen enough, as in `recall search … | head -1`.
        Err(CommandError::ReaderGone) => Exit::Done,
        Err(CommandError::Complaint(complaint)) => complain(&complaint, &output),
    }
}

fn complain(complaint: &Complaint, output: &Output) -> Exit {
    // Where even the complaint cannot be written, the exit code is all that is left.
    let _ = output.complain(complaint);
    complaint.exit
}
