//! A store in memory that compares everything with everything: what the other kinds must agree with.
//!
//! It is the simplest implementation of [`SharedStore`], without bounds and without a server. The tests of the contract run on every
//! kind.

use std::collections::{BTreeMap, HashMap, HashSet};

use parking_lot::Mutex;

use crate::paths::Paths;
use crate::seam::DocumentRecord;
use crate::{
    Ask, Branch, BranchState, Chunk, ChunkRecord, Document, FacetCounts, FacetScan, Filters, Found, Key, Manifest,
    Model, Place, Publication, SharedStore, Statistics, StoreError, TextPosition, TextScan, TextStep, Weighted,
    WholeDocument,
};

/// How many texts a step of a pass compares: few, so that the passes of tests have several steps.
const COMPARED_AT_ONCE: usize = 16;

/// A shared store inside this process, without a server.
#[derive(Debug, Default)]
pub struct Memory {
    state: Mutex<MemoryState>,
}

#[derive(Debug, Default)]
struct MemoryState {
    chunks: HashMap<Key, StoredChunk>,
    branches: BTreeMap<Branch, StoredBranch>,
    /// The branch of each repository that readers see: the first one.
    defaults: BTreeMap<String, String>,
    models: Vec<Model>,
    publications: u64,
}

#[derive(Debug)]
struct StoredChunk {
    record: ChunkRecord,
    vectors: HashMap<String, Vec<f32>>,
}

#[derive(Debug, Default)]
struct StoredBranch {
    state: Option<BranchState>,
    documents: BTreeMap<String, DocumentRecord>,
    /// Those of a publication that is not committed, and its number.
    staged: (u64, BTreeMap<String, DocumentRecord>),
}

impl MemoryState {
    /// The documents that readers see.
    fn visible(&self) -> impl Iterator<Item = (&Branch, &DocumentRecord)> {
        let branches = self.branches.iter().filter(|(branch, stored)| {
            stored.state.is_some() && self.defaults.get(&branch.repository) == Some(&branch.name)
        });
        branches.flat_map(|(branch, stored)| stored.documents.values().map(move |document| (branch, document)))
    }
}

impl SharedStore for Memory {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn ping(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError> {
        let state = self.state.lock();
        if state.branches.is_empty() {
            return Err(StoreError::Empty);
        }
        let documents: Vec<&DocumentRecord> =
            state.branches.values().flat_map(|branch| branch.documents.values()).collect();
        let mut statistics = Statistics {
            chunks: state.chunks.len() as u64,
            documents: documents.len() as u64,
            ..Statistics::default()
        };
        let chunks = state.chunks.values().map(|chunk| (&chunk.record.keys, &chunk.record.lengths));
        for (own, lengths) in chunks.chain(documents.iter().map(|document| (&document.keys, &document.lengths))) {
            for (sum, length) in statistics.lengths.iter_mut().zip(lengths) {
                *sum += length;
            }
            for key in keys.iter().filter(|key| own.binary_search(key).is_ok()) {
                *statistics.counts.entry(*key).or_default() += 1;
            }
        }
        Ok(statistics)
    }

    fn models(&self) -> Result<Vec<Model>, StoreError> {
        Ok(self.state.lock().models.clone())
    }

    fn find(&self, ask: &Ask) -> Result<Found, StoreError> {
        let state = self.state.lock();
        let documents: Vec<(&Branch, &DocumentRecord)> = state
            .visible()
            .filter(|(branch, document)| !ask.without.contains(&branch.repository) && passes(&ask.filters, document))
            .collect();
        let mut places: HashMap<Key, Vec<usize>> = HashMap::new();
        for (place, (_, document)) in documents.iter().enumerate() {
            for key in &document.chunks {
                places.entry(*key).or_default().push(place);
            }
        }
        let by_keys = |wanted: &[Weighted], depth| {
            best(places.keys().map(|key| (*key, sum(wanted, &state.chunks[key].record.keys))), depth)
        };
        let mut candidates: HashSet<Key> = by_keys(&ask.words, ask.depths.words).into_iter().collect();
        candidates.extend(by_keys(&ask.definitions, ask.depths.definitions));
        let files = documents.iter().enumerate().map(|(place, (_, one))| (place, sum(&ask.files, &one.keys)));
        let mut found: HashSet<usize> = best(files, ask.depths.files).into_iter().collect();
        let mut near = HashSet::new();
        let cosine = |key: &Key| {
            let (model, query) = ask.vector.as_ref()?;
            Some(dot(query, state.chunks[key].vectors.get(&model.fingerprint)?))
        };
        if ask.vector.is_some() {
            let all = places.keys().filter_map(|key| Some((*key, cosine(key)? + 2.0)));
            near.extend(best(all, ask.depths.nearest));
        }
        candidates.extend(&near);
        found.extend(candidates.iter().flat_map(|key| &places[key]));
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        let document = |place: usize| {
            let (branch, document) = documents[place];
            let chunk = |key: &Key| Chunk {
                key: *key,
                cosine: candidates.contains(key).then(|| cosine(key)).flatten(),
                is_near: near.contains(key),
            };
            found_document(branch, document, document.chunks.iter().map(chunk).collect())
        };
        let has_cosines = ask.vector.as_ref().is_some_and(|(model, _)| state.models.contains(model));
        Ok(Found { documents: found.into_iter().map(document).collect(), has_cosines })
    }

    fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
        let state = self.state.lock();
        Ok(chunks.iter().map(|key| Some(state.chunks.get(key)?.record.text.clone())).collect())
    }

