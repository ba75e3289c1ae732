//! A persistent index of embeddings.
//!
//! A base that is never changed can be mapped, shared and verified once; a log next to it takes the changes, and is short enough to
//! be replayed into memory. A merge writes the next base while searches and changes continue (`merge`). Changes are not synced: what
//! a loss of power takes is found missing by generation, and is derived again from the catalog.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use recall_core::{ChunkRow, Generation, NearestError, Neighbour, Quantised, RowFilter, RowSet, VectorIndex};

use crate::vector::base::Base;
use crate::vector::base::SlotSet;
use crate::vector::delta::{Delta, LogEntry};
use crate::vector::query::{Query, TopK};
use crate::vector::{Exact, Model, Settings, VectorOpenError, VectorWriteError, folder};

mod merge;

/// The embeddings of a store's chunks by one model.
///
/// Can be shared by any number of threads. Searches run concurrently and wait only for the last step of a change. The
/// caller must ensure that a single process uses the folder.
pub struct Vectors {
    dir: PathBuf,
    model: Model,
    settings: Settings,
    state: RwLock<State>,
    /// Held during a change, from the first byte on disk to the last update in memory.
    log: Mutex<Log>,
    /// Held during a merge. Locked before the log.
    merging: Mutex<()>,
}

/// The state seen by a search.
#[derive(Clone)]
struct State {
    generation: Generation,
    base: Option<Arc<Base>>,
    /// The slots of the base whose chunks were removed or have a newer embedding in the delta.
    removed: SlotSet,
    delta: Exact,
}

/// The log of changes.
struct Log {
    /// The number of the base and its delta.
    number: u64,
    delta: Delta,
    /// The changes since the current merge began. `None` if no merge is running.
    since_merge: Option<Vec<LogEntry>>,
}

/// A change of an index. The removals take effect first.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Chunks to remove. A chunk without an embedding is ignored.
    pub removed: Vec<ChunkRow>,
    /// Chunks with their new embeddings, which replace existing ones.
    pub added: Vec<(ChunkRow, Quantised)>,
}

/// The difference between an index and its expected contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Chunks without an embedding that should have one, ascending.
    pub missing: Vec<ChunkRow>,
    /// Chunks with an embedding that should have none, in no particular order.
    pub orphaned: Vec<ChunkRow>,
}

impl Vectors {
    /// Opens the index in a folder. Creates the folder and an empty index if there is none.
    ///
    /// The cost does not depend on the number of embeddings: the first search verifies a large index, unless
    /// [`verify`](Self::verify) was called before.
    ///
    /// # Errors
    /// See [`VectorOpenError`]. The folder is unchanged, except that leftover files may have been deleted.
    pub fn open(dir: &Path, model: Model, settings: Settings) -> Result<Self, VectorOpenError> {
        let io_error = |error| VectorOpenError::io(dir, error);
        fs::create_dir_all(dir).map_err(io_error)?;
        let contents = folder::list(dir).map_err(io_error)?;
        let number = contents.bases.iter().copied().max().unwrap_or(0);
        if let Some(orphan) = contents.deltas.iter().find(|delta| **delta > number) {
            return Err(VectorOpenError::damaged(&folder::base_path(dir, *orphan), "it is missing"));
        }
        let path = folder::base_path(dir, number);
        let base = (number > 0).then(|| Base::open(&path, model)).transpose()?;
        let identity = base.as_ref().map_or(0, Base::identity);
        let (delta, entries) = Delta::open(&folder::delta_path(dir, number), model, identity)?;
        folder::sweep(dir, &contents, number);
        let mut state = State::new(base, model);
        for LogEntry { generation, removed, added } in entries {
            state.change(generation, &removed, &added);
        }
        let log = Mutex::new(Log { number, delta, since_merge: None });
        Ok(Self { dir: dir.to_owned(), model, settings, state: RwLock::new(state), log, merging: Mutex::new(()) })
    }

    /// The model whose embeddings these are.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The generation of the last change. Zero for a new index.
    pub fn generation(&self) -> Generation {
        self.state.read().generation
    }

    /// Verifies the checksums of the files and prepares the index for the first search.
    ///
    /// Otherwise the first search does this. Takes less than a second for a million embeddings in the page cache.
    ///
    /// # Errors
    /// [`NearestError::Damaged`] and [`NearestError::Unreadable`]. Every search then returns the same error.
    pub fn verify(&self) -> Result<(), NearestError> {
        let base = self.state.read().base.clone();
        base.map_or(Ok(()), |base| Ok(base.verify()?))
    }

    /// Whether another program has replaced or overwritten the base while it was open. Reads the metadata of one file.
    ///
    /// The delta is in memory; its file is verified when it is opened.
    pub fn is_disturbed(&self) -> bool {
        let state = self.state.read();
        state.base.as_ref().is_some_and(|base| base.is_disturbed())
    }

    /// Returns the difference between this index and one of exactly these chunks.
    pub fn difference(&self, expected: &RowSet) -> Difference {
        let state = self.state.read();
        let orphaned = state.rows().filter(|row| !expected.contains(*row)).collect();
        let missing = expected.iter().filter(|row| !state.contains(*row)).collect();
        Difference { missing, orphaned }
    }

