//! Exact nearest-neighbour search in memory.

use recall_core::{ChunkRow, NearestError, Neighbour, Quantised, RowFilter, VectorIndex};
use rustc_hash::FxHashMap;

use crate::vector::kernel;
use crate::vector::query::{Query, TopK};

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
