//! Training of the shipped rankers (feature `training`).
//!
//! There are two steps. `mine` goes through a list of repositories: it asks the engine for code by commit messages, in
//! the tree of the commit's parent, for definitions by their comments, and for sections by their headings. It records
//! the features of each candidate. `train` trains a ranker on them, and evaluates it on held-out repositories. A third one trains
//! nothing: `situations` measures what hooks show, at moments that are mined from a git history.
//! `training/rank/README.md` is the recipe.
//!
//! The program `train-rankers` is not installed. It runs the engine in its own process, because a daemon would only cost
//! time.

mod arguments;
mod ask;
mod comments;
mod letor;
mod mine;
mod pools;
mod questions;
mod situations;
mod sources;
mod train;

use std::process::ExitCode;

use clap::Parser;
use recall_text::error_causes;

use self::arguments::{Arguments, TrainingStep, report};

/// Runs the program.
pub fn main() -> ExitCode {
    let outcome = match Arguments::parse().step {
        TrainingStep::Mine(arguments) => mine::run(&arguments),
        TrainingStep::Pool(arguments) => pools::run(&arguments),
        TrainingStep::Train(arguments) => train::run(&arguments),
        TrainingStep::Situations(arguments) => situations::run(&arguments),
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
