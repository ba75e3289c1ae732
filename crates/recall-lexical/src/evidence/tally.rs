//! What has been counted so far, chunk by chunk and document by document?

/// The most terms that are told apart in a coverage: the bits of a [`Terms`].
pub(super) const MAX_TERMS: usize = 64;

/// A set of terms of the question, by their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms(u64);

impl Terms {
    pub(super) fn insert(&mut self, place: usize) {
        self.0 |= 1 << (place % MAX_TERMS);
    }

    pub(super) fn contains(self, place: usize) -> bool {
        self.0 & (1 << (place % MAX_TERMS)) != 0
    }

    /// The sum of the weights of the terms in the set.
    pub(super) fn weight(self, weights: &[f32]) -> f32 {
        let mut rest = self.0;
        let mut sum = 0.0;
        while rest != 0 {
            sum += weights.get(rest.trailing_zeros() as usize).copied().unwrap_or_default();
            rest &= rest - 1;
        }
        sum
    }

    pub(super) fn len(self) -> u32 {
        self.0.count_ones()
    }
}

/// One field of one chunk, or of a document as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FieldTally {
    /// BM25 over the terms so far.
    pub(super) score: f32,
    /// The terms found.
    pub(super) terms: Terms,
}

/// One chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChunkTally {
    pub(super) body: FieldTally,
    pub(super) symbol: FieldTally,
    pub(super) comment: FieldTally,
    /// How well its definitions' names match the names of the question; 0 for not at all.
    pub(super) named: f32,
}

/// One document.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DocumentTally {
    /// How often the current term stands in the field that is being read.
    pub(super) frequency: u32,
    pub(super) body: FieldTally,
    pub(super) symbol: FieldTally,
    pub(super) comment: FieldTally,
    pub(super) path: FieldTally,
    pub(super) stem: FieldTally,
    pub(super) folder: FieldTally,
    /// The names of the question, by their places: defined as written, in other case, begun, and the file's own.
    pub(super) names_equal: Terms,
    pub(super) names_folded: Terms,
    pub(super) names_begun: Terms,
    pub(super) names_stem: Terms,
    /// The spellings near the question that it defines or is called by, by their places.
    pub(super) names_near: Terms,
    /// Whether its title, a heading or its first sentence is the question.
    pub(super) phrase_equal: bool,
    /// Whether its path is the question.
    pub(super) path_equal: bool,
    /// Whether its path ends with the question.
    pub(super) path_ends: bool,
}
