//! Gradients of the candidates' scores.
//!
//! LambdaMART (Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", MSR-TR-2010-82): each pair of
//! candidates with different labels is pushed apart by the change in nDCG that swapping them would cause. As in
//! LightGBM, a pair with distant scores weighs less, and the sum over a query is scaled logarithmically so that no
//! query dominates.

use crate::training::binning::Gradient;
use crate::training::judged::{JudgedQuery, discount, gain, ideal};
use crate::training::parameters::{Objective, Parameters};

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
