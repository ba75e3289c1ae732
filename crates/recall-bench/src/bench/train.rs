//! `recall bench --mine --train` and `recall bench --forget`

use std::path::{Path, PathBuf};

use crate::quality::Dataset;
use crate::quality::mine::{History, MineError, MineLimits};
use recall_cli::{CommandContext, Exit, Format, project_root};

use crate::error::BenchError;
use crate::own_training::{FEWEST_QUERIES, too_few, train_ranker};
use crate::{human, json, own_ranker};

/// The condition for keeping a ranker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    UnlessWorse,
    Always,
}

/// The default maximum number of queries. Indexing a tree takes some tens of milliseconds, and more queries add little.
const QUERIES: usize = 600;

/// The maximum number of commits to read. Higher than for measuring, because training needs every query.
const COMMITS: usize = 20_000;

pub(super) async fn run(
    path: &Path,
    queries: Option<usize>,
    out: Option<PathBuf>,
    keep: Keep,
    context: &CommandContext,
) -> Result<Exit, BenchError> {
    // Resolved first, so that a wrong root is reported before the long replay of the history.
    let place = match out {
        Some(file) => file,
        None => own_ranker::place(&project_root::around(path, context), context)?,
    };
    let dataset = mine_dataset(path, queries.unwrap_or(QUERIES))?;
    let trained = train_ranker(context, &dataset).await?;
    let kept = (keep == Keep::Always || trained.is_no_worse()).then_some(place.as_path());
    if let Some(place) = kept {
        own_ranker::keep(&trained.ranker, place)?;
    }
    let output = &context.output;
    match output.format {
        Format::Json => output.json(&json::training_answer(&trained, kept))?,
        Format::Human => output.text(&human::format_training(&trained, kept, output.width))?,
    }
    Ok(Exit::Done)
}

/// Derives the queries of a history, and rejects a history that is too short to learn from.
fn mine_dataset(path: &Path, queries: usize) -> Result<Dataset, BenchError> {
    let limits = MineLimits { queries, fewest_queries: FEWEST_QUERIES, commits: COMMITS, ..MineLimits::default() };
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

pub(super) fn forget(context: &CommandContext) -> Result<Exit, BenchError> {
    let place = own_ranker::place(&project_root::resolve(context), context)?;
    let forgotten = own_ranker::forget(&place)?;
    let output = &context.output;
    match output.format {
        Format::Json => output.json(&json::forgotten(forgotten))?,
        Format::Human if forgotten => output.text("project ranker removed; the built-in one is used\n")?,
        Format::Human => output.text("the project has no ranker of its own; the built-in one decides\n")?,
    }
    Ok(Exit::Done)
}
