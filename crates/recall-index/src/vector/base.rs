//! The base: the large, immutable, memory-mapped part of an index.
//!
//! Opening it reads the head and the tables, which have checksums of their own. The content is verified once, block by
//! block, before its first use. The verification reads the file instead of the map, so that the content does not count
//! as memory of the process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use recall_core::{ChunkRow, Generation, find_ascending};
use recall_os::FileStamp;

use crate::vector::error::ContentError;
use crate::vector::graph::Graph;
use crate::vector::mapping::Mapping;
use crate::vector::{Model, VectorOpenError, kernel};

mod format;
mod search;

use format::{BLOCK_BYTES, HEAD_BYTES, Head};
pub(crate) use format::{BaseParts, Content, FORMAT, Reader, SlotSet, check_model, write};

/// A base with verified head and tables.
pub(crate) struct Base {
    path: PathBuf,
    head: Head,
    /// The file's metadata when it was opened.
    stamp: Option<FileStamp>,
    /// The checksum of the head, which identifies this base.
    identity: u32,
    rows: Box<[ChunkRow]>,
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
    /// Opens a base for a model. The cost does not depend on the size of the content.
    pub(crate) fn open(path: &Path, model: Model) -> Result<Self, VectorOpenError> {
        let io_error = |error| VectorOpenError::io(path, error);
        let stamp = FileStamp::read(path);
        let mut file = File::open(path).map_err(io_error)?;
        let mut head = [0; HEAD_BYTES];
        file.read_exact(&mut head).map_err(io_error)?;
        let identity = crc32fast::hash(&head);
        let head = Head::read(path, &head)?;
        check_model(path, head.model, model)?;
        let found = file.metadata().map_err(io_error)?.len();
        if found != head.file_bytes() {
            return Err(VectorOpenError::damaged(path, format!("it has {found} bytes, not {}", head.file_bytes())));
        }
        let mut tables = vec![0; head.tables_bytes()];
        file.read_exact(&mut tables).map_err(io_error)?;
        if crc32fast::hash(&tables) != head.tables_checksum {
            return Err(VectorOpenError::damaged(path, "checksum mismatch in its tables"));
        }
        let (rows, rest) = tables.split_at(head.rows_bytes());
        let (dead, checksums) = rest.split_at(head.dead_bytes());
        let rows: Box<[ChunkRow]> = rows.as_chunks().0.iter().map(|row| ChunkRow(i64::from_le_bytes(*row))).collect();
        let dead = SlotSet::from_bytes(dead);
        let checksums = checksums.as_chunks().0.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
        let order = order(&rows, &dead);
        let mapping = Arc::new(Mapping::new(&file).map_err(io_error)?);
        let (path, verified) = (path.to_owned(), OnceLock::new());
        Ok(Self { path, head, stamp, identity, rows, dead, order, checksums, file, mapping, verified })
    }

    /// Whether another program has replaced or overwritten the file.
    pub(crate) fn is_disturbed(&self) -> bool {
        FileStamp::read(&self.path) != self.stamp
    }

    pub(crate) fn generation(&self) -> Generation {
        self.head.generation
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

    pub(crate) fn rows(&self) -> &[ChunkRow] {
        &self.rows
    }

    /// The live slots in the order of their rows.
    pub(crate) fn rows_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        let (all, some) = match &self.order {
            None => (Some(0..self.slots()), None),
            Some(order) => (None, Some(order.iter().map(|slot| *slot as usize))),
        };
        all.into_iter().flatten().chain(some.into_iter().flatten())
    }

    /// The live slot of a chunk.
    pub(crate) fn slot(&self, row: ChunkRow) -> Option<usize> {
        match &self.order {
            None => find_ascending(self.rows.len(), |slot| self.rows[slot].0, row.0),
            Some(order) => {
                let slot = |place: usize| order[place] as usize;
                find_ascending(order.len(), |place| self.rows[slot(place)].0, row.0).map(slot)
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

/// The live slots by row. `None` if that is the order of all slots.
fn order(rows: &[ChunkRow], dead: &SlotSet) -> Option<Box<[u32]>> {
    if dead.is_empty() && rows.is_sorted() {
        return None;
    }
    let mut order: Vec<u32> = (0..rows.len() as u32).filter(|slot| !dead.contains(*slot as usize)).collect();
    // A stable sort, which merges the ascending runs that merges of the index leave.
    order.sort_by_key(|slot| rows[*slot as usize]);
    Some(order.into())
}
