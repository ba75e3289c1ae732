//! The quantised embedding of a query, the selection of its best neighbours, and exact search in memory.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use recall_core::{ChunkRow, NearestError, Neighbour, Quantised, RowFilter, VectorIndex};
use rustc_hash::FxHashMap;

use crate::vector::kernel;

/// The value of a query's largest component after quantisation.
///
/// The sum of 4096 products with components of 7 bits then fits in 32 bits. At 256 dimensions the rounding of the query
/// changes a cosine by a thirtieth of what the rounding of the embedding does.
const MAX_COMPONENT: f32 = 4095.0;

/// The number of records multiplied before their sums are used: 16 KiB at 256 dimensions, which stay in the cache.
const BLOCK: usize = 64;

pub(crate) struct Query {
    components: Vec<i16>,
    /// The factor that normalises its length to 1.
    factor: f32,
    /// The query as a record, because the graph compares records.
    record: Vec<u8>,
}

impl Query {
    pub(crate) fn new(embedding: &[f32], dimensions: usize) -> Result<Self, NearestError> {
        if embedding.len() != dimensions {
            return Err(NearestError::Dimensions { expected: dimensions, found: embedding.len() });
        }
        let quantised = Quantised::quantise(embedding).map_err(|_| NearestError::NoDirection)?;
        let mut record = Vec::with_capacity(kernel::stride(dimensions));
        kernel::push(&mut record, &quantised);
        let greatest = embedding.iter().fold(0.0, |greatest: f32, component| greatest.max(component.abs()));
        let components: Vec<i16> =
            embedding.iter().map(|component| (component / greatest * MAX_COMPONENT).round() as i16).collect();
        let squares: i64 = components.iter().map(|component| i64::from(*component).pow(2)).sum();
        Ok(Self { components, factor: (1.0 / (squares as f64).sqrt()) as f32, record })
    }

    pub(crate) fn cosine(&self, record: &[u8]) -> f32 {
        self.scale(kernel::dot(&self.components, kernel::components(record)), record)
    }

    /// Calls `look` with the index and the cosine of each record.
    pub(crate) fn scan(&self, records: &[u8], mut look: impl FnMut(usize, f32)) {
        let stride = kernel::stride(self.components.len());
        let mut sums = [0; BLOCK];
        for (number, block) in records.chunks(BLOCK * stride).enumerate() {
            kernel::dots(&self.components, block, stride, &mut sums);
            for (place, (record, sum)) in block.chunks_exact(stride).zip(sums).enumerate() {
                look(number * BLOCK + place, self.scale(sum, record));
            }
        }
    }

    pub(crate) fn record(&self) -> &[u8] {
        &self.record
    }

    #[inline]
    fn scale(&self, dot: i32, record: &[u8]) -> f32 {
        dot as f32 * self.factor * kernel::factor(record)
    }
}

/// The best neighbours so far, by descending cosine, then by ascending row.
pub(crate) struct TopK {
    limit: usize,
    /// The worst on top.
    kept: BinaryHeap<Reverse<Ranked>>,
    /// The cosine that a new neighbour must reach.
    threshold: f32,
}

impl TopK {
    pub(crate) fn new(limit: usize) -> Self {
        // Callers that want all neighbours pass a larger number than there are.
        Self { limit, kept: BinaryHeap::with_capacity(limit.min(1024) + 1), threshold: f32::NEG_INFINITY }
    }

    /// Whether a neighbour with this cosine could be kept. An equal cosine could, because of its row.
    #[inline]
    pub(crate) fn could_keep(&self, cosine: f32) -> bool {
        cosine >= self.threshold
    }

    pub(crate) fn offer(&mut self, row: ChunkRow, cosine: f32) {
        if self.limit == 0 || !self.could_keep(cosine) {
            return;
        }
        self.kept.push(Reverse(Ranked { row, cosine }));
        if self.kept.len() > self.limit {
            self.kept.pop();
        }
        if self.kept.len() == self.limit {
            self.threshold = self.kept.peek().map_or(f32::NEG_INFINITY, |worst| worst.0.cosine);
        }
    }

    /// The best neighbours, in order.
    pub(crate) fn into_sorted(self) -> Vec<Neighbour> {
        // Ascending order of the reversed elements is best first.
        let sorted = self.kept.into_sorted_vec().into_iter();
        sorted.map(|Reverse(Ranked { row, cosine })| Neighbour { row, cosine }).collect()
    }
}

/// A neighbour, ordered from worst to best.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    row: ChunkRow,
    cosine: f32,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cosine.total_cmp(&other.cosine).then_with(|| other.row.cmp(&self.row))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// An in-memory index that compares every embedding. Takes a millisecond for 100,000 embeddings of 256 dimensions.
#[derive(Clone, Debug)]
pub struct Exact {
    dimensions: usize,
    /// One record per slot.
    records: Vec<u8>,
    rows: Vec<ChunkRow>,
    slots: FxHashMap<ChunkRow, u32>,
}

