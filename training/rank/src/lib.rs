//! How do the rankers that ship with the program come about?
//!
//! In two steps. `mine` goes through the repositories of a list: it replays each one's history, asks the engine every
//! commit's message at the tree of the commit's parent, asks it for definitions by the comments that stood at them and for
//! sections by the headings that stood above them, and writes down what the ranker would see of each candidate. `train`
//! learns from that, and says what the result is worth on repositories that it has not seen. `README.md` is the recipe.
//!
//! It ships in no program. It asks the engine directly, in its own process, because a daemon would add nothing but time.

mod arguments;
mod ask;
mod bodies;
mod comments;
mod files;
mod groups;
mod headings;
mod keywords;
mod mine;
mod pools;
mod questions;
mod reliability;
mod sources;
mod train;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use recall_core::error_causes;

/// Runs the program.
pub fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Mine(arguments) => mine::run(&arguments),
        Command::Pool(arguments) => pools::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let causes = error_causes(&error.to_string(), &*error);
            let message =
                causes.into_iter().fold(format!("error: {error}"), |all, cause| format!("{all}\n  caused by: {cause}"));
            report(&message);
            ExitCode::FAILURE
        }
    }
}

/// Tells whoever runs the recipe.
#[expect(clippy::print_stderr, reason = "this is a program for its terminal")]
fn report(message: &str) {
    eprintln!("{message}");
}
