//! Measures of the quality of one query's answer, and the scores of all answers of a run.
//!
//! An answer is a ranked list of chunks. The targets are the relevant files or parts of files. A chunk matches a target
//! if it is in the same file and, if both have lines, shares a line with it. The **rank** of a target is that of the
//! first chunk that matches it; further matching chunks occupy ranks without adding gain. A list that repeats one file
//! therefore scores lower than one that shows as many different files.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use crate::quality::dataset::{Dataset, Query, Relevant};
use crate::quality::run::{Answer, Run};

/// A measure without its cutoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Normalised discounted cumulative gain: the sum of the gains of the ranks, each divided by `log2(rank + 1)`,
    /// divided by that of the ideal list (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
    /// ACM TOIS 20(4), 2002).
    ///
    /// The gain of a rank is the highest grade of the targets that have it; a chunk that matches two targets counts
    /// once. The ideal list has the targets one by one, the highest grade first.
    Ndcg,
    /// Precision: the fraction of the ranks within the cutoff at which a target is found (Cleverdon, "The Cranfield
    /// tests on index language devices", Aslib Proceedings 19(6), 1967).
    Precision,
    /// Recall: the fraction of the targets found within the cutoff (ibid.).
    Recall,
    /// Reciprocal rank: one over the rank of the first target, 0 if there is none within the cutoff (Voorhees, "The
    /// TREC-8 question answering track report", 1999).
    ReciprocalRank,
    /// Hit rate, also called success: 1 if any target is within the cutoff, otherwise 0.
    Hit,
}

impl Measure {
    /// All measures, in a fixed order.
    pub const ALL: [Self; 5] = [Self::Ndcg, Self::Precision, Self::Recall, Self::ReciprocalRank, Self::Hit];

    /// Returns the measure's name: `ndcg`, `p`, `r`, `mrr`, `hit`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ndcg => "ndcg",
            Self::Precision => "p",
            Self::Recall => "r",
            Self::ReciprocalRank => "mrr",
            Self::Hit => "hit",
        }
    }
}

/// A measure with its cutoff: `ndcg@10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric {
    /// The measure.
    pub measure: Measure,
    /// The cutoff: the number of ranks that count, at least 1.
    pub cutoff: u32,
}

/// The text does not name a metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a metric: expected `ndcg`, `p`, `r`, `mrr` or `hit`, followed by `@` and a number from 1")]
pub struct MetricError {
    /// The rejected text.
    pub text: String,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.measure.as_str(), self.cutoff)
    }
}

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self, MetricError> {
        let read = || {
            let (name, cutoff) = text.split_once('@')?;
            let measure = Measure::ALL.into_iter().find(|measure| measure.as_str() == name)?;
            let cutoff = cutoff.parse().ok().filter(|cutoff| *cutoff > 0)?;
            Some(Self { measure, cutoff })
        };
        read().ok_or_else(|| MetricError { text: text.to_owned() })
    }
}

impl Metric {
    /// Returns the value for one query, from 0 to 1. `answers` are best first; `relevant` is not empty.
    pub fn compute(self, answers: &[Answer], relevant: &[Relevant]) -> f64 {
        let cutoff = self.cutoff as usize;
        let ranks: Vec<Option<usize>> = relevant.iter().map(|target| rank(answers, target, cutoff)).collect();
        let found = ranks.iter().flatten().count();
        match self.measure {
            Measure::Ndcg => ndcg(&ranks, relevant, cutoff),
            Measure::Precision => {
                let mut places: Vec<usize> = ranks.into_iter().flatten().collect();
                places.sort_unstable();
                places.dedup();
                places.len() as f64 / cutoff as f64
            }
            Measure::Recall => found as f64 / relevant.len() as f64,
            Measure::ReciprocalRank => ranks.into_iter().flatten().min().map_or(0.0, |first| 1.0 / first as f64),
            Measure::Hit => f64::from(u8::from(found > 0)),
        }
    }
}

/// Returns the first rank of a target, from 1, if it is within the cutoff.
fn rank(answers: &[Answer], target: &Relevant, cutoff: usize) -> Option<usize> {
    let is_of = |answer: &Answer| {
        let overlaps = match (answer.lines, target.lines) {
            (Some(lines), Some(wanted)) => lines.overlap(wanted),
            _ => true,
        };
        answer.path == target.path && overlaps
    };
    answers.iter().take(cutoff).position(is_of).map(|place| place + 1)
}

