//! Feature contributions to a score.
//!
//! Computes exact Shapley values of the trees by the path-dependent algorithm of Lundberg, Erion and Lee, "Consistent
//! Individualized Feature Attribution for Tree Ensembles" (2018), algorithm 2. A split on an unknown feature follows
//! both children, weighted by their numbers of training rows. The simpler sum of changes along the path of the row is
//! not used because it credits a feature for its position in the tree.

use crate::tree::{Node, Side, Tree, side_of};

/// The decomposition of a score: `base` plus the sum of `by_feature`, up to the rounding of the score to 32 bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// The mean score of the training rows.
    pub base: f64,
    /// The contribution of each feature, in the order of the ranker's features.
    pub by_feature: Vec<f64>,
}

/// Decomposes the score of a row.
pub(crate) fn decompose(trees: &[Tree], row: &[f32]) -> Contributions {
    let mut contributions = Contributions { base: 0.0, by_feature: vec![0.0; row.len()] };
    for tree in trees {
        let covers = covers(tree.nodes());
        contributions.base += mean(tree.nodes(), &covers);
        let mut descent =
            Descent { nodes: tree.nodes(), covers: &covers, row, by_feature: &mut contributions.by_feature };
        descent.visit(0, Vec::new(), Step { feature: None, zero: 1.0, one: 1.0, weight: 0.0 });
    }
    contributions
}

/// The number of training rows that reached each node.
fn covers(nodes: &[Node]) -> Vec<f64> {
    let mut covers = vec![0.0; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev() {
        covers[at] = match *node {
            Node::Leaf { cover, .. } => f64::from(cover),
            Node::Split { right, .. } => covers[at + 1] + covers[usize::from(right)],
        };
    }
    covers
}

fn mean(nodes: &[Node], covers: &[f64]) -> f64 {
    let sum: f64 = nodes
        .iter()
        .map(|node| match *node {
            Node::Leaf { value, cover } => f64::from(value) * f64::from(cover),
            Node::Split { .. } => 0.0,
        })
        .sum();
    sum / covers[0]
}

/// A feature on the path to a node.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// `None` for the step to the root.
    feature: Option<u16>,
    /// The fraction of training rows that take this branch, used if the feature is unknown.
    zero: f64,
    /// 1 if the row takes this branch, otherwise 0.
    one: f64,
    /// The weight of the subsets of the path whose size is this step's index.
    weight: f64,
}

struct Descent<'a> {
    nodes: &'a [Node],
    covers: &'a [f64],
    row: &'a [f32],
    by_feature: &'a mut [f64],
}

impl Descent<'_> {
    fn visit(&mut self, at: usize, mut path: Vec<Step>, step: Step) {
        extend(&mut path, step);
        match self.nodes[at] {
            Node::Leaf { value, .. } => self.credit(&path, f64::from(value)),
            Node::Split { feature, threshold, missing, right } => {
                let (left, right) = (at + 1, usize::from(right));
                let (hot, cold) = match side_of(self.row[usize::from(feature)], threshold, missing) {
                    Side::Left => (left, right),
                    Side::Right => (right, left),
                };
                let (mut zero, mut one) = (1.0, 1.0);
                if let Some(known) = path.iter().position(|step| step.feature == Some(feature)) {
                    (zero, one) = (path[known].zero, path[known].one);
                    unwind(&mut path, known);
                }
                let step = |child: usize, one: f64| {
                    let zero = zero * self.covers[child] / self.covers[at];
                    Step { feature: Some(feature), zero, one, weight: 0.0 }
                };
                let (if_hot, if_cold) = (step(hot, one), step(cold, 0.0));
                self.visit(hot, path.clone(), if_hot);
                self.visit(cold, path, if_cold);
            }
        }
    }

    fn credit(&mut self, path: &[Step], value: f64) {
        for (at, step) in path.iter().enumerate() {
            let Some(feature) = step.feature else { continue };
            let weight: f64 = weights_without(path, at).sum();
            self.by_feature[usize::from(feature)] += weight * (step.one - step.zero) * value;
        }
    }
}

