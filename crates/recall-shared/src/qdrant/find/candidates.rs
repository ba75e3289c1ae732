//! What each retriever finds, as far as readers see it, and the conditions of a search on documents that the server
//! checks.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use parking_lot::Mutex;
use qdrant_client::qdrant::{Condition, Query, SearchParams, VectorInput};
use uuid::Uuid;

use super::super::client::{AT_ONCE, Client, Servers};
use super::super::point::Point;
use super::super::publication::YES;
use super::super::schema::{self, CHUNKS, DOCUMENTS, EMBEDDING, TERMS};
use super::super::tenant::{Scoped, any, ids_are, is, is_any};
use super::super::{branches, field};
use crate::paths::Paths;
use crate::qdrant::branches::{Standing, State};
use crate::{Ask, Filters, PathCondition, StoreError, Weighted};

/// If filters leave at most this many documents, only their chunks are searched. Otherwise chunks are searched and then their documents
/// are looked up.
const FEW_DOCUMENTS: u64 = 1_000;

/// The most chunks that a filter of such a search names.
const FEW_CHUNKS: usize = 10_000;

/// How many more candidates than wanted are compared at first, since chunks of replaced documents and of other branches are among them.
const FIRST: usize = 100;

/// The same if there are filters.
const FIRST_WITH_FILTERS: usize = 4_000;

/// The most that are compared, if too few of the first ones are of documents that readers see.
const AT_MOST: usize = 20_000;

/// The most documents that are looked up at a time.
const LOOKED_UP: usize = 5_000;

/// A candidate: a chunk, if a retriever of chunks found it, and its document.
pub(super) struct Candidate {
    pub(super) document: Uuid,
    pub(super) chunk: Option<Uuid>,
}

/// A document that readers see.
struct Known {
    id: Uuid,
    chunks: Vec<Uuid>,
}

pub(super) struct Search<'a> {
    client: &'a Client,
    ask: &'a Ask,
    conditions: Conditions,
    /// The documents that satisfy the conditions, if they are few.
    few: Option<Vec<Known>>,
    /// The last committed tickets of branches.
    committed: Mutex<HashMap<Uuid, i64>>,
}

impl<'a> Search<'a> {
    pub(super) async fn new(client: &'a Client, ask: &'a Ask) -> Result<Self, StoreError> {
        let conditions = Conditions::new(&ask.filters, &ask.without);
        let mut search = Self { client, ask, conditions, few: None, committed: Mutex::default() };
        if !ask.filters.is_empty() {
            let all = || search.conditions.with(client, Vec::new());
            if client.count(DOCUMENTS, all()).await? <= FEW_DOCUMENTS {
                let few = search.documents(all()).await?;
                let chunks = few.iter().map(|document| document.chunks.len()).sum::<usize>();
                search.few = (chunks <= FEW_CHUNKS).then_some(few);
            }
        }
        Ok(search)
    }

    /// Returns the last committed tickets of the branches of all candidates.
    pub(super) fn into_committed(self) -> HashMap<Uuid, i64> {
        self.committed.into_inner()
    }

    /// Finds chunks by the sum of the weights of their keys.
    pub(super) async fn by_keys(&self, wanted: &[Weighted], depth: usize) -> Result<Vec<Candidate>, StoreError> {
        if wanted.is_empty() || depth == 0 {
            return Ok(Vec::new());
        }
        let query = sparse(wanted);
        let best = |filter, most| {
            let query = query.clone();
            async move {
                let mut scored = self.client.best(CHUNKS, query, TERMS, filter, most, None).await?;
                let count = scored.len();
                scored.retain(|(_, score)| *score > 0.0);
                Ok((scored, count))
            }
        };
        self.chunks(best, depth).await
    }

    /// Finds the chunks with the nearest vectors.
    pub(super) async fn nearest(&self) -> Result<Vec<Candidate>, StoreError> {
        let depth = self.ask.depths.nearest;
        let Some((model, vector)) = self.ask.vector.as_ref().filter(|_| depth > 0) else { return Ok(Vec::new()) };
        let collection = &schema::vectors(model);
        let best = |filter, most: usize| {
            let query = Query::new_nearest(vector.clone());
            let params = SearchParams { hnsw_ef: Some(most.max(128) as u64), ..SearchParams::default() };
            async move {
                let scored = self.client.best(collection, query, EMBEDDING, filter, most, Some(params)).await?;
                let count = scored.len();
                Ok((scored, count))
            }
        };
        self.chunks(best, depth).await
    }

