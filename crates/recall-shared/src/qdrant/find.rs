//! Candidates and their texts.
//!
//! Chunks, documents and branches are points of different collections, without a transaction around them. So a search reads the epoch
//! and the branches before and after the rest, and starts again if one of them has changed (ADR 45).

pub(super) mod candidates;

use std::collections::{HashMap, HashSet};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use qdrant_client::qdrant::{PointId, Query, SearchParams};
use uuid::Uuid;

use super::branches;
use super::branches::Standing;
use super::client::{AT_ONCE, Client, NAMED, Servers};
use super::field;
use super::point::{Point, uuid_of};
use super::publication::{chunk_id, key};
use super::schema::{self, CHUNKS, DOCUMENTS, EMBEDDING};
use super::tenant::is_any;
use super::upkeep::has_vectors;
use crate::{
    Ask, Chunk, Document, Filters, Found, Key, Place, StoreError, TextPosition, TextScan, TextStep, WholeDocument,
};
use candidates::{Candidate, Conditions, Search};

/// The fields that [`document_of`] reads.
const FIELDS: [&str; 5] = [field::REPOSITORY, field::PATH, field::KEY, field::RECORD, field::CHUNK_KEYS];

/// Finds candidates.
///
/// Chunks, documents and branches are different points, so they are read one after the other. If something was committed meanwhile, what
/// was read may belong to two states of a branch, and the search is repeated, until its deadline.
pub(super) async fn find(client: &Client, ask: &Ask) -> Result<Found, StoreError> {
    loop {
        if let Some(found) = Box::pin(once(client, ask)).await? {
            return Ok(found);
        }
    }
}

/// Searches once. Returns `None` if what was read may not be one state of each branch.
async fn once(client: &Client, ask: &Ask) -> Result<Option<Found>, StoreError> {
    let epoch = branches::epoch(client).await?;
    let search = Search::new(client, ask).await?;
    let nearest = async {
        match search.nearest().await {
            Err(StoreError::Empty) => Ok(Vec::new()),
            found => found,
        }
    };
    let (words, definitions, files, nearest, has_cosines) = tokio::try_join!(
        search.by_keys(&ask.words, ask.depths.words),
        search.by_keys(&ask.definitions, ask.depths.definitions),
        search.by_path(),
        nearest,
        async {
            match &ask.vector {
                Some((model, _)) => has_vectors(client, model).await,
                None => Ok(false),
            }
        }
    )?;
    let near: HashSet<Uuid> = nearest.iter().filter_map(|candidate| candidate.chunk).collect();
    let all: Vec<Candidate> = words.into_iter().chain(definitions).chain(files).chain(nearest).collect();
    let documents: HashSet<Uuid> = all.iter().map(|candidate| candidate.document).collect();
    let candidates: HashSet<Uuid> = all.iter().filter_map(|candidate| candidate.chunk).collect();
    let committed = search.into_committed();
    // Read after the branches: what is visible here was visible then.
    let records = records(client, documents.iter().copied().collect(), &committed).await?;
    let is_complete = records.len() == documents.len();
    let branches: Vec<Uuid> = committed.keys().copied().collect();
    let (cosines, afterwards, epoch_afterwards) = tokio::try_join!(
        cosines(client, ask, has_cosines, candidates.into_iter().collect()),
        branches::committed_numbers(client, &branches),
        branches::epoch(client)
    )?;
    if !is_complete || afterwards != committed || epoch_afterwards != epoch {
        return Ok(None);
    }
    let mut found = Vec::with_capacity(records.len());
    for (mut document, ids) in records {
        for (chunk, id) in document.chunks.iter_mut().zip(&ids) {
            (chunk.cosine, chunk.is_near) = (cosines.get(id).copied(), near.contains(id));
        }
        found.push(document);
    }
    found.sort_by(|a, b| (&a.repository, &a.path).cmp(&(&b.repository, &b.path)));
    Ok(Some(Found { documents: found, has_cosines }))
}

/// Returns the documents that readers see, and the identities of the points of their chunks.
async fn records(
    client: &Client,
    ids: Vec<Uuid>,
    committed: &HashMap<Uuid, i64>,
) -> Result<Vec<(Document, Vec<Uuid>)>, StoreError> {
    let wanted = [&FIELDS[..], &[field::BRANCH, field::CHUNKS], &branches::FIELDS];
    let mut records = Vec::with_capacity(ids.len());
    for point in client.scroll_points(DOCUMENTS, &ids, &wanted.concat(), Servers::Any).await? {
        let branch = candidates::branch(&point)?;
        if Standing::read(&point)?.is_visible(committed.get(&branch).copied().unwrap_or_default()) {
            records.push((document_of(&point)?, point.ids(field::CHUNKS)?));
        }
    }
    Ok(records)
}

fn document_of(point: &Point) -> Result<Document, StoreError> {
    let chunk = |key| Chunk { key, cosine: None, is_near: false };
    let keys = Key::all_of(&point.bytes(field::CHUNK_KEYS)?)?;
    Ok(Document {
        repository: point.text(field::REPOSITORY)?.to_owned(),
        path: point.text(field::PATH)?.to_owned(),
        key: key(point)?,
        record: point.bytes(field::RECORD)?,
        chunks: keys.into_iter().map(chunk).collect(),
    })
}

