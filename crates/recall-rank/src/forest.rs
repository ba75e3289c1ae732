//! Fast evaluation of the trees on many rows, whose feature values are stored by column.
//!
//! `QuickScorer` (Lucchese et al., SIGIR 2015) in the vectorised form of `V-QuickScorer` (Lucchese et al., SIGIR 2016).
//! Rows do not walk the trees. Each split is evaluated on a whole block of rows; if it sends a row right, the leaves
//! below the left child are removed from the row's set of reachable leaves. The leftmost remaining leaf is the one that
//! a walk would reach. No branch depends on the data, so the compiler can vectorise the loop.

use crate::tree::{Node, Side, Tree, finite};

/// The trees, prepared for scoring.
#[derive(Debug, Clone)]
pub(crate) struct Forest {
    features: usize,
    /// The features for which some split sends missing values right.
    high: Vec<usize>,
    trees: Trees,
}

/// The smaller the set of leaves, the more rows fit a vector.
#[derive(Debug, Clone)]
enum Trees {
    UpTo16(Flat<u16>),
    UpTo32(Flat<u32>),
    UpTo64(Flat<u64>),
}

/// The splits and leaves of all trees in flat arrays.
#[derive(Debug, Clone)]
struct Flat<S> {
    splits: Vec<FlatSplit<S>>,
    leaves: Vec<f32>,
    /// The number of splits of each tree; a tree has one leaf more.
    counts: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct FlatSplit<S> {
    threshold: f32,
    /// The column of the feature. If missing values go right, the column is after those of all features, in the order
    /// of `high`.
    column: u32,
    /// The leaves below the left child, which become unreachable if a row goes right.
    unreachable: S,
}

/// A set of leaves; the leftmost leaf is the lowest bit.
trait LeafSet: Copy {
    const ALL: Self;
    fn narrow(bits: u64) -> Self;
    /// Removes `unreachable` from the set if `is_so`. Uses arithmetic because a branch would not be vectorised.
    fn removed_if(self, unreachable: Self, is_so: bool) -> Self;
    fn leftmost(self) -> usize;
}

macro_rules! leaf_set {
    ($($word:ty),*) => {$(
        impl LeafSet for $word {
            const ALL: Self = <$word>::MAX;

            fn narrow(bits: u64) -> Self {
                bits as $word
            }

            fn removed_if(self, unreachable: Self, is_so: bool) -> Self {
                self & !(unreachable & <$word>::from(is_so).wrapping_neg())
            }

            fn leftmost(self) -> usize {
                self.trailing_zeros() as usize
            }
        }
    )*};
}

leaf_set!(u16, u32, u64);

impl Forest {
    /// Prepares trees over `features` features. Every split must use one of them.
    pub(crate) fn new(features: usize, trees: &[Tree]) -> Self {
        let sends_right = |node: &Node| match *node {
            Node::Split { feature, missing: Side::Right, .. } => Some(usize::from(feature)),
            _ => None,
        };
        let mut high: Vec<usize> = trees.iter().flat_map(Tree::nodes).filter_map(sends_right).collect();
        high.sort_unstable();
        high.dedup();
        let most = trees.iter().map(Tree::leaves).max().unwrap_or(1);
        let trees = match most {
            ..=16 => Trees::UpTo16(Flat::new(features, &high, trees)),
            17..=32 => Trees::UpTo32(Flat::new(features, &high, trees)),
            _ => Trees::UpTo64(Flat::new(features, &high, trees)),
        };
        Self { features, high, trees }
    }