    /// Finds documents by the sum of the weights of the keys of their paths.
    pub(super) async fn by_path(&self) -> Result<Vec<Candidate>, StoreError> {
        let depth = self.ask.depths.files;
        if self.ask.files.is_empty() || depth == 0 {
            return Ok(Vec::new());
        }
        let mut candidates = Vec::new();
        for most in self.compared_counts(depth) {
            let filter = self.conditions.with(self.client, Vec::new());
            let scored = self.client.best(DOCUMENTS, sparse(&self.ask.files), TERMS, filter, most, None).await?;
            let ids: Vec<Uuid> = scored.iter().filter(|(_, score)| *score > 0.0).map(|(id, _)| *id).collect();
            candidates.clear();
            for ids in ids.chunks(batch(depth)) {
                let these = self.documents(self.conditions.with(self.client, vec![ids_are(ids)])).await?;
                let these: HashSet<Uuid> = these.iter().map(|document| document.id).collect();
                let visible = ids.iter().filter(|id| these.contains(id));
                candidates.extend(visible.map(|id| Candidate { document: *id, chunk: None }));
                if candidates.len() >= depth {
                    candidates.truncate(depth);
                    return Ok(candidates);
                }
            }
            if scored.len() < most {
                break;
            }
        }
        Ok(candidates)
    }

    /// How many candidates are compared: first few, then many.
    fn compared_counts(&self, depth: usize) -> [usize; 2] {
        let more = if self.ask.filters.is_empty() { FIRST } else { FIRST_WITH_FILTERS };
        [depth + more, AT_MOST.max(2 * depth)]
    }

