//! Training data (queries with their candidates and relevance labels), random samples of them, and measures of the
//! quality of their order.

use oorandom::Rand64;
use thiserror::Error;

/// Judged queries over named features.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// The names of the features, in the order of a row.
    pub features: Vec<String>,
    /// The queries. Their order only affects random choices.
    pub queries: Vec<JudgedQuery>,
}

/// A query with its judged candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedQuery {
    /// The unit that is never split between training and evaluation: a repository.
    pub group: String,
    /// The kind of query; ignored in training.
    pub kind: String,
    /// The weight of the query in training and calibration; positive.
    pub weight: f32,
    /// The rows of all candidates, concatenated; NaN is a missing value.
    pub rows: Vec<f32>,
    /// The relevance of each candidate, from 0 (irrelevant) to 30; one step more doubles the gain.
    pub labels: Vec<f32>,
    /// The number of further relevant items, with label 1, that are not among the candidates. They count in the ideal
    /// order.
    pub missed: u32,
}

/// The greatest label: its gain, 2³⁰ - 1, is still exact.
const MAX_LABEL: f32 = 30.0;

/// Judged queries are inconsistent.
#[derive(Debug, Error, PartialEq)]
pub enum JudgedError {
    /// There are no features.
    #[error("there are no features")]
    NoFeature,
    /// Two features have the same name.
    #[error("two features are named `{name}`")]
    SameFeature {
        /// The name.
        name: String,
    },
    /// The number of values of a query is not that of its labels times the features.
    #[error("query {query} has {values} values, expected {expected}: one for each of its labels and each feature")]
    Ragged {
        /// The index of the query.
        query: usize,
        /// The number of values.
        values: usize,
        /// The expected number.
        expected: usize,
    },
    /// A label is out of bounds.
    #[error("query {query} has the label {label}, expected 0 to {MAX_LABEL}")]
    Label {
        /// The index of the query.
        query: usize,
        /// The label.
        label: f32,
    },
    /// A weight is out of bounds.
    #[error("query {query} has the weight {weight}, expected a positive number")]
    Weight {
        /// The index of the query.
        query: usize,
        /// The weight.
        weight: f32,
    },
}

impl Judged {
    /// Checks the consistency of the data.
    ///
    /// # Errors
    /// Fails at the first inconsistency.
    pub fn check(&self) -> Result<(), JudgedError> {
        if self.features.is_empty() {
            return Err(JudgedError::NoFeature);
        }
        for (at, name) in self.features.iter().enumerate() {
            if self.features[..at].contains(name) {
                return Err(JudgedError::SameFeature { name: name.clone() });
            }
        }
        self.queries.iter().enumerate().try_for_each(|(at, query)| query.check(at, self.features.len()))
    }
}

impl JudgedQuery {
    fn check(&self, query: usize, features: usize) -> Result<(), JudgedError> {
        let expected = features * self.labels.len();
        if self.rows.len() != expected {
            return Err(JudgedError::Ragged { query, values: self.rows.len(), expected });
        }
        if let Some(&label) = self.labels.iter().find(|label| !(0.0..=MAX_LABEL).contains(*label)) {
            return Err(JudgedError::Label { query, label });
        }
        if !(self.weight.is_finite() && self.weight > 0.0) {
            return Err(JudgedError::Weight { query, weight: self.weight });
        }
        Ok(())
    }
}

/// Draws a fraction of the indexes below `count`, at least one, in ascending order.
pub(crate) fn fraction(rng: &mut Rand64, count: usize, share: f64) -> Vec<usize> {
    let taken = ((count as f64 * share).round() as usize).clamp(count.min(1), count);
    let mut chosen = shuffle(rng, count);
    chosen.truncate(taken);
    chosen.sort_unstable();
    chosen
}

/// Returns the indexes below `count` in random order (Fisher–Yates shuffle).
pub(crate) fn shuffle(rng: &mut Rand64, count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        numbers.swap(at, rng.rand_range(0..at as u64 + 1) as usize);
    }
    numbers
}

/// The gain of a label (Burges, MSR-TR-2010-82): one step more about doubles it.
pub(crate) fn gain(label: f32) -> f64 {
    f64::from(label).exp2() - 1.0
}

/// The discount of a rank, counted from 0.
pub(crate) fn discount(rank: usize) -> f64 {
    1.0 / ((rank + 2) as f64).log2()
}

/// The discounted gain of the ideal order of all relevant items, found or `missed`, up to rank `k`.
pub(crate) fn ideal(k: usize, labels: &[f32], missed: u32) -> f64 {
    let mut gains: Vec<f64> = labels.iter().map(|label| gain(*label)).filter(|gain| *gain > 0.0).collect();
    gains.extend(std::iter::repeat_n(gain(1.0), k.min(missed as usize)));
    gains.sort_by(|left, right| right.total_cmp(left));
    gains.iter().take(k).enumerate().map(|(rank, gain)| gain * discount(rank)).sum()
}

/// The candidates by descending score; equal scores keep their order.
pub(crate) fn order_by_score(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]));
    order
}

/// Returns the normalised discounted cumulative gain of the first `k` candidates by score (Järvelin, Kekäläinen, TOIS
/// 2002).
///
/// The result is between 0 and 1. Candidates of equal score keep their order. The ideal order contains the labels of
/// all candidates and `missed` further items with label 1, so items that retrieval missed lower the result. `None` if
/// nothing is relevant.
///
/// # Panics
/// If the numbers of labels and scores differ.
pub fn ndcg_at(k: usize, scores: &[f32], labels: &[f32], missed: u32) -> Option<f64> {
    assert_eq!(scores.len(), labels.len(), "every score has a label");
    let ideal = ideal(k, labels, missed);
    let order = order_by_score(scores);
    let found: f64 = order.iter().take(k).enumerate().map(|(rank, at)| gain(labels[*at]) * discount(rank)).sum();
    (ideal > 0.0).then(|| found / ideal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_discounted_by_rank() {
        #[track_caller]
        fn check(k: usize, scores: &[f32], labels: &[f32], missed: u32, expected: Option<f64>) {
            let found = ndcg_at(k, scores, labels, missed);
            let is_near = |(found, expected): (f64, f64)| (found - expected).abs() < 1e-12;
            assert!(found.is_some() == expected.is_some() && found.zip(expected).is_none_or(is_near), "{found:?}");
        }
        let second = 1.0 / 3_f64.log2();
        check(10, &[3.0, 2.0], &[1.0, 0.0], 0, Some(1.0));
        check(10, &[2.0, 3.0], &[1.0, 0.0], 0, Some(second));
        check(1, &[2.0, 3.0], &[1.0, 0.0], 0, Some(0.0));
        check(10, &[1.0, 1.0], &[0.0, 1.0], 0, Some(second));
        check(10, &[2.0, 1.0], &[1.0, 2.0], 0, Some((1.0 + 3.0 * second) / (3.0 + second)));
        check(10, &[3.0, 2.0], &[1.0, 0.0], 1, Some(1.0 / (1.0 + second)));
        check(1, &[3.0, 2.0], &[1.0, 0.0], 1, Some(1.0));
        check(10, &[], &[], 1, Some(0.0));
        check(10, &[3.0], &[0.0], 0, None);
    }
}
