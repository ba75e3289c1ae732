//! A persistent index of embeddings.
//!
//! Bases that are never changed can be mapped, shared and verified once; a log next to them takes the changes, and is short enough to
//! be replayed into memory. A merge writes the next base while searches and changes continue (`merge`). Changes are not synced: what
//! a loss of power takes is found missing by generation, and is derived again from the catalog.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, RwLock};
use recall_core::{ChunkRow, Generation, NearestError, Neighbour, Quantised, RowFilter, RowSet, VectorIndex};

use crate::vector::delta::{Delta, LogEntry, LogStart};
use crate::vector::query::{Query, TopK};
use crate::vector::{Model, Settings, VectorOpenError, VectorWriteError, folder};

mod merge;
mod state;

use state::State;

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

/// The log of changes.
struct Log {
    /// The number of the merge that it follows.
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
        if let (Some(number), true) = (contents.bases.first(), contents.deltas.is_empty()) {
            return Err(VectorOpenError::damaged(&folder::base_path(dir, *number), "its log is missing"));
        }
        let number = contents.deltas.iter().copied().max().unwrap_or(0);
        let path = folder::delta_path(dir, number);
        let (delta, start, entries) = if contents.deltas.is_empty() {
            let (start, io_error) = (LogStart::default(), |error| VectorOpenError::io(&path, error));
            (Delta::create(&path, model, &start).map_err(io_error)?, start, Vec::new())
        } else {
            Delta::open(&path, model)?
        };
        let mut state = State::open(dir, model, start)?;
        folder::sweep(dir, &contents, number, &state.base_numbers());
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
        let bases = self.state.read().base_files();
        bases.iter().try_for_each(|base| Ok(base.verify()?))
    }

    /// Whether another program has replaced or overwritten a base while it was open. Reads the metadata of the files.
    ///
    /// The delta is in memory; its file is verified when it is opened.
    pub fn is_disturbed(&self) -> bool {
        self.state.read().base_files().iter().any(|base| base.is_disturbed())
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
        for live in &state.bases {
            live.base.search(&query, filter, &live.removed, &self.settings, &mut best, count)?;
        }
        state.delta.search(&query, filter, &mut best);
        Ok(best.into_sorted())
    }

    fn cosines(&self, query: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>, NearestError> {
        let query = Query::new(query, self.model.dimensions)?;
        self.verify()?;
        let state = self.state.read();
        rows.iter()
            .map(|row| match state.delta.record(*row) {
                Some(record) => Ok(Some(query.cosine(record))),
                None => state.cosine_in_bases(&query, *row),
            })
            .collect()
    }
}
