//! The ranking factors from feedback on files, and the statistics of items.

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{DocumentId, FeedbackTally, ItemId, ItemStats, Timestamp};

use super::prior::usefulness;
use crate::error::StoreError;
use crate::ledger::Ledger;
use crate::ranking::Factor;
use crate::store::{Index, ItemFacts};

/// Returns the factors from feedback on files, by the row of the document. Documents without feedback have no entry.
///
/// The rows are looked up again for each generation and for each new verdict. While long journals are read for the first time,
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
            for (id, tally) in ratings {
                let document = snapshot.document(*id)?;
                factors.extend(document.and_then(|stored| Some((stored.row.0, file_factor(tally)?))));
            }
            Ok(factors)
        })
    })
}

/// Returns the feedback on an item and the number of its retrievals.
pub(crate) fn item_stats(ledger: &Ledger, facts: &ItemFacts, item: ItemId) -> ItemStats {
    let retrievals = facts.retrievals().count(item);
    match item {
        ItemId::Memory(id) => ledger.memory(id).map(|memory| ItemStats::from_memory(&memory, retrievals)),
        ItemId::Document(_) | ItemId::Chunk(_) => None,
    }
    .unwrap_or_else(|| ItemStats::new(&ledger.feedback(item), retrievals))
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
fn file_factor(tally: &FeedbackTally) -> Option<Factor> {
    usefulness(&FeedbackTally { not_useful: tally.not_useful + tally.outdated, ..tally.clone() })
}
