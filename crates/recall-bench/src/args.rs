//! Command-line arguments of `recall-bench`: those of `recall bench` and `recall eval`, unchanged.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use recall_cli::{CommandContext, Exit, Global, examples};

use crate::bench::BenchArgs;
use crate::collection::Collection;
use crate::error::BenchError;
use crate::evaluation::{Ablations, Evaluation, Over, Setting};
use crate::quality::Run;
use crate::report::{Floor, Report};
use crate::{context, judge};

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
        "recall bench --loop",
        "recall bench --agent 'claude -p {prompt} --output-format json' --tasks tasks.jsonl --memory-file CLAUDE.md --out agent",
    ))]
    Bench(BenchArgs),
}

/// The commands of `recall eval`.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Run the queries of a dataset and report the search quality.
    #[command(after_help = examples!(
        "recall eval run",
        "recall eval run --over mcp",
        "recall eval run --dataset tests/quality",
        "recall eval run --dataset questions --ablate",
        "recall eval run --dataset questions --compare before.jsonl --floor ndcg@10=0.8",
    ))]
    Run(RunArgs),
    /// Report the share of the relevant files that a context window has, next to hits packed in their order.
    #[command(after_help = examples!(
        "recall eval context",
        "recall eval context --dataset questions",
        "recall eval context --dataset questions --budgets 2000 --types related_code,signatures,tests",
    ))]
    Context(context::ContextArgs),
    /// Report what the selected language model is worth as a judge of hits.
    #[command(after_help = examples!("recall eval judge --dataset questions"))]
    Judge(judge::JudgeArgs),
}

/// Arguments of `recall eval run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The folder with `dataset.toml` and `queries.jsonl` [default: the built-in collection about payments, indexed in a
    /// temporary home].
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// How the queries are sent: to the daemon, as `recall search` does, or to the MCP server, as an agent does.
    #[arg(long, value_enum, default_value_t, conflicts_with = "ablate")]
    over: Over,
    /// The number of hits per query.
    #[arg(long, short, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    k: u32,
    /// Write the results to a file, one JSON object per query.
    #[arg(long, value_name = "RUN.jsonl")]
    out: Option<PathBuf>,
    /// Measure the contribution of each search stage by leaving out one at a time.
    #[arg(long)]
    ablate: bool,
    /// Compare with the results in a file written by `--out`.
    #[arg(long, value_name = "RUN.jsonl")]
    compare: Option<PathBuf>,
    /// Exit with 4 if the mean of a metric over the corpora is below a value.
    #[arg(long = "floor", value_name = "METRIC=VALUE")]
    floors: Vec<Floor>,
}

pub(crate) async fn run_eval(command: EvalCommand, at: &CommandContext) -> Result<Exit, BenchError> {
    match command {
        EvalCommand::Run(args) => run_dataset(args, at).await,
        EvalCommand::Context(args) => context::run(args, at).await,
        EvalCommand::Judge(args) => judge::run(args, at).await,
    }
}

async fn run_dataset(args: RunArgs, context: &CommandContext) -> Result<Exit, BenchError> {
    let RunArgs { dataset, over, k, out, ablate, compare, floors } = args;
    let collection = Collection::open(dataset.as_deref(), context)?;
    let (dataset, home) = (&collection.dataset, collection.home());
    // Read first, so that a wrong path is reported before the queries run.
    let before = compare.map(|path| Run::read(&context.absolute(&path))).transpose()?;
    let settings = Setting::all(if ablate { Ablations::Each } else { Ablations::No });
    let evaluation = Evaluation { context, dataset, home: home.as_deref(), over, hits: k, settings: &settings };
    let runs = evaluation.runs().await?;
    if let (Some(path), Some((_, whole))) = (out, runs.first()) {
        whole.write(&context.absolute(&path))?;
    }
    let mut report = Report::compute(&evaluation, &runs, &floors)?;
    if let Some(before) = before {
        report.compare_with(dataset, &before)?;
    }
    report.show(&context.output)
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
            "recall-bench bench --mine --k 0",
            "recall-bench bench --loop --ablate",
            "recall-bench bench --mine --budget-tokens 100",
            "recall-bench bench --agent codex",
            "recall-bench bench --agent codex --tasks t.jsonl",
            "recall-bench bench --agent codex --tasks t.jsonl --out o --mine",
            "recall-bench bench --mine --tasks t.jsonl",
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
        for line in ["recall-bench --json bench --loop", "recall-bench bench --loop --json"] {
            assert!(Cli::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }
}
