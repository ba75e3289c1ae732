//! The delta becomes a part of the base.

use recall_core::{ChunkRow, VectorIndex};

use super::{Log, State, Vectors};
use crate::base::{self, Base, Content, Ingredients};
use crate::delta::{Delta, Entry};
use crate::error::Unusable;
use crate::graph::Graph;
use crate::slots::Slots;
use crate::{WriteError, folder, record};

/// The delta is merged when it holds more than one for so many of the base. A scan of it then costs no more than a walk over
/// the graph of the base, and a base is written once for a tenth of growth.
const BASE_PER_DELTA: usize = 10;

/// A graph is made anew when more than one of so many slots is dead. Until then the dead ones only lengthen the walks.
const SLOTS_PER_DEAD: usize = 4;

/// So many embeddings the delta holds at most while more and more are added: 17 MB at 256 dimensions, and three times that in
/// a merge. Each merge copies the graph of the base, so fewer would make a large import slow.
const DELTA_MOST: usize = 65_536;

/// The log may take so many times the bytes of what it leaves in the delta, before it is merged: rows that come and go.
const LOG_PER_DELTA: u64 = 8;

/// A log that is shorter is replayed in a hundredth of a second, whatever it holds.
const LOG_LEAST_BYTES: u64 = 16 << 20;

/// What goes into a new base.
struct Merged {
    rows: Vec<ChunkRow>,
    dead: Slots,
    content: MergedContent,
}

enum MergedContent {
    Records(Vec<u8>),
    Graph(Graph),
}

impl Vectors {
    /// Whether a [`merge`](Self::merge) pays.
    pub fn wants_merge(&self) -> bool {
        let log_bytes = self.log.lock().delta.bytes();
        let state = self.state.read();
        let base = state.base.as_ref().map_or(0, |base| base.slots());
        let delta = state.delta.len();
        let delta_bytes = (delta * record::stride(self.model.dimensions)) as u64;
        delta > self.settings.delta_least.max(base / BASE_PER_DELTA)
            || state.removed.len() > self.settings.delta_least.max(base / SLOTS_PER_DEAD)
            || log_bytes > LOG_LEAST_BYTES.max(delta_bytes * LOG_PER_DELTA)
    }

    /// Whether the delta has grown so far that it is merged though more is to come: it and its copies lie in memory.
    pub fn is_full(&self) -> bool {
        self.state.read().delta.len() >= DELTA_MOST.max(self.settings.delta_least)
    }

    /// Writes a new base of the old one and the delta, and begins a new delta.
    ///
    /// Searches and changes go on meanwhile; they see the old base, and the changes are made again behind the new one. For a
    /// base with a graph it costs seconds of a processor per 10,000 embeddings in the delta, and while it is written the
    /// memory of two bases. A second merge waits for the first.
    ///
    /// # Errors
    /// See [`WriteError`]. The index is as it was before.
    pub fn merge(&self) -> Result<(), WriteError> {
        let _alone = self.merging.lock();
        let (number, snapshot) = {
            let mut log = self.log.lock();
            log.since_merge = Some(Vec::new());
            (log.number + 1, self.state.read().clone())
        };
        let outcome = self.written(number, &snapshot).and_then(|base| self.switch(number, base));
        if outcome.is_err() {
            self.log.lock().since_merge = None;
        }
        outcome?;
        if let Ok(listed) = folder::list(&self.dir) {
            folder::sweep(&self.dir, &listed, number);
        }
        Ok(())
    }

    /// Writes the base of a number, and opens it.
    fn written(&self, number: u64, snapshot: &State) -> Result<Base, WriteError> {
        let path = folder::base_path(&self.dir, number);
        let Merged { rows, dead, content } = self.merged(snapshot)?;
        let content = match &content {
            MergedContent::Records(records) => Content::Records(records),
            MergedContent::Graph(graph) => Content::Graph(graph),
        };
        let (model, generation) = (self.model, snapshot.generation);
        base::write(&path, &Ingredients { model, generation, rows: &rows, dead: &dead, content })?;
        let base = Base::open(&path, self.model)?;
        base.verify().map_err(damaged)?;
        Ok(base)
    }

    /// Puts a new base in the place of the old one, with the changes that came while it was made.
    fn switch(&self, number: u64, base: Base) -> Result<(), WriteError> {
        let path = folder::delta_path(&self.dir, number);
        let wrong = |error| WriteError::io(&path, error);
        let mut log = self.log.lock();
        let mut delta = Delta::create(&path, self.model, base.identity()).map_err(wrong)?;
        let mut state = State::of(Some(base), self.model);
        for Entry { generation, removed, added } in log.since_merge.iter().flatten() {
            delta.append(*generation, removed, added).map_err(wrong)?;
            state.change(*generation, removed, added);
        }
        *log = Log { number, delta, since_merge: None };
        *self.state.write() = state;
        Ok(())
    }

    fn merged(&self, state: &State) -> Result<Merged, WriteError> {
        let wants_graph = state.len() >= self.settings.graph_from;
        if let Some(base) = state.base.as_ref().filter(|base| wants_graph && base.has_graph()) {
            let dead = base.dead().len() + state.removed.len();
            if dead * SLOTS_PER_DEAD <= base.slots() + state.delta.len() {
                return self.extended(base, state);
            }
        }
        self.anew(state, wants_graph)
    }

    /// The base's graph with the delta added: dead slots stay.
    fn extended(&self, base: &Base, state: &State) -> Result<Merged, WriteError> {
        let mut added: Vec<ChunkRow> = state.delta.rows().to_vec();
        added.sort_unstable();
        let mut dead = Slots::default();
        for slot in (0..base.slots()).filter(|slot| base.dead().contains(*slot) || state.removed.contains(*slot)) {
            dead.insert(slot);
        }
        let records: Vec<u8> = added.iter().filter_map(|row| state.delta.record(*row)).flatten().copied().collect();
        let stride = record::stride(self.model.dimensions);
        let graph = Graph::extended(base.graph_bytes().map_err(damaged)?, base.slots(), &records, stride)?;
        let rows = [base.rows(), &added].concat();
        Ok(Merged { rows, dead, content: MergedContent::Graph(graph) })
    }

    /// All live embeddings in the order of their rows.
    fn anew(&self, state: &State, wants_graph: bool) -> Result<Merged, WriteError> {
        let stride = record::stride(self.model.dimensions);
        let of_base = state.base.as_ref().map(|base| base.records()).transpose().map_err(damaged)?;
        let mut found: Vec<(ChunkRow, &[u8])> = Vec::with_capacity(state.len());
        if let (Some(base), Some(records)) = (&state.base, of_base) {
            let slots = base.ordered().filter(|slot| !state.removed.contains(*slot));
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
        Ok(Merged { rows, dead: Slots::default(), content })
    }
}

fn damaged(why: Unusable) -> WriteError {
    match why {
        Unusable::Damaged(reason) | Unusable::Unreadable(reason) => WriteError::Damaged { reason },
    }
}
