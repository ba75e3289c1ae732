//! What a search of an index sees: the bases, the slots removed from each since it was written, and the delta.

use std::path::Path;
use std::sync::Arc;

use recall_core::{ChunkRow, Generation, NearestError, Quantised};

use crate::vector::base::{Base, SlotSet};
use crate::vector::delta::{KnownBase, LogStart};
use crate::vector::query::Query;
use crate::vector::{Exact, Model, VectorOpenError};

/// The state seen by a search. A chunk is in one base or in the delta.
#[derive(Clone)]
pub(super) struct State {
    pub(super) generation: Generation,
    pub(super) bases: Vec<LiveBase>,
    pub(super) delta: Exact,
}

/// A base, without the slots whose chunks were removed or changed since it was written.
#[derive(Clone)]
pub(super) struct LiveBase {
    pub(super) base: Arc<Base>,
    pub(super) removed: SlotSet,
}

impl LiveBase {
    pub(super) fn new(base: Base) -> Self {
        Self { base: Arc::new(base), removed: SlotSet::default() }
    }

    /// The number of embeddings.
    pub(super) fn len(&self) -> usize {
        self.base.len() - self.removed.len()
    }

    /// The number of slots without an embedding in use.
    pub(super) fn dead(&self) -> usize {
        self.base.slots() - self.len()
    }

    /// Whether a slot has no embedding in use.
    pub(super) fn is_dead(&self, slot: usize) -> bool {
        self.base.dead().contains(slot) || self.removed.contains(slot)
    }

    /// The slots in use, in the order of their rows.
    pub(super) fn slots_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        self.base.slots_in_order().filter(|slot| !self.removed.contains(*slot))
    }

    /// The slot in use of a chunk.
    fn slot(&self, row: ChunkRow) -> Option<usize> {
        self.base.slot(row).filter(|slot| !self.removed.contains(*slot))
    }
}

impl State {
    /// The state at the start of a log.
    pub(super) fn open(dir: &Path, model: Model, start: LogStart) -> Result<Self, VectorOpenError> {
        let mut bases = Vec::with_capacity(start.bases.len());
        for KnownBase { number, identity, slots, removed } in start.bases {
            let base = Base::open(dir, number, model)?;
            if (base.identity(), base.slots()) != (identity, slots as usize) {
                return Err(VectorOpenError::damaged(
                    base.path(),
                    "the log of the index knows another base by its name",
                ));
            }
            bases.push(LiveBase { base: Arc::new(base), removed });
        }
        Ok(Self { generation: start.generation, bases, delta: Exact::new(model.dimensions) })
    }

    /// What a log has to know of this state, without the delta.
    pub(super) fn log_start(&self) -> LogStart {
        let bases = self.bases.iter().map(|LiveBase { base, removed }| KnownBase {
            number: base.number(),
            identity: base.identity(),
            slots: base.slots() as u32,
            removed: removed.clone(),
        });
        LogStart { generation: self.generation, bases: bases.collect() }
    }

    /// The files of the bases.
    pub(super) fn base_files(&self) -> Vec<Arc<Base>> {
        self.bases.iter().map(|live| Arc::clone(&live.base)).collect()
    }

    pub(super) fn base_numbers(&self) -> Vec<u64> {
        self.bases.iter().map(|live| live.base.number()).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.bases.iter().map(LiveBase::len).sum::<usize>() + self.delta.rows().len()
    }

    /// The chunks with an embedding, in no particular order.
    pub(super) fn rows(&self) -> impl Iterator<Item = ChunkRow> + '_ {
        let in_bases = self.bases.iter();
        let in_bases = in_bases.flat_map(|live| live.slots_in_order().map(|slot| live.base.row(slot)));
        in_bases.chain(self.delta.rows().iter().copied())
    }

    /// Slots are skipped without a look at those between, so that a large base costs no more than a small one.
    pub(super) fn sample(&self, count: usize) -> Vec<ChunkRow> {
        let slots: usize = self.bases.iter().map(|live| live.base.slots()).sum();
        let step = (slots + self.delta.rows().len()).div_ceil(count.max(1)).max(1);
        let in_bases = self.bases.iter().flat_map(|live| {
            let slots = (0..live.base.slots()).step_by(step).filter(|slot| !live.is_dead(*slot));
            slots.map(|slot| live.base.row(slot))
        });
        in_bases.chain(self.delta.rows().iter().copied().step_by(step)).collect()
    }

    pub(super) fn contains(&self, row: ChunkRow) -> bool {
        self.bases.iter().any(|live| live.slot(row).is_some()) || self.delta.record(row).is_some()
    }

    /// The cosine of a chunk. `None` if no base has it.
    pub(super) fn cosine_in_bases(&self, query: &Query, row: ChunkRow) -> Result<Option<f32>, NearestError> {
        for LiveBase { base, removed } in &self.bases {
            if let Some(cosine) = base.cosine(query, row, removed)? {
                return Ok(Some(cosine));
            }
        }
        Ok(None)
    }

    pub(super) fn change(&mut self, generation: Generation, removed: &[ChunkRow], added: &[(ChunkRow, Quantised)]) {
        for row in removed.iter().chain(added.iter().map(|(row, _)| row)) {
            self.delta.remove(*row);
            for live in &mut self.bases {
                if let Some(slot) = live.base.slot(*row) {
                    live.removed.insert(slot);
                }
            }
        }
        for (row, embedding) in added {
            self.delta.insert(*row, embedding);
        }
        self.generation = generation;
    }
}