/// Returns the document at the first of some places that has one. Like a search, it starts over if something is committed meanwhile.
pub(super) async fn document(client: &Client, places: &[Place]) -> Result<Option<WholeDocument>, StoreError> {
    let (repositories, paths): (Vec<String>, Vec<String>) =
        places.iter().map(|place| (place.repository.clone(), place.path.clone())).unzip();
    let conditions = Conditions::new(&Filters::default(), &[]);
    let wanted = [&FIELDS[..], &[field::BRANCH, field::TEXT], &branches::FIELDS].concat();
    loop {
        let epoch = branches::epoch(client).await?;
        let named = vec![is_any(field::REPOSITORY, repositories.clone()), is_any(field::PATH, paths.clone())];
        let points = client.all(DOCUMENTS, conditions.with(client, named), &wanted, Servers::Any).await?;
        let of_branches: HashSet<Uuid> = points.iter().map(candidates::branch).collect::<Result<_, _>>()?;
        let of_branches: Vec<Uuid> = of_branches.into_iter().collect();
        let committed = branches::committed_numbers(client, &of_branches).await?;
        if branches::epoch(client).await? != epoch {
            continue;
        }
        let mut there = Vec::new();
        for point in points {
            let last = committed.get(&candidates::branch(&point)?).copied().unwrap_or_default();
            if Standing::read(&point)?.is_visible(last) {
                let text = point.text(field::TEXT)?.to_owned();
                there.push(WholeDocument { document: document_of(&point)?, text });
            }
        }
        let place = |one: &WholeDocument| {
            let is_at = |place: &Place| place.repository == one.document.repository && place.path == one.document.path;
            places.iter().position(is_at)
        };
        let first = there.into_iter().filter_map(|one| Some((place(&one)?, one))).min_by_key(|(place, _)| *place);
        return Ok(first.map(|(_, one)| one));
    }
}

/// How many documents a step of a pass reads: with files of the usual sizes, less than a message may have.
const SCANNED_AT_ONCE: u32 = 64;

/// Reads some documents with their texts, and compares these here: the server has no index that could.
pub(super) async fn scan_texts(client: &Client, scan: &TextScan) -> Result<TextStep, StoreError> {
    let epoch = branches::epoch(client).await?;
    let state = epoch.clone().unwrap_or_default();
    let from = scan.after(&state)?.map(|after| PointId::from(after.to_owned()));
    let conditions = Conditions::new(&scan.filters, &scan.without);
    let wanted = [&FIELDS[..], &[field::BRANCH, field::TEXT], &branches::FIELDS].concat();
    let filter = conditions.with(client, Vec::new());
    let (points, next) = client.page(DOCUMENTS, filter, &wanted, Servers::Any, from, SCANNED_AT_ONCE).await?;
    let of_branches: HashSet<Uuid> = points.iter().map(candidates::branch).collect::<Result<_, _>>()?;
    let of_branches: Vec<Uuid> = of_branches.into_iter().collect();
    let committed = branches::committed_numbers(client, &of_branches).await?;
    if branches::epoch(client).await? != epoch {
        return Err(StoreError::Busy);
    }
    let mut step = TextStep::default();
    for point in points {
        let last = committed.get(&candidates::branch(&point)?).copied().unwrap_or_default();
        if !Standing::read(&point)?.is_visible(last) || !conditions.paths.pass(point.text(field::PATH)?) {
            continue;
        }
        step.compared += 1;
        let text = point.text(field::TEXT)?;
        if scan.finds(text) {
            step.documents.push(WholeDocument { document: document_of(&point)?, text: text.to_owned() });
        }
    }
    let position = |id| Ok::<_, StoreError>(TextPosition { state, after: uuid_of(Some(id))?.to_string() });
    step.next = next.map(position).transpose()?;
    Ok(step)
}

/// Returns the cosines of chunks that have an embedding.
async fn cosines(
    client: &Client,
    ask: &Ask,
    has_cosines: bool,
    chunks: Vec<Uuid>,
) -> Result<HashMap<Uuid, f32>, StoreError> {
    let Some((model, vector)) = ask.vector.as_ref().filter(|_| has_cosines) else { return Ok(HashMap::new()) };
    let collection = schema::vectors(model);
    let some = |ids: Vec<Uuid>| {
        let query = Query::new_nearest(vector.clone());
        let exact = SearchParams { exact: Some(true), ..SearchParams::default() };
        let (collection, filter) = (&collection, client.tenant.points(&ids));
        async move { client.best(collection, query, EMBEDDING, filter, ids.len(), Some(exact)).await }
    };
    let parts: Vec<Vec<Uuid>> = chunks.chunks(NAMED).map(<[Uuid]>::to_vec).collect();
    let found: Vec<_> = stream::iter(parts).map(some).buffer_unordered(AT_ONCE).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

pub(super) async fn texts(client: &Client, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
    let ids: Vec<Uuid> = chunks.iter().map(|key| chunk_id(client, *key)).collect();
    let known = client.scroll_points(CHUNKS, &ids, &[field::TEXT], Servers::Any).await?;
    let known: HashMap<Uuid, &str> =
        known.iter().map(|chunk| Ok((chunk.id, chunk.text(field::TEXT)?))).collect::<Result<_, StoreError>>()?;
    Ok(ids.iter().map(|id| known.get(id).map(|text| (*text).to_owned())).collect())
}