    /// Finds chunks of documents that readers see. `best` returns the chunks that satisfy a filter, the best first, and how many there
    /// were before those that do not match were left out.
    async fn chunks<F>(&self, best: impl Fn(Scoped, usize) -> F, depth: usize) -> Result<Vec<Candidate>, StoreError>
    where
        F: Future<Output = Result<(Vec<(Uuid, f32)>, usize), StoreError>>,
    {
        if let Some(few) = &self.few {
            let documents = by_chunk(few);
            let ids: Vec<Uuid> = documents.keys().copied().collect();
            if ids.is_empty() {
                return Ok(Vec::new());
            }
            let (scored, _) = best(self.client.tenant.points(&ids), depth.min(ids.len())).await?;
            return Ok(candidates(&scored, &documents, depth));
        }
        let mut found = Vec::new();
        for most in self.compared_counts(depth) {
            let (scored, count) = best(self.client.tenant.filter(Vec::new(), Vec::new()), most).await?;
            found.clear();
            // The best are looked up first; often that is enough.
            let parts: Vec<Vec<(Uuid, f32)>> = scored.chunks(batch(depth)).map(<[_]>::to_vec).collect();
            let mut parts = stream::iter(parts).map(|part| self.look_up(part)).buffered(AT_ONCE);
            while let Some((part, documents)) = parts.try_next().await? {
                found.extend(candidates(&part, &documents, depth - found.len()));
                if found.len() >= depth {
                    return Ok(found);
                }
            }
            if count < most {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the documents of some chunks.
    async fn look_up(
        &self,
        part: Vec<(Uuid, f32)>,
    ) -> Result<(Vec<(Uuid, f32)>, BTreeMap<Uuid, Vec<Uuid>>), StoreError> {
        let names = part.iter().map(|(id, _)| id.to_string()).collect();
        let filter = self.conditions.with(self.client, vec![is_any(field::CHUNKS, names)]);
        Ok((part, by_chunk(&self.documents(filter).await?)))
    }

    /// Returns documents that satisfy a filter and that readers see.
    async fn documents(&self, filter: Scoped) -> Result<Vec<Known>, StoreError> {
        let wanted = [&[field::BRANCH, field::PATH, field::CHUNKS][..], &branches::FIELDS].concat();
        let points = self.client.first(DOCUMENTS, filter, &wanted, Servers::Any, LOOKED_UP).await?;
        let mut documents = Vec::with_capacity(points.len());
        for point in points {
            if self.conditions.paths.pass(point.text(field::PATH)?) {
                documents.push((branch(&point)?, Standing::read(&point)?, point));
            }
        }
        let unknown: HashSet<Uuid> = {
            let known = self.committed.lock();
            let branches = documents.iter().map(|(branch, _, _)| *branch);
            branches.filter(|branch| !known.contains_key(branch)).collect()
        };
        let unknown: Vec<Uuid> = unknown.into_iter().collect();
        let read = branches::committed_numbers(self.client, &unknown).await?;
        let mut known = self.committed.lock();
        for (branch, committed) in read {
            // What was read first counts, since other documents were judged by it.
            known.entry(branch).or_insert(committed);
        }
        let mut visible = Vec::with_capacity(documents.len());
        for (branch, standing, point) in documents {
            let committed = known.get(&branch).copied().unwrap_or_default();
            if standing.is_visible(committed) {
                visible.push(Known { id: point.id, chunks: point.ids(field::CHUNKS)? });
            }
        }
        Ok(visible)
    }
}

/// The identity of the branch of a document.
pub(in crate::qdrant) fn branch(document: &Point) -> Result<Uuid, StoreError> {
    let text = document.text(field::BRANCH)?;
    Uuid::parse_str(text).map_err(|_| StoreError::Invalid { what: format!("`{text}` is not a branch") })
}

fn by_chunk(documents: &[Known]) -> BTreeMap<Uuid, Vec<Uuid>> {
    let mut chunks: BTreeMap<Uuid, Vec<Uuid>> = BTreeMap::new();
    for document in documents {
        for chunk in &document.chunks {
            let of_chunk = chunks.entry(*chunk).or_default();
            if of_chunk.last() != Some(&document.id) {
                of_chunk.push(document.id);
            }
        }
    }
    chunks
}

/// Returns the documents of the best chunks, at most `depth`.
fn candidates(scored: &[(Uuid, f32)], documents: &BTreeMap<Uuid, Vec<Uuid>>, depth: usize) -> Vec<Candidate> {
    let of_chunk = |chunk: Uuid| {
        let documents = documents.get(&chunk).map(Vec::as_slice).unwrap_or_default();
        documents.iter().map(move |document| Candidate { document: *document, chunk: Some(chunk) })
    };
    scored.iter().flat_map(|(chunk, _)| of_chunk(*chunk)).take(depth).collect()
}

/// How many chunks are looked up at a time.
fn batch(depth: usize) -> usize {
    (2 * depth).clamp(100, 1_000)
}

/// The query for points with the greatest sum of the weights of their keys.
fn sparse(wanted: &[Weighted]) -> Query {
    let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
    for one in wanted {
        *weights.entry(one.key).or_default() += one.weight;
    }
    let (keys, weights): (Vec<u32>, Vec<f32>) = weights.into_iter().unzip();
    Query::new_nearest(VectorInput::new_sparse(keys, weights))
}

pub(in crate::qdrant) struct Conditions {
    must: Vec<Condition>,
    must_not: Vec<Condition>,
    /// What is checked here.
    pub(in crate::qdrant) paths: Paths,
}

impl Conditions {
    pub(in crate::qdrant) fn new(filters: &Filters, without: &[String]) -> Self {
        let Filters { kinds, languages, paths, tags } = filters;
        let mut must = vec![is(field::DEFAULT, YES)];
        for (name, texts) in [(field::KIND, kinds), (field::LANGUAGE, languages)] {
            if !texts.is_empty() {
                must.push(is_any(name, texts.clone()));
            }
        }
        must.extend(tags.iter().map(|tag| is(field::TAGS, tag)));
        must.extend(below(paths));
        let mut must_not = vec![is(field::STATE, State::Ended.as_str())];
        if !without.is_empty() {
            must_not.push(is_any(field::REPOSITORY, without.to_vec()));
        }
        Self { must, must_not, paths: Paths::new(paths) }
    }

    /// The filter for documents that satisfy these conditions and more.
    pub(in crate::qdrant) fn with(&self, client: &Client, more: Vec<Condition>) -> Scoped {
        client.tenant.filter(self.must.iter().cloned().chain(more).collect(), self.must_not.clone())
    }
}

/// The condition on paths; `None` if there is none or if one of the alternatives is a glob, which the server does not know.
fn below(paths: &[PathCondition]) -> Option<Condition> {
    let mut directories = Vec::new();
    for path in paths {
        match path {
            PathCondition::Below(directory) if !directory.is_empty() => {
                directories.push(is(field::BELOW, directory));
            }
            PathCondition::Below(_) | PathCondition::Glob(_) => return None,
        }
    }
    (!directories.is_empty()).then(|| any(directories))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_pairs_in_the_order_of_the_chunks() {
        let id = Uuid::from_u128;
        let known =
            |number, chunks: &[u128]| Known { id: id(number), chunks: chunks.iter().copied().map(id).collect() };
        let documents = by_chunk(&[known(1, &[10, 11, 11]), known(2, &[11])]);
        let found = |depth| {
            let scored = [(id(11), 3.0), (id(12), 2.0), (id(10), 1.0)];
            let found = candidates(&scored, &documents, depth);
            found.iter().map(|one| (one.document.as_u128(), one.chunk.map(|id| id.as_u128()))).collect::<Vec<_>>()
        };
        assert_eq!(found(9), [(1, Some(11)), (2, Some(11)), (1, Some(10))]);
        assert_eq!(found(2), [(1, Some(11)), (2, Some(11))]);
    }

    #[test]
    fn the_server_checks_paths_without_globs() {
        let check = |paths: &[PathCondition], expected: bool| {
            assert_eq!(below(paths).is_some(), expected, "{paths:?}");
        };
        let below = |directory: &str| PathCondition::Below(directory.to_owned());
        check(&[], false);
        check(&[below("src")], true);
        check(&[below("src"), below("docs")], true);
        check(&[below("src"), below("")], false);
        check(&[below("src"), PathCondition::Glob("*.rs".to_owned())], false);
    }
}
