//! Which records does a walk over the graph find?
//!
//! The only file that knows the graph library. What the library is given to read has been verified: it trusts its bytes,
//! and crashes on damaged ones. Its kernels are not used but ours: it compares records, whose dimensions, to it, include the
//! bytes of the factor. Every key is the place of its record, so that neither side keeps a table.

#![expect(
    unsafe_code,
    reason = "the library takes addresses: of records to compare, and of the bytes that it reads in place"
)]

use std::cell::Cell;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::mapping::Mapping;
use crate::{kernel, record};

/// Edges of a node; twice as many at the base. With 16, a graph takes half as many bytes as its records at 256 dimensions.
const CONNECTIVITY: usize = 16;

/// How many records are compared for a new one's edges. 64 builds in two thirds of the time and loses recall.
const EXPANSION_ADD: usize = 128;

/// How many searches walk at once; others wait. The library has room for a fixed number, and fails beyond it.
const WALKS: usize = 16;

/// What the library writes before the records: their number and their stride.
pub(crate) const PREFIX_BYTES: usize = 8;

/// The graph library refused.
#[derive(Debug, thiserror::Error)]
#[error("the graph library: {message}")]
pub struct GraphError {
    /// What it said.
    message: String,
}

/// A graph over records.
pub(crate) struct Graph {
    index: Index,
    free_walks: Mutex<usize>,
    freed: Condvar,
    /// What the index reads in place. Declared behind it, hence dropped after it.
    _bytes: Option<Arc<Mapping>>,
}

/// What a filtered walk came to.
pub(crate) enum Walk {
    /// The places of the records that were found.
    Found(Vec<usize>),
    /// The walk asked the filter too often and was given up.
    TooLong,
}

impl Graph {
    /// Makes a graph of all records.
    pub(crate) fn build(records: &[u8], stride: usize) -> Result<Self, GraphError> {
        let graph = Self::empty(stride)?;
        graph.extend(0, records, stride)?;
        Ok(graph)
    }

    /// Copies a graph from bytes that are known to be what [`save`](Self::save) wrote, and adds records to it.
    pub(crate) fn extended(bytes: &[u8], known: usize, more: &[u8], stride: usize) -> Result<Self, GraphError> {
        let mut graph = Self::unset(stride)?;
        graph.index.load_from_buffer(bytes).map_err(refused)?;
        graph.compare_records(stride);
        graph.extend(known, more, stride)?;
        Ok(graph)
    }

    /// Reads a graph in place, from a range of a file's bytes that are known to be what [`save`](Self::save) wrote.
    pub(crate) fn view(bytes: &Arc<Mapping>, range: Range<usize>, stride: usize) -> Result<Self, GraphError> {
        let mut graph = Self::unset(stride)?;
        // SAFETY: the map outlives the index, since the graph keeps it and drops it last.
        unsafe { graph.index.view_from_buffer(&bytes.deref().deref()[range]) }.map_err(refused)?;
        graph.compare_records(stride);
        Ok(Self { _bytes: Some(Arc::clone(bytes)), ..graph })
    }

    /// Writes the graph and its records into a file: number and stride of the records, the records by place, the graph.
    ///
    /// Into a file, as a copy in memory would take as much as the graph itself.
    pub(crate) fn save(&self, path: &Path) -> Result<(), GraphError> {
        let path = path.to_str().ok_or_else(|| refused("the path of the index is not UTF-8"))?;
        self.index.save(path).map_err(refused)
    }

    /// The places of about the `count` nearest records, in no order. Fewer are nearer.
    pub(crate) fn walk(&self, query: &[u8], count: usize) -> Result<Vec<usize>, GraphError> {
        let _walk = self.take_walk();
        let found = self.index.search(&signed(query), count).map_err(refused)?;
        Ok(found.keys.into_iter().map(|key| key as usize).collect())
    }

    /// The places of about the `count` nearest records among those that are allowed.
    ///
    /// A walk goes on until it has found `count`, which for a filter that allows nothing nearby means all records: after
    /// `patience` questions to the filter it ends.
    ///
    /// `allows` must not panic: it is called through the library.
    pub(crate) fn walk_filtered(
        &self,
        query: &[u8],
        count: usize,
        patience: usize,
        allows: impl Fn(usize) -> bool,
    ) -> Result<Walk, GraphError> {
        let _walk = self.take_walk();
        let asked = Cell::new(0);
        let filter = |key| {
            asked.set(asked.get() + 1);
            // Only a walk that has enough ends, so from then on everything counts, and what was found is thrown away.
            asked.get() > patience || allows(key as usize)
        };
        let found = self.index.filtered_search(&signed(query), count, filter).map_err(refused)?;
        if asked.get() > patience {
            return Ok(Walk::TooLong);
        }
        Ok(Walk::Found(found.keys.into_iter().map(|key| key as usize).collect()))
    }

