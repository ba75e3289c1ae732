//! The HNSW graph over the records of a base.
//!
//! The only file that uses usearch. usearch trusts its input and crashes on damaged bytes, so everything it reads was
//! verified before. The metric is our own kernel instead of usearch's: the vectors it compares are whole records, whose
//! dimensions include the bytes of the factor. The key of a record is its index, so neither side needs a table.

#![expect(unsafe_code, reason = "usearch takes addresses of records to compare and of bytes to read in place")]

use std::cell::Cell;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::vector::kernel;
use crate::vector::mapping::Mapping;

/// The number of edges per node; twice as many at the bottom level. With 16, a graph takes half the bytes of its
/// records at 256 dimensions.
const CONNECTIVITY: usize = 16;

/// The number of records compared to find the edges of a new one. 64 builds in two thirds of the time but loses recall.
const EXPANSION_ADD: usize = 128;

/// The most concurrent walks; further ones wait. usearch has a fixed number of slots for them and fails beyond it.
const MAX_WALKS: usize = 16;

/// The header that usearch writes before the records: their number and their stride.
pub(crate) const PREFIX_BYTES: usize = 8;

/// usearch reported an error.
#[derive(Debug, thiserror::Error)]
#[error("usearch: {message}")]
pub struct GraphError {
    /// The message of usearch.
    message: String,
}

/// An HNSW graph over records.
pub(crate) struct Graph {
    index: Index,
    free_walks: Mutex<usize>,
    freed: Condvar,
    /// The bytes that the index reads in place. Declared after the index, hence dropped after it.
    _bytes: Option<Arc<Mapping>>,
}

/// The result of a filtered walk.
pub(crate) enum Walk {
    /// The indexes of the records found.
    Found(Vec<usize>),
    /// The walk called the filter too often and was cancelled.
    Cancelled,
}

impl Graph {
    pub(crate) fn build(records: &[u8], stride: usize) -> Result<Self, GraphError> {
        let graph = Self::empty(stride)?;
        graph.extend(0, records, stride)?;
        Ok(graph)
    }

    /// Copies a graph from verified bytes written by [`save`](Self::save), and adds records to it.
    pub(crate) fn with_rows(bytes: &[u8], known: usize, more: &[u8], stride: usize) -> Result<Self, GraphError> {
        let mut graph = Self::unset(stride)?;
        graph.index.load_from_buffer(bytes).map_err(graph_error)?;
        graph.compare_records(stride);
        graph.extend(known, more, stride)?;
        Ok(graph)
    }

    /// Reads a graph in place, from a range of verified bytes written by [`save`](Self::save).
    pub(crate) fn view(bytes: &Arc<Mapping>, range: Range<usize>, stride: usize) -> Result<Self, GraphError> {
        let mut graph = Self::unset(stride)?;
        // SAFETY: the map outlives the index, because the graph owns it and drops it last.
        unsafe { graph.index.view_from_buffer(&bytes.deref().deref()[range]) }.map_err(graph_error)?;
        graph.compare_records(stride);
        Ok(Self { _bytes: Some(Arc::clone(bytes)), ..graph })
    }

    /// Writes the graph and its records to a file: number and stride of the records, the records by index, the graph.
    ///
    /// A file is used because a copy in memory would take as much as the graph itself.
    pub(crate) fn save(&self, path: &Path) -> Result<(), GraphError> {
        let path = path.to_str().ok_or_else(|| graph_error("the path of the index is not UTF-8"))?;
        self.index.save(path).map_err(graph_error)
    }

    /// The indexes of about `count` nearest records, in no particular order. A smaller `count` also finds them with
    /// less recall.
    pub(crate) fn walk(&self, query: &[u8], count: usize) -> Result<Vec<usize>, GraphError> {
        let _walk = self.acquire_walk();
        let found = self.index.search(&sign_bytes(query), count).map_err(graph_error)?;
        Ok(found.keys.into_iter().map(|key| key as usize).collect())
    }

    /// The indexes of about `count` nearest records among those allowed.
    ///
    /// A walk continues until it has found `count` records. If the filter allows none nearby, that means visiting all
    /// records, so the walk is cancelled after `max_filter_calls` calls to the filter.
    ///
    /// `allows` must not panic, because usearch calls it through C++.
    pub(crate) fn walk_filtered(
        &self,
        query: &[u8],
        count: usize,
        max_filter_calls: usize,
        allows: impl Fn(usize) -> bool,
    ) -> Result<Walk, GraphError> {
        let _walk = self.acquire_walk();
        let filter_calls = Cell::new(0);
        let filter = |key| {
            filter_calls.set(filter_calls.get() + 1);
            // A walk only ends once it has enough records. From here on accept all, and discard the result.
            filter_calls.get() > max_filter_calls || allows(key as usize)
        };
        let found = self.index.filtered_search(&sign_bytes(query), count, filter).map_err(graph_error)?;
        if filter_calls.get() > max_filter_calls {
            return Ok(Walk::Cancelled);
        }
        Ok(Walk::Found(found.keys.into_iter().map(|key| key as usize).collect()))
    }

