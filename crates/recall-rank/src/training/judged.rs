//! Training data: queries with their candidates and relevance labels.

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
