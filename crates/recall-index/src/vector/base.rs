//! A base: a large, immutable, memory-mapped part of an index.
//!
//! Opening it reads the head and the tables, which have checksums of their own. The content is verified once, block by
//! block, before its first use. The verification reads the file instead of the map, so that neither the content nor the rows
//! count as memory of the process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use recall_core::{ChunkRow, NearestError, RowFilter, RowSet, find_ascending};
use recall_os::FileStamp;

use crate::vector::error::ContentError;
use crate::vector::graph::{Graph, GraphError, Walk};
use crate::vector::mapping::Mapping;
use crate::vector::query::{Query, TopK};
use crate::vector::{Model, Settings, VectorOpenError, folder, kernel};

mod format;

use format::{BLOCK_BYTES, HEAD_BYTES, Head};
pub(crate) use format::{BaseParts, Content, FORMAT, Reader, SlotSet, check_model, checksum, write};

/// A base with verified head and tables.
pub(crate) struct Base {
    number: u64,
    path: PathBuf,
    head: Head,
    /// The file's metadata when it was opened.
    stamp: Option<FileStamp>,
    /// The checksum of the head, which identifies this base.
    identity: u32,
    /// The least and the greatest row of all slots; `None` without slots.
    bounds: Option<(ChunkRow, ChunkRow)>,
    dead: SlotSet,
    /// The live slots in the order of their rows. `None` if all slots are live and already in that order.
    order: Option<Box<[u32]>>,
    checksums: Box<[u32]>,
    /// For reads that bypass the map.
    file: File,
    mapping: Arc<Mapping>,
    verified: OnceLock<Result<Verified, ContentError>>,
}

/// The parts that can be used once the content is verified.
struct Verified {
    graph: Option<Graph>,
}

impl Base {
    /// Opens the base with a number for a model. The cost does not depend on the size of the content.
    pub(crate) fn open(dir: &Path, number: u64, model: Model) -> Result<Self, VectorOpenError> {
        let path = folder::base_path(dir, number);
        let io_error = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => VectorOpenError::damaged(&path, "it is missing"),
            _ => VectorOpenError::io(&path, error),
        };
        let stamp = FileStamp::read(&path);
        let mut file = File::open(&path).map_err(io_error)?;
        let mut head = [0; HEAD_BYTES];
        file.read_exact(&mut head).map_err(io_error)?;
        let identity = checksum(&head);
        let head = Head::read(&path, &head)?;
        check_model(&path, head.model, model)?;
        let found = file.metadata().map_err(io_error)?.len();
        if found != head.file_bytes() {
            return Err(VectorOpenError::damaged(&path, format!("it has {found} bytes, not {}", head.file_bytes())));
        }
        let mut tables = vec![0; head.tables_bytes()];
        file.read_exact(&mut tables).map_err(io_error)?;
        if crc32fast::hash(&tables) != head.tables_checksum {
            return Err(VectorOpenError::damaged(&path, "checksum mismatch in its tables"));
        }
        let (rows, rest) = tables.split_at(head.rows_bytes());
        let (dead, checksums) = rest.split_at(head.dead_bytes());
        let dead = SlotSet::from_bytes(dead);
        let checksums = checksums.as_chunks().0.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
        let rows = rows.as_chunks().0;
        let (bounds, order) = (bounds(rows), order(rows, &dead));
        let mapping = Arc::new(Mapping::new(&file).map_err(io_error)?);
        let verified = OnceLock::new();
        Ok(Self { number, path, head, stamp, identity, bounds, dead, order, checksums, file, mapping, verified })
    }

    /// Whether another program has replaced or overwritten the file.
    pub(crate) fn is_disturbed(&self) -> bool {
        FileStamp::read(&self.path) != self.stamp
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn identity(&self) -> u32 {
        self.identity
    }

    /// The number of slots, dead ones included.
    pub(crate) fn slots(&self) -> usize {
        self.head.slots
    }

    pub(crate) fn dead(&self) -> &SlotSet {
        &self.dead
    }

    /// The number of live slots.
    pub(crate) fn len(&self) -> usize {
        self.head.slots - self.head.dead
    }

    /// The chunk of a slot.
    #[inline]
    pub(crate) fn row(&self, slot: usize) -> ChunkRow {
        row(self.row_bytes()[slot])
    }

    /// The chunks of all slots.
    pub(crate) fn rows(&self) -> impl Iterator<Item = ChunkRow> + '_ {
        self.row_bytes().iter().copied().map(row)
    }

    fn row_bytes(&self) -> &[[u8; 8]] {
        self.mapping[HEAD_BYTES..HEAD_BYTES + self.head.rows_bytes()].as_chunks().0
    }

    /// The live slots in the order of their rows.
    pub(crate) fn slots_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        let (all, some) = match &self.order {
            None => (Some(0..self.slots()), None),
            Some(order) => (None, Some(order.iter().map(|slot| *slot as usize))),
        };
        all.into_iter().flatten().chain(some.into_iter().flatten())
    }

    /// The live slot of a chunk.
    pub(crate) fn slot(&self, row: ChunkRow) -> Option<usize> {
        self.bounds.filter(|(first, last)| (*first..=*last).contains(&row))?;
        let rows = self.row_bytes();
        let known = |slot: usize| i64::from_le_bytes(rows[slot]);
        match &self.order {
            None => find_ascending(rows.len(), known, row.0),
            Some(order) => {
                let slot = |place: usize| order[place] as usize;
                find_ascending(order.len(), |place| known(slot(place)), row.0).map(slot)
            }
        }
    }

    /// Whether the base has a graph.
    pub(crate) fn has_graph(&self) -> bool {
        self.head.graph_bytes > 0
    }

    /// Verifies the content and prepares the graph, once. Concurrent callers wait for the first.
    pub(crate) fn verify(&self) -> Result<(), ContentError> {
        self.verification().map(|_| ())
    }

    /// The records, indexed by slot.
    ///
    /// # Errors
    /// The content is damaged or unreadable.
    pub(crate) fn records(&self) -> Result<&[u8], ContentError> {
        self.verification()?;
        Ok(&self.content()[self.head.records()])
    }

    /// The bytes written by usearch.
    ///
    /// # Errors
    /// The content is damaged or unreadable.
    pub(crate) fn graph_bytes(&self) -> Result<&[u8], ContentError> {
        self.verification()?;
        Ok(self.content())
    }

    fn content(&self) -> &[u8] {
        &self.mapping[self.head.content_at()..]
    }

    fn verification(&self) -> Result<&Verified, ContentError> {
        self.verified.get_or_init(|| self.verify_once()).as_ref().map_err(Clone::clone)
    }

    /// Classifies a read error like [`VectorOpenError::io`].
    fn unusable(&self, error: &io::Error) -> ContentError {
        let what = format!("{}: {error}", self.path.display());
        if error.kind() == io::ErrorKind::UnexpectedEof {
            ContentError::Damaged(what)
        } else {
            ContentError::Unreadable(what)
        }
    }

    fn verify_once(&self) -> Result<Verified, ContentError> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.head.content_at() as u64)).map_err(|error| self.unusable(&error))?;
        let mut block = vec![0; BLOCK_BYTES];
        let mut left = self.head.content_bytes();
        for (number, checksum) in self.checksums.iter().enumerate() {
            let block = &mut block[..left.min(BLOCK_BYTES)];
            left -= block.len();
            file.read_exact(block).map_err(|error| self.unusable(&error))?;
            if crc32fast::hash(block) != *checksum {
                let file = self.path.display();
                return Err(ContentError::Damaged(format!("checksum mismatch in block {number} of `{file}`")));
            }
        }
        let at = self.head.content_at();
        let stride = kernel::stride(self.head.model.dimensions);
        let graph = self.has_graph().then(|| Graph::view(&self.mapping, at..self.mapping.len(), stride)).transpose();
        // The bytes are verified, so a failure means that another version of usearch wrote them.
        let graph = graph.map_err(|error| ContentError::Damaged(format!("{}: {error}", self.path.display())))?;
        Ok(Verified { graph })
    }
}

