//! What a publication reads and writes.
//!
//! Documents are staged under the ticket of the publication, and those that they replace are marked with it. Neither counts until the
//! branch's point says that the ticket is committed, which is one conditional write. Qdrant has no transactions, and requests of a
//! publication that was overtaken may still arrive. They do no harm: their ticket is never committed (ADR 45).

use std::collections::{HashMap, HashSet};

use qdrant_client::qdrant::PointStruct;
use uuid::Uuid;

use super::branches::{self, BranchPoint, SUMS, Standing, State, Sums};
use super::client::{Client, NAMED, Servers, Write};
use super::field;
use super::point::{Point, bytes, fields, lengths, list, number, ones, point, text};
use super::schema::{self, CHUNKS, DOCUMENTS, EMBEDDING, Spread, TERMS};
use super::tenant::{ids_are, is, is_any, is_less, number_is};
use crate::seam::{BranchState, ChunkRecord, DocumentRecord};
use crate::{Branch, Key, Manifest, Model, Publication, StoreError};

/// How old the mark of a chunk in use may be before it is renewed. Chunks are kept for longer.
const TOUCHED_SECONDS: u64 = 60 * 60;

/// How many paths one request names.
const PATHS: usize = 200;

/// The identity of a chunk's points.
pub(super) fn chunk_id(client: &Client, key: Key) -> Uuid {
    client.tenant.id(&[b"chunk", &key.0])
}

pub(super) async fn branch(
    client: &Client,
    branch: &Branch,
    spread: Spread,
) -> Result<Option<BranchState>, StoreError> {
    let known = read_branch(client, branch, spread).await?;
    Ok(known.map(|known| known.state).filter(|state| state.generation > 0))
}

/// Reads the point of a branch before a publication; `None` if no publication of it has begun.
///
/// While somebody else creates the store, a server may refuse conditions on fields whose indexes are to come.
async fn read_branch(client: &Client, branch: &Branch, spread: Spread) -> Result<Option<BranchPoint>, StoreError> {
    match branches::read(client, branch).await {
        Err(StoreError::Refused { .. }) => {
            schema::create(client, spread, None).await?;
            branches::read(client, branch).await
        }
        read => read,
    }
}

pub(super) async fn manifest(client: &Client, branch: &Branch, spread: Spread) -> Result<Manifest, StoreError> {
    let Some(known) = read_branch(client, branch, spread).await? else { return Ok(Manifest::new()) };
    let wanted = [&[field::PATH, field::KEY, field::CHUNKS][..], &branches::FIELDS].concat();
    let filter = client
        .tenant
        .filter(vec![is(field::BRANCH, &known.id.to_string())], vec![is(field::STATE, State::Ended.as_str())]);
    let mut documents = Vec::new();
    for document in client.all(DOCUMENTS, filter, &wanted, Servers::Any).await? {
        if Standing::read(&document)?.is_visible(known.committed) {
            documents.push((document.ids(field::CHUNKS)?, document));
        }
    }
    let chunks: HashSet<Uuid> = documents.iter().flat_map(|(chunks, _)| chunks.iter().copied()).collect();
    let chunks: Vec<Uuid> = chunks.into_iter().collect();
    let there: HashSet<Uuid> =
        client.scroll_points(CHUNKS, &chunks, &[], Servers::Any).await?.iter().map(|chunk| chunk.id).collect();
    let whole = documents.iter().filter(|(chunks, _)| chunks.iter().all(|chunk| there.contains(chunk)));
    whole.map(|(_, document)| Ok((document.text(field::PATH)?.to_owned(), key(document)?))).collect()
}

