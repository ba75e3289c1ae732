//! What is measured and shown: search quality with its means, ablations, changes and floors, context windows with a budget, and
//! the hook of a prompt; and the exit code if a floor is missed.

use std::str::FromStr;
use std::time::Duration;

use crate::quality::{Comparison, Dataset, Measure, Metric, Run, Scores, Summary, compare};
use recall_core::Ablation;

use crate::error::BenchError;
use crate::evaluation::{Evaluation, Setting};

/// The search quality on a dataset.
#[derive(Debug)]
pub(crate) struct Report {
    /// The dataset's name.
    pub(crate) dataset: String,
    /// The number of its queries.
    pub(crate) queries: usize,
    /// The number of its corpora.
    pub(crate) corpora: usize,
    /// The metrics shown for every group.
    pub(crate) shown: [Metric; SHOWN],
    /// The means of the shown metrics, followed by those that only floors need.
    pub(crate) summary: Summary,
    /// The contribution of each stage to the first metric; empty if not measured.
    pub(crate) ablations: Vec<(Ablation, Comparison)>,
    /// The difference to an earlier run in each shown metric; empty without one.
    pub(crate) changes: Vec<(Metric, Comparison)>,
    /// The floors with their measured values.
    pub(crate) floors: Vec<FloorCheck>,
    /// The values that the rest of the report is computed from.
    pub(crate) scores: Scores,
}

/// The number of shown metrics.
pub(crate) const SHOWN: usize = 5;

/// The minimum of a metric's mean over the corpora.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Floor {
    pub(crate) metric: Metric,
    pub(crate) least: f64,
}

/// A floor with the measured mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FloorCheck {
    pub(crate) floor: Floor,
    pub(crate) mean: f64,
}

impl FloorCheck {
    pub(crate) fn holds(&self) -> bool {
        self.mean >= self.floor.least
    }
}

impl FromStr for Floor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (metric, least) = text.split_once('=').ok_or("a floor is a metric and a value: `ndcg@10=0.80`")?;
        let metric = metric.parse::<Metric>().map_err(|error| error.to_string())?;
        match least.parse() {
            Ok(least) if (0.0..=1.0).contains(&least) => Ok(Self { metric, least }),
            _ => Err(format!("`{least}` is not a value of a metric: a number from 0 to 1")),
        }
    }
}

/// Returns the metrics shown for a search for `hits` hits, the main one first.
fn shown_metrics(hits: u32) -> [Metric; SHOWN] {
    let at = |measure, cutoff| Metric { measure, cutoff };
    [
        at(Measure::Ndcg, hits),
        at(Measure::ReciprocalRank, hits),
        at(Measure::Hit, 1),
        at(Measure::Precision, hits),
        at(Measure::Recall, hits),
    ]
}

impl Report {
    /// Computes the report of an evaluation's runs, the whole search first.
    pub(crate) fn compute(
        evaluation: &Evaluation<'_>,
        runs: &[(Setting, Run)],
        floors: &[Floor],
    ) -> Result<Self, BenchError> {
        let Evaluation { context: _, dataset, home: _, over: _, hits, settings: _ } = evaluation;
        let shown = shown_metrics(*hits);
        let mut metrics = shown.to_vec();
        for Floor { metric, .. } in floors {
            if !metrics.contains(metric) {
                metrics.push(*metric);
            }
        }
        let mut scores = Vec::with_capacity(runs.len());
        for (_, run) in runs {
            scores.push(Scores::compute(dataset, run, &metrics)?);
        }
        let whole = scores.first().cloned().unwrap_or(Scores { metrics: metrics.clone(), rows: Vec::new() });
        let summary = Summary::compute(&whole);
        let worth = |((setting, _), without): (&(Setting, Run), &Scores)| match setting {
            Setting::Whole => None,
            Setting::Without(stage) => Some((*stage, compare(&column(without, shown[0]), &column(&whole, shown[0])))),
        };
        let mean = |metric| summary.mean(metric).unwrap_or_default();
        Ok(Self {
            dataset: dataset.name.clone(),
            queries: dataset.queries.len(),
            corpora: dataset.corpora.len(),
            shown,
            ablations: runs.iter().zip(&scores).filter_map(worth).collect(),
            changes: Vec::new(),
            floors: floors.iter().map(|floor| FloorCheck { floor: *floor, mean: mean(floor.metric) }).collect(),
            summary,
            scores: whole,
        })
    }

