//! The port for nearest-neighbour search in embeddings, and the sets of chunk rows that it searches.

use std::error::Error;

use crate::ChunkRow;

/// An index of the embeddings of chunks, all by one model.
///
/// One implementation scans all embeddings and is exact; another searches an HNSW graph, and its recall is measured
/// against the first.
pub trait VectorIndex: Send + Sync {
    /// The number of dimensions of every embedding.
    fn dimensions(&self) -> usize;

    /// The number of chunks that have an embedding.
    fn len(&self) -> usize;

    /// Whether no chunk has an embedding.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Finds the chunks whose embeddings have the greatest cosine to the query's.
    ///
    /// Returns at most `count` of the chunks that the filter allows, by descending cosine; ties are broken by row.
    /// Fewer are returned only if there are no more. The length of the query's embedding does not matter.
    ///
    /// # Errors
    /// See [`NearestError`].
    fn nearest(&self, query: &[f32], filter: RowFilter<'_>, count: usize) -> Result<Vec<Neighbour>, NearestError>;

    /// Returns the cosine of the query to each of these chunks, in their order; `None` for a chunk without an
    /// embedding.
    ///
    /// The cosines equal those of [`nearest`](Self::nearest).
    ///
    /// # Errors
    /// See [`NearestError`].
    fn cosines(&self, query: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>, NearestError>;
}

/// A chunk near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The row of the chunk.
    pub row: ChunkRow,
    /// The cosine of its embedding to the query's, from -1 to 1 apart from rounding.
    pub cosine: f32,
}

/// Which chunks a search may return.
#[derive(Clone, Copy, Debug)]
pub enum RowFilter<'a> {
    /// All of them.
    All,
    /// Only these.
    Only(&'a RowSet),
}

impl RowFilter<'_> {
    /// Whether the filter allows a chunk.
    pub fn allows(&self, row: ChunkRow) -> bool {
        match self {
            Self::All => true,
            Self::Only(rows) => rows.contains(row),
        }
    }
}

/// A search in the index failed.
#[derive(Debug, thiserror::Error)]
pub enum NearestError {
    /// The query was embedded by another model.
    #[error("the query's embedding has {found} dimensions, those of the index have {expected}")]
    Dimensions {
        /// The dimensions of the index.
        expected: usize,
        /// The dimensions of the query's embedding.
        found: usize,
    },
    /// The query's embedding is all zero or has a component that is not finite.
    #[error("the query's embedding has no direction")]
    NoDirection,
    /// The index's files are not as they were written. The index can be quarantined and rebuilt.
    #[error("the index of embeddings is damaged: {reason}")]
    Damaged {
        /// What does not fit, as the index found it.
        reason: String,
    },
    /// The index cannot be read.
    #[error("the index of embeddings cannot be read")]
    Unreadable {
        /// What the operating system reports.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// A set of chunk rows: a bitmap between the least and the greatest row.
///
/// Rows are numbered in the order in which they are written, so the rows of a store are dense; a set of a million of
/// them takes 125 KB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSet {
    /// The index of the first word: its lowest row, divided by [`WORD`].
    first: i64,
    words: Vec<u64>,
    len: usize,
}

/// Rows per word.
const WORD: i64 = 64;

impl RowSet {
    /// Builds a set of these rows, in any order and with any repetition.
    pub fn from_rows(rows: impl IntoIterator<Item = ChunkRow>) -> Self {
        let rows: Vec<i64> = rows.into_iter().map(|row| row.0).collect();
        let (Some(least), Some(greatest)) = (rows.iter().min(), rows.iter().max()) else { return Self::default() };
        let first = least.div_euclid(WORD);
        let mut words = vec![0_u64; (greatest.div_euclid(WORD) - first + 1) as usize];
        for row in rows {
            words[(row.div_euclid(WORD) - first) as usize] |= 1 << row.rem_euclid(WORD);
        }
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { first, words, len }
    }