    fn document(&self, places: &[Place]) -> Result<Option<WholeDocument>, StoreError> {
        let state = self.state.lock();
        let at = |place: &Place| {
            let is_there = |(branch, document): &(&Branch, &DocumentRecord)| {
                branch.repository == place.repository && document.path == place.path
            };
            state.visible().find(is_there)
        };
        Ok(places.iter().find_map(at).map(|(branch, document)| whole_document(branch, document)))
    }

    fn facets(&self, scan: &FacetScan) -> Result<FacetCounts, StoreError> {
        let state = self.state.lock();
        let mut counts = FacetCounts::default();
        for (branch, document) in state.visible() {
            let has = |wanted: &[u32], keys: &[u32]| wanted.iter().any(|key| keys.binary_search(key).is_ok());
            let mut chunks = document.chunks.iter().map(|key| &state.chunks[key].record.keys);
            let is_matched = has(&scan.paths, &document.keys) || chunks.any(|keys| has(&scan.words, keys));
            if !is_matched || scan.without.contains(&branch.repository) || !passes(&scan.filters, document) {
                continue;
            }
            let tags = document.tags.iter().map(String::as_str);
            counts.add(&document.kind, &document.language, &document.path, tags, 1);
        }
        Ok(counts)
    }

    fn scan_texts(&self, scan: &TextScan) -> Result<TextStep, StoreError> {
        let state = self.state.lock();
        let generations: u64 =
            state.branches.values().filter_map(|branch| Some(branch.state.as_ref()?.generation)).sum();
        let generations = generations.to_string();
        let compared: usize = scan.after(&generations)?.and_then(|after| after.parse().ok()).unwrap_or_default();
        let passing = state
            .visible()
            .filter(|(branch, document)| !scan.without.contains(&branch.repository) && passes(&scan.filters, document));
        let mut rest = passing.skip(compared).peekable();
        let mut step = TextStep::default();
        for (branch, document) in rest.by_ref().take(COMPARED_AT_ONCE) {
            step.compared += 1;
            step.documents.extend(scan.finds(&document.text).then(|| whole_document(branch, document)));
        }
        let after = (compared + step.compared as usize).to_string();
        step.next = rest.peek().is_some().then_some(TextPosition { state: generations, after });
        Ok(step)
    }

    fn branch(&self, branch: &Branch) -> Result<Option<BranchState>, StoreError> {
        Ok(self.state.lock().branches.get(branch).and_then(|stored| stored.state.clone()))
    }

    fn manifest(&self, branch: &Branch) -> Result<Manifest, StoreError> {
        let state = self.state.lock();
        let Some(stored) = state.branches.get(branch) else { return Ok(Manifest::new()) };
        let whole = stored.documents.values();
        let whole = whole.filter(|document| document.chunks.iter().all(|key| state.chunks.contains_key(key)));
        Ok(whole.map(|document| (document.path.clone(), document.key)).collect())
    }

    fn begin(&self, branch: &Branch, model: Option<&Model>) -> Result<Publication, StoreError> {
        let mut state = self.state.lock();
        state.publications += 1;
        let id = state.publications;
        if let Some(model) = model
            && !state.models.contains(model)
        {
            state.models.push(model.clone());
        }
        state.defaults.entry(branch.repository.clone()).or_insert_with(|| branch.name.clone());
        let stored = state.branches.entry(branch.clone()).or_default();
        stored.staged = (id, BTreeMap::new());
        let base = stored.state.as_ref().map_or(0, |state| state.generation);
        Ok(Publication { branch: branch.clone(), base, id })
    }

