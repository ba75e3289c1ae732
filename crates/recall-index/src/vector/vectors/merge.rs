//! Merging of the delta into a base.
//!
//! One base grows until it is full, then the next one begins. So a merge never takes more than the memory of two bases, and each
//! embedding is added to a graph once, whatever the size of the index (ADR 82).

use recall_core::{ChunkRow, VectorIndex};

use super::state::{LiveBase, State};
use super::{Log, Vectors};
use crate::vector::base::SlotSet;
use crate::vector::base::{self, Base, BaseParts, Content};
use crate::vector::delta::{Delta, LogEntry};
use crate::vector::error::ContentError;
use crate::vector::graph::Graph;
use crate::vector::{Exact, Settings, VectorWriteError, folder, kernel};

/// The delta is merged when it has more than a tenth of the embeddings of the bases that it is merged with. A scan of the delta then
/// costs no more than a walk over the graph of such a base, and the base is rewritten once per tenth of growth.
const BASE_PER_DELTA: usize = 10;

/// A graph is rebuilt when more than a quarter of its slots are dead. Until then dead slots only lengthen the walks.
const SLOTS_PER_DEAD: usize = 4;

/// The most embeddings in the delta during a large import: 17 MB at 256 dimensions, and three times that in a merge.
/// Each merge copies the graph of a base, so a smaller limit would slow the import down.
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
        let merged = state.places_to_merge(&self.settings);
        let slots: usize = merged.iter().map(|place| state.bases[*place].base.slots()).sum();
        let delta = state.delta.len();
        let delta_bytes = (delta * kernel::stride(self.model.dimensions)) as u64;
        delta > self.settings.delta_least.max(slots / BASE_PER_DELTA)
            || state.bases.iter().any(|live| live.is_worn(&self.settings))
            || log_bytes > MIN_LOG_BYTES.max(delta_bytes * LOG_PER_DELTA)
    }

    /// Whether the delta is so large that it should be merged even while more changes follow. The delta and its copies
    /// are in memory.
    pub fn is_full(&self) -> bool {
        self.state.read().delta.len() >= MAX_DELTA.max(self.settings.delta_least)
    }

    /// Writes a new base from the delta and the bases that have room for it, and starts a new delta.
    ///
    /// Searches and changes continue meanwhile: they use the old bases, and the changes are replayed on the new one.
    /// With a graph a merge takes seconds of CPU time per 10,000 embeddings in the delta, and the memory of two bases, whatever the
    /// size of the index. Concurrent merges run one after the other.
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
        let outcome = self.write_merged(number, snapshot).and_then(|state| self.switch(number, state));
        if outcome.is_err() {
            self.log.lock().since_merge = None;
        }
        let in_use = outcome?;
        if let Ok(contents) = folder::list(&self.dir) {
            folder::sweep(&self.dir, &contents, number, &in_use);
        }
        Ok(())
    }

    /// Writes the base with this number; returns the state with it, in place of those that were merged into it, and an empty delta.
    fn write_merged(&self, number: u64, snapshot: State) -> Result<State, VectorWriteError> {
        let places = snapshot.places_to_merge(&self.settings);
        let State { generation, bases, delta } = snapshot;
        let (mut merged, mut kept) = (Vec::new(), Vec::new());
        for (place, live) in bases.into_iter().enumerate() {
            if places.contains(&place) { &mut merged } else { &mut kept }.push(live);
        }
        kept.extend(self.write_base(number, &merged, &delta)?.map(LiveBase::new));
        Ok(State { generation, bases: kept, delta: Exact::new(self.model.dimensions) })
    }

    /// Writes and opens the base with this number. Returns `None`, and writes nothing, if neither the bases nor the delta have an embedding.
    fn write_base(&self, number: u64, merged: &[LiveBase], delta: &Exact) -> Result<Option<Base>, VectorWriteError> {
        let Merged { rows, dead, content } = self.merge_bases(merged, delta)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let content = match &content {
            MergedContent::Records(records) => Content::Records(records),
            MergedContent::Graph(graph) => Content::Graph(graph),
        };
        let path = folder::base_path(&self.dir, number);
        base::write(&path, &BaseParts { model: self.model, rows: &rows, dead: &dead, content })?;
        let base = Base::open(&self.dir, number, self.model)?;
        base.verify().map_err(damage_error)?;
        Ok(Some(base))
    }

    /// Replaces the state, and replays the changes that were made during the merge; returns the numbers of the bases in use.
    fn switch(&self, number: u64, mut state: State) -> Result<Vec<u64>, VectorWriteError> {
        let path = folder::delta_path(&self.dir, number);
        let io_error = |error| VectorWriteError::io(&path, error);
        let mut log = self.log.lock();
        // A crash before this line opens the former bases and log. One after it may lose changes made since; the generation says so,
        // and they are derived again.
        let mut delta = Delta::create(&path, self.model, &state.log_start()).map_err(io_error)?;
        for LogEntry { generation, removed, added } in log.since_merge.iter().flatten() {
            delta.append(*generation, removed, added).map_err(io_error)?;
            state.change(*generation, removed, added);
        }
        let in_use = state.base_numbers();
        *log = Log { number, delta, since_merge: None };
        *self.state.write() = state;
        Ok(in_use)
    }

    fn merge_bases(&self, merged: &[LiveBase], delta: &Exact) -> Result<Merged, VectorWriteError> {
        let count = merged.iter().map(LiveBase::len).sum::<usize>() + delta.len();
        let wants_graph = count >= self.settings.graph_from;
        let with_graph = merged.iter().enumerate().filter(|(_, live)| wants_graph && live.base.has_graph());
        let largest = with_graph.max_by_key(|(_, live)| live.len());
        match largest.filter(|(_, live)| live.dead() * SLOTS_PER_DEAD <= live.dead() + count) {
            Some((place, live)) => {
                let others = merged.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| other);
                self.extend(live, others, delta)
            }
            None => self.rebuild(merged, delta, wants_graph),
        }
    }

    /// Extends the graph of a base by other bases and the delta. Dead slots remain.
    fn extend<'a>(
        &self,
        extended: &LiveBase,
        others: impl Iterator<Item = &'a LiveBase>,
        delta: &'a Exact,
    ) -> Result<Merged, VectorWriteError> {
        let base = &extended.base;
        let mut dead = SlotSet::default();
        for slot in (0..base.slots()).filter(|slot| extended.is_dead(*slot)) {
            dead.insert(slot);
        }
        let stride = kernel::stride(self.model.dimensions);
        let (added, records) = records_in_order(others, delta, stride)?;
        let graph = Graph::with_rows(base.graph_bytes().map_err(damage_error)?, base.slots(), &records, stride)?;
        let rows = base.rows().chain(added).collect();
        Ok(Merged { rows, dead, content: MergedContent::Graph(graph) })
    }

    /// Builds a base from all embeddings of bases and the delta, in the order of their rows.
    fn rebuild(&self, merged: &[LiveBase], delta: &Exact, wants_graph: bool) -> Result<Merged, VectorWriteError> {
        let stride = kernel::stride(self.model.dimensions);
        let (rows, records) = records_in_order(merged.iter(), delta, stride)?;
        let content = if wants_graph {
            MergedContent::Graph(Graph::build(&records, stride)?)
        } else {
            MergedContent::Records(records)
        };
        Ok(Merged { rows, dead: SlotSet::default(), content })
    }
}