impl Exact {
    /// Creates an empty index.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, records: Vec::new(), rows: Vec::new(), slots: FxHashMap::default() }
    }

    /// Inserts the embedding of a chunk, or replaces it.
    ///
    /// # Panics
    /// If the embedding's dimensions differ from the index's.
    pub fn insert(&mut self, row: ChunkRow, embedding: &Quantised) {
        assert_eq!(embedding.components().len(), self.dimensions, "embeddings of one model have equal dimensions");
        self.remove(row);
        self.slots.insert(row, self.rows.len() as u32);
        self.rows.push(row);
        kernel::push(&mut self.records, embedding);
    }

    /// Removes the embedding of a chunk. Returns whether it had one.
    pub fn remove(&mut self, row: ChunkRow) -> bool {
        let Some(slot) = self.slots.remove(&row).map(|slot| slot as usize) else { return false };
        let stride = kernel::stride(self.dimensions);
        let last = self.rows.len() - 1;
        if slot != last {
            self.records.copy_within(last * stride.., slot * stride);
            self.slots.insert(self.rows[last], slot as u32);
        }
        self.records.truncate(last * stride);
        self.rows.swap_remove(slot);
        true
    }

    /// The chunks with an embedding, in no particular order.
    pub fn rows(&self) -> &[ChunkRow] {
        &self.rows
    }

    pub(crate) fn record(&self, row: ChunkRow) -> Option<&[u8]> {
        let slot = *self.slots.get(&row)? as usize;
        let stride = kernel::stride(self.dimensions);
        Some(&self.records[slot * stride..(slot + 1) * stride])
    }

    /// Offers every chunk that passes the filter.
    pub(crate) fn search(&self, query: &Query, filter: RowFilter<'_>, best: &mut TopK) {
        match filter {
            RowFilter::Only(rows) if rows.len() < self.rows.len() => {
                for (row, record) in rows.iter().filter_map(|row| Some((row, self.record(row)?))) {
                    best.offer(row, query.cosine(record));
                }
            }
            _ => query.scan(&self.records, |slot, cosine| {
                if best.could_keep(cosine) && filter.allows(self.rows[slot]) {
                    best.offer(self.rows[slot], cosine);
                }
            }),
        }
    }
}

impl VectorIndex for Exact {
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn nearest(&self, query: &[f32], filter: RowFilter<'_>, count: usize) -> Result<Vec<Neighbour>, NearestError> {
        let query = Query::new(query, self.dimensions)?;
        let mut best = TopK::new(count);
        self.search(&query, filter, &mut best);
        Ok(best.into_sorted())
    }

    fn cosines(&self, query: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>, NearestError> {
        let query = Query::new(query, self.dimensions)?;
        Ok(rows.iter().map(|row| Some(query.cosine(self.record(*row)?))).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vector::kernel;

    proptest! {
        #[test]
        fn a_cosine_is_within_the_bound_of_the_rounding(
            pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 1..300)
        ) {
            let (query, embedding): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            prop_assume!(query.iter().any(|c| c.abs() > 1e-3) && embedding.iter().any(|c| c.abs() > 1e-3));
            let length = |vector: &[f32]| vector.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
            let dot: f64 = query.iter().zip(&embedding).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let exact = dot / length(&query) / length(&embedding);
            let mut record = Vec::new();
            kernel::push(&mut record, &Quantised::quantise(&embedding).expect("a direction"));
            let cosine = Query::new(&query, query.len()).expect("a direction").cosine(&record);
            let bound = Quantised::error_bound(&embedding) + Quantised::error_bound(&query) * 127.0 / MAX_COMPONENT;
            prop_assert!((f64::from(cosine) - exact).abs() <= f64::from(bound) + 1e-6, "{cosine} {exact} {bound}");
        }
    }

    #[test]
    fn an_invalid_query_is_rejected() {
        assert!(matches!(Query::new(&[1.0], 2), Err(NearestError::Dimensions { expected: 2, found: 1 })));
        for query in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            assert!(matches!(Query::new(&query, 2), Err(NearestError::NoDirection)), "{query:?}");
        }
    }

    proptest! {
        #[test]
        fn the_best_are_the_first_of_all_in_order(cosines in prop::collection::vec(-3_i8..4, 0..40), limit in 0_usize..50) {
            let mut best = TopK::new(limit);
            let mut all: Vec<(i8, i64)> = cosines.iter().enumerate().map(|(row, cosine)| (-cosine, row as i64)).collect();
            for (cosine, row) in all.iter().rev() {
                best.offer(ChunkRow(*row), f32::from(-cosine));
            }
            all.sort_unstable();
            all.truncate(limit);
            let found: Vec<(i8, i64)> = best.into_sorted().iter().map(|n| (-(n.cosine as i8), n.row.0)).collect();
            prop_assert_eq!(found, all);
        }
    }
}
