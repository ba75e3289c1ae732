//! Quantisation of feature values into bins, and histograms of gradients over them.
//!
//! Splits are searched between bins, not values. Each feature is divided at its quantiles into at most [`MAX_BINS`]
//! bins, and a value that many rows share has a bin of its own.

use std::ops::{AddAssign, Sub};

use rayon::prelude::*;

use crate::tree::finite;

/// A bin's index is a byte, and one index is reserved for missing values.
const MAX_BINS: usize = 255;

/// The bin of missing values.
pub(crate) const MISSING: u8 = 255;

/// The number of bins, with that of missing values.
pub(crate) const BIN_COUNT: usize = 256;

/// The values of one feature as bins.
#[derive(Debug)]
pub(crate) struct Column {
    /// The bin of each row.
    pub(crate) bins: Vec<u8>,
    /// The greatest value of each bin, ascending. A value belongs to the first bin whose bound is not less. The last
    /// bound is the greatest finite number. Empty if all values are missing.
    pub(crate) bounds: Vec<f32>,
}

/// Computes the bins of each feature of the rows.
pub(crate) fn columns(features: usize, rows: &[&[f32]]) -> Vec<Column> {
    (0..features)
        .into_par_iter()
        .map(|feature| {
            let values: Vec<f32> =
                rows.iter().flat_map(|rows| rows.iter().skip(feature).step_by(features)).copied().collect();
            column(&values)
        })
        .collect()
}

fn column(values: &[f32]) -> Column {
    let bounds = bounds(values);
    let bins = values.iter().map(|value| bin(*value, &bounds)).collect();
    Column { bins, bounds }
}

fn bin(value: f32, bounds: &[f32]) -> u8 {
    if value.is_nan() {
        return MISSING;
    }
    let bin = bounds.partition_point(|bound| *bound < finite(value));
    u8::try_from(bin).expect("there are at most 255 bins")
}

fn bounds(values: &[f32]) -> Vec<f32> {
    // Adding 0 turns -0.0 into 0.0.
    let mut sorted: Vec<f32> =
        values.iter().filter(|value| !value.is_nan()).map(|value| finite(*value) + 0.0).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let runs: Vec<(f32, usize)> =
        sorted.chunk_by(|left, right| left.total_cmp(right).is_eq()).map(|run| (run[0], run.len())).collect();
    let mut bounds: Vec<f32> =
        last_of_bins(&runs, sorted.len()).into_iter().map(|at| between(runs[at].0, runs[at + 1].0)).collect();
    if !runs.is_empty() {
        bounds.push(f32::MAX);
    }
    bounds
}

/// The indexes of the runs of equal values that end a bin, except the last.
fn last_of_bins(runs: &[(f32, usize)], values: usize) -> Vec<usize> {
    let before_last = runs.len().saturating_sub(1);
    if runs.len() <= MAX_BINS {
        return (0..before_last).collect();
    }
    let mut ends = Vec::new();
    let (mut left, mut in_bin) = (values, 0);
    for at in 0..before_last {
        in_bin += runs[at].1;
        let bins_left = MAX_BINS - ends.len();
        let share = left.div_ceil(bins_left);
        if bins_left > 1 && (in_bin >= share || (runs[at + 1].1 >= share && bins_left > 2)) {
            ends.push(at);
            left -= in_bin;
            in_bin = 0;
        }
    }
    ends
}

/// Returns a number that is at least `low` and less than `high`.
fn between(low: f32, high: f32) -> f32 {
    let middle = low / 2.0 + high / 2.0;
    if middle > low && middle < high { middle } else { low }
}

/// The derivatives of the loss with respect to a row's score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Gradient {
    pub(crate) first: f32,
    pub(crate) second: f32,
}

/// The sum of the gradients of several rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sum {
    pub(crate) first: f64,
    pub(crate) second: f64,
    pub(crate) rows: u32,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.first += other.first;
        self.second += other.second;
        self.rows += other.rows;
    }
}

impl Sub for Sum {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { first: self.first - other.first, second: self.second - other.second, rows: self.rows - other.rows }
    }
}

impl Sum {
    pub(crate) fn add(&mut self, gradient: Gradient) {
        self.first += f64::from(gradient.first);
        self.second += f64::from(gradient.second);
        self.rows += 1;
    }
}

/// The gradient sums of the bins of one feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Histogram(pub(crate) Box<[Sum; BIN_COUNT]>);

impl Histogram {
    /// Sums rows by bin. `gradients` has the gradient of each of `rows`, in the same order.
    pub(crate) fn from_rows(bins: &[u8], rows: &[u32], gradients: &[Gradient]) -> Self {
        let mut sums = Box::new([Sum::default(); BIN_COUNT]);
        for (row, gradient) in rows.iter().zip(gradients) {
            sums[usize::from(bins[*row as usize])].add(*gradient);
        }
        Self(sums)
    }

    /// Subtracts a subset of the rows.
    pub(crate) fn without(mut self, part: &Self) -> Self {
        for (sum, other) in self.0.iter_mut().zip(part.0.iter()) {
            *sum = *sum - *other;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_values_get_a_bin_each() {
        let column = column(&[1.0, f32::NAN, 0.0, 1.0, f32::INFINITY, -0.0]);
        assert_eq!(column.bins, [1, MISSING, 0, 1, 2, 0]);
        assert_eq!(column.bounds.len(), 3);
        assert!(super::column(&[f32::NAN]).bounds.is_empty());
    }

    #[test]
    fn many_values_fill_the_bins_evenly() {
        let values: Vec<f32> = (0..25_500_u16).map(f32::from).collect();
        let column = column(&values);
        assert_eq!(column.bounds.len(), MAX_BINS);
        for bin in 0..MAX_BINS {
            assert_eq!(column.bins.iter().filter(|other| usize::from(**other) == bin).count(), 100);
        }
    }

    proptest! {
        #[test]
        fn bins_keep_the_order_of_values(values in vec(prop_oneof![-1.0..1.0_f32, any::<f32>()], 1..2000)) {
            let column = column(&values);
            prop_assert!(column.bounds.len() <= MAX_BINS);
            prop_assert!(column.bounds.is_sorted_by(|left, right| left < right));
            let mut pairs: Vec<(f32, u8)> = values.into_iter().zip(column.bins).filter(|pair| !pair.0.is_nan()).collect();
            pairs.sort_by(|left, right| left.0.total_cmp(&right.0));
            prop_assert!(pairs.is_sorted_by_key(|pair| pair.1));
        }
    }
}