    /// Adds the changes since an earlier run.
    pub(crate) fn compare_with(&mut self, dataset: &Dataset, before: &Run) -> Result<(), BenchError> {
        let before = Scores::compute(dataset, before, &self.shown)?;
        let change = |metric| (metric, compare(&column(&before, metric), &column(&self.scores, metric)));
        self.changes = self.shown.map(change).into();
        Ok(())
    }
}

/// Returns the values of a metric.
fn column(scores: &Scores, metric: Metric) -> Vec<f64> {
    scores.column(metric).unwrap_or_default()
}

/// What the windows with one budget have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BudgetReport {
    pub(crate) budget_tokens: u32,
    /// The mean share of the relevant files among the hits packed whole in their order.
    pub(crate) in_order: f64,
    /// The mean share in the window, at least as a line with the file's place and signature.
    pub(crate) window: f64,
    /// The mean share in the window with text of the file.
    pub(crate) with_text: f64,
    /// The number of windows above their budget.
    pub(crate) above: usize,
    /// The median time of a call.
    pub(crate) median: Duration,
}

/// What the hook shows for the prompts of a history.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PromptReport {
    /// The name of the history.
    pub(crate) dataset: String,
    /// The number of prompts. For each of them something relevant exists.
    pub(crate) prompts: usize,
    /// The number of prompts that name a relevant file themselves: what an agent knows without the hook.
    pub(crate) named: usize,
    /// The token budget of an answer.
    pub(crate) budget_tokens: u32,
    /// A row a threshold, ascending.
    pub(crate) rows: Vec<ThresholdRow>,
    /// The same for memories.
    pub(crate) memories: MemoryReport,
}

/// Which memories the hook shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryReport {
    /// The number of prompts for which there is a relevant memory.
    pub(crate) known: usize,
    /// The number of prompts for which there is none.
    pub(crate) unknown: usize,
    /// A row a threshold, ascending.
    pub(crate) rows: Vec<MemoryRow>,
}

/// Which memories the hook shows with a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MemoryRow {
    /// The least confidence of what is shown.
    pub(crate) threshold: f64,
    /// The number of shown memories.
    pub(crate) shown: usize,
    /// The number of relevant ones among them.
    pub(crate) relevant: usize,
    /// The number of prompts with their relevant memory.
    pub(crate) helped: usize,
    /// The number of prompts without a relevant memory that got one nevertheless.
    pub(crate) alarms: usize,
}

impl MemoryRow {
    /// The share of relevant ones among the shown memories; `None` if none was shown.
    pub(crate) fn precision(&self) -> Option<f64> {
        (self.shown > 0).then(|| self.relevant as f64 / self.shown as f64)
    }
}

/// What the hook shows with a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ThresholdRow {
    /// The least confidence of what is shown.
    pub(crate) threshold: f64,
    /// The number of shown places.
    pub(crate) shown: usize,
    /// The number of relevant ones among them.
    pub(crate) relevant: usize,
    /// The number of prompts with an answer.
    pub(crate) answered: usize,
    /// The number of prompts with a relevant place.
    pub(crate) helped: usize,
    /// The tokens of all answers.
    pub(crate) tokens: u64,
    /// The tokens of the longest answer.
    pub(crate) most_tokens: u32,
}

impl ThresholdRow {
    /// The share of relevant ones among the shown places; `None` if none was shown.
    pub(crate) fn precision(&self) -> Option<f64> {
        (self.shown > 0).then(|| self.relevant as f64 / self.shown as f64)
    }

    /// The share of prompts without a relevant place.
    pub(crate) fn misses(&self, prompts: usize) -> f64 {
        1.0 - self.helped as f64 / prompts.max(1) as f64
    }

    /// The mean tokens of a prompt, with or without an answer.
    pub(crate) fn tokens_per_prompt(&self, prompts: usize) -> f64 {
        self.tokens as f64 / prompts.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_a_metric_and_a_value() {
        let metric = "ndcg@10".parse().expect("a metric");
        assert_eq!("ndcg@10=0.80".parse(), Ok(Floor { metric, least: 0.8 }));
        for text in ["ndcg@10", "ndcg=0.8", "ndcg@10=", "ndcg@10=high", "ndcg@10=1.5", "=0.8", "ndcg@10=NaN"] {
            assert!(text.parse::<Floor>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_floor_holds_at_its_value() {
        let floor: Floor = "mrr@5=0.5".parse().expect("a floor");
        assert!(FloorCheck { floor, mean: 0.5 }.holds());
        assert!(!FloorCheck { floor, mean: 0.4999 }.holds());
    }
}
