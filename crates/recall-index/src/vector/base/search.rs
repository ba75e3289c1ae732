//! Search in a base, by a scan or by a walk over the graph.

use recall_core::{ChunkRow, NearestError, RowFilter};

use super::Base;
use crate::vector::base::format::SlotSet;
use crate::vector::graph::{Graph, GraphError, Walk};
use crate::vector::query::{Query, TopK};
use crate::vector::{Settings, kernel};

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
            RowFilter::Only(rows) => rows.len().min(live),
        };
        // More than requested, because the walk rounds the query too.
        let wanted = count.min(live);
        let expansion = settings.expansion.max(wanted + wanted / 4);
        let walk = verified.graph.as_ref().filter(|_| self.walk_pays(allowed, expansion, settings.node_cost));
        if let Some(graph) = walk {
            let found = self.walk(graph, query, filter, removed, expansion, allowed);
            let found = found.map_err(|error| NearestError::Unreadable { source: error.into() })?;
            // Fewer results may be correct if the filter names chunks that are not in the base. Only a scan can tell.
            if let Some(found) = found.filter(|found| found.len() >= count.min(allowed)) {
                let records = self.records()?;
                let stride = kernel::stride(self.head.model.dimensions);
                for slot in found {
                    best.offer(self.rows[slot], query.cosine(&records[slot * stride..(slot + 1) * stride]));
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
                let allows = |slot: usize| rows.contains(self.rows[slot]) && is_live(slot);
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
            RowFilter::Only(rows) if rows.len() * LOOK_UP_COST < self.slots() => {
                let stride = kernel::stride(self.head.model.dimensions);
                let slots = rows.iter().filter_map(|row| self.slot(row)).filter(|slot| !removed.contains(*slot));
                for slot in slots {
                    best.offer(self.rows[slot], query.cosine(&records[slot * stride..(slot + 1) * stride]));
                }
            }
            RowFilter::Only(_) | RowFilter::All => query.scan(records, |slot, cosine| {
                if best.could_keep(cosine) && filter.allows(self.rows[slot]) && is_live(slot) {
                    best.offer(self.rows[slot], cosine);
                }
            }),
        }
        Ok(())
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
