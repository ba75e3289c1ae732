//! Merging of the delta into the base.

use recall_core::{ChunkRow, VectorIndex};

use super::{Log, State, Vectors};
use crate::vector::base::SlotSet;
use crate::vector::base::{self, Base, BaseParts, Content};
use crate::vector::delta::{Delta, LogEntry};
use crate::vector::error::ContentError;
use crate::vector::graph::Graph;
use crate::vector::{VectorWriteError, folder, kernel};

/// The delta is merged when it has more than a tenth of the base's embeddings. A scan of the delta then costs no more
/// than a walk over the base's graph, and the base is rewritten once per tenth of growth.
const BASE_PER_DELTA: usize = 10;

/// A graph is rebuilt when more than a quarter of its slots are dead. Until then dead slots only lengthen the walks.
const SLOTS_PER_DEAD: usize = 4;

/// The most embeddings in the delta during a large import: 17 MB at 256 dimensions, and three times that in a merge.
/// Each merge copies the graph of the base, so a smaller limit would slow the import down.
const MAX_DELTA: usize = 65_536;

/// The log is merged when it has this many times the bytes of the delta it produces, because of rows that come and go.
const LOG_PER_DELTA: u64 = 8;

/// A shorter log is replayed within 10 ms, whatever it contains.
const MIN_LOG_BYTES: u64 = 16 << 20;

/// The contents of a new base.
struct Merged {
    rows: Vec<ChunkRow>,
    dead: SlotSet,
    content: MergedContent,
}

enum MergedContent {
    Records(Vec<u8>),
    Graph(Graph),
}

impl Vectors {
    /// Whether a [`merge`](Self::merge) is worth its cost.
    pub fn wants_merge(&self) -> bool {
        let log_bytes = self.log.lock().delta.bytes();
        let state = self.state.read();
        let base = state.base.as_ref().map_or(0, |base| base.slots());
        let delta = state.delta.len();
        let delta_bytes = (delta * kernel::stride(self.model.dimensions)) as u64;
        delta > self.settings.delta_least.max(base / BASE_PER_DELTA)
            || state.removed.len() > self.settings.delta_least.max(base / SLOTS_PER_DEAD)
            || log_bytes > MIN_LOG_BYTES.max(delta_bytes * LOG_PER_DELTA)
    }

    /// Whether the delta is so large that it should be merged even while more changes follow. The delta and its copies
    /// are in memory.
    pub fn is_full(&self) -> bool {
        self.state.read().delta.len() >= MAX_DELTA.max(self.settings.delta_least)
    }

    /// Writes a new base from the old one and the delta, and starts a new delta.
    ///
    /// Searches and changes continue meanwhile: they use the old base, and the changes are replayed on the new one.
    /// With a graph a merge takes seconds of CPU time per 10,000 embeddings in the delta, and the memory of two bases.
    /// Concurrent merges run one after the other.
    ///
    /// # Errors
    /// See [`VectorWriteError`]. The index is unchanged.
    pub fn merge(&self) -> Result<(), VectorWriteError> {
        let _alone = self.merging.lock();
        // One lock for both: each change is either in the snapshot or in the list of those that follow it.
        let (number, snapshot) = {
            let mut log = self.log.lock();
            log.since_merge = Some(Vec::new());
            (log.number + 1, self.state.read().clone())
        };
        let outcome = self.write_base(number, &snapshot).and_then(|base| self.switch(number, base));
        if outcome.is_err() {
            self.log.lock().since_merge = None;
        }
        outcome?;
        if let Ok(contents) = folder::list(&self.dir) {
            folder::sweep(&self.dir, &contents, number);
        }
        Ok(())
    }

    /// Writes and opens the base with this number.
    fn write_base(&self, number: u64, snapshot: &State) -> Result<Base, VectorWriteError> {
        let path = folder::base_path(&self.dir, number);
        let Merged { rows, dead, content } = self.merge_state(snapshot)?;
        let content = match &content {
            MergedContent::Records(records) => Content::Records(records),
            MergedContent::Graph(graph) => Content::Graph(graph),
        };
        let (model, generation) = (self.model, snapshot.generation);
        base::write(&path, &BaseParts { model, generation, rows: &rows, dead: &dead, content })?;
        let base = Base::open(&path, self.model)?;
        base.verify().map_err(damage_error)?;
        Ok(base)
    }

