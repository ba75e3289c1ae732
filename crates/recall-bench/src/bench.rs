//! `recall bench`

mod prompts;

use std::path::{Path, PathBuf};

use crate::quality::Dataset;
use crate::quality::mine::{History, MineError, MineLimits};
use clap::Args;
use recall_cli::{CommandContext, Exit, Format, project_root};

use crate::error::BenchError;
use crate::evaluation::{Ablations, Evaluation, Over, Setting};
use crate::own_training::{self, FEWEST_QUERIES, too_few, train_ranker};
use crate::report::Report;
use crate::{human, json};

/// Arguments of `recall bench`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct BenchArgs {
    /// Derive queries from the git history of the project, or of the repository at PATH. Each commit message is
    /// searched for in the tree before the commit; the files that the commit changed are the expected answer.
    #[arg(long, required_unless_present_any = ["forget", "hook_loop"], num_args = 0..=1, value_name = "PATH")]
    #[expect(clippy::option_option, reason = "clap's way to say a flag that may have a value")]
    mine: Option<Option<PathBuf>>,
    /// The maximum number of queries, spread over the history [default: 60, or 600 with `--train`].
    #[arg(long, value_name = "N")]
    queries: Option<usize>,
    /// The number of hits per query.
    #[arg(long, short, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    k: u32,
    /// Write the queries to a folder, as a dataset for `recall eval run`. With `--train`, write the ranker to a file
    /// instead of using it.
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Measure the contribution of each search stage by leaving out one at a time.
    #[arg(long)]
    ablate: bool,
    /// Measure what `recall hook prompt` shows: each commit message is a prompt, and a shown place is relevant if the commit
    /// changed its file. Takes the project's history, or that of `--mine`.
    #[arg(long = "loop", conflicts_with_all = ["k", "out", "ablate", "train", "forget"])]
    hook_loop: bool,
    /// The token budget of an answer to a prompt.
    #[arg(long, requires = "hook_loop", default_value_t = 600, value_name = "N")]
    budget_tokens: u32,
    /// Train a ranker on the history. It ranks this project's code from then on if it is at least as good as the
    /// built-in one on held-out commits. The data stays on this machine.
    #[arg(long, requires = "mine", conflicts_with_all = ["ablate", "k"])]
    train: bool,
    /// Keep the ranker even if it is worse than the built-in one.
    #[arg(long, requires = "train")]
    force: bool,
    /// Remove the project's own ranker and return to the built-in one.
    #[arg(long, conflicts_with_all = ["mine", "queries", "k", "out", "ablate", "train"])]
    forget: bool,
}

pub(crate) async fn run(args: BenchArgs, context: &CommandContext) -> Result<Exit, BenchError> {
    let BenchArgs { mine, queries, k, out, ablate, hook_loop, budget_tokens, train, force, forget } = args;
    if forget {
        return forget_ranker(context);
    }
    let path = match mine.flatten() {
        Some(path) => context.absolute(&path),
        None => project_root::resolve(context),
    };
    if hook_loop {
        return prompts::run(&path, queries, budget_tokens, context).await;
    }
    let out = out.map(|path| context.absolute(&path));
    if train {
        let keep = if force { Keep::Always } else { Keep::UnlessWorse };
        return run_training(&path, queries, out, keep, context).await;
    }
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

/// The condition for keeping a ranker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    UnlessWorse,
    Always,
}

/// The default maximum number of queries. Indexing a tree takes some tens of milliseconds, and more queries add little.
const TRAINING_QUERIES: usize = 600;

/// The maximum number of commits to read. Higher than for measuring, because training needs every query.
const TRAINING_COMMITS: usize = 20_000;

async fn run_training(
    path: &Path,
    queries: Option<usize>,
    out: Option<PathBuf>,
    keep: Keep,
    context: &CommandContext,
) -> Result<Exit, BenchError> {
    // Resolved first, so that a wrong root is reported before the long replay of the history.
    let place = match out {
        Some(file) => file,
        None => own_training::ranker_place(&project_root::around(path, context), context)?,
    };
    let dataset = mine_for_training(path, queries.unwrap_or(TRAINING_QUERIES))?;
    let trained = train_ranker(context, &dataset).await?;
    let kept = (keep == Keep::Always || trained.is_no_worse()).then_some(place.as_path());
    if let Some(place) = kept {
        own_training::keep_ranker(&trained.ranker, place)?;
    }
    let output = &context.output;
    match output.format {
        Format::Json => output.json(&json::training_answer(&trained, kept))?,
        Format::Human => output.text(&human::format_training(&trained, kept, output.width))?,
    }
    Ok(Exit::Done)
}

/// Derives the queries of a history, and rejects a history that is too short to learn from.
fn mine_for_training(path: &Path, queries: usize) -> Result<Dataset, BenchError> {
    let limits =
        MineLimits { queries, fewest_queries: FEWEST_QUERIES, commits: TRAINING_COMMITS, ..MineLimits::default() };
    let history = History::open(path)?;
    let mined = match history.commits(&limits) {
        Err(MineError::TooFew { found, .. }) => return Err(too_few(found).into()),
        mined => mined?,
    };
    if mined.len() < FEWEST_QUERIES {
        return Err(too_few(mined.len()).into());
    }
    Ok(Dataset::from_history(&history, mined))
}

fn forget_ranker(context: &CommandContext) -> Result<Exit, BenchError> {
    let place = own_training::ranker_place(&project_root::resolve(context), context)?;
    let forgotten = own_training::forget_ranker(&place)?;
    let output = &context.output;
    match output.format {
        Format::Json => output.json(&json::forgotten(forgotten))?,
        Format::Human if forgotten => output.text("project ranker removed; the built-in one is used\n")?,
        Format::Human => output.text("the project has no ranker of its own; the built-in one decides\n")?,
    }
    Ok(Exit::Done)
}