/// The chunk of a slot as it is stored.
fn row(bytes: [u8; 8]) -> ChunkRow {
    ChunkRow(i64::from_le_bytes(bytes))
}

/// The least and the greatest of some rows.
fn bounds(rows: &[[u8; 8]]) -> Option<(ChunkRow, ChunkRow)> {
    let rows = || rows.iter().copied().map(row);
    rows().min().zip(rows().max())
}

/// The live slots by row. `None` if that is the order of all slots.
fn order(rows: &[[u8; 8]], dead: &SlotSet) -> Option<Box<[u32]>> {
    if dead.is_empty() && rows.is_sorted_by_key(|bytes| row(*bytes)) {
        return None;
    }
    let mut order: Vec<u32> = (0..rows.len() as u32).filter(|slot| !dead.contains(*slot as usize)).collect();
    // A stable sort, which merges the ascending runs that merges of the index leave.
    order.sort_by_key(|slot| row(rows[*slot as usize]));
    Some(order.into())
}

/// How much longer than expected a filtered walk may take. If the filter's records are far from the query, the walk
/// visits everything, and comparing the filter's records is cheaper.
const MAX_WALK_FACTOR: usize = 4;

/// The number of calls to the filter per expanded node, one for each neighbour that comes near enough. Measured: 2.1.
const FILTER_CALLS_PER_NODE: usize = 2;

/// The cost of finding a row's slot and comparing its record, relative to a record in a sequential scan, which the
/// processor prefetches. 150 ns and 27 ns on a busy machine (bench `vector`).
const LOOK_UP_COST: usize = 6;

