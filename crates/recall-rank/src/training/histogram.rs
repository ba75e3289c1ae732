//! Histograms of gradients over the bins of a feature.

use std::ops::{AddAssign, Sub};

use crate::training::binning::BIN_COUNT;

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
