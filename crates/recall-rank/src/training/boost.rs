//! Training of a ranker by gradient boosting, and the gradients of the candidates' scores.
//!
//! Each tree is fitted to the gradients of the candidates' scores, on a random sample of the queries and of the
//! features.
//!
//! LambdaMART (Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", MSR-TR-2010-82): each pair of
//! candidates with different labels is pushed apart by the change in nDCG that swapping them would cause. As in
//! LightGBM, a pair with distant scores weighs less, and the sum over a query is scaled logarithmically so that no
//! query dominates.

use oorandom::Rand64;
use rayon::prelude::*;
use thiserror::Error;

use crate::ranker::{Calibration, Parts, Ranker};
use crate::training::binning::{self, Column, Gradient};
use crate::training::grow::{GrowContext, Grown, grow};
use crate::training::judged::{self, Judged, JudgedError, JudgedQuery, discount, gain, ideal};
use crate::training::parameters::{Monotone, Objective, ParameterError, Parameters};

/// A ranker cannot be trained.
#[derive(Debug, Error, PartialEq)]
pub enum TrainError {
    /// The queries are inconsistent.
    #[error("the judged queries are invalid")]
    Judged(#[from] JudgedError),
    /// A parameter is out of bounds.
    #[error("a parameter is invalid")]
    Parameter(#[from] ParameterError),
    /// No query has two candidates of different relevance.
    #[error("no query has two candidates of different labels")]
    NoPair,
    /// There are too many rows or features.
    #[error("there are {rows} rows of {features} features, expected fewer than 2³² of at most 2¹⁵")]
    TooLarge {
        /// The number of rows.
        rows: usize,
        /// The number of features.
        features: usize,
    },
    /// The start has other features than the queries.
    #[error("the start ranker has other features ({found}) than the queries ({expected})")]
    Features {
        /// The number of features of the start.
        found: usize,
        /// The number of features of the queries.
        expected: usize,
    },
    /// There are fewer groups than folds, or fewer than two folds.
    #[error("{groups} groups cannot be split into {folds} folds of at least one, and there must be two folds")]
    Folds {
        /// The number of groups.
        groups: usize,
        /// The number of folds.
        folds: usize,
    },
}

/// The model that training starts from.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// None: every candidate has score 0.
    Nothing,
    /// A ranker of the same features. Its trees are kept, and new ones are added.
    Ranker(&'a Ranker),
}

/// Trains a ranker.
///
/// For [`Objective::Order`], queries whose candidates all have the same label are ignored. The ranker is not
/// calibrated, which requires scores of queries that it was not trained on: see
/// [`CrossValidation::calibration`](crate::CrossValidation::calibration). The result depends only on the queries, their
/// order and the parameters, not on the number of threads. The work runs in the caller's rayon pool. There are fewer
/// trees than requested if no further split lowers the loss.
///
/// # Errors
/// Fails if the queries or the parameters are invalid, or if there is nothing to learn.
pub fn train(judged: &Judged, parameters: &Parameters) -> Result<Ranker, TrainError> {
    train_from(Start::Nothing, judged, parameters)
}

/// Like [`train`], but continues the training of a start ranker.
///
/// This adapts a ranker that was trained on many queries to a few queries of one user. The result has the trees of the
/// start and at most as many new ones as the parameters allow.
///
/// # Errors
/// As [`train`]; also if the start has other features than the queries.
pub fn train_from(start: Start<'_>, judged: &Judged, parameters: &Parameters) -> Result<Ranker, TrainError> {
    check(start, judged, parameters)?;
    let queries: Vec<&JudgedQuery> = judged.queries.iter().collect();
    train_on(start, &judged.features, &queries, parameters)
}

/// Checks the queries and the parameters, and that the start has the same features.
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

/// Trains on some of the queries, which were checked.
pub(crate) fn train_on(
    start: Start<'_>,
    features: &[String],
    queries: &[&JudgedQuery],
    parameters: &Parameters,
) -> Result<Ranker, TrainError> {
    let queries: Vec<_> = queries.iter().copied().filter(|query| is_usable(query, parameters.objective)).collect();
    let rows: usize = queries.iter().map(|query| query.labels.len()).sum();
    if queries.is_empty() {
        return Err(TrainError::NoPair);
    }
    if u32::try_from(rows).is_err() || features.len() > 1 << 15 {
        return Err(TrainError::TooLarge { rows, features: features.len() });
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

/// The scores of all rows by a ranker.
fn scores(ranker: &Ranker, queries: &[&[f32]]) -> Vec<f64> {
    let (mut all, mut of_query) = (Vec::new(), Vec::new());
    for rows in queries {
        ranker.score_rows(rows, &mut of_query);
        all.extend(of_query.iter().copied().map(f64::from));
    }
    all
}

fn is_usable(query: &JudgedQuery, objective: Objective) -> bool {
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
    losses: Vec<Loss>,
    /// The first row of each query, then the number of rows.
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
            losses: queries.iter().map(|query| Loss::new(query, parameters)).collect(),
            offsets,
            gradients: vec![Gradient::default(); scores.len()],
            scores,
        }
    }

    /// Grows the next tree and adds it to the scores.
    fn step(&mut self) -> Grown {
        let queries = judged::fraction(&mut self.rng, self.losses.len(), self.parameters.query_fraction);
        let features = judged::fraction(&mut self.rng, self.columns.len(), self.parameters.feature_fraction);
        self.push_gradients();
        let rows =
            queries.iter().flat_map(|query| self.offsets[*query] as u32..self.offsets[query + 1] as u32).collect();
        let context = GrowContext {
            columns: &self.columns,
            monotone: &self.monotone,
            features: &features,
            parameters: self.parameters,
        };
        let grown = grow(context, rows, &self.gradients);
        self.scores
            .par_iter_mut()
            .enumerate()
            .with_min_len(4096)
            .for_each(|(row, score)| *score += f64::from(grown.value(&self.columns, row)));
        grown
    }

    fn push_gradients(&mut self) {
        let mut rest = self.gradients.as_mut_slice();
        let mut parts = Vec::with_capacity(self.losses.len());
        for (loss, bounds) in self.losses.iter().zip(self.offsets.windows(2)) {
            let (part, after) = rest.split_at_mut(bounds[1] - bounds[0]);
            rest = after;
            parts.push((loss, &self.scores[bounds[0]..bounds[1]], part));
        }
        parts.into_par_iter().for_each(|(loss, scores, gradients)| loss.gradients(scores, gradients));
    }
}

/// The loss of one query.
#[derive(Debug)]
pub(crate) enum Loss {
    /// The order of the candidates.
    Order(Lambdas),
    /// The logistic loss of each candidate's label, with the query's weight.
    Probability { relevant: Vec<bool>, weight: f64 },
}

impl Loss {
    pub(crate) fn new(query: &JudgedQuery, parameters: &Parameters) -> Self {
        match parameters.objective {
            Objective::Order => Self::Order(Lambdas::new(query, parameters.truncation)),
            Objective::Probability => Self::Probability {
                relevant: query.labels.iter().map(|label| *label > 0.0).collect(),
                weight: f64::from(query.weight),
            },
        }
    }

    /// Writes the gradient of each candidate for the given scores.
    pub(crate) fn gradients(&self, scores: &[f64], gradients: &mut [Gradient]) {
        match self {
            Self::Order(lambdas) => lambdas.gradients(scores, gradients),
            Self::Probability { relevant, weight } => {
                for ((gradient, &score), &is_relevant) in gradients.iter_mut().zip(scores).zip(relevant) {
                    let probability = 1.0 / (1.0 + (-score).exp());
                    let wanted = f64::from(u8::from(is_relevant));
                    *gradient = Gradient {
                        first: ((probability - wanted) * weight) as f32,
                        second: (probability * (1.0 - probability) * weight) as f32,
                    };
                }
            }
        }
    }
}

/// Bounds the weight of pairs with equal scores.
const MIN_DISTANCE: f64 = 0.01;

/// The precomputed labels of a query.
#[derive(Debug)]
pub(crate) struct Lambdas {
    gains: Vec<f64>,
    /// The discount of each rank.
    discounts: Vec<f64>,
    /// The nDCG that one unit of gain adds at the first rank.
    unit: f64,
    weight: f64,
    truncation: usize,
}

impl Lambdas {
    pub(crate) fn new(query: &JudgedQuery, truncation: usize) -> Self {
        let gains: Vec<f64> = query.labels.iter().map(|label| gain(*label)).collect();
        let discounts = (0..gains.len()).map(discount).collect();
        let ideal = ideal(truncation, &query.labels, query.missed);
        let unit = if ideal > 0.0 { 1.0 / ideal } else { 0.0 };
        Self { gains, discounts, unit, weight: f64::from(query.weight), truncation }
    }

    /// Writes the gradient of each candidate for the given scores.
    pub(crate) fn gradients(&self, scores: &[f64], gradients: &mut [Gradient]) {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]));
        let mut sums = vec![(0.0, 0.0); scores.len()];
        let mut total = 0.0;
        let spread = order.first().map_or(0.0, |first| scores[*first] - scores[order[order.len() - 1]]);
        for (rank, &upper) in order.iter().enumerate().take(self.truncation) {
            for (below, &lower) in order.iter().enumerate().skip(rank + 1) {
                let gap = self.gains[upper] - self.gains[lower];
                if gap == 0.0 {
                    continue;
                }
                let (better, worse) = if gap > 0.0 { (upper, lower) } else { (lower, upper) };
                let distance = scores[better] - scores[worse];
                let mut change = gap.abs() * (self.discounts[rank] - self.discounts[below]) * self.unit;
                if spread > 0.0 {
                    change /= MIN_DISTANCE + distance.abs();
                }
                let doubt = 1.0 / (1.0 + distance.exp());
                let (first, second) = (doubt * change, doubt * (1.0 - doubt) * change);
                sums[better].0 -= first;
                sums[worse].0 += first;
                sums[better].1 += second;
                sums[worse].1 += second;
                total += 2.0 * first;
            }
        }
        let scale = if total > 0.0 { (1.0 + total).log2() / total * self.weight } else { 0.0 };
        for (gradient, (first, second)) in gradients.iter_mut().zip(sums) {
            *gradient = Gradient { first: (first * scale) as f32, second: (second * scale) as f32 };
        }
    }
}
