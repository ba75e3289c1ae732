//! The feature values of a query's candidates, stored by column.

use crate::tree::finite;

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
    use super::*;

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