impl Base {
    /// Offers the chunks near the query that pass the filter and are not removed.
    pub(crate) fn search(
        &self,
        query: &Query,
        filter: RowFilter<'_>,
        removed: &SlotSet,
        settings: &Settings,
        best: &mut TopK,
        count: usize,
    ) -> Result<(), NearestError> {
        let verified = self.verification()?;
        let live = self.len() - removed.len();
        let allowed = match filter {
            RowFilter::All => live,
            RowFilter::Only(rows) => self.count(rows).min(live),
        };
        if allowed == 0 {
            return Ok(());
        }
        // More than requested, because the walk rounds the query too.
        let wanted = count.min(live);
        let expansion = settings.expansion.max(wanted + wanted / 4);
        let walk = verified.graph.as_ref().filter(|_| self.walk_pays(allowed, expansion, settings.node_cost));
        if let Some(graph) = walk {
            let found = self.walk(graph, query, filter, removed, expansion, allowed);
            let found = found.map_err(|error| NearestError::Unreadable { source: error.into() })?;
            // Fewer results may be correct if the filter names chunks that are not in this base. Only a scan can tell.
            if let Some(found) = found.filter(|found| found.len() >= count.min(allowed)) {
                let records = self.records()?;
                let stride = kernel::stride(self.head.model.dimensions);
                for slot in found {
                    best.offer(self.row(slot), query.cosine(&records[slot * stride..(slot + 1) * stride]));
                }
                return Ok(());
            }
        }
        self.scan(query, filter, removed, best)
    }

    /// The slots found by a walk. `None` if the walk was cancelled.
    fn walk(
        &self,
        graph: &Graph,
        query: &Query,
        filter: RowFilter<'_>,
        removed: &SlotSet,
        expansion: usize,
        allowed: usize,
    ) -> Result<Option<Vec<usize>>, GraphError> {
        let is_live = |slot: usize| !self.dead.contains(slot) && !removed.contains(slot);
        let max_filter_calls = |allowed: usize| {
            let expected = expansion * self.slots() / allowed.max(1);
            MAX_WALK_FACTOR * FILTER_CALLS_PER_NODE * (expected + expansion)
        };
        let walk = match filter {
            RowFilter::All if self.dead.is_empty() && removed.is_empty() => {
                return graph.walk(query.record(), expansion).map(Some);
            }
            RowFilter::All => graph.walk_filtered(query.record(), expansion, max_filter_calls(allowed), is_live)?,
            RowFilter::Only(rows) => {
                let allows = |slot: usize| rows.contains(self.row(slot)) && is_live(slot);
                graph.walk_filtered(query.record(), expansion, max_filter_calls(allowed), allows)?
            }
        };
        Ok(match walk {
            Walk::Found(slots) => Some(slots),
            Walk::Cancelled => None,
        })
    }

    /// Compares every record that passes the filter.
    fn scan(
        &self,
        query: &Query,
        filter: RowFilter<'_>,
        removed: &SlotSet,
        best: &mut TopK,
    ) -> Result<(), NearestError> {
        let records = self.records()?;
        let is_live = |slot: usize| !self.dead.contains(slot) && !removed.contains(slot);
        match filter {
            RowFilter::Only(rows) if self.count(rows) * LOOK_UP_COST < self.slots() => {
                let stride = kernel::stride(self.head.model.dimensions);
                let rows = self.bounds.into_iter().flat_map(|(first, last)| rows.iter_within(first, last));
                let slots = rows.filter_map(|row| self.slot(row)).filter(|slot| !removed.contains(*slot));
                for slot in slots {
                    best.offer(self.row(slot), query.cosine(&records[slot * stride..(slot + 1) * stride]));
                }
            }
            RowFilter::Only(_) | RowFilter::All => query.scan(records, |slot, cosine| {
                if best.could_keep(cosine) && filter.allows(self.row(slot)) && is_live(slot) {
                    best.offer(self.row(slot), cosine);
                }
            }),
        }
        Ok(())
    }

    /// How many of some rows may be in this base.
    fn count(&self, rows: &RowSet) -> usize {
        self.bounds.map_or(0, |(first, last)| rows.count_within(first, last))
    }

    /// The cosine of a chunk. `None` if it has no slot or was removed.
    pub(crate) fn cosine(&self, query: &Query, row: ChunkRow, removed: &SlotSet) -> Result<Option<f32>, NearestError> {
        let Some(slot) = self.slot(row).filter(|slot| !removed.contains(*slot)) else { return Ok(None) };
        let stride = kernel::stride(self.head.model.dimensions);
        Ok(Some(query.cosine(&self.records()?[slot * stride..(slot + 1) * stride])))
    }

    /// Whether a walk for `expansion` records is cheaper than comparing each of the allowed records.
    fn walk_pays(&self, allowed: usize, expansion: usize, node_cost: usize) -> bool {
        let scan_cost = self.slots().min(allowed.saturating_mul(LOOK_UP_COST)) as u128;
        // expansion × (slots / allowed) × node_cost < scan_cost, without the division.
        let [slots, allowed, expansion, node_cost] =
            [self.slots(), allowed, expansion, node_cost].map(|number| number as u128);
        expansion * slots * node_cost < scan_cost * allowed
    }
}
