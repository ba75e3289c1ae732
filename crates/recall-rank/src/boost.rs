//! How is a ranker learnt from judged queries?
//!
//! Gradient boosting: each tree is grown towards what the candidates still want of their scores, on a random share of the
//! queries and of the features.

use oorandom::Rand64;
use rayon::prelude::*;
use thiserror::Error;

use crate::binning::{self, Column};
use crate::calibrate::Calibration;
use crate::grow::{Ground, Grown, grow};
use crate::histogram::Gradient;
use crate::judged::{Judged, JudgedError, JudgedQuery};
use crate::lambda::Wants;
use crate::parameters::{Monotone, Objective, ParameterError, Parameters};
use crate::ranker::{Parts, Ranker};
use crate::sample;

/// Nothing can be learnt.
#[derive(Debug, Error, PartialEq)]
pub enum TrainError {
    /// The queries contradict themselves.
    #[error("the judged queries cannot be used")]
    Judged(#[from] JudgedError),
    /// A parameter is out of bounds.
    #[error("a parameter cannot be used")]
    Parameter(#[from] ParameterError),
    /// No query has two candidates of different relevance.
    #[error("no query has two candidates of different labels")]
    NoPair,
    /// There is more than is counted with.
    #[error("there are {rows} rows of {features} features, expected fewer than 2³² of at most 2¹⁵")]
    TooMuch {
        /// How many rows there are.
        rows: usize,
        /// How many features there are.
        features: usize,
    },
    /// The ranker to go on from knows other features.
    #[error("the ranker to go on from knows other features ({found} of them) than the queries ({expected})")]
    Features {
        /// How many it knows.
        found: usize,
        /// How many the queries have.
        expected: usize,
    },
    /// The queries are of fewer groups than there should be folds.
    #[error("{groups} groups cannot be split into {folds} folds of at least one, and there must be two folds")]
    Folds {
        /// How many groups there are.
        groups: usize,
        /// How many folds there should be.
        folds: usize,
    },
}

/// What learning begins with.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// Nothing: every candidate has the score 0.
    Nothing,
    /// A ranker of the same features: its trees are kept, and what is learnt is added to them.
    Ranker(&'a Ranker),
}

/// Learns a ranker.
///
/// For an order, queries whose candidates all have the same label teach nothing and are left out. The ranker is not calibrated: that takes
/// scores of queries that it has not seen, see [`CrossValidation::calibration`](crate::CrossValidation::calibration). The
/// result depends on the queries, their order and the parameters alone, not on the number of threads; it works in the
/// caller's rayon pool. There are fewer trees than asked for if no split lowers the loss any more.
///
/// # Errors
/// Fails if the queries or the parameters cannot be used, or if there is nothing to learn.
pub fn train(judged: &Judged, parameters: &Parameters) -> Result<Ranker, TrainError> {
    train_from(Start::Nothing, judged, parameters)
}

/// Learns a ranker as [`train`] does, from a start.
///
/// Few queries of one's own say how a ranker that many others' queries made should differ, and no more. The result has the
/// trees of the start and at most as many new ones as the parameters say.
///
/// # Errors
/// As [`train`]; also where the start knows other features than the queries.
pub fn train_from(start: Start<'_>, judged: &Judged, parameters: &Parameters) -> Result<Ranker, TrainError> {
    check(start, judged, parameters)?;
    let queries: Vec<&JudgedQuery> = judged.queries.iter().collect();
    train_on(start, &judged.features, &queries, parameters)
}

/// Whether the queries, the parameters and the start fit each other.
pub(crate) fn check(start: Start<'_>, judged: &Judged, parameters: &Parameters) -> Result<(), TrainError> {
    judged.check()?;
    parameters.check(&judged.features)?;
    match start {
        Start::Ranker(ranker) if ranker.features() != judged.features => {
            Err(TrainError::Features { found: ranker.features().len(), expected: judged.features.len() })
        }
        _ => Ok(()),
    }
}

/// Learns from some of the queries, all of them checked.
pub(crate) fn train_on(
    start: Start<'_>,
    features: &[String],
    queries: &[&JudgedQuery],
    parameters: &Parameters,
) -> Result<Ranker, TrainError> {
    let queries: Vec<_> = queries.iter().copied().filter(|query| teaches(query, parameters.objective)).collect();
    let rows: usize = queries.iter().map(|query| query.labels.len()).sum();
    if queries.is_empty() {
        return Err(TrainError::NoPair);
    }
    if u32::try_from(rows).is_err() || features.len() > 1 << 15 {
        return Err(TrainError::TooMuch { rows, features: features.len() });
    }
    let mut boosting = Boosting::new(start, features, &queries, parameters);
    let (mut gains, mut trees) = match start {
        Start::Nothing => (vec![0.0; features.len()], Vec::new()),
        Start::Ranker(ranker) => {
            (ranker.parts.gains.iter().copied().map(f64::from).collect(), ranker.parts.trees.clone())
        }
    };
    for _ in 0..parameters.trees {
        let grown = boosting.step();
        if grown.is_split() {
            grown.gains().for_each(|(feature, gain)| gains[feature] += gain);
            trees.push(grown.tree(&boosting.columns));
        }
    }
    let gains = gains.into_iter().map(|gain| gain as f32).collect();
    Ok(Ranker::new(Parts { features: features.to_vec(), gains, trees, calibration: Calibration::default() }))
}

/// The score that a ranker gives each row.
fn scores(ranker: &Ranker, queries: &[&[f32]]) -> Vec<f64> {
    let (mut all, mut of_query) = (Vec::new(), Vec::new());
    for rows in queries {
        ranker.score_rows(rows, &mut of_query);
        all.extend(of_query.iter().copied().map(f64::from));
    }
    all
}

fn teaches(query: &JudgedQuery, objective: Objective) -> bool {
    match objective {
        Objective::Order => query.labels.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_ne()),
        Objective::Probability => !query.labels.is_empty(),
    }
}

/// The state between two trees.
struct Boosting<'a> {
    parameters: &'a Parameters,
    rng: Rand64,
    columns: Vec<Column>,
    monotone: Vec<Monotone>,
    wants: Vec<Wants>,
    /// The first row of each query, and the number of rows.
    offsets: Vec<usize>,
    /// The score of each row.
    scores: Vec<f64>,
    gradients: Vec<Gradient>,
}