    /// Whether a row is in the set.
    pub fn contains(&self, row: ChunkRow) -> bool {
        let word = row.0.div_euclid(WORD).checked_sub(self.first).and_then(|word| usize::try_from(word).ok());
        let word = word.and_then(|word| self.words.get(word));
        word.is_some_and(|word| word >> row.0.rem_euclid(WORD) & 1 == 1)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = ChunkRow> + '_ {
        self.iter_within(ChunkRow(i64::MIN), ChunkRow(i64::MAX))
    }

    /// Returns the rows from `first` to `last`, in ascending order.
    pub fn iter_within(&self, first: ChunkRow, last: ChunkRow) -> impl Iterator<Item = ChunkRow> + '_ {
        self.words_within(first, last).flat_map(|(begin, word)| {
            let bits = std::iter::successors(Some(word), |left| Some(left & left.wrapping_sub(1)));
            bits.take_while(|left| *left != 0).map(move |left| ChunkRow(begin + i64::from(left.trailing_zeros())))
        })
    }

    /// Returns the number of rows from `first` to `last`.
    pub fn count_within(&self, first: ChunkRow, last: ChunkRow) -> usize {
        self.words_within(first, last).map(|(_, word)| word.count_ones() as usize).sum()
    }

    /// Returns the words with rows from `first` to `last`, without other rows, each with the row of its lowest bit.
    fn words_within(&self, first: ChunkRow, last: ChunkRow) -> impl Iterator<Item = (i64, u64)> + '_ {
        let end = self.first + self.words.len() as i64;
        let words = first.0.div_euclid(WORD).max(self.first)..last.0.div_euclid(WORD).saturating_add(1).min(end);
        words.map(move |number| {
            let begin = number * WORD;
            let below = u64::MAX.checked_shl(first.0.saturating_sub(begin).clamp(0, WORD) as u32).unwrap_or(0);
            let above =
                u64::MAX.checked_shr((begin + WORD - 1).saturating_sub(last.0).clamp(0, WORD) as u32).unwrap_or(0);
            (begin, self.words[(number - self.first) as usize] & below & above)
        })
    }
}

impl FromIterator<ChunkRow> for RowSet {
    fn from_iter<T: IntoIterator<Item = ChunkRow>>(rows: T) -> Self {
        Self::from_rows(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_set_holds_nothing() {
        let none = RowSet::default();
        assert!(none.is_empty() && none.iter().next().is_none());
        assert!([i64::MIN, -1, 0, 1, i64::MAX].iter().all(|row| !none.contains(ChunkRow(*row))));
    }

    proptest! {
        #[test]
        fn a_set_holds_exactly_the_rows_it_was_built_from(rows in prop::collection::vec(-200_i64..2000, 0..100)) {
            let expected: BTreeSet<i64> = rows.iter().copied().collect();
            let set = RowSet::from_rows(rows.iter().copied().map(ChunkRow));
            prop_assert_eq!(set.len(), expected.len());
            prop_assert_eq!(set.iter().map(|row| row.0).collect::<Vec<_>>(), expected.iter().copied().collect::<Vec<_>>());
            for row in [i64::MIN, i64::MAX].into_iter().chain(-300..2100) {
                prop_assert_eq!(set.contains(ChunkRow(row)), expected.contains(&row));
            }
        }

        #[test]
        fn a_part_of_a_set_has_the_rows_between_its_bounds(
            rows in prop::collection::vec(-200_i64..500, 0..100), first in -300_i64..600, last in -300_i64..600
        ) {
            let set = RowSet::from_rows(rows.iter().copied().map(ChunkRow));
            for (first, last) in [(first, last), (i64::MIN, last), (first, i64::MAX)] {
                let expected: BTreeSet<i64> = rows.iter().copied().filter(|row| (first..=last).contains(row)).collect();
                let found: Vec<i64> = set.iter_within(ChunkRow(first), ChunkRow(last)).map(|row| row.0).collect();
                prop_assert_eq!(set.count_within(ChunkRow(first), ChunkRow(last)), expected.len());
                prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            }
        }
    }
}
