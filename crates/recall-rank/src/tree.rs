//! One regression tree.

/// The maximum number of leaves of a tree: a set of leaves fits a 64-bit word.
pub const MAX_LEAVES: usize = 64;

/// The child that a row goes to at a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Node {
    /// Rows with a value of at most `threshold` go left, to the next node; others go right.
    Split {
        feature: u16,
        /// Always finite.
        threshold: f32,
        /// The child for rows without a value.
        missing: Side,
        /// The index of the right child; greater than that of the split.
        right: u8,
    },
    Leaf {
        value: f32,
        /// The number of training rows that reached the leaf; at least 1.
        cover: u32,
    },
}

/// A binary tree in pre-order: a split is followed by its left child. It has 1 to [`MAX_LEAVES`] leaves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Builds a tree from nodes in pre-order. The indexes of right children are computed; those in the nodes are
    /// ignored.
    ///
    /// Takes exactly the nodes of the tree from `next`. Returns `None` if there would be more than [`MAX_LEAVES`]
    /// leaves.
    ///
    /// # Errors
    /// Returns the errors of `next`.
    pub(crate) fn in_pre_order<E>(mut next: impl FnMut() -> Result<Node, E>) -> Result<Option<Self>, E> {
        let mut nodes = Vec::new();
        let mut without_right = Vec::new();
        loop {
            let at = nodes.len();
            let node = next()?;
            nodes.push(node);
            if nodes.len() >= 2 * MAX_LEAVES {
                return Ok(None);
            }
            if let Node::Split { .. } = node {
                without_right.push(at);
                continue;
            }
            let Some(parent) = without_right.pop() else { return Ok(Some(Self { nodes })) };
            if let Node::Split { right, .. } = &mut nodes[parent] {
                *right = u8::try_from(at + 1).expect("a tree has fewer than 128 nodes");
            }
        }
    }

    /// Returns the nodes in pre-order.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Renumbers the feature of each split.
    ///
    /// # Errors
    /// Returns the first feature without a new number; the tree is then partly renumbered.
    pub(crate) fn map_features(&mut self, rename: impl Fn(u16) -> Option<u16>) -> Result<(), u16> {
        for node in &mut self.nodes {
            if let Node::Split { feature, .. } = node {
                *feature = rename(*feature).ok_or(*feature)?;
            }
        }
        Ok(())
    }

    /// Returns the number of leaves.
    pub(crate) fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }
}

/// The side that a value goes to at a split.
pub(crate) fn side_of(value: f32, threshold: f32, missing: Side) -> Side {
    if value.is_nan() {
        missing
    } else if finite(value) > threshold {
        Side::Right
    } else {
        Side::Left
    }
}

/// Clamps infinite values to the greatest finite ones, since infinity represents missing values in the forest.
pub(crate) fn finite(value: f32) -> f32 {
    value.clamp(f32::MIN, f32::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Walks from the root to a leaf: the reference for the fast evaluation.
    pub(crate) fn walk(tree: &Tree, row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            match tree.nodes[at] {
                Node::Leaf { value, .. } => return value,
                Node::Split { feature, threshold, missing, right } => {
                    at = match side_of(row[usize::from(feature)], threshold, missing) {
                        Side::Left => at + 1,
                        Side::Right => usize::from(right),
                    };
                }
            }
        }
    }

    #[test]
    fn missing_and_infinite_values_follow_the_split() {
        let check = |value: f32, threshold: f32, missing: Side, expected: Side| {
            assert_eq!(side_of(value, threshold, missing), expected, "{value} at {threshold}");
        };
        check(1.0, 1.0, Side::Right, Side::Left);
        check(1.5, 1.0, Side::Left, Side::Right);
        check(f32::NAN, 1.0, Side::Left, Side::Left);
        check(f32::NAN, 1.0, Side::Right, Side::Right);
        check(f32::INFINITY, f32::MAX, Side::Right, Side::Left);
        check(f32::NEG_INFINITY, f32::MIN, Side::Right, Side::Left);
    }

    #[test]
    fn a_tree_with_too_many_leaves_is_refused() {
        let chain = |splits: usize| {
            let mut taken = 0;
            Tree::in_pre_order::<()>(move || {
                taken += 1;
                Ok(if taken <= splits {
                    Node::Split { feature: 0, threshold: 0.0, missing: Side::Left, right: 0 }
                } else {
                    Node::Leaf { value: 0.0, cover: 1 }
                })
            })
            .expect("the closure does not fail")
        };
        for leaves in [1, 2, MAX_LEAVES] {
            assert_eq!(chain(leaves - 1).map(|tree| tree.leaves()), Some(leaves));
        }
        assert_eq!(chain(MAX_LEAVES), None);
    }
}