pub(super) async fn begin(
    client: &Client,
    branch: Branch,
    model: Option<&Model>,
    spread: Spread,
    now: u64,
) -> Result<Publication, StoreError> {
    client.check_version().await?;
    schema::create(client, spread, model).await?;
    let begun = branches::open(client, &branch).await?;
    // What the last commit decided follows from its ticket, so it is written into the documents before another one is committed.
    branches::settle(client, begun.id, begun.committed, now).await?;
    branches::discard(client, begun.id, begun.ticket).await?;
    Ok(Publication { branch, base: begun.state.generation, id: begun.ticket.cast_unsigned() })
}

pub(super) async fn missing(
    client: &Client,
    chunks: &[Key],
    model: Option<&Model>,
    now: u64,
) -> Result<Vec<bool>, StoreError> {
    let ids: Vec<Uuid> = chunks.iter().map(|key| chunk_id(client, *key)).collect();
    let mut known = touch(client, CHUNKS, &ids, now).await?;
    if let Some(model) = model {
        let embedded = touch(client, &schema::vectors(model), &ids, now).await?;
        known.retain(|id| embedded.contains(id));
    }
    Ok(ids.iter().map(|id| !known.contains(id)).collect())
}

/// Returns which points are there. What is about to be used again must not be collected, so their marks are renewed.
async fn touch(client: &Client, collection: &str, ids: &[Uuid], now: u64) -> Result<HashSet<Uuid>, StoreError> {
    let old = now.saturating_sub(TOUCHED_SECONDS).cast_signed();
    for ids in ids.chunks(NAMED) {
        let filter = client.tenant.filter(vec![ids_are(ids), is_less(field::TOUCHED, old)], Vec::new());
        client.set(collection, fields([(field::TOUCHED, number(now.cast_signed()))]), filter).await?;
    }
    // Read afterwards: one that was collected in between is missing.
    Ok(client.scroll_points(collection, ids, &[], Servers::Any).await?.iter().map(|point| point.id).collect())
}

pub(super) async fn put_chunks(
    client: &Client,
    chunks: Vec<ChunkRecord>,
    model: Option<&Model>,
    now: u64,
) -> Result<(), StoreError> {
    let touched = number(now.cast_signed());
    let tenant = text(client.tenant.name());
    let (mut of_chunks, mut vectors) = (Vec::new(), Vec::new());
    for chunk in chunks {
        let id = chunk_id(client, chunk.key);
        if let Some(vector) = chunk.vector {
            // A text without meaning has the vector 0, which has no direction: the point says that it is embedded.
            let size = vector.len() * 4;
            let has_direction = vector.iter().any(|component| *component != 0.0);
            let own = fields([(field::TENANT, tenant.clone()), (field::TOUCHED, touched.clone())]);
            vectors.push((point(id, own, has_direction.then(|| (EMBEDDING, vector.into()))), size));
        }
        let size = chunk.keys.len() * 8;
        let own = fields([
            (field::TENANT, tenant.clone()),
            (field::TEXT, text(&chunk.text)),
            (field::KEYS, numbers(&chunk.keys)),
            (field::LENGTHS, lengths(&chunk.lengths)),
            (field::TOUCHED, touched.clone()),
        ]);
        of_chunks.push((point(id, own, ones(&chunk.keys).map(|keys| (TERMS, keys))), size));
    }
    client.put(CHUNKS, of_chunks, Write::New).await?;
    match model {
        Some(model) => client.put(&schema::vectors(model), vectors, Write::New).await,
        None => Ok(()),
    }
}

pub(super) async fn put_documents(
    client: &Client,
    publication: &Publication,
    documents: &[DocumentRecord],
) -> Result<(), StoreError> {
    let branch = running(client, publication).await?;
    let ids: HashSet<Uuid> =
        documents.iter().flat_map(|document| &document.chunks).map(|key| chunk_id(client, *key)).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let known = client.scroll_points(CHUNKS, &ids, &[field::LENGTHS], Servers::Any).await?;
    if known.len() != ids.len() {
        return Err(StoreError::Lost { lost: (ids.len() - known.len()) as u64, sent: ids.len() as u64 });
    }
    let known: HashMap<Uuid, [u64; 6]> =
        known.iter().map(|chunk| Ok((chunk.id, chunk.lengths(field::LENGTHS)?))).collect::<Result<_, StoreError>>()?;
    let staged = documents.iter().map(|document| stage(client, publication, &branch, document, &known));
    client.put(DOCUMENTS, staged.collect(), Write::All).await
}

