//! What does feedback say of files, and which documents are they at this moment?

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{DocumentId, FeedbackTally, ItemId, ItemStats, Timestamp};

use super::prior::usefulness;
use crate::error::StoreError;
use crate::ranking::Factor;
use crate::store::{Rated, Store};

impl Store {
    /// The factors that feedback puts on the documents of files, by row; documents of which nothing is said are left out.
    ///
    /// Rows are looked up once a generation and once a verdict. While long journals are read for the first time, nothing is said.
    pub(crate) fn rated_files(&self, now: Timestamp) -> Result<Arc<HashMap<i64, Factor>>, StoreError> {
        self.ledger.look_where_short(now);
        let ratings = self.ledger.file_ratings();
        let mut rated = self.rated.0.lock();
        let generation = self.known().generation;
        if rated.generation == generation && Arc::ptr_eq(&rated.ratings, &ratings) {
            return Ok(Arc::clone(&rated.factors));
        }
        let factors = self.read(|snapshot| {
            let mut factors = HashMap::new();
            for (id, tally) in ratings.iter() {
                let document = snapshot.document(*id)?;
                factors.extend(document.and_then(|stored| Some((stored.row.0, of_file(tally)?))));
            }
            Ok(factors)
        })?;
        *rated = Rated { generation, ratings, factors: Arc::new(factors) };
        Ok(Arc::clone(&rated.factors))
    }

    /// What feedback and use say of an item.
    pub(crate) fn stats(&self, item: ItemId) -> ItemStats {
        let retrievals = self.retrievals.of(item);
        match item {
            ItemId::Memory(id) => self.ledger.memory(id).map(|memory| ItemStats::of_memory(&memory, retrievals)),
            ItemId::Document(_) | ItemId::Chunk(_) => None,
        }
        .unwrap_or_else(|| ItemStats::of(&self.ledger.feedback(item), retrievals))
    }

    /// The documents that somebody should look at, files by what is said of them and of their chunks.
    pub(crate) fn flagged(&self) -> Vec<DocumentId> {
        let memories = self.ledger.ids().into_iter().filter(|id| self.stats(ItemId::Memory(*id)).is_flagged);
        let ratings = self.ledger.file_ratings();
        let is_flagged = |id: DocumentId, tally: &FeedbackTally| {
            ItemStats::of(tally, self.retrievals.of(ItemId::Document(id))).is_flagged
        };
        let files = ratings.iter().filter(|(id, tally)| is_flagged(**id, tally)).map(|(id, _)| *id);
        memories.map(|id| DocumentId::of(&id.to_path())).chain(files).collect()
    }
}

/// A file says what it says: who calls it outdated did not want it.
fn of_file(tally: &FeedbackTally) -> Option<Factor> {
    usefulness(&FeedbackTally { not_useful: tally.not_useful + tally.outdated, ..tally.clone() })
}