    fn missing(&self, chunks: &[Key], model: Option<&Model>) -> Result<Vec<bool>, StoreError> {
        let state = self.state.lock();
        let has = |key: &Key| {
            let chunk = state.chunks.get(key);
            chunk.is_some_and(|chunk| model.is_none_or(|model| chunk.vectors.contains_key(&model.fingerprint)))
        };
        Ok(chunks.iter().map(|key| !has(key)).collect())
    }

    fn put_chunks(&self, chunks: &[ChunkRecord], model: Option<&Model>) -> Result<(), StoreError> {
        let mut state = self.state.lock();
        for chunk in chunks {
            let new = || StoredChunk { record: chunk.clone(), vectors: HashMap::new() };
            let stored = state.chunks.entry(chunk.key).or_insert_with(new);
            if let (Some(model), Some(vector)) = (model, &chunk.vector) {
                stored.vectors.entry(model.fingerprint.clone()).or_insert_with(|| vector.clone());
            }
        }
        Ok(())
    }

    fn put_documents(&self, publication: &Publication, documents: &[DocumentRecord]) -> Result<(), StoreError> {
        let mut state = self.state.lock();
        let stored = state.branches.entry(publication.branch.clone()).or_default();
        if stored.staged.0 != publication.id {
            return Err(StoreError::Busy);
        }
        stored.staged.1.extend(documents.iter().map(|document| (document.path.clone(), document.clone())));
        Ok(())
    }

    fn commit(
        &self,
        publication: &Publication,
        added: u64,
        removed: &[String],
        to: &BranchState,
    ) -> Result<(), StoreError> {
        let mut state = self.state.lock();
        let stored = state.branches.entry(publication.branch.clone()).or_default();
        if stored.state.as_ref() == Some(to) {
            return Ok(());
        }
        let base = stored.state.as_ref().map_or(0, |state| state.generation);
        if stored.staged.0 != publication.id || base != publication.base {
            return Err(StoreError::Busy);
        }
        let there = stored.staged.1.len() as u64;
        if there != added {
            return Err(StoreError::Lost { lost: added.saturating_sub(there), sent: added });
        }
        let staged = std::mem::take(&mut stored.staged.1);
        stored.documents.retain(|path, _| !removed.contains(path));
        stored.documents.extend(staged);
        stored.state = Some(to.clone());
        Ok(())
    }

    fn collect(&self) -> Result<u64, StoreError> {
        let mut state = self.state.lock();
        let branches = state.branches.values();
        let documents = branches.flat_map(|branch| branch.documents.values().chain(branch.staged.1.values()));
        let used: HashSet<Key> = documents.flat_map(|document| document.chunks.iter().copied()).collect();
        let before = state.chunks.len();
        state.chunks.retain(|key, _| used.contains(key));
        Ok((before - state.chunks.len()) as u64)
    }
}

fn whole_document(branch: &Branch, document: &DocumentRecord) -> WholeDocument {
    let chunk = |key: &Key| Chunk { key: *key, cosine: None, is_near: false };
    WholeDocument {
        document: found_document(branch, document, document.chunks.iter().map(chunk).collect()),
        text: document.text.clone(),
    }
}

fn found_document(branch: &Branch, document: &DocumentRecord, chunks: Vec<Chunk>) -> Document {
    Document {
        repository: branch.repository.clone(),
        path: document.path.clone(),
        key: document.key,
        record: document.record.clone(),
        chunks,
    }
}

fn passes(filters: &Filters, document: &DocumentRecord) -> bool {
    let Filters { kinds, languages, paths, tags } = filters;
    (kinds.is_empty() || kinds.contains(&document.kind))
        && (languages.is_empty() || languages.contains(&document.language))
        && Paths::new(paths).pass(&document.path)
        && tags.iter().all(|tag| document.tags.contains(tag))
}

fn sum(wanted: &[Weighted], keys: &[u32]) -> f32 {
    wanted.iter().filter(|one| keys.binary_search(&one.key).is_ok()).map(|one| one.weight).sum()
}

/// Returns the best by score, and all of those with equal scores by their order. A score of 0 is no match.
fn best<T: Ord>(scored: impl Iterator<Item = (T, f32)>, depth: usize) -> Vec<T> {
    let mut scored: Vec<(T, f32)> = scored.filter(|(_, score)| *score > 0.0).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.truncate(depth);
    scored.into_iter().map(|(one, _)| one).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
