//! An index of embeddings in a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use recall_core::{ChunkRow, Generation, NearestError, Neighbour, Quantised, RowFilter, RowSet, VectorIndex};

use crate::base::Base;
use crate::best::Best;
use crate::delta::{Delta, Entry};
use crate::query::Query;
use crate::slots::Slots;
use crate::{Exact, Model, OpenError, Settings, folder};

mod apply;
mod merge;

/// The embeddings of a store's chunks by one model.
///
/// Shared by reference between any number of threads: searches go on beside each other and wait for nothing but the last
/// step of a change. One process at a time; the caller sees to that.
pub struct Vectors {
    dir: PathBuf,
    model: Model,
    settings: Settings,
    state: RwLock<State>,
    /// Whoever changes the index holds it, from the first byte on disk to the last change in memory.
    log: Mutex<Log>,
    /// Whoever merges holds it. Taken before the log.
    merging: Mutex<()>,
}

/// What a search sees.
#[derive(Clone)]
struct State {
    generation: Generation,
    base: Option<Arc<Base>>,
    /// Slots of the base whose chunks are gone or have a newer embedding in the delta.
    removed: Slots,
    delta: Exact,
}

/// What a change is written to.
struct Log {
    /// The number of the base and its delta.
    number: u64,
    delta: Delta,
    /// What was changed since a merge began; `None` while there is none.
    since_merge: Option<Vec<Entry>>,
}

/// A change of an index: first the rows that go, then those that come.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Chunks that are gone. One without an embedding is no error.
    pub removed: Vec<ChunkRow>,
    /// Chunks with their embeddings, in the place of the ones that they had.
    pub added: Vec<(ChunkRow, Quantised)>,
}

/// How an index differs from what it should hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Chunks that should have an embedding and have none, the least first.
    pub missing: Vec<ChunkRow>,
    /// Chunks that have an embedding and should have none, in no order.
    pub surplus: Vec<ChunkRow>,
}

impl Vectors {
    /// Opens the index in a folder, or begins one; the folder is made when there is none.
    ///
    /// The cost does not grow with the size of the embeddings: a large index is verified by its first search, or by
    /// [`verify`](Self::verify) before that.
    ///
    /// # Errors
    /// See [`OpenError`]. What the folder holds was not changed, except that files that nothing belongs to were deleted.
    pub fn open(dir: &Path, model: Model, settings: Settings) -> Result<Self, OpenError> {
        let wrong = |error| OpenError::io(dir, error);
        fs::create_dir_all(dir).map_err(wrong)?;
        let listed = folder::list(dir).map_err(wrong)?;
        let number = listed.bases.iter().copied().max().unwrap_or(0);
        if let Some(orphan) = listed.deltas.iter().find(|delta| **delta > number) {
            return Err(OpenError::damaged(&folder::base_path(dir, *orphan), "it is missing"));
        }
        let path = folder::base_path(dir, number);
        let base = (number > 0).then(|| Base::open(&path, model)).transpose()?;
        let identity = base.as_ref().map_or(0, Base::identity);
        let (delta, entries) = Delta::open(&folder::delta_path(dir, number), model, identity)?;
        folder::sweep(dir, &listed, number);
        let mut state = State::of(base, model);
        for Entry { generation, removed, added } in entries {
            state.change(generation, &removed, &added);
        }
        let log = Mutex::new(Log { number, delta, since_merge: None });
        Ok(Self { dir: dir.to_owned(), model, settings, state: RwLock::new(state), log, merging: Mutex::new(()) })
    }

    /// The model whose embeddings these are.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The generation of the last change. Zero in an index that was just begun.
    pub fn generation(&self) -> Generation {
        self.state.read().generation
    }

    /// Makes sure that the files are what was written, and everything ready for the first search.
    ///
    /// That search does it otherwise. Takes under a second for a million embeddings that the system has in memory.
    ///
    /// # Errors
    /// [`NearestError::Damaged`] and [`NearestError::Unreadable`]; every search says the same.
    pub fn verify(&self) -> Result<(), NearestError> {
        let base = self.state.read().base.clone();
        base.map_or(Ok(()), |base| Ok(base.verify()?))
    }

    /// Whether somebody else has replaced or overwritten the base while it was open. Costs a look at one file.
    ///
    /// The delta is held in memory; its file is verified when it is opened.
    pub fn is_disturbed(&self) -> bool {
        let state = self.state.read();
        state.base.as_ref().is_some_and(|base| base.is_disturbed())
    }

    /// How the index differs from one that holds exactly these chunks.
    pub fn difference(&self, expected: &RowSet) -> Difference {
        let state = self.state.read();
        let surplus = state.rows().filter(|row| !expected.contains(*row)).collect();
        let missing = expected.iter().filter(|row| !state.contains(*row)).collect();
        Difference { missing, surplus }
    }

    /// How many bytes the index takes on disk.
    ///
    /// # Errors
    /// The folder cannot be read.
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
        let query = Query::of(query, self.model.dimensions)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        // Outside of the lock: a change shall not wait for the verification of a large file.
        self.verify()?;
        let state = self.state.read();
        let mut best = Best::of(count);
        if let Some(base) = &state.base {
            base.search(&query, filter, &state.removed, &self.settings, &mut best, count)?;
        }
        state.delta.search(&query, filter, &mut best);
        Ok(best.into_sorted())
    }

    fn cosines(&self, query: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>, NearestError> {
        let query = Query::of(query, self.model.dimensions)?;
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
    /// A base without changes, or nothing.
    fn of(base: Option<Base>, model: Model) -> Self {
        let generation = base.as_ref().map_or(Generation(0), Base::generation);
        let delta = Exact::new(model.dimensions);
        Self { generation, base: base.map(Arc::new), removed: Slots::default(), delta }
    }

    fn len(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.len() - self.removed.len()) + self.delta.rows().len()
    }

    /// The chunks with an embedding, in no order.
    fn rows(&self) -> impl Iterator<Item = ChunkRow> + '_ {
        let base = self
            .base
            .iter()
            .flat_map(|base| base.ordered().filter(|slot| !self.removed.contains(*slot)).map(|slot| base.rows()[slot]));
        base.chain(self.delta.rows().iter().copied())
    }

    fn contains(&self, row: ChunkRow) -> bool {
        let slot = self.base.as_ref().and_then(|base| base.slot(row));
        slot.is_some_and(|slot| !self.removed.contains(slot)) || self.delta.record(row).is_some()
    }

    /// Does what a change says.
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
