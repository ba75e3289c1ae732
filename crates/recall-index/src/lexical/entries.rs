//! Sets of entries of one segment.

use tantivy::DocId;

/// A set of entries of one segment.
#[derive(Clone, Debug)]
pub(crate) struct Entries {
    words: Vec<u64>,
    len: usize,
}

impl Entries {
    /// An empty set for a segment with `entries` entries.
    pub(crate) fn none(entries: DocId) -> Self {
        Self { words: vec![0; (entries as usize).div_ceil(64)], len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn contains(&self, entry: DocId) -> bool {
        self.words[entry as usize / 64] >> (entry % 64) & 1 == 1
    }

    /// The entries, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = DocId> {
        (0_u32..).zip(&self.words).flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }

    pub(crate) fn insert(&mut self, entry: DocId) {
        let word = &mut self.words[entry as usize / 64];
        let bit = 1 << (entry % 64);
        self.len += usize::from(*word & bit == 0);
        *word |= bit;
    }

    pub(crate) fn remove(&mut self, entry: DocId) {
        let word = &mut self.words[entry as usize / 64];
        let bit = 1 << (entry % 64);
        self.len -= usize::from(*word & bit != 0);
        *word &= !bit;
    }

    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        self.len = self.words.iter().map(|word| word.count_ones() as usize).sum();
        self
    }
}
