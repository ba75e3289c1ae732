//! Command-line arguments of `recall-bench`: those of `recall bench` and `recall eval`, unchanged.

use clap::{Parser, Subcommand};
use recall_cli::{Global, examples};

use crate::bench::BenchArgs;
use crate::eval::EvalCommand;

/// Measurements of search quality. `recall bench` and `recall eval` run this program.
// Usage lines name `recall`, which a person runs.
#[derive(Debug, Parser)]
#[command(name = "recall-bench", bin_name = "recall", version, propagate_version = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure search quality on a dataset.
    #[command(subcommand, display_name = "recall-bench")]
    Eval(EvalCommand),
    /// Measure search quality on your own code.
    #[command(display_name = "recall-bench", after_help = examples!(
        "recall bench --mine",
        "recall bench --mine --ablate",
        "recall bench --mine --train",
        "recall bench --loop",
        "recall bench --forget",
    ))]
    Bench(BenchArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for line in [
            "recall-bench",
            "recall-bench bench",
            "recall-bench bench --train",
            "recall-bench bench --mine --forget",
            "recall-bench bench --mine --force",
            "recall-bench bench --mine --k 0",
            "recall-bench bench --loop --train",
            "recall-bench bench --mine --budget-tokens 100",
            "recall-bench eval",
            "recall-bench eval run --over http",
            "recall-bench eval run --over mcp --ablate",
            "recall-bench eval run --dataset x --floor ndcg",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }

    #[test]
    fn global_options_are_accepted_before_and_after_the_command() {
        for line in ["recall-bench --json bench --forget", "recall-bench bench --forget --json"] {
            assert!(Cli::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }
}