    /// Replaces the base by a new one, and replays the changes that were made during the merge.
    fn switch(&self, number: u64, base: Base) -> Result<(), VectorWriteError> {
        let path = folder::delta_path(&self.dir, number);
        let io_error = |error| VectorWriteError::io(&path, error);
        let mut log = self.log.lock();
        // A crash before this line opens the new base without the changes made since. Its generation says so, and they are derived
        // again.
        let mut delta = Delta::create(&path, self.model, base.identity()).map_err(io_error)?;
        let mut state = State::new(Some(base), self.model);
        for LogEntry { generation, removed, added } in log.since_merge.iter().flatten() {
            delta.append(*generation, removed, added).map_err(io_error)?;
            state.change(*generation, removed, added);
        }
        *log = Log { number, delta, since_merge: None };
        *self.state.write() = state;
        Ok(())
    }

    fn merge_state(&self, state: &State) -> Result<Merged, VectorWriteError> {
        let wants_graph = state.len() >= self.settings.graph_from;
        if let Some(base) = state.base.as_ref().filter(|base| wants_graph && base.has_graph()) {
            let dead = base.dead().len() + state.removed.len();
            if dead * SLOTS_PER_DEAD <= base.slots() + state.delta.len() {
                return self.extend(base, state);
            }
        }
        self.rebuilt(state, wants_graph)
    }

    /// Extends the base's graph by the delta. Dead slots remain.
    fn extend(&self, base: &Base, state: &State) -> Result<Merged, VectorWriteError> {
        let mut added: Vec<ChunkRow> = state.delta.rows().to_vec();
        added.sort_unstable();
        let mut dead = SlotSet::default();
        for slot in (0..base.slots()).filter(|slot| base.dead().contains(*slot) || state.removed.contains(*slot)) {
            dead.insert(slot);
        }
        let records: Vec<u8> = added.iter().filter_map(|row| state.delta.record(*row)).flatten().copied().collect();
        let stride = kernel::stride(self.model.dimensions);
        let graph = Graph::with_rows(base.graph_bytes().map_err(damage_error)?, base.slots(), &records, stride)?;
        let rows = [base.rows(), &added].concat();
        Ok(Merged { rows, dead, content: MergedContent::Graph(graph) })
    }

    /// Rebuilds the base from all live embeddings, in the order of their rows.
    fn rebuilt(&self, state: &State, wants_graph: bool) -> Result<Merged, VectorWriteError> {
        let stride = kernel::stride(self.model.dimensions);
        let of_base = state.base.as_ref().map(|base| base.records()).transpose().map_err(damage_error)?;
        let mut found: Vec<(ChunkRow, &[u8])> = Vec::with_capacity(state.len());
        if let (Some(base), Some(records)) = (&state.base, of_base) {
            let slots = base.rows_in_order().filter(|slot| !state.removed.contains(*slot));
            found.extend(slots.map(|slot| (base.rows()[slot], &records[slot * stride..(slot + 1) * stride])));
        }
        found.extend(state.delta.rows().iter().filter_map(|row| Some((*row, state.delta.record(*row)?))));
        found.sort_by_key(|(row, _)| *row);
        let rows = found.iter().map(|(row, _)| *row).collect();
        let records: Vec<u8> = found.iter().flat_map(|(_, record)| record.iter().copied()).collect();
        let content = if wants_graph {
            MergedContent::Graph(Graph::build(&records, stride)?)
        } else {
            MergedContent::Records(records)
        };
        Ok(Merged { rows, dead: SlotSet::default(), content })
    }
}

fn damage_error(why: ContentError) -> VectorWriteError {
    match why {
        ContentError::Damaged(reason) | ContentError::Unreadable(reason) => VectorWriteError::Damaged { reason },
    }
}