impl<'a> Boosting<'a> {
    fn new(start: Start<'_>, features: &[String], queries: &[&JudgedQuery], parameters: &'a Parameters) -> Self {
        let rows: Vec<&[f32]> = queries.iter().map(|query| query.rows.as_slice()).collect();
        let mut offsets = vec![0];
        for query in queries {
            offsets.push(offsets[offsets.len() - 1] + query.labels.len());
        }
        let scores = match start {
            Start::Nothing => vec![0.0; offsets[queries.len()]],
            Start::Ranker(ranker) => scores(ranker, &rows),
        };
        Self {
            parameters,
            rng: Rand64::new(u128::from(parameters.seed)),
            columns: binning::columns(features.len(), &rows),
            monotone: features.iter().map(|name| parameters.monotone.get(name).copied().unwrap_or_default()).collect(),
            wants: queries.iter().map(|query| Wants::new(query, parameters)).collect(),
            offsets,
            gradients: vec![Gradient::default(); scores.len()],
            scores,
        }
    }

    /// Grows the next tree and adds it to the scores.
    fn step(&mut self) -> Grown {
        let queries = sample::share(&mut self.rng, self.wants.len(), self.parameters.query_fraction);
        let features = sample::share(&mut self.rng, self.columns.len(), self.parameters.feature_fraction);
        self.push_gradients();
        let rows =
            queries.iter().flat_map(|query| self.offsets[*query] as u32..self.offsets[query + 1] as u32).collect();
        let ground = Ground {
            columns: &self.columns,
            monotone: &self.monotone,
            features: &features,
            parameters: self.parameters,
        };
        let grown = grow(ground, rows, &self.gradients);
        self.scores
            .par_iter_mut()
            .enumerate()
            .with_min_len(4096)
            .for_each(|(row, score)| *score += f64::from(grown.value(&self.columns, row)));
        grown
    }

    fn push_gradients(&mut self) {
        let mut rest = self.gradients.as_mut_slice();
        let mut parts = Vec::with_capacity(self.wants.len());
        for (wants, bounds) in self.wants.iter().zip(self.offsets.windows(2)) {
            let (part, after) = rest.split_at_mut(bounds[1] - bounds[0]);
            rest = after;
            parts.push((wants, &self.scores[bounds[0]..bounds[1]], part));
        }
        parts.into_par_iter().for_each(|(wants, scores, gradients)| wants.gradients(scores, gradients));
    }
}
