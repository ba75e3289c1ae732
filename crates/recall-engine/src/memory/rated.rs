//! The ranking factors from feedback on files, and the statistics of items.

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{DocumentId, FeedbackTally, ItemId, ItemStats, Timestamp};

use super::prior::usefulness;
use crate::error::StoreError;
use crate::ranking::Factor;
use crate::store::{Rated, Store};

impl Store {
    /// Returns the factors from feedback on files, by the row of the document. Documents without feedback have no entry.
    ///
    /// The rows are looked up again for each generation and for each new verdict. While long journals are read for the first time,
    /// there are no factors.
    pub(crate) fn rated_files(&self, now: Timestamp) -> Result<Arc<HashMap<i64, Factor>>, StoreError> {
        self.ledger.refresh_if_small(now);
        let ratings = self.ledger.file_ratings();
        let mut rated = self.rated.0.lock();
        let generation = self.known_documents().generation;
        if rated.generation == generation && Arc::ptr_eq(&rated.ratings, &ratings) {
            return Ok(Arc::clone(&rated.factors));
        }
        let factors = self.read(|snapshot| {
            let mut factors = HashMap::new();
            for (id, tally) in ratings.iter() {
                let document = snapshot.document(*id)?;
                factors.extend(document.and_then(|stored| Some((stored.row.0, file_factor(tally)?))));
            }
            Ok(factors)
        })?;
        *rated = Rated { generation, ratings, factors: Arc::new(factors) };
        Ok(Arc::clone(&rated.factors))
    }

    /// Returns the feedback on an item and the number of its retrievals.
    pub(crate) fn stats(&self, item: ItemId) -> ItemStats {
        let retrievals = self.retrievals.count(item);
        match item {
            ItemId::Memory(id) => self.ledger.memory(id).map(|memory| ItemStats::from_memory(&memory, retrievals)),
            ItemId::Document(_) | ItemId::Chunk(_) => None,
        }
        .unwrap_or_else(|| ItemStats::new(&self.ledger.feedback(item), retrievals))
    }

    /// Returns the flagged documents: those of memories and of files whose feedback asks for a review.
    pub(crate) fn flagged_documents(&self) -> Vec<DocumentId> {
        let memories = self.ledger.ids().into_iter().filter(|id| self.stats(ItemId::Memory(*id)).is_flagged);
        let ratings = self.ledger.file_ratings();
        let is_flagged = |id: DocumentId, tally: &FeedbackTally| {
            ItemStats::new(tally, self.retrievals.count(ItemId::Document(id))).is_flagged
        };
        let files = ratings.iter().filter(|(id, tally)| is_flagged(**id, tally)).map(|(id, _)| *id);
        memories.map(|id| DocumentId::from_path(&id.to_path())).chain(files).collect()
    }
}

/// Returns the factor of a file. A file has no validity, so "outdated" counts as "not useful".
fn file_factor(tally: &FeedbackTally) -> Option<Factor> {
    usefulness(&FeedbackTally { not_useful: tally.not_useful + tally.outdated, ..tally.clone() })
}
