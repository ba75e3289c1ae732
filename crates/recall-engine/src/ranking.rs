//! The learned rankers, the table of their features, and the factors of scores.
//!
//! In a hand-tuned sum, each signal needs a weight, and each weight depends on all others. Here small regression trees are learned
//! from the histories of other repositories, and read a row of features for each document (ADR 6). Code and prose have a ranker each,
//! since the signals of one mean little for the other; that of prose also orders memories. The relevance, a third one, estimates a
//! probability that compares all kinds (ADR 22). Each has a version for words only and one that reads cosines too.
//!
//! What the training data cannot teach, such as that a memory no longer holds, is a [`Factor`] on odds, not on scores: most scores
//! are near 1, so a factor on them would move only what is certain (ADR 12).
//!
//! A ranker finds its features by name, so a table with more features stays compatible; one that splits on an unknown feature is
//! rejected. Begin with `features`, `inputs` and `rankers`.

pub(crate) mod features;
pub(crate) mod inputs;
mod rankers;

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Sub};

pub use features::{Feature, FeatureGroup};
pub use inputs::{ContentKind, FeatureSet};
pub use rankers::{RankerError, RankerUse, Rankers};

/// A factor by which a prior multiplies a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The name of the prior.
    pub name: &'static str,
    /// What the score or its odds are multiplied by; below 1 it demotes.
    pub value: f64,
}

/// The mean and the standard deviation of a set of values, which make values of different scales comparable.
///
/// `T` is the precision of the computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ZScore<T> {
    pub(crate) mean: T,
    pub(crate) deviation: T,
}

/// A floating-point number.
pub(crate) trait Float:
    Copy + PartialOrd + From<f32> + Sum + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn from_count(count: usize) -> Self;
    fn sqrt(self) -> Self;
}

impl<T: Float> ZScore<T> {
    /// Returns the population mean and standard deviation; both are 0 if there are no values.
    pub(crate) fn compute(values: &[f32]) -> Self {
        let count = T::from_count(values.len().max(1));
        let mean = values.iter().map(|&value| T::from(value)).sum::<T>() / count;
        let squared = |&value: &f32| (T::from(value) - mean) * (T::from(value) - mean);
        let variance = values.iter().map(squared).sum::<T>() / count;
        Self { mean, deviation: variance.sqrt() }
    }

    /// Raises the deviation to a minimum, so that values that differ by rounding do not get high scores.
    pub(crate) fn with_min_deviation(self, min: T) -> Self {
        Self { deviation: if self.deviation > min { self.deviation } else { min }, ..self }
    }

    /// Returns the standard score of a value.
    pub(crate) fn score(self, value: f32) -> T {
        (T::from(value) - self.mean) / self.deviation
    }

    /// Returns the value with a standard score.
    pub(crate) fn value(self, score: T) -> T {
        self.mean + self.deviation * score
    }
}

impl Float for f32 {
    fn from_count(count: usize) -> Self {
        count as Self
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }
}

impl Float for f64 {
    fn from_count(count: usize) -> Self {
        count as Self
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_measured_in_deviations_from_the_mean() {
        let scores = ZScore::<f64>::compute(&[1.0, 3.0]);
        assert_eq!(scores, ZScore { mean: 2.0, deviation: 1.0 });
        assert!((scores.score(5.0) - 3.0).abs() < 1e-12);
        assert!((scores.value(-2.0)).abs() < 1e-12);
    }

    #[test]
    fn equal_values_do_not_divide_by_zero() {
        let scores = ZScore::<f32>::compute(&[0.5, 0.5]).with_min_deviation(1e-3);
        assert!(scores.score(0.5).abs() < 1e-9);
        assert_eq!(ZScore::<f32>::compute(&[]), ZScore { mean: 0.0, deviation: 0.0 });
    }
}