    /// Appends the score of each candidate. The trees are summed in order, independent of the block of a candidate.
    pub(crate) fn score(&self, candidates: &Columns, scores: &mut Vec<f32>) {
        // NaN compares as not greater than any threshold. In these columns NaN is replaced by infinity, which is
        // greater than all.
        let raised = |value: f32| if value.is_nan() { f32::INFINITY } else { value };
        let high = |&feature: &usize| -> Vec<Lanes> {
            candidates.column(feature).iter().map(|column| column.map(raised)).collect()
        };
        let high: Vec<Vec<Lanes>> = self.high.iter().map(high).collect();
        let mut columns: Vec<&Lanes> = Vec::with_capacity(self.features + high.len());
        for block in 0..candidates.blocks() {
            columns.clear();
            columns.extend((0..self.features).map(|feature| &candidates.column(feature)[block]));
            columns.extend(high.iter().map(|column| &column[block]));
            let sums = match &self.trees {
                Trees::UpTo16(flat) => flat.score(&columns),
                Trees::UpTo32(flat) => flat.score(&columns),
                Trees::UpTo64(flat) => flat.score(&columns),
            };
            scores.extend_from_slice(&sums[..BLOCK.min(candidates.candidates() - block * BLOCK)]);
        }
    }
}

impl<S: LeafSet> Flat<S> {
    fn new(features: usize, high: &[usize], trees: &[Tree]) -> Self {
        let mut flat = Self { splits: Vec::new(), leaves: Vec::new(), counts: Vec::new() };
        let column = |feature: usize, missing: Side| match missing {
            Side::Left => feature,
            Side::Right => {
                features
                    + high.binary_search(&feature).expect("the feature has a split that sends missing values right")
            }
        };
        for tree in trees {
            flat.push(tree, column);
        }
        flat
    }

    fn push(&mut self, tree: &Tree, column_of: impl Fn(usize, Side) -> usize) {
        let first_split = self.splits.len();
        let mut leaves = 0;
        let mut before = Vec::with_capacity(tree.nodes().len());
        for node in tree.nodes() {
            before.push(leaves);
            if let Node::Leaf { value, .. } = *node {
                self.leaves.push(value);
                leaves += 1;
            }
        }
        for (at, node) in tree.nodes().iter().enumerate() {
            if let Node::Split { feature, threshold, missing, right } = *node {
                let below_left = (1_u64 << before[usize::from(right)]) - (1_u64 << before[at]);
                let column = column_of(usize::from(feature), missing) as u32;
                self.splits.push(FlatSplit { threshold, column, unreachable: S::narrow(below_left) });
            }
        }
        let splits = self.splits.len() - first_split;
        self.counts.push(u8::try_from(splits).expect("a tree has at most 63 splits"));
    }

    fn score(&self, columns: &[&Lanes]) -> Lanes {
        let mut sums = [0.0; BLOCK];
        let (mut splits, mut leaves) = (&self.splits[..], &self.leaves[..]);
        for &count in &self.counts {
            let (of_tree, other_splits) = splits.split_at(usize::from(count));
            let (values, other_leaves) = leaves.split_at(usize::from(count) + 1);
            (splits, leaves) = (other_splits, other_leaves);
            let mut reachable = [S::ALL; BLOCK];
            for split in of_tree {
                let column = columns[split.column as usize];
                // Indexed on purpose: iterators over arrays are unrolled before vectorisation, which doubles the time.
                for at in 0..BLOCK {
                    reachable[at] = reachable[at].removed_if(split.unreachable, column[at] > split.threshold);
                }
            }
            for (sum, set) in sums.iter_mut().zip(reachable) {
                *sum += values[set.leftmost()];
            }
        }
        sums
    }
}

/// The number of candidates scored at once; columns are padded to a multiple of it.
pub(crate) const BLOCK: usize = 16;

/// The values of one feature in a block of candidates.
pub(crate) type Lanes = [f32; BLOCK];

/// The feature values of the candidates of one query; NaN is a missing value.
///
/// Values are stored by feature because features are computed and trees evaluated one feature at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    features: usize,
    candidates: usize,
    /// The columns one after the other, each of [`blocks`](Self::blocks) blocks. No value is infinite.
    values: Vec<Lanes>,
}

impl Columns {
    /// Creates columns of zeros.
    pub fn new(features: usize, candidates: usize) -> Self {
        Self { features, candidates, values: vec![[0.0; BLOCK]; features * candidates.div_ceil(BLOCK)] }
    }

    /// Builds columns from rows of one candidate each.
    ///
    /// # Panics
    /// If `rows` is not a whole number of rows.
    pub fn from_rows(features: usize, rows: &[f32]) -> Self {
        assert!(rows.len().is_multiple_of(features), "a row has a value for each feature");
        let mut columns = Self::new(features, rows.len() / features);
        for (candidate, row) in rows.chunks_exact(features).enumerate() {
            for (feature, &value) in row.iter().enumerate() {
                columns.put(feature, candidate, value);
            }
        }
        columns
    }

