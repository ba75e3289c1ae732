//! JSON output of search quality reports.

use std::collections::BTreeMap;

use recall_eval::{Comparison, Group, Metric};
use recall_json::{Envelope, answer};
use serde::Serialize;

use crate::report::{Floor, FloorCheck, Report};

#[derive(Debug, Serialize)]
pub(crate) struct Evaluation<'a> {
    dataset: &'a str,
    queries: usize,
    corpora: usize,
    /// The mean of the means of the corpora, by metric.
    mean_of_corpora: BTreeMap<String, f64>,
    /// The mean over queries, by metric.
    mean_of_queries: BTreeMap<String, f64>,
    groups: Vec<Part<'a>>,
    ablation: Vec<Worth>,
    changes: Vec<Change>,
    floors: Vec<Checked>,
}

#[derive(Debug, Serialize)]
struct Part<'a> {
    by: &'static str,
    name: &'a str,
    queries: usize,
    mean: BTreeMap<String, f64>,
}

#[derive(Debug, Serialize)]
struct Worth {
    stage: &'static str,
    metric: String,
    without: f64,
    with: f64,
    difference: f64,
    interval: [f64; 2],
    better: usize,
    worse: usize,
    same: usize,
}

#[derive(Debug, Serialize)]
struct Change {
    metric: String,
    before: f64,
    now: f64,
    difference: f64,
    interval: [f64; 2],
    better: usize,
    worse: usize,
    same: usize,
}

#[derive(Debug, Serialize)]
struct Checked {
    metric: String,
    floor: f64,
    mean: f64,
    holds: bool,
}

/// Returns the JSON form of a report.
pub(crate) fn report(report: &Report) -> Envelope<Evaluation<'_>> {
    let Report { dataset, queries, corpora, shown, summary, ablations, changes, floors, scores: _ } = report;
    let metrics = &summary.metrics;
    answer(Evaluation {
        dataset,
        queries: *queries,
        corpora: *corpora,
        mean_of_corpora: named(metrics, &summary.corpora_mean.means),
        mean_of_queries: named(metrics, &summary.queries_mean.means),
        groups: summary
            .groups
            .iter()
            .flat_map(|(grouping, groups)| groups.iter().map(|group| Part::of(grouping.as_str(), group, metrics)))
            .collect(),
        ablation: ablations.iter().map(|(stage, worth)| Worth::of(stage.as_str(), shown[0], worth)).collect(),
        changes: changes.iter().map(|(metric, change)| Change::of(*metric, change)).collect(),
        floors: floors.iter().map(Checked::from).collect(),
    })
}

fn named(metrics: &[Metric], means: &[f64]) -> BTreeMap<String, f64> {
    metrics.iter().map(Metric::to_string).zip(means.iter().copied()).collect()
}

impl<'a> Part<'a> {
    fn of(by: &'static str, group: &'a Group, metrics: &[Metric]) -> Self {
        let Group { name, queries, means } = group;
        Self { by, name, queries: *queries, mean: named(metrics, means) }
    }
}

impl Worth {
    fn of(stage: &'static str, metric: Metric, comparison: &Comparison) -> Self {
        let Comparison { queries: _, first, second, difference, interval, wins, losses, ties } = *comparison;
        Self {
            stage,
            metric: metric.to_string(),
            without: first,
            with: second,
            difference,
            interval: interval.into(),
            better: wins,
            worse: losses,
            same: ties,
        }
    }
}

impl Change {
    fn of(metric: Metric, comparison: &Comparison) -> Self {
        let Comparison { queries: _, first, second, difference, interval, wins, losses, ties } = *comparison;
        Self {
            metric: metric.to_string(),
            before: first,
            now: second,
            difference,
            interval: interval.into(),
            better: wins,
            worse: losses,
            same: ties,
        }
    }
}

impl From<&FloorCheck> for Checked {
    fn from(check: &FloorCheck) -> Self {
        let FloorCheck { floor: Floor { metric, least }, mean } = *check;
        Self { metric: metric.to_string(), floor: least, mean, holds: check.holds() }
    }
}
