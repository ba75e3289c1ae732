//! JSON output of reports.

use std::collections::BTreeMap;

use crate::quality::{Comparison, Group, JudgeWorth, Metric};
use recall_api::json::{Envelope, answer};
use serde::Serialize;

use crate::report::{BudgetReport, Floor, FloorCheck, MemoryReport, PromptReport, Report};

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
    ablation: Vec<Contribution>,
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
struct Contribution {
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

#[derive(Debug, Serialize)]
pub(crate) struct Windows<'a> {
    dataset: &'a str,
    queries: usize,
    budgets: Vec<WithBudget>,
}

#[derive(Debug, Serialize)]
struct WithBudget {
    budget_tokens: u32,
    in_order: f64,
    window: f64,
    with_text: f64,
    above_budget: usize,
    median_ms: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct HookLoop<'a> {
    dataset: &'a str,
    prompts: usize,
    names_a_relevant_file: usize,
    budget_tokens: u32,
    thresholds: Vec<WithThreshold>,
    memories: Memories,
}

#[derive(Debug, Serialize)]
struct Memories {
    known: usize,
    unknown: usize,
    thresholds: Vec<OfMemories>,
}

#[derive(Debug, Serialize)]
struct OfMemories {
    threshold: f64,
    shown: usize,
    relevant: usize,
    precision: Option<f64>,
    helped: usize,
    alarms: usize,
}

#[derive(Debug, Serialize)]
struct WithThreshold {
    threshold: f64,
    shown: usize,
    relevant: usize,
    precision: Option<f64>,
    answered: usize,
    helped: usize,
    missed: f64,
    tokens_per_prompt: f64,
    most_tokens: u32,
}

/// Returns the JSON form of what the hook of a prompt shows.
pub(crate) fn prompts(report: &PromptReport) -> Envelope<HookLoop<'_>> {
    let PromptReport { dataset, prompts, named, budget_tokens, rows, memories } = report;
    let MemoryReport { known, unknown, rows: of_memories } = memories;
    let thresholds = rows.iter().map(|row| WithThreshold {
        threshold: row.threshold,
        shown: row.shown,
        relevant: row.relevant,
        precision: row.precision(),
        answered: row.answered,
        helped: row.helped,
        missed: row.misses(*prompts),
        tokens_per_prompt: row.tokens_per_prompt(*prompts),
        most_tokens: row.most_tokens,
    });
    let of_memories = of_memories.iter().map(|row| OfMemories {
        threshold: row.threshold,
        shown: row.shown,
        relevant: row.relevant,
        precision: row.precision(),
        helped: row.helped,
        alarms: row.alarms,
    });
    answer(HookLoop {
        dataset,
        prompts: *prompts,
        names_a_relevant_file: *named,
        budget_tokens: *budget_tokens,
        thresholds: thresholds.collect(),
        memories: Memories { known: *known, unknown: *unknown, thresholds: of_memories.collect() },
    })
}

/// Returns the JSON form of the shares of relevant files in context windows.
pub(crate) fn windows<'a>(dataset: &'a str, queries: usize, reports: &[BudgetReport]) -> Envelope<Windows<'a>> {
    let budget = |report: &BudgetReport| {
        let BudgetReport { budget_tokens, in_order, window, with_text, above, median } = *report;
        let median_ms = median.as_secs_f64() * 1e3;
        WithBudget { budget_tokens, in_order, window, with_text, above_budget: above, median_ms }
    };
    answer(Windows { dataset, queries, budgets: reports.iter().map(budget).collect() })
}

/// The worth of a judge.
#[derive(Debug, Serialize)]
pub(crate) struct Judge<'a> {
    dataset: &'a str,
    queries: usize,
    not_judged: usize,
    precision: f64,
    recall: f64,
    f1: f64,
    filtering_rate: f64,
    raw_precision_at_5: f64,
    kept_precision_at_5: f64,
    improvement: f64,
}

/// Returns the JSON form of a judge's worth.
pub(crate) fn judge<'a>(dataset: &'a str, worth: &JudgeWorth, not_judged: usize) -> Envelope<Judge<'a>> {
    let JudgeWorth { queries, precision, recall, f1, filtering_rate, raw_precision_at_5, kept_precision_at_5 } = *worth;
    let improvement = worth.improvement();
    answer(Judge {
        dataset,
        queries,
        not_judged,
        precision,
        recall,
        f1,
        filtering_rate,
        raw_precision_at_5,
        kept_precision_at_5,
        improvement,
    })
}

/// Returns the JSON form of a report.
pub(crate) fn report(report: &Report) -> Envelope<Evaluation<'_>> {
    let Report { dataset, queries, corpora, shown, summary, ablations, changes, floors, scores: _ } = report;
    let metrics = &summary.metrics;
    answer(Evaluation {
        dataset,
        queries: *queries,
        corpora: *corpora,
        mean_of_corpora: by_metric(metrics, &summary.corpora_mean.means),
        mean_of_queries: by_metric(metrics, &summary.queries_mean.means),
        groups: summary
            .groups
            .iter()
            .flat_map(|(grouping, groups)| groups.iter().map(|group| Part::new(grouping.as_str(), group, metrics)))
            .collect(),
        ablation: ablations.iter().map(|(stage, worth)| Contribution::new(stage.as_str(), shown[0], worth)).collect(),
        changes: changes.iter().map(|(metric, change)| Change::new(*metric, change)).collect(),
        floors: floors.iter().map(Checked::from).collect(),
    })
}

fn by_metric(metrics: &[Metric], means: &[f64]) -> BTreeMap<String, f64> {
    metrics.iter().map(Metric::to_string).zip(means.iter().copied()).collect()
}

impl<'a> Part<'a> {
    fn new(by: &'static str, group: &'a Group, metrics: &[Metric]) -> Self {
        let Group { name, queries, means } = group;
        Self { by, name, queries: *queries, mean: by_metric(metrics, means) }
    }
}

impl Contribution {
    fn new(stage: &'static str, metric: Metric, comparison: &Comparison) -> Self {
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
    fn new(metric: Metric, comparison: &Comparison) -> Self {
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