    /// Returns about `count` chunks that have an embedding, spread evenly over the index: all of them if there are no more.
    pub fn sample(&self, count: usize) -> Vec<ChunkRow> {
        self.state.read().sample(count)
    }

    /// Writes a change to the log, and makes it visible to every later search.
    ///
    /// An empty change is written too, because it advances the generation.
    ///
    /// # Errors
    /// See [`VectorWriteError`]. The index is unchanged.
    pub fn apply(&self, generation: Generation, change: &Change) -> Result<(), VectorWriteError> {
        let Change { removed, added } = change;
        let expected = self.model.dimensions;
        if let Some((row, embedding)) = added.iter().find(|(_, known)| known.components().len() != expected) {
            return Err(VectorWriteError::Dimensions { row: row.0, expected, found: embedding.components().len() });
        }
        let mut log = self.log.lock();
        // The log first: a search must not see what a restart of the process would forget.
        let written = log.delta.append(generation, removed, added);
        written.map_err(|error| VectorWriteError::io(log.delta.path(), error))?;
        if let Some(since) = &mut log.since_merge {
            since.push(LogEntry { generation, removed: removed.clone(), added: added.clone() });
        }
        self.state.write().change(generation, removed, added);
        Ok(())
    }

    /// The size of the index on disk, in bytes.
    pub fn size_bytes(&self) -> io::Result<u64> {
        fs::read_dir(&self.dir)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
    }
}

impl VectorIndex for Vectors {
    fn dimensions(&self) -> usize {
        self.model.dimensions
    }

    fn len(&self) -> usize {
        self.state.read().len()
    }

    fn nearest(&self, query: &[f32], filter: RowFilter<'_>, count: usize) -> Result<Vec<Neighbour>, NearestError> {
        let query = Query::new(query, self.model.dimensions)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        // Verify before locking, so that changes do not wait for the verification of a large file.
        self.verify()?;
        let state = self.state.read();
        let mut best = TopK::new(count);
        if let Some(base) = &state.base {
            base.search(&query, filter, &state.removed, &self.settings, &mut best, count)?;
        }
        state.delta.search(&query, filter, &mut best);
        Ok(best.into_sorted())
    }

    fn cosines(&self, query: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>, NearestError> {
        let query = Query::new(query, self.model.dimensions)?;
        self.verify()?;
        let state = self.state.read();
        let in_base = |row| match &state.base {
            None => Ok(None),
            Some(base) => base.cosine(&query, row, &state.removed),
        };
        rows.iter()
            .map(|row| match state.delta.record(*row) {
                Some(record) => Ok(Some(query.cosine(record))),
                None => in_base(*row),
            })
            .collect()
    }
}

impl State {
    /// The state of a base without changes. Without a base, an empty state.
    fn new(base: Option<Base>, model: Model) -> Self {
        let generation = base.as_ref().map_or(Generation(0), Base::generation);
        let delta = Exact::new(model.dimensions);
        Self { generation, base: base.map(Arc::new), removed: SlotSet::default(), delta }
    }

    fn len(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.len() - self.removed.len()) + self.delta.rows().len()
    }

    /// The chunks with an embedding, in no particular order.
    fn rows(&self) -> impl Iterator<Item = ChunkRow> + '_ {
        let base = self.base.iter().flat_map(|base| {
            base.rows_in_order().filter(|slot| !self.removed.contains(*slot)).map(|slot| base.rows()[slot])
        });
        base.chain(self.delta.rows().iter().copied())
    }

    /// Slots are skipped without a look at those between, so that a large base costs no more than a small one.
    fn sample(&self, count: usize) -> Vec<ChunkRow> {
        let slots = self.base.as_ref().map_or(0, |base| base.slots());
        let step = (slots + self.delta.rows().len()).div_ceil(count.max(1)).max(1);
        let base = self.base.iter().flat_map(|base| {
            let is_live = |slot: &usize| !base.dead().contains(*slot) && !self.removed.contains(*slot);
            (0..base.slots()).step_by(step).filter(is_live).map(|slot| base.rows()[slot])
        });
        base.chain(self.delta.rows().iter().copied().step_by(step)).collect()
    }

    fn contains(&self, row: ChunkRow) -> bool {
        let slot = self.base.as_ref().and_then(|base| base.slot(row));
        slot.is_some_and(|slot| !self.removed.contains(slot)) || self.delta.record(row).is_some()
    }

    fn change(&mut self, generation: Generation, removed: &[ChunkRow], added: &[(ChunkRow, Quantised)]) {
        for row in removed.iter().chain(added.iter().map(|(row, _)| row)) {
            self.delta.remove(*row);
            if let Some(slot) = self.base.as_ref().and_then(|base| base.slot(*row)) {
                self.removed.insert(slot);
            }
        }
        for (row, embedding) in added {
            self.delta.insert(*row, embedding);
        }
        self.generation = generation;
    }
}
