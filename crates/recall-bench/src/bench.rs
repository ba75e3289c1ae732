//! `recall bench`

mod agent;
mod prompts;

use std::path::{Path, PathBuf};

use crate::quality::Dataset;
use crate::quality::mine::{History, MineLimits};
use clap::Args;
use recall_cli::{CommandContext, Exit, project_root};

use agent::AgentArgs;

use crate::error::BenchError;
use crate::evaluation::{Ablations, Evaluation, Over, Setting};
use crate::report::Report;

/// Arguments of `recall bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Derive queries from the git history of the project, or of the repository at PATH. Each commit message is
    /// searched for in the tree before the commit; the files that the commit changed are the expected answer.
    #[arg(long, required_unless_present_any = ["hook_loop", "agent"], num_args = 0..=1, value_name = "PATH")]
    #[expect(clippy::option_option, reason = "clap's way to say a flag that may have a value")]
    mine: Option<Option<PathBuf>>,
    /// The maximum number of queries, spread over the history [default: 60].
    #[arg(long, value_name = "N")]
    queries: Option<usize>,
    /// The number of hits per query.
    #[arg(long, short, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    k: u32,
    /// Write the queries to a folder, as a dataset for `recall eval run`; with `--agent`, the raw lines, the report and the outputs.
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Measure the contribution of each search stage by leaving out one at a time.
    #[arg(long)]
    ablate: bool,
    /// Measure what `recall hook prompt` shows: each commit message is a prompt, and a shown place is relevant if the commit
    /// changed its file. Takes the project's history, or that of `--mine`.
    #[arg(long = "loop", conflicts_with_all = ["k", "out", "ablate"])]
    hook_loop: bool,
    /// The token budget of an answer to a prompt.
    #[arg(long, requires = "hook_loop", default_value_t = 600, value_name = "N")]
    budget_tokens: u32,
    #[command(flatten)]
    agent: AgentArgs,
}

pub(crate) async fn run(args: BenchArgs, context: &CommandContext) -> Result<Exit, BenchError> {
    let BenchArgs { mine, queries, k, out, ablate, hook_loop, budget_tokens, agent } = args;
    if let (true, Some(out)) = (agent.is_given(), &out) {
        return agent::run(agent, out, context).await;
    }
    let path = match mine.flatten() {
        Some(path) => context.absolute(&path),
        None => project_root::resolve(context),
    };
    if hook_loop {
        return prompts::run(&path, queries, budget_tokens, context).await;
    }
    let out = out.map(|path| context.absolute(&path));
    let dataset = mine_dataset(&path, queries)?;
    if let Some(folder) = out {
        dataset.write(&folder)?;
    }
    let settings = Setting::all(if ablate { Ablations::Each } else { Ablations::No });
    let evaluation =
        Evaluation { context, dataset: &dataset, home: None, over: Over::Grpc, hits: k, settings: &settings };
    let runs = evaluation.runs().await?;
    Report::compute(&evaluation, &runs, &[])?.show(&context.output)
}

/// Derives queries from the history of a repository.
fn mine_dataset(path: &Path, queries: Option<usize>) -> Result<Dataset, BenchError> {
    let default = MineLimits::default();
    let limits = MineLimits { queries: queries.unwrap_or(default.queries).max(1), ..default };
    let history = History::open(path)?;
    let mined = history.commits(&limits)?;
    Ok(Dataset::from_history(&history, mined))
}