/// The point of a document of a publication, and the size of its vector.
fn stage(
    client: &Client,
    publication: &Publication,
    branch: &BranchPoint,
    document: &DocumentRecord,
    chunk_lengths: &HashMap<Uuid, [u64; 6]>,
) -> (PointStruct, usize) {
    let DocumentRecord {
        path,
        key,
        record,
        chunks: chunk_keys,
        keys,
        lengths: path_lengths,
        kind,
        language,
        tags,
        text: whole,
    } = document;
    let id = client.tenant.id(&[b"document", branch.id.as_bytes(), path.as_bytes(), &branch.ticket.to_le_bytes()]);
    let chunks: Vec<Uuid> = chunk_keys.iter().map(|key| chunk_id(client, *key)).collect();
    let chunk_keys: Vec<u8> = chunk_keys.iter().flat_map(|key| key.0).collect();
    let mut sums = Sums { occurrences: chunks.len() as u64, paths: *path_lengths, ..Sums::default() };
    for one in chunks.iter().filter_map(|chunk| chunk_lengths.get(chunk)) {
        sums = sums.plus(Sums { chunks: *one, ..Sums::default() });
    }
    let mut own = fields([
        (field::TENANT, text(client.tenant.name())),
        (field::BRANCH, text(&branch.id.to_string())),
        (field::REPOSITORY, text(&publication.branch.repository)),
        (field::DEFAULT, text(if branch.is_default { YES } else { "no" })),
        (field::PATH, text(path)),
        (field::BELOW, list(above(path).map(text))),
        (field::KIND, text(kind)),
        (field::LANGUAGE, text(language)),
        (field::TAGS, list(tags.iter().map(|tag| text(tag)))),
        (field::TEXT, text(whole)),
        (field::KEY, text(&key.to_string())),
        (field::KEYS, numbers(keys)),
        (field::RECORD, bytes(record)),
        (field::CHUNKS, list(chunks.iter().map(|chunk| text(&chunk.to_string())))),
        (field::CHUNK_KEYS, bytes(&chunk_keys)),
        (field::STATE, State::Staged.value()),
        (field::TICKET, number(branch.ticket)),
        (field::ENDED, number(0)),
    ]);
    own.extend(sums.into_fields());
    (point(id, own, ones(keys).map(|keys| (TERMS, keys))), keys.len() * 8)
}

/// The value of [`field::DEFAULT`] for documents of a repository's default branch.
pub(super) const YES: &str = "yes";

/// A path and all directories that it is below.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
    parents.filter(|parent| !parent.is_empty()).chain(std::iter::once(path))
}

