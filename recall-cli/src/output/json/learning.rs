//! JSON output of a trained ranker.

use std::path::Path;

use recall_eval::Comparison;
use recall_json::{Envelope, answer};
use serde::Serialize;

use crate::learning::Learnt;

#[derive(Debug, Serialize)]
pub(crate) struct Learning<'a> {
    dataset: &'a str,
    queries: usize,
    usable: usize,
    metric: &'static str,
    /// Trained on top of the built-in ranker.
    own: Beside,
    /// Trained on the history alone.
    alone: Beside,
    kept: bool,
    path: Option<String>,
}

/// A ranker compared with the built-in one.
#[derive(Debug, Serialize)]
struct Beside {
    built_in: f64,
    own: f64,
    difference: f64,
    interval: [f64; 2],
    better: usize,
    worse: usize,
    same: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Forgotten {
    forgotten: bool,
}

/// Returns the JSON form of a trained ranker and its path.
pub(crate) fn learning<'a>(learnt: &'a Learnt, kept: Option<&Path>) -> Envelope<Learning<'a>> {
    let Learnt { dataset, queries, usable, own, alone, ranker: _ } = learnt;
    answer(Learning {
        dataset,
        queries: *queries,
        usable: *usable,
        metric: "ndcg@10",
        own: own.into(),
        alone: alone.into(),
        kept: kept.is_some(),
        path: kept.map(|path| path.to_string_lossy().into_owned()),
    })
}

/// Returns whether a ranker was removed, as JSON.
pub(crate) fn forgotten(forgotten: bool) -> Envelope<Forgotten> {
    answer(Forgotten { forgotten })
}

impl From<&Comparison> for Beside {
    fn from(comparison: &Comparison) -> Self {
        let Comparison { queries: _, first, second, difference, interval, wins, losses, ties } = *comparison;
        Self {
            built_in: first,
            own: second,
            difference,
            interval: interval.into(),
            better: wins,
            worse: losses,
            same: ties,
        }
    }
}