/// The rows and the records of the embeddings of some bases and of the delta, in the order of their rows.
fn records_in_order<'a>(
    bases: impl Iterator<Item = &'a LiveBase>,
    delta: &'a Exact,
    stride: usize,
) -> Result<(Vec<ChunkRow>, Vec<u8>), VectorWriteError> {
    let mut found: Vec<(ChunkRow, &[u8])> = Vec::new();
    for live in bases {
        let records = live.base.records().map_err(damage_error)?;
        let slots = live.slots_in_order();
        found.extend(slots.map(|slot| (live.base.row(slot), &records[slot * stride..(slot + 1) * stride])));
    }
    found.extend(delta.rows().iter().filter_map(|row| Some((*row, delta.record(*row)?))));
    found.sort_by_key(|(row, _)| *row);
    let rows = found.iter().map(|(row, _)| *row).collect();
    let mut records = Vec::with_capacity(found.len() * stride);
    for (_, record) in found {
        records.extend_from_slice(record);
    }
    Ok((rows, records))
}

impl LiveBase {
    /// Returns whether the base is to be written again: more than a quarter of its slots have no embedding in use.
    fn is_worn(&self, settings: &Settings) -> bool {
        self.dead() > settings.delta_least.max(self.base.slots() / SLOTS_PER_DEAD)
    }
}

impl State {
    /// The places of the bases that the next merge replaces by one: the most worn one, and as many others, the smallest first, as fit
    /// into one base with the delta. A full base is left alone, so a merge costs the same however large the index is.
    fn places_to_merge(&self, settings: &Settings) -> Vec<usize> {
        let bases = &self.bases;
        let worn = (0..bases.len()).filter(|place| bases[*place].is_worn(settings));
        let worn = worn.max_by_key(|place| bases[*place].dead());
        let mut by_size: Vec<usize> = (0..bases.len()).filter(|place| Some(*place) != worn).collect();
        by_size.sort_by_key(|place| bases[*place].len());
        let mut size = self.delta.len() + worn.map_or(0, |place| bases[place].len());
        let mut places: Vec<usize> = worn.into_iter().collect();
        for place in by_size {
            size += bases[place].len();
            if size > settings.base_most {
                break;
            }
            places.push(place);
        }
        places
    }
}

fn damage_error(why: ContentError) -> VectorWriteError {
    match why {
        ContentError::Damaged(reason) | ContentError::Unreadable(reason) => VectorWriteError::Damaged { reason },
    }
}
