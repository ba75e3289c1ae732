//! Memories that are similar to a new one: repetitions, refinements, and those that it may contradict.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recall_core::{ContentHash, DocumentType, Filters, Generation, Memory, MemoryId};
use recall_index::lexical::in_english;
use recall_text::{Relation, Statement, Vocabulary, relation};

use crate::Engine;
use crate::error::{MemoryError, StoreError};
use crate::ledger::Ledger;
use crate::mask::memory as masked;
use crate::origin::Origin;
use crate::store::{ComparedWords, Index, JudgedPair, PairComparer, Store};

/// A memory that is similar to another one.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarMemory {
    /// The id of the similar memory.
    pub id: MemoryId,
    /// The title of the similar memory, with secrets masked.
    pub title: String,
    /// The similarity by words, from 0 to 1.
    pub similarity: f64,
    /// How the two statements relate; `None` if they only share words.
    pub relation: Option<Relation>,
    /// The language model that says so; `None` if only the words do.
    pub judged_by: Option<Arc<str>>,
}

impl SimilarMemory {
    /// Returns whether both cannot hold, as far as is known. Then neither repeats the other.
    pub fn may_contradict(&self) -> bool {
        self.relation == Some(Relation::Contradiction)
    }
}

/// The least similarity at which a memory counts as a repetition: one word in ten may differ.
pub(super) const REPEATS: f64 = 0.8;

/// The least similarity at which a memory is reported.
const SIMILAR: f64 = 0.5;

/// How many indexed memories are compared: four times as many as are reported. Those that share the most rare words are taken. A
/// contradiction in other words shares fewer words than what is about other sides of the subject.
const COMPARED: usize = 20;

/// The most memories compared that are not in the index yet.
const UNINDEXED: usize = 1000;

/// The most bytes of a text that are used as the query. The beginning of a text says what it is about.
const QUERY_BYTES: usize = 2048;

/// The most similar memories reported.
const MOST_REPORTED: usize = 5;

/// The least nearness of two memories that a language model is asked about: the lowest one at which the rules find a contradiction in other
/// words.
const NEAR_ENOUGH_TO_ASK: f64 = 0.28;

/// The most pairs of one memory that a language model is asked about.
const ASKED_OF_ONE: usize = 5;

/// The longest content that is compared as one statement. A longer one makes many statements, and its title says which matters.
const STATEMENT_BYTES: usize = 400;

/// What a memory states: its title, and its content if that is short.
pub(super) struct MemoryStatements {
    title: Statement,
    content: Option<Statement>,
    /// The text whose embedding is compared.
    text: String,
}

impl MemoryStatements {
    pub(super) fn new(title: &str, content: &str) -> Self {
        let statement = |text: &str| Statement::new(text, in_english(text).as_deref());
        let is_short = content.len() <= STATEMENT_BYTES && !content.trim().is_empty();
        let text = if is_short { content } else { title };
        let english = in_english(text).unwrap_or_default();
        let content = (is_short && content != title).then(|| statement(content));
        Self { title: statement(title), content, text: format!("{text} {english}") }
    }

    /// Returns how two memories relate, by what both state. `nearness` is that of their texts.
    pub(super) fn relation(&self, other: &Self, nearness: Option<f64>) -> Option<Relation> {
        let titles = relation(&self.title, &other.title, nearness);
        let content = |stated: &'_ Self| stated.content.clone().unwrap_or_else(|| stated.title.clone());
        if self.content.is_none() && other.content.is_none() {
            return titles;
        }
        let contents = relation(&content(self), &content(other), nearness);
        if titles == Some(Relation::Contradiction) { titles } else { contents }
    }
}

/// Sorts memories, those that contradict first, then the most similar, and keeps the first [`MOST_REPORTED`].
pub(super) fn keep_most_similar(similar: &mut Vec<SimilarMemory>) {
    sort(similar);
    similar.truncate(MOST_REPORTED);
}

fn sort(similar: &mut [SimilarMemory]) {
    let order = |memory: &SimilarMemory| (!memory.may_contradict(), memory.relation.is_none());
    similar.sort_by(|a, b| order(a).cmp(&order(b)).then(b.similarity.total_cmp(&a.similarity)).then(a.id.cmp(&b.id)));
}

/// A memory that was compared with another one, by their words.
struct ComparedMemory {
    similar: SimilarMemory,
    nearness: Option<f64>,
    /// Whether one of them names the other. Its author has seen the other one, and said how both hold.
    is_settled: bool,
}

impl ComparedMemory {
    /// Returns the weight of the pair if a language model may be asked about it.
    fn weight(&self) -> Option<f64> {
        let nearness = self.nearness.unwrap_or_default();
        // What the words found is shown before there is a verdict, so it comes first.
        let found = if self.similar.may_contradict() { 1.0 } else { 0.0 };
        let is_asked_about = self.similar.may_contradict() || nearness >= NEAR_ENOUGH_TO_ASK;
        (is_asked_about && !self.is_settled).then_some(nearness + found)
    }
}

/// Returns the similar memories in force, those that may contradict first, then the most similar.
pub(crate) fn similar_memories(
    store: &Store,
    stated: (Option<MemoryId>, &str, &str),
    vocabulary: &Vocabulary,
) -> Result<Vec<SimilarMemory>, StoreError> {
    let verdicts = stated.0.map(|id| store.oppositions.verdicts(id)).unwrap_or_default();
    let mut similar = Vec::new();
    for ComparedMemory { similar: mut memory, is_settled, .. } in compare(store, stated, vocabulary)? {
        if let Some(JudgedPair { verdict: Some(verdict), model }) = verdicts.get(&memory.id).filter(|_| !is_settled) {
            memory.relation = verdict.relation();
            memory.judged_by = Some(Arc::clone(model));
        }
        if memory.similarity >= SIMILAR || memory.relation.is_some() {
            similar.push(memory);
        }
    }
    sort(&mut similar);
    Ok(similar)
}

