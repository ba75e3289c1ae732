//! The `recall-bench` program: measurements of search quality.
//!
//! `recall bench` and `recall eval` run it with their arguments. It is a program of its own, so that the everyday command
//! links no metrics. Options, connection, output and errors are those of `recall_cli`; queries go to
//! the daemon as a search does.
//!
//! How the shipped rankers come about is the module `training`, a feature: it runs the engine, which the program must not link.

mod args;
mod bench;
mod collection;
mod context;
mod error;
mod evaluation;
mod human;
mod json;
mod judge;
mod output;
mod over_mcp;
pub mod quality;
mod report;
#[cfg(feature = "training")]
pub mod training;

use std::ffi::OsString;

use clap::CommandFactory as _;
use recall_cli::{Exit, run_program, wait};

use crate::args::{Cli, Command};
use crate::error::BenchError;

/// Runs the command given by the arguments and returns its exit code. The first argument is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    run_program(
        &arguments,
        definition,
        |_| None,
        |cli: &Cli| &cli.global,
        |cli, context| {
            wait(async {
                let ended: Result<Exit, BenchError> = match cli.command {
                    Command::Bench(args) => bench::run(args, context).await,
                    Command::Eval(command) => args::run_eval(command, context).await,
                };
                Ok(ended?)
            })
        },
    )
}

/// Returns the definition of the program's arguments.
pub fn definition() -> clap::Command {
    Cli::command()
}
