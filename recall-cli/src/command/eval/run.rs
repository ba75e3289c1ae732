//! `recall eval run`

use std::path::PathBuf;

use clap::Args;
use recall_eval::{Dataset, Run};

use crate::Exit;
use crate::complaint::CommandError;
use crate::evaluation::{Ablations, Evaluation, Setting};
use crate::invocation::Invocation;
use crate::report::{Floor, Report};

/// Arguments of `recall eval run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The folder with `dataset.toml` and `queries.jsonl`.
    #[arg(long, value_name = "DIR")]
    dataset: PathBuf,
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

pub(super) async fn run(args: RunArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let RunArgs { dataset, k, out, ablate, compare, floors } = args;
    let dataset = Dataset::read(&invocation.absolute(&dataset))?;
    // Read first, so that a wrong path is reported before the queries run.
    let before = compare.map(|path| Run::read(&invocation.absolute(&path))).transpose()?;
    let settings = Setting::all(if ablate { Ablations::Each } else { Ablations::No });
    let evaluation = Evaluation { invocation, dataset: &dataset, hits: k, settings: &settings };
    let runs = evaluation.runs().await?;
    if let (Some(path), Some((_, whole))) = (out, runs.first()) {
        whole.write(&invocation.absolute(&path))?;
    }
    let mut report = Report::of(&evaluation, &runs, &floors)?;
    if let Some(before) = before {
        report.compare_with(&dataset, &before)?;
    }
    report.show(&invocation.output)
}
