//! Training parameters.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::tree::MAX_LEAVES;

/// The parameters of [`train`](crate::train).
///
/// The defaults suit a few thousand queries with one to three relevant candidates among a hundred.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The training objective.
    pub objective: Objective,
    /// The number of trees. At a rate of 0.05, held-out nDCG is flat from 200 on; a tree takes 200 bytes.
    pub trees: usize,
    /// The maximum number of leaves of a tree, 2 to [`MAX_LEAVES`]. With 15, a few features can interact, and a set of
    /// leaves fits 16 bits.
    pub leaves: usize,
    /// The learning rate. A low rate with many trees generalises better than the reverse.
    pub rate: f64,
    /// The minimum number of rows of a leaf. With one row in a hundred relevant, a smaller number overfits single
    /// queries.
    pub min_rows: u32,
    /// The minimum sum of second derivatives of a leaf; below it, the leaf's value is noise.
    pub min_hessian: f64,
    /// The fraction of the features that each tree may use, so that correlated features are all used.
    pub feature_fraction: f64,
    /// The fraction of the queries that each tree is trained on. Queries are sampled whole because their rows are not
    /// independent.
    pub query_fraction: f64,
    /// The L2 regularisation of leaf values: about the sum of second derivatives of a hundred rows.
    pub l2: f64,
    /// Only pairs whose better-ranked candidate is within this rank count: the evaluated ranks and a few more.
    pub truncation: usize,
    /// The monotonicity constraints by feature name; other features are unconstrained.
    pub monotone: BTreeMap<String, Monotone>,
    /// The random seed. Equal seeds, parameters and queries give equal rankers on one platform.
    pub seed: u64,
}

/// The training objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// The order of the candidates of a query (LambdaMART).
    #[default]
    Order,
    /// The probability that a candidate is relevant, with logistic loss. Scores are log odds, comparable across
    /// queries. A candidate is relevant if its label is above 0. Queries without a relevant candidate are used too.
    Probability,
}

/// The monotonicity of the score in a feature, all other features being equal. Missing values are exempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Monotone {
    /// The score does not decrease as the feature increases.
    Up,
    /// The score does not increase as the feature increases.
    Down,
    /// The feature is unconstrained.
    #[default]
    Free,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            objective: Objective::Order,
            trees: 250,
            leaves: 15,
            rate: 0.05,
            min_rows: 80,
            min_hessian: 1e-3,
            feature_fraction: 0.7,
            query_fraction: 0.8,
            l2: 5.0,
            truncation: 15,
            monotone: BTreeMap::new(),
            seed: 1,
        }
    }
}

/// A parameter is out of bounds.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ParameterError {
    /// A number is out of bounds.
    #[error("`{name}` is {found}, expected {expected}")]
    Bounds {
        /// The field's name.
        name: &'static str,
        /// The value.
        found: String,
        /// The allowed values.
        expected: &'static str,
    },
    /// A constraint refers to a feature that does not exist.
    #[error("the monotonicity constraint on `{name}` refers to an unknown feature")]
    Monotone {
        /// The feature's name.
        name: String,
    },
}

impl Parameters {
    /// Checks the bounds, and that the constraints refer to features.
    pub(crate) fn check(&self, features: &[String]) -> Result<(), ParameterError> {
        let share = |fraction: f64| fraction > 0.0 && fraction <= 1.0;
        let checks = [
            ("leaves", (2..=MAX_LEAVES).contains(&self.leaves), self.leaves as f64, "2 to 64"),
            ("rate", share(self.rate), self.rate, "more than 0, at most 1"),
            ("min_rows", self.min_rows > 0, f64::from(self.min_rows), "at least 1"),
            ("min_hessian", self.min_hessian > 0.0, self.min_hessian, "more than 0"),
            ("feature_fraction", share(self.feature_fraction), self.feature_fraction, "more than 0, at most 1"),
            ("query_fraction", share(self.query_fraction), self.query_fraction, "more than 0, at most 1"),
            ("l2", self.l2.is_finite() && self.l2 >= 0.0, self.l2, "at least 0"),
            ("truncation", self.truncation > 0, self.truncation as f64, "at least 1"),
        ];
        if let Some((name, _, found, expected)) = checks.into_iter().find(|(_, is_right, ..)| !is_right) {
            return Err(ParameterError::Bounds { name, found: found.to_string(), expected });
        }
        match self.monotone.keys().find(|name| !features.contains(name)) {
            Some(name) => Err(ParameterError::Monotone { name: name.clone() }),
            None => Ok(()),
        }
    }
}
