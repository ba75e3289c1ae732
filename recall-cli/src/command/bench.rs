//! `recall bench`

use std::path::{Path, PathBuf};

use clap::Args;
use recall_eval::Dataset;
use recall_eval::mine::{History, MineLimits};

use crate::complaint::CommandError;
use crate::evaluation::{Ablations, Evaluation, Setting};
use crate::invocation::Invocation;
use crate::report::Report;
use crate::{Exit, project_root};

/// Arguments of `recall bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Makes queries out of the git history of the project, or of the repository at PATH: what a commit says is asked in
    /// the tree before it, and the files that it changed are the answer.
    #[arg(long, required = true, num_args = 0..=1, value_name = "PATH")]
    #[expect(clippy::option_option, reason = "clap's way to say a flag that may have a value")]
    mine: Option<Option<PathBuf>>,
    /// The most queries; they are spread over the history.
    #[arg(long, default_value_t = MineLimits::default().queries, value_name = "N")]
    queries: usize,
    /// How many hits each query is given.
    #[arg(long, short, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    k: u32,
    /// Writes the queries as a dataset for `recall eval run` into a folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Measures what each stage of the search is worth, by leaving out one after another.
    #[arg(long)]
    ablate: bool,
}

pub(super) async fn run(args: BenchArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let BenchArgs { mine, queries, k, out, ablate } = args;
    let path = match mine.flatten() {
        Some(path) => invocation.absolute(&path),
        None => project_root::of(invocation),
    };
    let dataset = mined(&path, queries)?;
    if let Some(folder) = out {
        dataset.write(&invocation.absolute(&folder))?;
    }
    let settings = Setting::all(if ablate { Ablations::Each } else { Ablations::No });
    let evaluation = Evaluation { invocation, dataset: &dataset, hits: k, settings: &settings };
    let runs = evaluation.runs().await?;
    Report::of(&evaluation, &runs, &[])?.show(&invocation.output)
}

/// The queries of a repository's history.
fn mined(path: &Path, queries: usize) -> Result<Dataset, CommandError> {
    let limits = MineLimits { queries: queries.max(1), ..MineLimits::default() };
    let history = History::open(path)?;
    let mined = history.commits(&limits)?;
    Ok(Dataset::of_history(&history, mined))
}
