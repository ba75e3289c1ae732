//! Growth of one tree, and the best split of a leaf.
//!
//! Trees grow leaf-wise: the leaf whose best split lowers the loss most is split next, until the maximum number of
//! leaves is reached. The histograms of the smaller child are computed, and those of its sibling by subtraction.

use rayon::prelude::*;

use crate::training::binning::{Column, Gradient, Histogram, MISSING, Sum};
use crate::training::parameters::{Monotone, Parameters};
use crate::tree::{Node, Side, Tree};

/// The data and parameters for growing a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GrowContext<'a> {
    pub(crate) columns: &'a [Column],
    /// The monotonicity constraint of each feature.
    pub(crate) monotone: &'a [Monotone],
    /// The features that the tree may split on, ascending.
    pub(crate) features: &'a [usize],
    pub(crate) parameters: &'a Parameters,
}

/// A tree whose thresholds are bins.
#[derive(Debug)]
pub(crate) struct Grown {
    nodes: Vec<GrownNode>,
}

#[derive(Debug)]
enum GrownNode {
    Split { split: SplitCandidate, left: usize, right: usize },
    Leaf { value: f32, rows: u32 },
}

/// A leaf that may still be split.
struct OpenLeaf {
    node: usize,
    rows: Vec<u32>,
    sum: Sum,
    range: ValueRange,
    /// One per feature that the tree may split on.
    histograms: Vec<Histogram>,
    best: Option<SplitCandidate>,
}

/// Grows a tree on some rows. `gradients` has one entry per row of the training set.
pub(crate) fn grow(context: GrowContext<'_>, rows: Vec<u32>, gradients: &[Gradient]) -> Grown {
    let mut sum = Sum::default();
    for row in &rows {
        sum.add(gradients[*row as usize]);
    }
    let histograms = context.histograms(&rows, gradients);
    let mut grown = Grown { nodes: Vec::new() };
    let mut open = vec![context.open(&mut grown, rows, sum, ValueRange::ALL, histograms)];
    for _ in 1..context.parameters.leaves {
        let Some((at, split)) = best_of(&open) else { break };
        let leaf = open.swap_remove(at);
        let (left, right) = context.split(&mut grown, leaf, split, gradients);
        open.extend([left, right]);
    }
    grown
}

/// The leaf to split next; of equal ones the oldest.
fn best_of(open: &[OpenLeaf]) -> Option<(usize, SplitCandidate)> {
    let candidates = open.iter().enumerate().filter_map(|(at, leaf)| leaf.best.map(|best| (at, leaf.node, best)));
    let best = candidates.reduce(|best, next| {
        let order = next.2.gain.total_cmp(&best.2.gain).then(best.1.cmp(&next.1));
        if order.is_gt() { next } else { best }
    });
    best.map(|(at, _, split)| (at, split))
}

impl GrowContext<'_> {
    fn histograms(&self, rows: &[u32], gradients: &[Gradient]) -> Vec<Histogram> {
        let of_rows: Vec<Gradient> = rows.iter().map(|row| gradients[*row as usize]).collect();
        self.features
            .par_iter()
            .map(|feature| Histogram::from_rows(&self.columns[*feature].bins, rows, &of_rows))
            .collect()
    }

    fn open(
        &self,
        grown: &mut Grown,
        rows: Vec<u32>,
        sum: Sum,
        range: ValueRange,
        histograms: Vec<Histogram>,
    ) -> OpenLeaf {
        let leaf = Leaf { sum, range, parameters: self.parameters };
        let best = self
            .features
            .iter()
            .zip(&histograms)
            .filter_map(|(feature, histogram)| {
                let bins = self.columns[*feature].bounds.len();
                leaf.best(*feature, bins, histogram, self.monotone[*feature])
            })
            .reduce(|best, next| if next.gain > best.gain { next } else { best });
        let node = grown.nodes.len();
        let value = (leaf.value(sum) * self.parameters.rate) as f32;
        grown.nodes.push(GrownNode::Leaf { value, rows: sum.rows });
        OpenLeaf { node, rows, sum, range, histograms, best }
    }

    fn split(
        &self,
        grown: &mut Grown,
        leaf: OpenLeaf,
        split: SplitCandidate,
        gradients: &[Gradient],
    ) -> (OpenLeaf, OpenLeaf) {
        let bins = &self.columns[split.feature].bins;
        let (left, right): (Vec<u32>, Vec<u32>) =
            leaf.rows.into_iter().partition(|row| side_of(bins[*row as usize], &split) == Side::Left);
        let smaller = if left.len() <= right.len() { &left } else { &right };
        let of_smaller = self.histograms(smaller, gradients);
        let of_larger: Vec<Histogram> =
            leaf.histograms.into_iter().zip(&of_smaller).map(|(whole, part)| whole.without(part)).collect();
        let (of_left, of_right) =
            if left.len() <= right.len() { (of_smaller, of_larger) } else { (of_larger, of_smaller) };
        let (range_left, range_right) =
            Leaf { sum: leaf.sum, range: leaf.range, parameters: self.parameters }.ranges(&split);
        let left = self.open(grown, left, split.left, range_left, of_left);
        let right = self.open(grown, right, split.right, range_right, of_right);
        grown.nodes[leaf.node] = GrownNode::Split { split, left: left.node, right: right.node };
        (left, right)
    }
}

fn side_of(bin: u8, split: &SplitCandidate) -> Side {
    match bin {
        MISSING => split.missing,
        bin if bin <= split.bin => Side::Left,
        _ => Side::Right,
    }
}

impl Grown {
    /// Returns the value of the leaf that a row reaches.
    pub(crate) fn value(&self, columns: &[Column], row: usize) -> f32 {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                GrownNode::Leaf { value, .. } => return *value,
                GrownNode::Split { split, left, right } => {
                    at = match side_of(columns[split.feature].bins[row], split) {
                        Side::Left => *left,
                        Side::Right => *right,
                    };
                }
            }
        }
    }

    /// Whether the tree has a split. A tree without one does not affect the order.
    pub(crate) fn is_split(&self) -> bool {
        self.nodes.len() > 1
    }

    /// Returns the feature and the gain of each split.
    pub(crate) fn gains(&self) -> impl Iterator<Item = (usize, f64)> {
        self.nodes.iter().filter_map(|node| match node {
            GrownNode::Split { split, .. } => Some((split.feature, split.gain)),
            GrownNode::Leaf { .. } => None,
        })
    }

    /// Converts the tree to one whose thresholds are values.
    pub(crate) fn tree(&self, columns: &[Column]) -> Tree {
        let mut open = vec![0];
        let tree = Tree::in_pre_order(|| -> Result<Node, std::convert::Infallible> {
            let at = open.pop().expect("every child has a node");
            Ok(match &self.nodes[at] {
                GrownNode::Leaf { value, rows } => Node::Leaf { value: *value, cover: *rows },
                GrownNode::Split { split, left, right } => {
                    open.extend([*right, *left]);
                    Node::Split {
                        feature: u16::try_from(split.feature).expect("the number of features was checked"),
                        threshold: columns[split.feature].bounds[usize::from(split.bin)],
                        missing: split.missing,
                        right: 0,
                    }
                }
            })
        });
        match tree {
            Ok(tree) => tree.expect("a tree grows at most the allowed leaves"),
            Err(never) => match never {},
        }
    }
}

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
