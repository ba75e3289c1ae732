//! `recall bench --mine --train` and `recall bench --forget`

use std::path::{Path, PathBuf};

use recall_eval::Dataset;
use recall_eval::mine::{History, MineError, MineLimits};

use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::learning::{FEWEST_QUERIES, learn, too_few};
use crate::output::{Format, human, json};
use crate::{Exit, own_ranker, project_root};

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
    invocation: &Invocation,
) -> Result<Exit, CommandError> {
    // Resolved first, so that a wrong root is reported before the long replay of the history.
    let place = match out {
        Some(file) => file,
        None => own_ranker::place(&project_root::around(path, invocation), invocation)?,
    };
    let dataset = mined(path, queries.unwrap_or(QUERIES))?;
    let learnt = learn(invocation, &dataset).await?;
    let kept = (keep == Keep::Always || learnt.is_no_worse()).then_some(place.as_path());
    if let Some(place) = kept {
        own_ranker::keep(&learnt.ranker, place)?;
    }
    let output = &invocation.output;
    match output.format {
        Format::Json => output.json(&json::learning::learning(&learnt, kept))?,
        Format::Human => output.text(&human::learning::render(&learnt, kept, output.width))?,
    }
    Ok(Exit::Done)
}

/// Derives the queries of a history, and rejects a history that is too short to learn from.
fn mined(path: &Path, queries: usize) -> Result<Dataset, CommandError> {
    let limits = MineLimits { queries, fewest_queries: FEWEST_QUERIES, commits: COMMITS, ..MineLimits::default() };
    let history = History::open(path)?;
    let mined = match history.commits(&limits) {
        Err(MineError::TooFew { found, .. }) => return Err(too_few(found).into()),
        mined => mined?,
    };
    if mined.len() < FEWEST_QUERIES {
        return Err(too_few(mined.len()).into());
    }
    Ok(Dataset::of_history(&history, mined))
}

pub(super) fn forget(invocation: &Invocation) -> Result<Exit, CommandError> {
    let place = own_ranker::place(&project_root::of(invocation), invocation)?;
    let forgotten = own_ranker::forget(&place)?;
    let output = &invocation.output;
    match output.format {
        Format::Json => output.json(&json::learning::forgotten(forgotten))?,
        Format::Human if forgotten => output.text("project ranker removed; the built-in one is used\n")?,
        Format::Human => output.text("the project has no ranker of its own; the built-in one decides\n")?,
    }
    Ok(Exit::Done)
}
