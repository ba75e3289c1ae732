//! Growth of one tree.
//!
//! Trees grow leaf-wise: the leaf whose best split lowers the loss most is split next, until the maximum number of
//! leaves is reached. The histograms of the smaller child are computed, and those of its sibling by subtraction.

use rayon::prelude::*;

use crate::training::binning::{Column, MISSING};
use crate::training::histogram::{Gradient, Histogram, Sum};
use crate::training::parameters::{Monotone, Parameters};
use crate::training::split::{Leaf, SplitCandidate, ValueRange};
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