    fn empty(stride: usize) -> Result<Self, GraphError> {
        let mut graph = Self::unset(stride)?;
        graph.compare_records(stride);
        Ok(graph)
    }

    /// An index that compares by the library's own kernel: what it reads, it reads so.
    fn unset(stride: usize) -> Result<Self, GraphError> {
        let options = IndexOptions {
            dimensions: stride,
            metric: MetricKind::Cos,
            quantization: ScalarKind::I8,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            // Every search asks for as many as it shall compare, and this is a lower bound.
            expansion_search: 1,
            ..IndexOptions::default()
        };
        let index = Index::new(&options).map_err(refused)?;
        index.reserve_capacity_and_threads(1, WALKS).map_err(refused)?;
        Ok(Self { index, free_walks: Mutex::new(WALKS), freed: Condvar::new(), _bytes: None })
    }

    /// Has records compared by our kernel. Once an index: the library leaks the kernel that was set before.
    fn compare_records(&mut self, stride: usize) {
        self.index.change_metric::<i8>(Box::new(move |left, right| {
            // SAFETY: the library compares vectors of the index's dimensions, which are the bytes of a record.
            let (left, right) = unsafe {
                (
                    std::slice::from_raw_parts(left.cast::<u8>(), stride),
                    std::slice::from_raw_parts(right.cast::<u8>(), stride),
                )
            };
            let dot = kernel::dot_bytes(record::components(left), record::components(right));
            1.0 - dot as f32 * record::factor(left) * record::factor(right)
        }));
    }

    /// Adds records; the first becomes the one at place `from`.
    fn extend(&self, from: usize, records: &[u8], stride: usize) -> Result<(), GraphError> {
        let count = records.len() / stride;
        self.index.reserve_capacity_and_threads(from + count, WALKS).map_err(refused)?;
        for (place, record) in records.chunks_exact(stride).enumerate() {
            self.index.add((from + place) as u64, &signed(record)).map_err(refused)?;
        }
        Ok(())
    }

    /// Waits until a search may walk.
    fn take_walk(&self) -> TakenWalk<'_> {
        let mut free = self.free_walks.lock();
        while *free == 0 {
            self.freed.wait(&mut free);
        }
        *free -= 1;
        TakenWalk(self)
    }
}

/// The right to walk, given back when it is dropped.
struct TakenWalk<'a>(&'a Graph);

impl Drop for TakenWalk<'_> {
    fn drop(&mut self) {
        *self.0.free_walks.lock() += 1;
        self.0.freed.notify_one();
    }
}

fn signed(record: &[u8]) -> Vec<i8> {
    record.iter().map(|byte| *byte as i8).collect()
}

fn refused(error: impl std::fmt::Display) -> GraphError {
    GraphError { message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use recall_core::Quantised;

    use super::*;

    const DIMENSIONS: usize = 8;

    /// Records on a circle, one a degree.
    fn circle() -> Vec<u8> {
        let mut records = Vec::new();
        for degrees in 0..360_u16 {
            let (sine, cosine) = f32::from(degrees).to_radians().sin_cos();
            let embedding = [cosine, sine, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0];
            record::push(&mut records, &Quantised::of(&embedding).expect("a direction"));
        }
        records
    }

    #[test]
    fn a_walk_whose_filter_allows_nothing_is_given_up() {
        let (records, stride) = (circle(), record::stride(DIMENSIONS));
        let graph = Graph::build(&records, stride).expect("memory");
        let query = &records[..stride];
        let asked = Cell::new(0);
        let none = |_| {
            asked.set(asked.get() + 1);
            false
        };
        let walk = graph.walk_filtered(query, 10, 50, none).expect("a walk");
        assert!(matches!(walk, Walk::TooLong));
        assert_eq!(asked.get(), 50, "from then on nobody is asked");
        let Ok(Walk::Found(found)) = graph.walk_filtered(query, 10, 360, |place| place >= 180) else {
            panic!("not everything has to be asked for")
        };
        assert!(found.iter().all(|place| *place >= 350), "{found:?}");
    }

    #[test]
    fn the_library_keeps_records_in_the_order_of_their_places() {
        let (records, stride) = (circle(), record::stride(DIMENSIONS));
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
        let extended = Graph::extended(&part, 100, rest, stride).map(bytes).expect("memory");
        assert_eq!(&extended[..PREFIX_BYTES + records.len()], &whole[..PREFIX_BYTES + records.len()]);
    }
}