fn ndcg(ranks: &[Option<usize>], relevant: &[Relevant], cutoff: usize) -> f64 {
    let mut gains = vec![0; cutoff.min(ranks.iter().flatten().max().copied().unwrap_or(0))];
    for (rank, target) in ranks.iter().zip(relevant).filter_map(|(rank, target)| Some(((*rank)?, target))) {
        let gain = &mut gains[rank - 1];
        *gain = target.grade.max(*gain);
    }
    let mut best: Vec<u32> = relevant.iter().map(|target| target.grade).collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    best.truncate(cutoff);
    discount(&gains) / discount(&best)
}

/// The discounted cumulative gain of a list.
fn discount(gains: &[u32]) -> f64 {
    (2_u32..).zip(gains).map(|(place, &gain)| f64::from(gain) / f64::from(place).log2()).sum()
}

/// The scores of a run by query.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The metrics, one per column.
    pub metrics: Vec<Metric>,
    /// One row per query, in the order of the dataset.
    pub rows: Vec<Row>,
}

/// The scores of one query.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The query.
    pub query: String,
    /// Its corpus.
    pub corpus: String,
    /// Its category.
    pub category: String,
    /// Its language.
    pub language: Option<String>,
    /// One value per metric.
    pub values: Vec<f64>,
}

/// The run answers a query that the dataset does not have, so it belongs to another dataset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run answers the query `{id}`, which is not in the dataset")]
pub struct ForeignQuery {
    /// The query.
    pub id: String,
}

impl Scores {
    /// Scores a run. A query without an answer counts as having no results.
    ///
    /// # Errors
    /// The run belongs to another dataset.
    pub fn compute(dataset: &Dataset, run: &Run, metrics: &[Metric]) -> Result<Self, ForeignQuery> {
        let mut answers: HashMap<&str, &[Answer]> = run.answers().collect();
        let rows = dataset.queries.iter().map(|query| {
            let answers = answers.remove(query.id.as_str()).unwrap_or_default();
            row(query, answers, metrics)
        });
        let scores = Self { metrics: metrics.to_vec(), rows: rows.collect() };
        match answers.into_keys().min() {
            Some(id) => Err(ForeignQuery { id: id.to_owned() }),
            None => Ok(scores),
        }
    }

    /// Returns the values of one metric, in the order of the rows; `None` if it was not measured.
    pub fn column(&self, metric: Metric) -> Option<Vec<f64>> {
        let at = self.metrics.iter().position(|known| *known == metric)?;
        Some(self.rows.iter().map(|row| row.values[at]).collect())
    }
}