/// Extends the subsets of the path by a step.
fn extend(path: &mut Vec<Step>, step: Step) {
    let length = path.len();
    path.push(Step { weight: if length == 0 { 1.0 } else { 0.0 }, ..step });
    let size = (length + 1) as f64;
    for at in (0..length).rev() {
        path[at + 1].weight += step.one * path[at].weight * (at + 1) as f64 / size;
        path[at].weight *= step.zero * (length - at) as f64 / size;
    }
}

/// Removes a step from the subsets of the path.
fn unwind(path: &mut Vec<Step>, taken: usize) {
    let weights: Vec<f64> = weights_without(path, taken).collect();
    path.remove(taken);
    for (step, weight) in path.iter_mut().zip(weights.into_iter().rev()) {
        step.weight = weight;
    }
}

/// The weights of the path without one step, from the last to the first.
fn weights_without(path: &[Step], taken: usize) -> impl Iterator<Item = f64> {
    let last = path.len() - 1;
    let size = path.len() as f64;
    let Step { zero, one, .. } = path[taken];
    let mut next = path[last].weight;
    (0..last).rev().map(move |at| {
        if one == 0.0 {
            return path[at].weight * size / (zero * (last - at) as f64);
        }
        let weight = next * size / ((at + 1) as f64 * one);
        next = path[at].weight - weight * zero * (last - at) as f64 / size;
        weight
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranker::Ranker;
    use crate::strategies::{FEATURES, parts, row};

    /// The expected value of a tree if only some features of the row are known.
    fn expected(nodes: &[Node], covers: &[f64], row: &[f32], known: u32, at: usize) -> f64 {
        match nodes[at] {
            Node::Leaf { value, .. } => f64::from(value),
            Node::Split { feature, threshold, missing, right } => {
                let (left, right) = (at + 1, usize::from(right));
                let below = |child: usize| expected(nodes, covers, row, known, child);
                if known & (1 << feature) == 0 {
                    return (covers[left] * below(left) + covers[right] * below(right)) / covers[at];
                }
                match side_of(row[usize::from(feature)], threshold, missing) {
                    Side::Left => below(left),
                    Side::Right => below(right),
                }
            }
        }
    }

    /// The definition: the mean effect of a feature over all orders in which the features become known.
    fn shapley(tree: &Tree, row: &[f32], feature: usize) -> f64 {
        let covers = covers(tree.nodes());
        let value = |known: u32| expected(tree.nodes(), &covers, row, known, 0);
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        let count = u32::try_from(FEATURES).unwrap();
        (0..1_u32 << count)
            .filter(|known| known & (1 << feature) == 0)
            .map(|known| {
                let size = known.count_ones();
                let orders = factorial(size) * factorial(count - size - 1) / factorial(count);
                orders * (value(known | 1 << feature) - value(known))
            })
            .sum()
    }

    proptest! {
        #[test]
        fn contributions_are_mean_effects_over_all_orders(parts in parts(3, 16), row in row()) {
            let found = decompose(&parts.trees, &row);
            for (feature, found) in found.by_feature.iter().enumerate() {
                let expected: f64 = parts.trees.iter().map(|tree| shapley(tree, &row, feature)).sum();
                prop_assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }

        #[test]
        fn base_and_contributions_add_up_to_the_score(parts in parts(20, 64), row in row()) {
            let ranker = Ranker::new(parts);
            let mut scores = Vec::new();
            ranker.score_rows(&row, &mut scores);
            let Contributions { base, by_feature } = ranker.contributions(&row);
            let sum = base + by_feature.iter().sum::<f64>();
            prop_assert!((sum - f64::from(scores[0])).abs() < 1e-4, "{sum} {scores:?}");
        }
    }
}