/// Compares the words of a memory with those of others in force.
fn compare(
    store: &Store,
    (id, title, content): (Option<MemoryId>, &str, &str),
    vocabulary: &Vocabulary,
) -> Result<Vec<ComparedMemory>, StoreError> {
    let Store { ledger, index, .. } = store;
    let mut known: BTreeMap<MemoryId, (String, String, f64)> = BTreeMap::new();
    let mut memories = indexed_like(ledger, index, title, content)?;
    // It may be among the nearest of another memory that is not among its nearest.
    let opponents = id.map(|id| store.oppositions.opponents(id)).unwrap_or_default();
    let in_force = opponents.into_keys().filter(|other| ledger.is_in_force(*other));
    memories.extend(in_force.filter_map(|other| ledger.memory(other)).map(masked));
    for memory in memories {
        let similarity = vocabulary.similarity(&Vocabulary::new(&[&memory.title, &memory.content]));
        known.insert(memory.id, (memory.title.to_string(), memory.content.to_string(), similarity));
    }
    for memory in ledger.unindexed_memories(UNINDEXED) {
        let similarity = vocabulary.similarity(&memory.vocabulary);
        known.insert(memory.id, (memory.title.to_string(), memory.content.to_string(), similarity));
    }
    known.retain(|other, _| Some(*other) != id);
    let stated = MemoryStatements::new(title, content);
    let others: Vec<MemoryStatements> =
        known.values().map(|(title, content, _)| MemoryStatements::new(title, content)).collect();
    let texts: Vec<&str> = others.iter().map(|other| other.text.as_str()).collect();
    let nearness = index.embeddings().nearness(&stated.text, &texts);
    let names = |content: &str, id: MemoryId| content.contains(&id.to_string());
    let mut compared = Vec::new();
    for (place, ((known_id, (known_title, known_content, similarity)), other)) in
        known.into_iter().zip(&others).enumerate()
    {
        let is_settled = names(content, known_id) || id.is_some_and(|id| names(&known_content, id));
        let nearness = nearness.as_ref().map(|nearness| nearness[place]);
        let relation = stated.relation(other, nearness).filter(|_| !is_settled);
        let similar = SimilarMemory { id: known_id, title: known_title, similarity, relation, judged_by: None };
        compared.push(ComparedMemory { similar, nearness, is_settled });
    }
    Ok(compared)
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
        let mut similar = similar_memories(&store, (Some(id), &title, &content), &vocabulary)?;
        similar.truncate(MOST_REPORTED);
        Ok(similar)
    }
}

/// Compares the memories that changed since, on a thread of its own, and records the pairs that may contradict each other. Then it asks
/// the language model that compares memories, if there is one.
pub(crate) fn compare_memories_soon(store: &Arc<Store>, comparer: &Arc<PairComparer>) {
    let generation = store.index.generation();
    let turn = store.oppositions.begin(generation);
    if turn.is_none() && !comparer.has_work(store) {
        return;
    }
    let comparer = Arc::clone(comparer);
    store.work("oppositions", move |store| {
        if let Some(turn) = turn {
            if let Err(error) = compare_memories(store, generation) {
                tracing::warn!(root = %store.root.display(), %error, "the memories were not compared; the next request does");
            }
            drop(turn);
        }
        comparer.ask_about(store);
    });
}

/// Compares the memories that changed since, and waits for it.
pub(crate) fn compare_memories_now(store: &Store) -> Result<(), StoreError> {
    let turn = store.oppositions.wait_for_turn();
    let compared = compare_memories(store, store.index.generation());
    drop(turn);
    compared
}

fn compare_memories(store: &Store, generation: Generation) -> Result<(), StoreError> {
    let hash = |id: MemoryId| Some((id, store.ledger.backlog().expected_hash(id)?));
    let hashes: HashMap<MemoryId, ContentHash> = store.ledger.ids().into_iter().filter_map(hash).collect();
    for (&id, &hash) in hashes.iter().filter(|(id, hash)| !store.oppositions.is_compared(**id, **hash)) {
        if store.jobs.cancel().is_cancelled() {
            return Ok(());
        }
        let Some(memory) = store.ledger.memory(id).map(masked) else { continue };
        let vocabulary = Vocabulary::new(&[&memory.title, &memory.content]);
        let stated = (Some(id), &*memory.title, &*memory.content);
        let compared = compare(store, stated, &vocabulary)?;
        store.oppositions.replace(id, hash, compared_words(&compared));
    }
    store.oppositions.complete(generation, &hashes);
    Ok(())
}

/// Returns what the words found, and the pairs that a language model may be asked about.
fn compared_words(compared: &[ComparedMemory]) -> ComparedWords {
    let opposed = compared.iter().filter(|other| other.similar.may_contradict()).map(|other| other.similar.id);
    let weighed = compared.iter().filter_map(|other| Some((other.similar.id, other.weight()?)));
    let mut candidates: Vec<(MemoryId, f64)> = weighed.collect();
    candidates.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    candidates.truncate(ASKED_OF_ONE);
    ComparedWords { opposed: opposed.collect(), candidates }
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
    let text = match in_english(&text) {
        Some(english) => format!("{english} {text}"),
        None => text,
    };
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
