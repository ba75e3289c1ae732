//! The best split of a leaf.

use crate::training::binning::MISSING;
use crate::training::histogram::{Histogram, Sum};
use crate::training::parameters::{Monotone, Parameters};
use crate::tree::Side;

/// The bounds on a leaf's value that follow from the monotonicity constraints of the splits above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ValueRange {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl ValueRange {
    pub(crate) const ALL: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY };
}

/// A possible split of a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SplitCandidate {
    /// The index of the feature among all features.
    pub(crate) feature: usize,
    /// The last bin that goes left.
    pub(crate) bin: u8,
    pub(crate) missing: Side,
    /// The decrease of the loss; positive.
    pub(crate) gain: f64,
    pub(crate) left: Sum,
    pub(crate) right: Sum,
    pub(crate) monotone: Monotone,
}

/// A leaf to split, with the bounds on the values of its children.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'a> {
    pub(crate) sum: Sum,
    pub(crate) range: ValueRange,
    pub(crate) parameters: &'a Parameters,
}

impl Leaf<'_> {
    /// The value that minimises the loss (Burges, MSR-TR-2010-82, section 7), clamped to the range.
    pub(crate) fn value(&self, sum: Sum) -> f64 {
        (-sum.first / (sum.second + self.parameters.l2)).clamp(self.range.least, self.range.most)
    }

    /// Twice the decrease of the loss with that value.
    fn gain(&self, sum: Sum, value: f64) -> f64 {
        -(2.0 * sum.first * value + (sum.second + self.parameters.l2) * value * value)
    }

    /// Returns the best split on one feature with `bins` bins; `None` if none lowers the loss.
    pub(crate) fn best(
        &self,
        feature: usize,
        bins: usize,
        histogram: &Histogram,
        monotone: Monotone,
    ) -> Option<SplitCandidate> {
        let missing = histogram.0[usize::from(MISSING)];
        let without_split = self.gain(self.sum, self.value(self.sum));
        let mut best: Option<SplitCandidate> = None;
        let sides: &[Side] = if missing.rows > 0 { &[Side::Right, Side::Left] } else { &[Side::Right] };
        for side in sides {
            let mut left = if *side == Side::Left { missing } else { Sum::default() };
            // The last bin can end the left part only if missing values form the right one.
            let ends = if missing.rows > 0 && *side == Side::Right { bins } else { bins.saturating_sub(1) };
            for (bin, sum) in histogram.0[..ends].iter().enumerate() {
                if sum.rows == 0 {
                    continue;
                }
                left += *sum;
                let right = self.sum - left;
                if right.rows < self.parameters.min_rows {
                    break;
                }
                let Some(gain) = self.gain_of_split(left, right, monotone) else { continue };
                let gain = gain - without_split;
                if gain > best.map_or(0.0, |best| best.gain) {
                    let bin = u8::try_from(bin).expect("there are at most 255 bins");
                    best = Some(SplitCandidate { feature, bin, missing: *side, gain, left, right, monotone });
                }
            }
        }
        best.map(|best| if missing.rows == 0 { with_the_larger_side(best) } else { best })
    }

    fn gain_of_split(&self, left: Sum, right: Sum, monotone: Monotone) -> Option<f64> {
        let is_small = |sum: Sum| sum.rows < self.parameters.min_rows || sum.second < self.parameters.min_hessian;
        if is_small(left) || is_small(right) {
            return None;
        }
        let (at_left, at_right) = (self.value(left), self.value(right));
        let is_allowed = match monotone {
            Monotone::Up => at_left <= at_right,
            Monotone::Down => at_left >= at_right,
            Monotone::Free => true,
        };
        is_allowed.then(|| self.gain(left, at_left) + self.gain(right, at_right))
    }

    /// The bounds on the values of both children. Within them the constraint holds for all descendants.
    pub(crate) fn ranges(&self, split: &SplitCandidate) -> (ValueRange, ValueRange) {
        let middle = f64::midpoint(self.value(split.left), self.value(split.right));
        let below = ValueRange { most: middle, ..self.range };
        let above = ValueRange { least: middle, ..self.range };
        match split.monotone {
            Monotone::Up => (below, above),
            Monotone::Down => (above, below),
            Monotone::Free => (self.range, self.range),
        }
    }
}

/// If no training row lacks the value, a row without it goes with the majority.
fn with_the_larger_side(split: SplitCandidate) -> SplitCandidate {
    let missing = if split.left.rows >= split.right.rows { Side::Left } else { Side::Right };
    SplitCandidate { missing, ..split }
}
