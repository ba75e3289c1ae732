//! The ranking factors from feedback on files and from their use, and the statistics of items.

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{DocumentId, FeedbackTally, ItemId, ItemStats, Timestamp};

use super::prior::usefulness;
use crate::error::StoreError;
use crate::ledger::Ledger;
use crate::ranking::Factor;
use crate::store::{Index, ItemFacts};

/// Returns the factors from feedback on files and from their use, by the row of the document. Documents without either have no entry.
///
/// The rows are looked up again for each generation, for each new verdict and for each new use. While long journals are read for the first time,
/// there are no factors.
pub(crate) fn rated_files(
    ledger: &Ledger,
    index: &Index,
    facts: &ItemFacts,
    now: Timestamp,
) -> Result<Arc<HashMap<i64, Factor>>, StoreError> {
    ledger.refresh_if_small(now);
    facts.factors(index.known_documents().generation, ledger.file_ratings(), |ratings| {
        index.read(|snapshot| {
            let mut factors = HashMap::new();
            let uses: HashMap<DocumentId, u64> =
                facts.retrievals().used_items().into_iter().filter_map(used_file).collect();
            let none = FeedbackTally::default();
            let rated = ratings.iter().map(|(id, tally)| (*id, tally));
            let unrated = uses.keys().filter(|id| !ratings.contains_key(id)).map(|id| (*id, &none));
            for (id, tally) in rated.chain(unrated) {
                let (document, uses) = (snapshot.document(id)?, uses.get(&id).copied().unwrap_or_default());
                factors.extend(document.and_then(|stored| Some((stored.row.0, file_factor(tally, uses)?))));
            }
            Ok(factors)
        })
    })
}

/// Returns the feedback on an item and how often it was found and used.
pub(crate) fn item_stats(ledger: &Ledger, facts: &ItemFacts, item: ItemId) -> ItemStats {
    let counts = facts.retrievals().count(item);
    match item {
        ItemId::Memory(id) => ledger.memory(id).map(|memory| ItemStats::from_memory(&memory, counts)),
        ItemId::Document(_) | ItemId::Chunk(_) => None,
    }
    .unwrap_or_else(|| ItemStats::new(&ledger.feedback(item), counts))
}

/// Returns the flagged documents: those of memories and of files whose feedback asks for a review.
pub(crate) fn flagged_documents(ledger: &Ledger, facts: &ItemFacts) -> Vec<DocumentId> {
    let memories = ledger.ids().into_iter().filter(|id| item_stats(ledger, facts, ItemId::Memory(*id)).is_flagged);
    let ratings = ledger.file_ratings();
    let is_flagged = |id: DocumentId, tally: &FeedbackTally| {
        ItemStats::new(tally, facts.retrievals().count(ItemId::Document(id))).is_flagged
    };
    let files = ratings.iter().filter(|(id, tally)| is_flagged(**id, tally)).map(|(id, _)| *id);
    memories.map(|id| DocumentId::from_path(&id.to_path())).chain(files).collect()
}

/// Returns the factor of a file. A file has no validity, so "outdated" counts as "not useful".
fn file_factor(tally: &FeedbackTally, uses: u64) -> Option<Factor> {
    usefulness(&FeedbackTally { not_useful: tally.not_useful + tally.outdated, ..tally.clone() }, uses)
}

/// Returns the uses of a file; `None` for a memory, whose factor is computed with its validity.
fn used_file((item, uses): (ItemId, u64)) -> Option<(DocumentId, u64)> {
    match item {
        ItemId::Document(id) => Some((id, uses)),
        ItemId::Chunk(_) | ItemId::Memory(_) => None,
    }
}
