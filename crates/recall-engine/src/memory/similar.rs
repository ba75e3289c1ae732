//! Memories that are similar to a new one.

use std::collections::BTreeMap;

use recall_core::{DocumentType, Filters, Memory, MemoryId};
use recall_text::{Vocabulary, may_contradict};

use crate::Engine;
use crate::error::{MemoryError, StoreError};
use crate::ledger::Ledger;
use crate::mask::memory as masked;
use crate::origin::Origin;
use crate::store::Index;

/// A memory that is similar to another one.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarMemory {
    /// The id of the similar memory.
    pub id: MemoryId,
    /// The title of the similar memory, with secrets masked.
    pub title: String,
    /// The similarity, from 0 to 1.
    pub similarity: f64,
    /// Whether it says something else in nearly the same words, such as the opposite. Then neither repeats the other.
    pub may_contradict: bool,
}

/// The least similarity at which a memory counts as a repetition: one word in ten may differ.
pub(super) const REPEATS: f64 = 0.8;

/// The least similarity at which a memory is reported.
const SIMILAR: f64 = 0.5;

/// The least similarity at which a memory may contradict another: with fewer common words they are about different things.
const COMPARABLE: f64 = 0.6;

/// How many indexed memories are compared: twice as many as are reported. Those that share the most rare words are taken.
const COMPARED: usize = 10;

/// The most memories compared that are not in the index yet.
const UNINDEXED: usize = 1000;

/// The most bytes of a text that are used as the query. The beginning of a text says what it is about.
const QUERY_BYTES: usize = 2048;

/// The most similar memories reported.
const MOST_REPORTED: usize = 5;

/// Returns whether two memories of nearly the same words may contradict each other, by their titles and contents.
pub(super) fn contradicts(one: (&str, &str), other: (&str, &str)) -> bool {
    let text = |(title, content): (&'_ str, &'_ str)| {
        if content.trim().is_empty() { title.to_owned() } else { content.to_owned() }
    };
    may_contradict(&text(one), &text(other)) || may_contradict(one.0, other.0)
}

/// Sorts memories, the most similar first, and keeps the first [`MOST_REPORTED`].
pub(super) fn sort(similar: &mut Vec<SimilarMemory>) {
    similar.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.id.cmp(&b.id)));
    similar.truncate(MOST_REPORTED);
}

/// Returns the similar memories in force, the most similar first.
pub(crate) fn similar_memories(
    ledger: &Ledger,
    index: &Index,
    title: &str,
    content: &str,
    vocabulary: &Vocabulary,
) -> Result<Vec<SimilarMemory>, StoreError> {
    let mut similar: BTreeMap<MemoryId, SimilarMemory> = BTreeMap::new();
    let mut compare = |id: MemoryId, known: (&str, &str), other: &Vocabulary| {
        let similarity = vocabulary.similarity(other);
        if similarity >= SIMILAR {
            let may_contradict = similarity >= COMPARABLE && contradicts((title, content), known);
            similar.insert(id, SimilarMemory { id, title: known.0.to_owned(), similarity, may_contradict });
        }
    };
    for memory in indexed_like(ledger, index, title, content)? {
        let vocabulary = Vocabulary::new(&[&memory.title, &memory.content]);
        compare(memory.id, (&memory.title, &memory.content), &vocabulary);
    }
    for memory in ledger.unindexed_memories(UNINDEXED) {
        compare(memory.id, (&memory.title, &memory.content), &memory.vocabulary);
    }
    let mut similar: Vec<_> = similar.into_values().collect();
    sort(&mut similar);
    Ok(similar)
}

impl Engine {
    /// Returns the memories in force that are similar to one, of the store that holds it, the most similar first.
    ///
    /// # Errors
    /// The memory is unknown, or a store cannot be read.
    pub fn memories_similar_to(&self, origin: &Origin, id: MemoryId) -> Result<Vec<SimilarMemory>, MemoryError> {
        let (store, memory) = self.find_memory(origin, id)?;
        let Memory { title, content, .. } = masked(memory);
        let vocabulary = Vocabulary::new(&[&title, &content]);
        let mut similar = similar_memories(&store.ledger, &store.index, &title, &content, &vocabulary)?;
        similar.retain(|other| other.id != id);
        Ok(similar)
    }
}

/// Returns whether a memory in force has nearly all words of a text.
pub(crate) fn remembers(ledger: &Ledger, index: &Index, text: &str) -> Result<bool, StoreError> {
    let vocabulary = Vocabulary::new(&[text]);
    let is_in = |other: &Vocabulary| vocabulary.share_in(other) >= REPEATS;
    let indexed = indexed_like(ledger, index, "", text)?;
    let mut unindexed = ledger.unindexed_memories(UNINDEXED).into_iter();
    Ok(indexed.iter().any(|memory| is_in(&Vocabulary::new(&[&memory.title, &memory.content])))
        || unindexed.any(|memory| is_in(&memory.vocabulary)))
}

/// Returns the indexed memories that share rare words with a text.
fn indexed_like(ledger: &Ledger, index: &Index, title: &str, content: &str) -> Result<Vec<Memory>, StoreError> {
    if index.holds_nothing() {
        return Ok(Vec::new());
    }
    let text = format!("{title} {content}");
    let text = &text[..text.floor_char_boundary(QUERY_BYTES)];
    let types = DocumentType::ALL.into_iter().filter(|kind| kind.is_memory()).collect();
    let filters = Filters { types, ..Filters::default() };
    let found = index.searcher().sharing_rare_terms(text, &filters, COMPARED);
    let found = found.map_err(|source| index.search_error(source))?;
    let known = index.known_documents();
    let mut ids: Vec<MemoryId> =
        found.iter().filter_map(|candidate| known.memories.memory_in_row(candidate.document)).collect();
    ids.sort_unstable();
    ids.dedup();
    let in_force = ids.into_iter().filter(|id| ledger.is_in_force(*id));
    Ok(in_force.filter_map(|id| ledger.memory(id)).map(masked).collect())
}
