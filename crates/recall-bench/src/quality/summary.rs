//! Mean scores of a run by groups of queries, and the comparison of two runs with a significance test.

use std::collections::BTreeMap;

use fastrand::Rng;

use crate::quality::measure::{Metric, Row, Scores};

/// The mean scores of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The metrics, one per column.
    pub metrics: Vec<Metric>,
    /// The macro average over corpora: every corpus has the same weight, however many queries it has.
    pub corpora_mean: Group,
    /// The mean over all queries.
    pub queries_mean: Group,
    /// The means of each group, by [`Grouping`].
    pub groups: Vec<(Grouping, Vec<Group>)>,
}

/// The mean scores of some queries.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The common property of the queries; empty for all.
    pub name: String,
    /// The number of queries.
    pub queries: usize,
    /// One mean per metric.
    pub means: Vec<f64>,
}

/// The property that queries are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// The category.
    Category,
    /// The language; queries without one are ignored.
    Language,
    /// The corpus.
    Corpus,
}

impl Grouping {
    /// All groupings, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Category, Self::Language, Self::Corpus];

    /// Returns the grouping's name: `category`, `language`, `corpus`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Language => "language",
            Self::Corpus => "corpus",
        }
    }

    fn name_of(self, row: &Row) -> Option<&str> {
        match self {
            Self::Category => Some(&row.category),
            Self::Language => row.language.as_deref(),
            Self::Corpus => Some(&row.corpus),
        }
    }
}

impl Summary {
    /// Averages scores. Groups are sorted by name, and a grouping with a single group is included.
    pub fn compute(scores: &Scores) -> Self {
        let Scores { metrics, rows } = scores;
        let columns = metrics.len();
        let groups: Vec<_> = Grouping::ALL.map(|grouping| (grouping, groups(grouping, rows, columns))).into();
        let of_corpora: Vec<&[f64]> = groups
            .iter()
            .filter(|(grouping, _)| *grouping == Grouping::Corpus)
            .flat_map(|(_, groups)| groups.iter().map(|group| group.means.as_slice()))
            .collect();
        let of_queries: Vec<&[f64]> = rows.iter().map(|row| row.values.as_slice()).collect();
        let mean =
            |values: &[&[f64]]| Group { name: String::new(), queries: rows.len(), means: means(values, columns) };
        Self { metrics: metrics.clone(), corpora_mean: mean(&of_corpora), queries_mean: mean(&of_queries), groups }
    }

    /// Returns the macro average of one metric; `None` if it was not measured.
    pub fn mean(&self, metric: Metric) -> Option<f64> {
        let at = self.metrics.iter().position(|known| *known == metric)?;
        Some(self.corpora_mean.means[at])
    }
}

fn groups(grouping: Grouping, rows: &[Row], columns: usize) -> Vec<Group> {
    let mut parts: BTreeMap<&str, Vec<&[f64]>> = BTreeMap::new();
    for row in rows {
        if let Some(name) = grouping.name_of(row) {
            parts.entry(name).or_default().push(&row.values);
        }
    }
    let group = |(name, values): (&str, Vec<&[f64]>)| Group {
        name: name.to_owned(),
        queries: values.len(),
        means: means(&values, columns),
    };
    parts.into_iter().map(group).collect()
}

/// The mean of each column; 0 if there are no rows.
fn means(rows: &[&[f64]], columns: usize) -> Vec<f64> {
    let sum = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>();
    (0..columns).map(|column| sum(column) / rows.len().max(1) as f64).collect()
}

/// The difference between two runs of the same queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The number of queries.
    pub queries: usize,
    /// The mean of the first run.
    pub first: f64,
    /// The mean of the second run.
    pub second: f64,
    /// The mean of the second run minus that of the first.
    pub difference: f64,
    /// The 95 % confidence interval of the difference. If it contains 0, the difference is not significant.
    pub interval: (f64, f64),
    /// The number of queries for which the second run is better.
    pub wins: usize,
    /// The number of queries for which the first run is better.
    pub losses: usize,
    /// The number of queries with equal values.
    pub ties: usize,
}

/// The number of bootstrap samples; the ends of the interval are the 100th from below and above.
const SAMPLES: usize = 4000;

/// The fraction of the samples beyond either end of the interval.
const TAIL: f64 = 0.025;

/// A fixed seed, so that the same runs always compare equally.
const SEED: u64 = 20_060_806;

/// A smaller difference is a rounding error.
const TIE: f64 = 1e-9;

