//! Deletion of what no reader can see any more.

use std::collections::HashSet;

use uuid::Uuid;

use super::client::{Client, NAMED, Servers};
use super::field;
use super::point::point_id;
use super::schema::{self, CHUNKS, DOCUMENTS};
use super::statistics::models;
use super::tenant::{ids_are, is, is_any, is_less};
use super::visible::State;
use crate::StoreError;

/// How long documents that were replaced, and chunks without documents, stay: longer than a search or a publication that may still
/// read them.
const KEPT_SECONDS: u64 = 60 * 60;
const CHUNKS_KEPT_SECONDS: u64 = 24 * 60 * 60;

/// How many documents, and how many chunks beyond theirs, are looked at by one publication.
const LOOKED_AT: usize = 10_000;

/// Deletes documents that ended, and chunks that no document has. Returns the number of deleted chunks.
///
/// Checks the chunks of the deleted documents and a random range of all others, so that leftovers of a killed publication are found
/// eventually.
pub(super) async fn collect(client: &Client, now: u64) -> Result<u64, StoreError> {
    let ended = |seconds: u64| now.saturating_sub(seconds).cast_signed();
    let old = vec![is(field::STATE, State::Ended.as_str()), is_less(field::ENDED_AT, ended(KEPT_SECONDS))];
    let old = client.tenant.filter(old, Vec::new());
    let gone = client.first(DOCUMENTS, old, &[field::CHUNKS], Servers::Any, LOOKED_AT).await?;
    let mut chunks: HashSet<Uuid> = HashSet::new();
    for document in &gone {
        chunks.extend(document.ids(field::CHUNKS)?);
    }
    let ids: Vec<Uuid> = gone.iter().map(|document| document.id).collect();
    for ids in ids.chunks(NAMED) {
        client.delete(DOCUMENTS, client.tenant.points(ids)).await?;
    }
    let untouched = ended(CHUNKS_KEPT_SECONDS);
    chunks.extend(random_documents(client, untouched).await?);
    let chunks: Vec<Uuid> = chunks.into_iter().collect();
    let models = models(client).await?;
    let mut deleted = 0;
    for chunks in chunks.chunks(NAMED) {
        let unused = without_document(client, chunks).await?;
        if unused.is_empty() {
            continue;
        }
        // A publication that relies on one has touched it, so that the conditions fail.
        let before = client.scroll_points(CHUNKS, &unused, &[], Servers::Any).await?.len();
        let old = || client.tenant.filter(vec![ids_are(&unused), is_less(field::TOUCHED, untouched)], Vec::new());
        client.delete(CHUNKS, old()).await?;
        for model in &models {
            client.delete(&schema::vectors(model), old()).await?;
        }
        let after = client.scroll_points(CHUNKS, &unused, &[], Servers::Any).await?.len();
        deleted += before.saturating_sub(after) as u64;
    }
    Ok(deleted)
}

/// Returns some chunks that were not touched for long.
async fn random_documents(client: &Client, untouched: i64) -> Result<Vec<Uuid>, StoreError> {
    let old = || client.tenant.filter(vec![is_less(field::TOUCHED, untouched)], Vec::new());
    let mut found = Vec::new();
    let start = Uuid::from_u128(fastrand::u128(..));
    // From there to the end, then from the beginning to there.
    for start in [Some(point_id(start)), None] {
        let mut offset = start;
        while found.len() < LOOKED_AT {
            let (page, next) = client.page(CHUNKS, old(), &[], Servers::Any, offset, NAMED as u32).await?;
            found.extend(page.iter().map(|chunk| chunk.id));
            offset = next;
            if offset.is_none() {
                break;
            }
        }
    }
    Ok(found)
}

/// Returns those chunks that no document has, in whatever state.
async fn without_document(client: &Client, chunks: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
    let mut unused: HashSet<Uuid> = chunks.iter().copied().collect();
    let names = chunks.iter().map(Uuid::to_string).collect();
    let with = client.tenant.filter(vec![is_any(field::CHUNKS, names)], Vec::new());
    for document in client.all(DOCUMENTS, with, &[field::CHUNKS], Servers::Any).await? {
        for chunk in document.ids(field::CHUNKS)? {
            unused.remove(&chunk);
        }
    }
    Ok(unused.into_iter().collect())
}
