//! Is nearly the same known already?

use std::collections::BTreeMap;

use recall_core::{DocumentType, Filters, Memory, MemoryId, Vocabulary};

use crate::error::StoreError;
use crate::mask::memory as masked;
use crate::store::Store;

/// A memory that says nearly the same.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarMemory {
    /// Its id.
    pub id: MemoryId,
    /// Its title.
    pub title: String,
    /// How similar, 0 to 1.
    pub similarity: f64,
}

/// From which share of common words on one memory repeats another: of ten words one may differ.
pub(super) const REPEATS: f64 = 0.8;

/// From which share on a memory is told as similar.
const SIMILAR: f64 = 0.5;

/// How many of the index's memories are compared, twice as many as are told. Those with most rare words in common come first.
const COMPARED: usize = 10;

/// How many memories that are not in the index yet are compared.
const UNINDEXED: usize = 1000;

/// How much of a text is looked for; its first words tell what it is about.
const QUERY_BYTES: usize = 2048;

/// How many similar memories are told.
const TOLD: usize = 5;

/// The most similar first, and no more than are told.
pub(super) fn sort(similar: &mut Vec<SimilarMemory>) {
    similar.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.id.cmp(&b.id)));
    similar.truncate(TOLD);
}

impl Store {
    /// The memories in force that say nearly the same, the most similar first.
    pub(super) fn similar(
        &self,
        title: &str,
        content: &str,
        vocabulary: &Vocabulary,
    ) -> Result<Vec<SimilarMemory>, StoreError> {
        let mut similar: BTreeMap<MemoryId, SimilarMemory> = BTreeMap::new();
        let mut compare = |id: MemoryId, title: &str, other: &Vocabulary| {
            let similarity = vocabulary.similarity(other);
            if similarity >= SIMILAR {
                similar.insert(id, SimilarMemory { id, title: title.to_owned(), similarity });
            }
        };
        for memory in self.indexed_like(title, content)? {
            compare(memory.id, &memory.title, &Vocabulary::of(&[&memory.title, &memory.content]));
        }
        for memory in self.ledger.unindexed(UNINDEXED) {
            compare(memory.id, &memory.title, &memory.vocabulary);
        }
        let mut similar: Vec<_> = similar.into_values().collect();
        sort(&mut similar);
        Ok(similar)
    }

    /// Memories of the index that have words in common.
    fn indexed_like(&self, title: &str, content: &str) -> Result<Vec<Memory>, StoreError> {
        if self.holds_nothing() {
            return Ok(Vec::new());
        }
        let text = format!("{title} {content}");
        let text = &text[..text.floor_char_boundary(QUERY_BYTES)];
        let types = DocumentType::ALL.into_iter().filter(|kind| kind.is_memory()).collect();
        let filters = Filters { types, ..Filters::default() };
        let found = self.lexical.searcher().sharing_rare_terms(text, &filters, COMPARED);
        let found = found.map_err(|source| self.search_failed(source))?;
        let known = self.known();
        let mut ids: Vec<MemoryId> =
            found.iter().filter_map(|candidate| known.memories.of_row(candidate.document)).collect();
        ids.sort_unstable();
        ids.dedup();
        let in_force = ids.into_iter().filter(|id| self.ledger.is_in_force(*id));
        Ok(in_force.filter_map(|id| self.ledger.memory(id)).map(masked).collect())
    }
}
