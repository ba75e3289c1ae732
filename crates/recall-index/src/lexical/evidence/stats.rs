//! Running scores of chunks and documents.

/// The most terms distinguished in a coverage: the number of bits of [`Terms`].
pub(crate) const MAX_TERMS: usize = 64;

/// A set of terms of the query, by their indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms(u64);

impl Terms {
    pub(crate) fn insert(&mut self, place: usize) {
        self.0 |= 1 << (place % MAX_TERMS);
    }

    pub(crate) fn contains(self, place: usize) -> bool {
        self.0 & (1 << (place % MAX_TERMS)) != 0
    }

    /// The sum of the weights of the terms in the set.
    pub(crate) fn weight(self, weights: &[f32]) -> f32 {
        let mut rest = self.0;
        let mut sum = 0.0;
        while rest != 0 {
            sum += weights.get(rest.trailing_zeros() as usize).copied().unwrap_or_default();
            rest &= rest - 1;
        }
        sum
    }

    pub(crate) fn len(self) -> u32 {
        self.0.count_ones()
    }
}

/// The score of one field of a chunk or document.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FieldStats {
    /// The BM25 sum over the terms read so far.
    pub(crate) score: f32,
    /// The terms found.
    pub(crate) terms: Terms,
}

/// The scores of one chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChunkStats {
    pub(crate) body: FieldStats,
    pub(crate) symbol: FieldStats,
    pub(crate) comment: FieldStats,
    /// How well the names it defines match the names of the query. 0 if none does.
    pub(crate) named: f32,
    /// Whether its text contains the rare word of the query.
    pub(crate) is_rare: bool,
}

/// The scores of one document.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the document")]
pub(crate) struct DocumentStats {
    /// The frequency of the current term in the current field.
    pub(crate) frequency: u32,
    pub(crate) body: FieldStats,
    pub(crate) symbol: FieldStats,
    pub(crate) comment: FieldStats,
    pub(crate) path: FieldStats,
    pub(crate) stem: FieldStats,
    pub(crate) folder: FieldStats,
    /// The names of the query, by index, that it defines in the same case, in another case, as a prefix, or that are
    /// its file name.
    pub(crate) names_equal: Terms,
    pub(crate) names_folded: Terms,
    pub(crate) names_begun: Terms,
    pub(crate) names_stem: Terms,
    /// The spelling suggestions that it defines or that are its name, by index.
    pub(crate) names_near: Terms,
    /// Whether its title, a heading or its first sentence equals the query.
    pub(crate) phrase_equal: bool,
    /// Whether its text contains the rare word of the query.
    pub(crate) is_rare: bool,
    /// How telling its name is for a question about the project as a whole.
    pub(crate) telling: f32,
    /// Whether its path equals the query.
    pub(crate) path_equal: bool,
    /// Whether its path ends with the query.
    pub(crate) path_ends: bool,
}