    fn empty(stride: usize) -> Result<Self, GraphError> {
        let mut graph = Self::unset(stride)?;
        graph.compare_records(stride);
        Ok(graph)
    }

    /// An index with usearch's own metric, as required to read its files.
    fn unset(stride: usize) -> Result<Self, GraphError> {
        let options = IndexOptions {
            dimensions: stride,
            metric: MetricKind::Cos,
            quantization: ScalarKind::I8,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            // A lower bound. Every search passes the number of records to compare.
            expansion_search: 1,
            ..IndexOptions::default()
        };
        let index = Index::new(&options).map_err(graph_error)?;
        index.reserve_capacity_and_threads(1, MAX_WALKS).map_err(graph_error)?;
        Ok(Self { index, free_walks: Mutex::new(MAX_WALKS), freed: Condvar::new(), _bytes: None })
    }

    /// Sets our kernel as the metric. Call this once per index: usearch leaks the previous metric.
    fn compare_records(&mut self, stride: usize) {
        self.index.change_metric::<i8>(Box::new(move |left, right| {
            // SAFETY: usearch passes vectors of the index's dimensions, which are the bytes of a record.
            let (left, right) = unsafe {
                (
                    std::slice::from_raw_parts(left.cast::<u8>(), stride),
                    std::slice::from_raw_parts(right.cast::<u8>(), stride),
                )
            };
            let dot = kernel::dot_bytes(kernel::components(left), kernel::components(right));
            1.0 - dot as f32 * kernel::factor(left) * kernel::factor(right)
        }));
    }

    /// Adds records. The first one gets index `from`.
    fn extend(&self, from: usize, records: &[u8], stride: usize) -> Result<(), GraphError> {
        let count = records.len() / stride;
        self.index.reserve_capacity_and_threads(from + count, MAX_WALKS).map_err(graph_error)?;
        for (place, record) in records.chunks_exact(stride).enumerate() {
            self.index.add((from + place) as u64, &sign_bytes(record)).map_err(graph_error)?;
        }
        Ok(())
    }

    /// Waits for a permit to walk.
    fn acquire_walk(&self) -> WalkPermit<'_> {
        let mut free = self.free_walks.lock();
        while *free == 0 {
            self.freed.wait(&mut free);
        }
        *free -= 1;
        WalkPermit(self)
    }
}

/// A permit to walk, released on drop.
struct WalkPermit<'a>(&'a Graph);

impl Drop for WalkPermit<'_> {
    fn drop(&mut self) {
        *self.0.free_walks.lock() += 1;
        self.0.freed.notify_one();
    }
}

fn sign_bytes(record: &[u8]) -> Vec<i8> {
    record.iter().map(|byte| *byte as i8).collect()
}

fn graph_error(error: impl std::fmt::Display) -> GraphError {
    GraphError { message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use recall_core::Quantised;

    use super::*;
    use crate::vector::kernel;

    const DIMENSIONS: usize = 8;

    /// Records on a circle, one per degree.
    fn circle() -> Vec<u8> {
        let mut records = Vec::new();
        for degrees in 0..360_u16 {
            let (sine, cosine) = f32::from(degrees).to_radians().sin_cos();
            let embedding = [cosine, sine, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0];
            kernel::push(&mut records, &Quantised::quantise(&embedding).expect("a direction"));
        }
        records
    }

    #[test]
    fn a_walk_whose_filter_allows_nothing_is_cancelled() {
        let (records, stride) = (circle(), kernel::stride(DIMENSIONS));
        let graph = Graph::build(&records, stride).expect("memory");
        let query = &records[..stride];
        let filter_calls = Cell::new(0);
        let none = |_| {
            filter_calls.set(filter_calls.get() + 1);
            false
        };
        let walk = graph.walk_filtered(query, 10, 50, none).expect("a walk");
        assert!(matches!(walk, Walk::Cancelled));
        assert_eq!(filter_calls.get(), 50, "the filter is not called any more");
        let Ok(Walk::Found(found)) = graph.walk_filtered(query, 10, 360, |place| place >= 180) else {
            panic!("the walk stays within its limit")
        };
        assert!(found.iter().all(|place| *place >= 350), "{found:?}");
    }

    #[test]
    fn usearch_keeps_records_in_the_order_of_their_keys() {
        let (records, stride) = (circle(), kernel::stride(DIMENSIONS));
        let place = tempfile::tempdir().expect("a temporary directory");
        let bytes = |graph: Graph| {
            let path = place.path().join("graph");
            graph.save(&path).expect("there is room");
            std::fs::read(path).expect("it was written")
        };
        let whole = Graph::build(&records, stride).map(bytes).expect("memory");
        assert_eq!(&whole[PREFIX_BYTES..PREFIX_BYTES + records.len()], records);
        let (first, rest) = records.split_at(100 * stride);
        let part = Graph::build(first, stride).map(bytes).expect("memory");
        let extended = Graph::with_rows(&part, 100, rest, stride).map(bytes).expect("memory");
        assert_eq!(&extended[..PREFIX_BYTES + records.len()], &whole[..PREFIX_BYTES + records.len()]);
    }
}