fn row(query: &Query, answers: &[Answer], metrics: &[Metric]) -> Row {
    Row {
        query: query.id.clone(),
        corpus: query.corpus.clone(),
        category: query.category.clone(),
        language: query.language.clone(),
        values: metrics.iter().map(|metric| metric.compute(answers, &query.relevant)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::quality::dataset::Lines;

    /// Parses `a:1-9` (lines of a file), `a` (a whole file) and `a*3` (a file of grade 3).
    fn place(text: &str) -> (String, Option<Lines>, u32) {
        let (text, grade) = text.split_once('*').unwrap_or((text, "1"));
        let (path, lines) = text.split_once(':').map_or((text, None), |(path, lines)| (path, lines.split_once('-')));
        let lines = lines
            .map(|(start, end)| Lines { start: start.parse().expect("a number"), end: end.parse().expect("a number") });
        (path.to_owned(), lines, grade.parse().expect("a number"))
    }

    #[track_caller]
    fn check(answers: &str, relevant: &str, expected: &[(&str, f64)]) {
        let answers: Vec<_> = answers
            .split_whitespace()
            .map(|text| {
                let (path, lines, _) = place(text);
                Answer { path, lines }
            })
            .collect();
        let relevant: Vec<_> = relevant
            .split_whitespace()
            .map(|text| {
                let (path, lines, grade) = place(text);
                Relevant { path, lines, grade }
            })
            .collect();
        for (metric, value) in expected {
            let metric: Metric = metric.parse().expect("a metric");
            let found = metric.compute(&answers, &relevant);
            assert!((found - value).abs() < 1e-9, "{metric} is {found}, not {value}");
        }
    }

    #[test]
    fn the_ideal_list_has_the_maximum_values() {
        check("a b", "a b", &[("ndcg@10", 1.0), ("p@2", 1.0), ("r@2", 1.0), ("mrr@10", 1.0), ("hit@1", 1.0)]);
        check("b a", "a*3 b*3", &[("ndcg@10", 1.0)]);
    }

    #[test]
    fn an_empty_list_scores_zero() {
        for answers in ["", "x y z"] {
            check(answers, "a", &[("ndcg@10", 0.0), ("p@3", 0.0), ("r@3", 0.0), ("mrr@3", 0.0), ("hit@3", 0.0)]);
        }
    }

    #[test]
    fn values_follow_the_definitions() {
        let second = 1.0 / 3.0_f64.log2();
        check("x a", "a", &[("ndcg@10", second), ("p@2", 0.5), ("p@10", 0.1), ("r@2", 1.0), ("mrr@2", 0.5)]);
        check("x a", "a", &[("ndcg@1", 0.0), ("hit@1", 0.0), ("mrr@1", 0.0), ("hit@2", 1.0)]);
        check("a x y", "a b", &[("ndcg@10", 1.0 / (1.0 + second)), ("r@3", 0.5)]);
        // Only one of the two can be first.
        check("a", "a b", &[("ndcg@1", 1.0), ("r@1", 0.5)]);
    }

    #[test]
    fn a_file_counts_once_and_its_chunks_occupy_ranks() {
        let (second, third) = (1.0 / 3.0_f64.log2(), 0.5);
        check("a a b", "a b", &[("ndcg@10", (1.0 + third) / (1.0 + second)), ("p@3", 2.0 / 3.0), ("r@2", 0.5)]);
    }

    #[test]
    fn lines_count_when_they_overlap() {
        check("a:1-9 a:10-20", "a:10-12", &[("mrr@10", 0.5)]);
        check("a:1-10", "a:10-12", &[("mrr@10", 1.0)]);
        check("a", "a:10-12", &[("mrr@10", 1.0)]);
        check("a:1-9", "a", &[("mrr@10", 1.0)]);
    }

    #[test]
    fn a_chunk_that_matches_two_targets_counts_once() {
        let second = 1.0 / 3.0_f64.log2();
        check("a:1-50", "a:1-9 a:20-30", &[("ndcg@10", 1.0 / (1.0 + second)), ("r@1", 1.0), ("p@1", 1.0)]);
    }

    #[test]
    fn higher_grades_weigh_more() {
        let second = 1.0 / 3.0_f64.log2();
        check("b a", "a*3 b", &[("ndcg@10", (1.0 + 3.0 * second) / (3.0 + second))]);
    }

    #[test]
    fn metrics_are_parsed_as_they_are_written() {
        for text in ["ndcg@10", "p@5", "r@10", "mrr@10", "hit@1"] {
            assert_eq!(text.parse::<Metric>().map(|metric| metric.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "ndcg", "ndcg@", "ndcg@0", "map@10", "ndcg@-1", "NDCG@10"] {
            assert_eq!(text.parse::<Metric>(), Err(MetricError { text: text.to_owned() }));
        }
    }

    proptest! {
        #[test]
        fn every_value_is_from_0_to_1_and_no_worse_with_more_ranks(
            answers in proptest::collection::vec("[a-e]", 0..12),
            relevant in proptest::collection::btree_map("[a-f]", 1..4_u32, 1..5),
            cutoff in 1..12_u32,
        ) {
            let answers: Vec<_> = answers.into_iter().map(|path| Answer { path, lines: None }).collect();
            let relevant: Vec<_> =
                relevant.into_iter().map(|(path, grade)| Relevant { path, lines: None, grade }).collect();
            for measure in Measure::ALL {
                let value = |cutoff| Metric { measure, cutoff }.compute(&answers, &relevant);
                prop_assert!((0.0..=1.0 + 1e-9).contains(&value(cutoff)));
                let grows = matches!(measure, Measure::Recall | Measure::ReciprocalRank | Measure::Hit);
                prop_assert!(!grows || value(cutoff) <= value(cutoff + 1));
            }
        }
    }
}
