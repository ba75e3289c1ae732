//! Feedback on files.

use std::collections::HashMap;

use recall_core::{DocumentId, Event, FeedbackTally, ItemId};
use recall_journal::Memories;

/// The feedback on each file, including that on its chunks.
pub(crate) type Ratings = HashMap<DocumentId, FeedbackTally>;

/// Sums the feedback on each file and its chunks. Only events that `counts` accepts are included.
pub(crate) fn ratings(memories: &Memories, counts: &dyn Fn(&Event) -> bool) -> Ratings {
    let mut ratings = Ratings::new();
    for item in memories.rated_items() {
        let document = match item {
            ItemId::Document(document) => document,
            ItemId::Chunk(chunk) => chunk.document,
            ItemId::Memory(_) => continue,
        };
        let said = memories.feedback(item, counts);
        let all = ratings.entry(document).or_default();
        all.useful += said.useful;
        all.not_useful += said.not_useful;
        all.outdated += said.outdated;
        all.duplicate += said.duplicate;
        all.last_outdated = all.last_outdated.max(said.last_outdated);
    }
    ratings
}
