//! Priors of items: factors of memories and of files with feedback, which do not depend on the query text.

use std::sync::Arc;

use recall_core::MemoryId;

use super::candidates::StoreCandidates;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::memory;
use crate::memory::rated_files;
use crate::ranking::Factor;
use crate::search::context::Search;
use crate::search::ranked::{Ranked, with_odds};
use crate::task_pool::Deferred;

/// The priors of the memories among the candidates, computed on the task pool.
pub(super) struct Priors {
    /// One entry for each store; `None` if no candidate is a memory.
    memories: Vec<Option<OfMemories>>,
}

/// The priors of one store's memories.
struct OfMemories {
    /// The rows of the memories' documents, ascending.
    rows: Vec<i64>,
    /// The factors of each row.
    factors: Deferred<Vec<Vec<Factor>>>,
}

impl Priors {
    /// Starts computing the priors of all memories among the candidates.
    pub(super) fn ask(search: &Search<'_>, candidates: &[StoreCandidates]) -> Self {
        let now = search.engine.clock.now();
        let ask = |(store, found): (&MountedStore, &StoreCandidates)| {
            let documents = found.evidence.documents.iter().map(|document| document.document);
            let memories = documents.filter_map(|row| Some((row.0, found.known.memories.memory_in_row(row)?)));
            let (rows, ids): (Vec<i64>, Vec<MemoryId>) = memories.unzip();
            (!rows.is_empty()).then(|| {
                let (store, request) = (Arc::clone(&store.store), search.request.clone());
                let factors = move || memory::factors(&store, &ids, &request, now);
                OfMemories { rows, factors: search.engine.tasks.spawn(factors) }
            })
        };
        Self { memories: search.stores.iter().zip(candidates).map(ask).collect() }
    }

    /// Multiplies each item's odds by its factors. Only memories and files with feedback have any. Learned scores are
    /// probabilities, so this keeps their scale; fused scores are near 0, where odds and score coincide.
    ///
    /// # Errors
    /// A store cannot be read.
    pub(super) fn weigh(self, search: &Search<'_>, ranked: &mut [Ranked<'_>]) -> Result<(), StoreError> {
        let now = search.engine.clock.now();
        for (at, (store, memories)) in search.stores.iter().zip(self.memories).enumerate() {
            let rated = rated_files(&store.ledger, &store.index, &store.facts, now)?;
            let (rows, factors) = memories.map(|of| (of.rows, of.factors.join())).unwrap_or_default();
            for one in ranked.iter_mut().filter(|one| one.store == at) {
                let row = one.document.0;
                let of_file = || rated.get(&row).copied().filter(|factor| !search.request.leaves_out(factor.name));
                let of_memory = rows.binary_search(&row).map(|place| factors[place].clone());
                one.item_priors.extend(of_memory.unwrap_or_else(|_| of_file().into_iter().collect()));
            }
        }
        for one in ranked.iter_mut() {
            // Memories of others are never vouched for by this user, whatever they say of themselves.
            let is_foreign = search.searched[one.store].is_of_somebody_else(one.document);
            one.item_priors.extend(is_foreign.then(memory::foreign_factor));
        }
        for one in ranked {
            if one.item_priors.is_empty() {
                // Without factors the score must not change, not even by rounding.
                continue;
            }
            let factor: f64 = one.item_priors.iter().map(|factor| factor.value).product();
            one.score = with_odds(one.score, factor);
        }
        Ok(())
    }
}
