//! The nearest of a base: every record looked at, or a walk over the graph?

use recall_core::{ChunkRow, NearestError, RowFilter};

use super::Base;
use crate::best::Best;
use crate::graph::{Graph, GraphError, Walk};
use crate::query::Query;
use crate::slots::Slots;
use crate::{Settings, record};

/// How much longer than expected a filtered walk may take. A filter whose records lie elsewhere than the query makes the walk
/// pass by everything; then looking at the filter's records is cheaper.
const PATIENCE: usize = 4;

/// How often the filter is asked for each node that is expanded: for the neighbours that come near enough. 2.1 measured.
const ASKED_A_NODE: usize = 2;

/// What it costs to find a row's slot and look at its record, in records looked at one after another, which the processor
/// fetches ahead of their use. 150 ns and 27 on a busy machine (bench `vector`).
const LOOK_UP_COST: usize = 6;

impl Base {
    /// Offers the chunks near the query that the filter lets through and that are not removed.
    pub(crate) fn search(
        &self,
        query: &Query,
        filter: RowFilter<'_>,
        removed: &Slots,
        settings: &Settings,
        best: &mut Best,
        count: usize,
    ) -> Result<(), NearestError> {
        let verified = self.verified()?;
        let live = self.len() - removed.len();
        let allowed = match filter {
            RowFilter::All => live,
            RowFilter::Only(rows) => rows.len().min(live),
        };
        // More than wanted, since the walk rounds the query as well.
        let wanted = count.min(live);
        let expansion = settings.expansion.max(wanted + wanted / 4);
        let walk = verified.graph.as_ref().filter(|_| self.walk_pays(allowed, expansion, settings.node_cost));
        if let Some(graph) = walk {
            let found = self.walk(graph, query, filter, removed, expansion, allowed);
            let found = found.map_err(|error| NearestError::Unreadable { source: error.into() })?;
            // Fewer may be right, when the filter names chunks that are not here; only a look at each can tell.
            if let Some(found) = found.filter(|found| found.len() >= count.min(allowed)) {
                let records = self.records()?;
                let stride = record::stride(self.head.model.dimensions);
                for slot in found {
                    best.offer(self.rows[slot], query.cosine(&records[slot * stride..(slot + 1) * stride]));
                }
                return Ok(());
            }
        }
        self.scan(query, filter, removed, best)
    }

    /// The slots that a walk finds; `None` when it was given up.
    fn walk(
        &self,
        graph: &Graph,
        query: &Query,
        filter: RowFilter<'_>,
        removed: &Slots,
        expansion: usize,
        allowed: usize,
    ) -> Result<Option<Vec<usize>>, GraphError> {
        let is_live = |slot: usize| !self.dead.contains(slot) && !removed.contains(slot);
        let patience = |allowed: usize| {
            let expected = expansion * self.slots() / allowed.max(1);
            PATIENCE * ASKED_A_NODE * (expected + expansion)
        };
        let walk = match filter {
            RowFilter::All if self.dead.is_empty() && removed.is_empty() => {
                return graph.walk(query.record(), expansion).map(Some);
            }
            RowFilter::All => graph.walk_filtered(query.record(), expansion, patience(allowed), is_live)?,
            RowFilter::Only(rows) => {
                let allows = |slot: usize| rows.contains(self.rows[slot]) && is_live(slot);
                graph.walk_filtered(query.record(), expansion, patience(allowed), allows)?
            }
        };
        Ok(match walk {
            Walk::Found(slots) => Some(slots),
            Walk::TooLong => None,
        })
    }

    /// Looks at every record that the filter lets through.
    fn scan(&self, query: &Query, filter: RowFilter<'_>, removed: &Slots, best: &mut Best) -> Result<(), NearestError> {
        let records = self.records()?;
        let is_live = |slot: usize| !self.dead.contains(slot) && !removed.contains(slot);
        match filter {
            RowFilter::Only(rows) if rows.len() * LOOK_UP_COST < self.slots() => {
                let stride = record::stride(self.head.model.dimensions);
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

    /// The cosine of a chunk in a slot that is not removed.
    pub(crate) fn cosine(&self, query: &Query, row: ChunkRow, removed: &Slots) -> Result<Option<f32>, NearestError> {
        let Some(slot) = self.slot(row).filter(|slot| !removed.contains(*slot)) else { return Ok(None) };
        let stride = record::stride(self.head.model.dimensions);
        Ok(Some(query.cosine(&self.records()?[slot * stride..(slot + 1) * stride])))
    }

    /// Whether a walk that shall find so many is cheaper than a look at each of the allowed records.
    fn walk_pays(&self, allowed: usize, expansion: usize, node_cost: usize) -> bool {
        let looks = self.slots().min(allowed.saturating_mul(LOOK_UP_COST)) as u128;
        // expansion × (slots / allowed) × node_cost < looks, without the division.
        let [slots, allowed, expansion, node_cost] =
            [self.slots(), allowed, expansion, node_cost].map(|number| number as u128);
        expansion * slots * node_cost < looks * allowed
    }
}
