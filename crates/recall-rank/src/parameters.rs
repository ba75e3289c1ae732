//! How is learnt?

use std::collections::BTreeMap;

use thiserror::Error;

use crate::tree::MAX_LEAVES;

/// How [`train`](crate::train) learns.
///
/// The defaults suit some thousands of queries with one to three relevant candidates among a hundred.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// What the scores are learnt for.
    pub objective: Objective,
    /// How many trees are added up. At the rate of 0.05 held-out nDCG is flat from 200 on; a tree costs 200 bytes.
    pub trees: usize,
    /// The most leaves of a tree, 2 to [`MAX_LEAVES`]. 15 let a handful of features work together and fit a set of 16 bits.
    pub leaves: usize,
    /// How much of each tree is taken. Slow learning with many trees generalises better than the reverse.
    pub rate: f64,
    /// The fewest rows of a leaf. With one row in a hundred relevant, fewer would learn single queries by heart.
    pub min_rows: u32,
    /// The least sum of second derivatives of a leaf: below, its value is noise.
    pub min_hessian: f64,
    /// The share of the features that each tree sees, so that no signal hides the others that say nearly the same.
    pub feature_fraction: f64,
    /// The share of the queries that each tree sees, whole queries only: the rows of one are not independent.
    pub query_fraction: f64,
    /// How strongly the values of leaves are drawn towards 0; about the second derivatives of a hundred rows.
    pub l2: f64,
    /// Pairs matter whose better-ranked candidate is among so many: the ranks that are measured and a few more.
    pub truncation: usize,
    /// How the score may follow a feature, by name; what is not named is free.
    pub monotone: BTreeMap<String, Monotone>,
    /// What chance depends on. Equal seeds, parameters and queries give equal rankers on one platform.
    pub seed: u64,
}

/// What the scores of a ranker are learnt for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// The order of the candidates of a query (LambdaMART).
    #[default]
    Order,
    /// The probability that a candidate is relevant, by the logistic loss: scores are log odds, comparable across queries. A
    /// candidate is relevant if its label is above 0. Queries without a relevant candidate teach as well.
    Probability,
}

/// How a score may follow a feature, all others being equal; a missing value is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Monotone {
    /// It never falls as the feature rises.
    Up,
    /// It never rises as the feature rises.
    Down,
    /// It may do both.
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
        /// The name of the field.
        name: &'static str,
        /// What it is.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The name of a constraint is no feature's.
    #[error("the constraint on `{name}` names no feature")]
    Monotone {
        /// The name.
        name: String,
    },
}

impl Parameters {
    /// Checks the bounds, and that constraints name features.
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
