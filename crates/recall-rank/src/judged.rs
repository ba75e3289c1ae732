//! What is learnt from: queries, their candidates, and which of these are relevant.

use thiserror::Error;

/// Judged queries over named features.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// The names of the features, in the order of a row.
    pub features: Vec<String>,
    /// The queries, in any order; it matters to the seed alone.
    pub queries: Vec<JudgedQuery>,
}

/// A query with its judged candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedQuery {
    /// What is never split between training and measuring: a repository.
    pub group: String,
    /// What kind of query it is; learning ignores it.
    pub kind: String,
    /// How much the query counts in training and calibration; positive.
    pub weight: f32,
    /// One row a candidate, one after the other; NaN is a missing value.
    pub rows: Vec<f32>,
    /// How relevant each candidate is: 0 not at all, at most 30; a step more doubles the gain.
    pub labels: Vec<f32>,
    /// How many further items are relevant, with label 1, but are not among the candidates: they belong to the ideal order.
    pub missed: u32,
}

/// The greatest label: its gain, 2³⁰ - 1, is still exact.
const MAX_LABEL: f32 = 30.0;

/// Judged queries contradict themselves.
#[derive(Debug, Error, PartialEq)]
pub enum JudgedError {
    /// There is nothing to learn from.
    #[error("there is no feature")]
    NoFeature,
    /// Two features have the same name.
    #[error("two features are named `{name}`")]
    SameFeature {
        /// The name.
        name: String,
    },
    /// A query's rows have not one value a feature.
    #[error("query {query} has {values} values, expected {expected}: one for each of its labels and each feature")]
    Ragged {
        /// The place of the query.
        query: usize,
        /// How many values it has.
        values: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A label is out of bounds.
    #[error("query {query} has the label {label}, expected 0 to {MAX_LABEL}")]
    Label {
        /// The place of the query.
        query: usize,
        /// The label.
        label: f32,
    },
    /// A weight is out of bounds.
    #[error("query {query} has the weight {weight}, expected a positive number")]
    Weight {
        /// The place of the query.
        query: usize,
        /// The weight.
        weight: f32,
    },
}

impl Judged {
    /// Checks that the parts fit each other.
    ///
    /// # Errors
    /// Fails with the first contradiction.
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