/// Compares the values of two runs, which are of the same queries in the same order.
///
/// The interval is the percentile interval of the paired bootstrap (Sakai, "Evaluating evaluation metrics based on the
/// bootstrap", SIGIR 2006): queries are resampled with replacement, and the mean of their differences is computed for
/// each sample. The same values give the same interval.
pub fn compare(first: &[f64], second: &[f64]) -> Comparison {
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| second - first).collect();
    let count = |is: fn(f64) -> bool| differences.iter().filter(|difference| is(**difference)).count();
    let (wins, losses) = (count(|difference| difference > TIE), count(|difference| difference < -TIE));
    Comparison {
        queries: differences.len(),
        first: mean(first),
        second: mean(second),
        difference: mean(&differences),
        interval: interval(&differences),
        wins,
        losses,
        ties: differences.len() - wins - losses,
    }
}

fn interval(differences: &[f64]) -> (f64, f64) {
    if differences.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = Rng::with_seed(SEED);
    let mut sampled_mean = || {
        let drawn = (0..differences.len()).map(|_| differences[random.usize(..differences.len())]);
        drawn.sum::<f64>() / differences.len() as f64
    };
    let mut means: Vec<f64> = (0..SAMPLES).map(|_| sampled_mean()).collect();
    means.sort_unstable_by(f64::total_cmp);
    let beyond = (SAMPLES as f64 * TAIL) as usize;
    (means[beyond], means[SAMPLES - 1 - beyond])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(corpus: &str, category: &str, language: Option<&str>, value: f64) -> Row {
        Row {
            query: String::new(),
            corpus: corpus.to_owned(),
            category: category.to_owned(),
            language: language.map(ToOwned::to_owned),
            values: vec![value],
        }
    }

    #[test]
    fn every_corpus_has_the_same_weight() {
        let metric = "ndcg@10".parse().expect("a metric");
        let rows = vec![
            row("large", "symbol", Some("rust"), 0.0),
            row("large", "symbol", None, 0.0),
            row("large", "question", Some("go"), 0.6),
            row("small", "question", Some("rust"), 1.0),
        ];
        let summary = Summary::compute(&Scores { metrics: vec![metric], rows });
        assert!((summary.queries_mean.means[0] - 0.4).abs() < 1e-9);
        assert!((summary.mean(metric).expect("measured") - 0.6).abs() < 1e-9);
        assert_eq!(summary.mean("p@1".parse().expect("a metric")), None);
        let said: Vec<String> = summary
            .groups
            .iter()
            .map(|(grouping, groups)| {
                let groups =
                    groups.iter().map(|group| format!("{} {} {:.1}", group.name, group.queries, group.means[0]));
                format!("{}: {}", grouping.as_str(), groups.collect::<Vec<_>>().join(", "))
            })
            .collect();
        assert_eq!(
            said,
            [
                "category: question 2 0.8, symbol 2 0.0",
                "language: go 1 0.6, rust 2 0.5",
                "corpus: large 3 0.2, small 1 1.0"
            ]
        );
    }

    #[test]
    fn wins_losses_and_ties_are_counted() {
        let Comparison { queries, first, second, difference, wins, losses, ties, interval: _ } =
            compare(&[0.0, 0.5, 1.0, 0.2], &[1.0, 0.5, 0.5, 0.4]);
        assert_eq!((queries, wins, losses, ties), (4, 2, 1, 1));
        for (found, expected) in [(first, 0.425), (second, 0.6), (difference, 0.175)] {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn a_difference_in_every_query_is_significant() {
        let (low, high) = compare(&[0.1; 30], &[0.3; 30]).interval;
        assert!((low - 0.2).abs() < 1e-9 && (high - 0.2).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn one_better_query_is_not_significant() {
        let mut second = [0.5; 30];
        second[7] = 1.0;
        let (low, high) = compare(&[0.5; 30], &second).interval;
        assert!(low.abs() < 1e-9 && high > 0.0, "{low} {high}");
    }

    #[test]
    fn the_interval_matches_the_normal_approximation() {
        // A coin flip per query: the standard error of the mean is 1 / sqrt(400), and 1.96 of it is 0.098.
        let (zeros, ones): (Vec<f64>, Vec<f64>) = (0..400).map(|query| (0.0, f64::from(query % 2) * 2.0 - 1.0)).unzip();
        let (low, high) = compare(&zeros, &ones).interval;
        assert!((low + 0.098).abs() < 0.01 && (high - 0.098).abs() < 0.01, "{low} {high}");
    }

    proptest! {
        #[test]
        fn an_interval_is_ordered_and_holds_no_impossible_difference(
            pairs in proptest::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 0..20),
        ) {
            let (first, second): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let Comparison { interval: (low, high), .. } = compare(&first, &second);
            prop_assert!(-1.0 <= low && low <= high && high <= 1.0);
            prop_assert_eq!(compare(&first, &second), compare(&first, &second));
        }
    }
}