pub(super) async fn commit(
    client: &Client,
    publication: &Publication,
    added: u64,
    removed: Vec<String>,
    state: &BranchState,
    now: u64,
) -> Result<(), StoreError> {
    let known = branches::read(client, &publication.branch).await?.ok_or(StoreError::Lost { lost: 1, sent: 1 })?;
    // A repeated commit: the first one arrived, and its answer was lost.
    if known.state == *state {
        return branches::settle(client, known.id, known.committed, now).await;
    }
    let begun = running(client, publication).await?;
    // What was compared with this publication is not what readers see any more.
    if begun.state.generation != publication.base {
        return Err(StoreError::Busy);
    }
    let of_branch = || is(field::BRANCH, &begun.id.to_string());
    let own = vec![of_branch(), is(field::STATE, State::Staged.as_str()), number_is(field::TICKET, begun.ticket)];
    let wanted = [&[field::PATH][..], &SUMS].concat();
    let staged = client.all(DOCUMENTS, client.tenant.filter(own, Vec::new()), &wanted, Servers::Any).await?;
    // After a failover, a server may lack documents that it had confirmed. A part of a publication must not become visible.
    if staged.len() as u64 != added {
        return Err(StoreError::Lost { lost: added.saturating_sub(staged.len() as u64), sent: added });
    }
    let mut sums = begun.sums;
    let mut paths: HashSet<String> = removed.into_iter().collect();
    for document in &staged {
        sums = sums.plus(Sums::read(document)?);
        paths.insert(document.text(field::PATH)?.to_owned());
    }
    let paths: Vec<String> = paths.into_iter().collect();
    let mut replaced = Vec::new();
    for paths in paths.chunks(PATHS) {
        // `begin` has settled what was committed before.
        let there = vec![of_branch(), is(field::STATE, State::Live.as_str()), is_any(field::PATH, paths.to_vec())];
        replaced.extend(client.all(DOCUMENTS, client.tenant.filter(there, Vec::new()), &SUMS, Servers::Any).await?);
    }
    for document in &replaced {
        sums = sums.minus(Sums::read(document)?);
    }
    let ids: Vec<Uuid> = replaced.iter().map(|document| document.id).collect();
    // The marks count only after the commit. They name documents, not paths, so a late one cannot end what a later publication
    // wrote.
    for ids in ids.chunks(NAMED) {
        // The mark of a later publication stays, even if this request is late.
        let older = client.tenant.filter(vec![ids_are(ids), is_less(field::ENDED, begun.ticket)], Vec::new());
        client.set(DOCUMENTS, fields([(field::ENDED, number(begun.ticket))]), older).await?;
    }
    // Before the commit: a search that reads across it finds another epoch and starts again.
    branches::advance(client).await?;
    // The commit. It is one write, on the condition that ticket and generation are still those that began.
    let after = branches::commit(client, &publication.branch, &begun, state, sums).await?;
    if after.state != *state {
        // The commit fails only if another publication has begun.
        return Err(StoreError::Busy);
    }
    // Readers see the publication from here on. The next one does this step if this process ends now.
    branches::settle(client, after.id, after.committed, now).await
}

/// Returns the branch of a publication that no other one has overtaken.
async fn running(client: &Client, publication: &Publication) -> Result<BranchPoint, StoreError> {
    let known = branches::read(client, &publication.branch).await?.ok_or(StoreError::Lost { lost: 1, sent: 1 })?;
    if known.ticket == publication.id.cast_signed() { Ok(known) } else { Err(StoreError::Busy) }
}

fn numbers(keys: &[u32]) -> qdrant_client::qdrant::Value {
    list(keys.iter().map(|key| number(i64::from(*key))))
}

/// Reads the key of a document.
pub(super) fn key(point: &Point) -> Result<Key, StoreError> {
    let text = point.text(field::KEY)?;
    let invalid = || StoreError::Invalid { what: format!("`{text}` is not a key") };
    let number = u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32).ok_or_else(invalid)?;
    Ok(Key(number.to_be_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_each_of_its_directories() {
        let all = |path| above(path).collect::<Vec<_>>();
        assert_eq!(all("src/a/b.rs"), ["src", "src/a", "src/a/b.rs"]);
        assert_eq!(all("README.md"), ["README.md"]);
        assert_eq!(all("/a"), ["/a"]);
    }

    #[test]
    fn keys_are_read_as_they_were_written() {
        let check = |text: &str, expected: Option<Key>| {
            let point =
                Point::new(Some(crate::qdrant::point::point_id(Uuid::nil())), fields([(field::KEY, self::text(text))]));
            assert_eq!(key(&point.expect("an identity")).ok(), expected, "{text}");
        };
        let one = Key([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        check(&one.to_string(), Some(one));
        check("ff", None);
        check("", None);
    }
}