    /// Returns the number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Returns the number of candidates.
    pub fn candidates(&self) -> usize {
        self.candidates
    }

    /// Sets one feature of one candidate.
    ///
    /// # Panics
    /// If the feature or the candidate is out of range.
    pub fn put(&mut self, feature: usize, candidate: usize, value: f32) {
        assert!(candidate < self.candidates, "the candidate is in range");
        let at = feature * self.blocks() + candidate / BLOCK;
        self.values[at][candidate % BLOCK] = finite(value);
    }

    /// Sets one feature of the candidates in order. Candidates beyond the end of `values` keep theirs.
    ///
    /// # Panics
    /// If the feature is out of range.
    pub fn set(&mut self, feature: usize, values: impl IntoIterator<Item = f32>) {
        let blocks = self.blocks();
        let column = self.values[feature * blocks..(feature + 1) * blocks].as_flattened_mut();
        for (known, value) in column[..self.candidates].iter_mut().zip(values) {
            *known = finite(value);
        }
    }

    /// Returns all features of one candidate.
    ///
    /// # Panics
    /// If the candidate is out of range.
    pub fn row(&self, candidate: usize) -> Vec<f32> {
        assert!(candidate < self.candidates, "the candidate is in range");
        (0..self.features).map(|feature| self.column(feature)[candidate / BLOCK][candidate % BLOCK]).collect()
    }

    /// Returns one feature of all candidates, in their order.
    ///
    /// # Panics
    /// If the feature does not exist.
    pub fn values(&self, feature: usize) -> &[f32] {
        &self.column(feature).as_flattened()[..self.candidates]
    }

    /// The number of blocks of a column.
    pub(crate) fn blocks(&self) -> usize {
        self.candidates.div_ceil(BLOCK)
    }

    /// Returns one feature of all candidates, padded with 0.
    pub(crate) fn column(&self, feature: usize) -> &[Lanes] {
        &self.values[feature * self.blocks()..(feature + 1) * self.blocks()]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategies::{FEATURES, parts, row, rows};
    use crate::tree::tests::walk;

    fn scores(forest: &Forest, rows: &[f32]) -> Vec<f32> {
        let mut scores = Vec::new();
        forest.score(&Columns::from_rows(FEATURES, rows), &mut scores);
        scores
    }

    proptest! {
        #[test]
        fn a_score_is_the_sum_of_the_leaves_reached_by_walking(
            parts in prop_oneof![parts(5, 16), parts(5, 32), parts(5, 64)],
            rows in rows(40),
        ) {
            let found = scores(&Forest::new(FEATURES, &parts.trees), &rows);
            let expected: Vec<f32> = rows
                .chunks_exact(FEATURES)
                .map(|row| parts.trees.iter().fold(0.0, |sum, tree| sum + walk(tree, row)))
                .collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_score_depends_only_on_its_row(parts in parts(20, 16), rows in rows(40), row in row(), at in 0..40_usize) {
            let forest = Forest::new(FEATURES, &parts.trees);
            let alone = scores(&forest, &row);
            let at = at.min(rows.len() / FEATURES);
            let mut among = rows;
            among.splice(at * FEATURES..at * FEATURES, row);
            prop_assert_eq!(scores(&forest, &among)[at].to_bits(), alone[0].to_bits());
        }
    }

    #[test]
    fn values_are_returned_as_they_were_set() {
        let mut columns = Columns::new(2, 18);
        columns.set(0, (0..18_u8).map(f32::from));
        columns.put(1, 17, f32::INFINITY);
        columns.set(1, [f32::NAN]);
        assert_eq!(columns.row(17), [17.0, f32::MAX]);
        assert!(columns.row(0)[1].is_nan());
        assert_eq!(columns.row(1), [1.0, 0.0]);
        let rows: Vec<f32> = (1..18).flat_map(|candidate| columns.row(candidate)).collect();
        assert_eq!(Columns::from_rows(2, &rows).row(16), columns.row(17));
    }
}
