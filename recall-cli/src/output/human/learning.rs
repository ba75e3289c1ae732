//! Text output of a trained ranker.

use std::path::Path;

use super::evaluation::{compared, comparison_table};
use super::quantity::{count, counted};
use super::style::{DIM, STRONG};
use super::text::printable;
use crate::learning::Learnt;

/// Formats the training data, the comparison with the built-in ranker, and whether the ranker was kept.
pub(crate) fn render(learnt: &Learnt, kept: Option<&Path>, width: Option<usize>) -> String {
    let Learnt { dataset, queries, usable, own, alone, ranker: _ } = learnt;
    let head = format!(
        "{STRONG}{}{STRONG:#} {DIM}{}, {} usable; ndcg@10 on commits that were not learnt from{DIM:#}\n",
        printable(dataset),
        counted(*queries as u64, "query", "queries"),
        count(*usable as u64),
    );
    let rows = [compared("on top of the built-in", own), compared("from the history alone", alone)];
    let table = comparison_table(["learnt", "built-in", "own", "difference"], &rows, width);
    let became = match kept {
        Some(path) => format!("kept in {}\n", printable(&path.to_string_lossy())),
        None => "not kept: it is worse than the built-in ranker (`--force` keeps it all the same)\n".to_owned(),
    };
    format!("{head}\n{table}\n{became}")
}
