//! The candidates of a query, feature by feature.

use crate::tree::finite;

/// How many candidates are scored side by side; each column is padded to a whole number of blocks.
pub(crate) const BLOCK: usize = 16;

/// The values of one feature in a block of candidates.
pub(crate) type Lanes = [f32; BLOCK];

/// What is known of the candidates of one query: a value for each feature of each candidate, NaN for a missing one.
///
/// Kept by feature, since that is how features are computed and how trees ask for them.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    features: usize,
    candidates: usize,
    /// One column after the other, each of [`blocks`](Self::blocks) blocks; no value is infinite.
    values: Vec<Lanes>,
}

impl Columns {
    /// So many features of so many candidates, all of them 0.
    pub fn new(features: usize, candidates: usize) -> Self {
        Self { features, candidates, values: vec![[0.0; BLOCK]; features * candidates.div_ceil(BLOCK)] }
    }

    /// Out of rows, one candidate after the other.
    ///
    /// # Panics
    /// If `rows` is not a whole number of rows.
    pub fn of_rows(features: usize, rows: &[f32]) -> Self {
        assert!(rows.len().is_multiple_of(features), "a row has a value for each feature");
        let mut columns = Self::new(features, rows.len() / features);
        for (candidate, row) in rows.chunks_exact(features).enumerate() {
            for (feature, &value) in row.iter().enumerate() {
                columns.put(feature, candidate, value);
            }
        }
        columns
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many candidates there are.
    pub fn candidates(&self) -> usize {
        self.candidates
    }

    /// Sets one feature of one candidate.
    ///
    /// # Panics
    /// If there is no such feature or candidate.
    pub fn put(&mut self, feature: usize, candidate: usize, value: f32) {
        assert!(candidate < self.candidates, "there is such a candidate");
        let at = feature * self.blocks() + candidate / BLOCK;
        self.values[at][candidate % BLOCK] = finite(value);
    }

    /// Sets one feature of the candidates, in their order; those for which there is no value keep theirs.
    ///
    /// # Panics
    /// If there is no such feature.
    pub fn set(&mut self, feature: usize, values: impl IntoIterator<Item = f32>) {
        let blocks = self.blocks();
        let column = self.values[feature * blocks..(feature + 1) * blocks].as_flattened_mut();
        for (known, value) in column[..self.candidates].iter_mut().zip(values) {
            *known = finite(value);
        }
    }

    /// All features of one candidate.
    ///
    /// # Panics
    /// If there is no such candidate.
    pub fn row(&self, candidate: usize) -> Vec<f32> {
        assert!(candidate < self.candidates, "there is such a candidate");
        (0..self.features).map(|feature| self.column(feature)[candidate / BLOCK][candidate % BLOCK]).collect()
    }

    /// One feature of all candidates, in their order.
    ///
    /// # Panics
    /// If there is no such feature.
    pub fn values(&self, feature: usize) -> &[f32] {
        &self.column(feature).as_flattened()[..self.candidates]
    }

    /// How many blocks a column has.
    pub(crate) fn blocks(&self) -> usize {
        self.candidates.div_ceil(BLOCK)
    }

    /// One feature of all candidates, and 0 behind them.
    pub(crate) fn column(&self, feature: usize) -> &[Lanes] {
        &self.values[feature * self.blocks()..(feature + 1) * self.blocks()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_comes_back_row_by_row() {
        let mut columns = Columns::new(2, 18);
        columns.set(0, (0..18_u8).map(f32::from));
        columns.put(1, 17, f32::INFINITY);
        columns.set(1, [f32::NAN]);
        assert_eq!(columns.row(17), [17.0, f32::MAX]);
        assert!(columns.row(0)[1].is_nan());
        assert_eq!(columns.row(1), [1.0, 0.0]);
        let rows: Vec<f32> = (1..18).flat_map(|candidate| columns.row(candidate)).collect();
        assert_eq!(Columns::of_rows(2, &rows).row(16), columns.row(17));
    }
}
