//! Where is a leaf best split in two?

use crate::binning::MISSING;
use crate::histogram::{Histogram, Sum};
use crate::parameters::{Monotone, Parameters};
use crate::tree::Side;

/// What the value of a leaf must lie between, for the sake of the constraints on the splits above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Range {
    pub(crate) const ALL: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY };
}

/// A way to split a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    /// The place of the feature among all features.
    pub(crate) feature: usize,
    /// The last bin that goes left.
    pub(crate) bin: u8,
    pub(crate) missing: Side,
    /// By how much the loss falls; positive.
    pub(crate) gain: f64,
    pub(crate) left: Sum,
    pub(crate) right: Sum,
    pub(crate) monotone: Monotone,
}

/// The leaf that is to be split, and the bounds of what may come of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'a> {
    pub(crate) sum: Sum,
    pub(crate) range: Range,
    pub(crate) parameters: &'a Parameters,
}

impl Leaf<'_> {
    /// The value that lowers the loss most (Burges, MSR-TR-2010-82, section 7), within the range.
    pub(crate) fn value(&self, sum: Sum) -> f64 {
        (-sum.first / (sum.second + self.parameters.l2)).clamp(self.range.least, self.range.most)
    }

    /// By how much the loss falls, twice, with that value.
    fn gain(&self, sum: Sum, value: f64) -> f64 {
        -(2.0 * sum.first * value + (sum.second + self.parameters.l2) * value * value)
    }

    /// The best split on one feature of that many bins, if any lowers the loss.
    pub(crate) fn best(
        &self,
        feature: usize,
        bins: usize,
        histogram: &Histogram,
        monotone: Monotone,
    ) -> Option<Candidate> {
        let missing = histogram.0[usize::from(MISSING)];
        let without_split = self.gain(self.sum, self.value(self.sum));
        let mut best: Option<Candidate> = None;
        let sides: &[Side] = if missing.rows > 0 { &[Side::Right, Side::Left] } else { &[Side::Right] };
        for side in sides {
            let mut left = if *side == Side::Left { missing } else { Sum::default() };
            // The last bin ends a left part only where the missing values are left to be the right one.
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
                    best = Some(Candidate { feature, bin, missing: *side, gain, left, right, monotone });
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

    /// What the values on both sides of a split must lie between: below it the constraint cannot be broken any more.
    pub(crate) fn ranges(&self, split: &Candidate) -> (Range, Range) {
        let middle = f64::midpoint(self.value(split.left), self.value(split.right));
        let below = Range { most: middle, ..self.range };
        let above = Range { least: middle, ..self.range };
        match split.monotone {
            Monotone::Up => (below, above),
            Monotone::Down => (above, below),
            Monotone::Free => (self.range, self.range),
        }
    }
}

/// Where no row of training lacks the value, one that does is most like the many.
fn with_the_larger_side(split: Candidate) -> Candidate {
    let missing = if split.left.rows >= split.right.rows { Side::Left } else { Side::Right };
    Candidate { missing, ..split }
}
