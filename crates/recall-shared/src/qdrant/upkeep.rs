//! What is looked at beyond a search: the statistics of a tenant, and what no reader can see any more, which is deleted.

use std::collections::HashSet;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rustc_hash::FxHashMap;
use uuid::Uuid;

use super::branches::{SUMS, State, Sums};
use super::client::{Client, NAMED, Servers};
use super::point::point_id;
use super::schema::{BRANCHES, CHUNKS, DOCUMENTS};
use super::tenant::{ids_are, is, is_any, is_greater, is_less, number_is, number_is_any};
use super::{field, schema};
use crate::{Model, Statistics, StoreError};

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

/// How many requests are under way at a time.
const AT_ONCE: usize = 32;

/// From how many branches the lengths are taken. Points are read in the order of their identities, which are hashes, so that the first
/// ones are a fair sample.
const SAMPLED_BRANCHES: usize = 1_000;

/// How many keys are counted without a look at whether anything has them. Each count is two requests.
const COUNTED_AT_ONCE: usize = 16;

/// How many points with one of many keys are read at a time, to learn which keys there are.
const SEEN_AT_ONCE: u32 = 64;

/// Returns those keys that a chunk or a document has.
///
/// Each step reads some points with one of the keys that were not seen yet, so there are at most as many steps as keys are found. Of the
/// spellings near to a word, few are found.
async fn existing(client: &Client, keys: Vec<u32>) -> Result<Vec<u32>, StoreError> {
    let mut seen = Vec::new();
    let mut unseen: HashSet<u32> = keys.into_iter().collect();
    for collection in [CHUNKS, DOCUMENTS] {
        loop {
            let any = number_is_any(field::KEYS, unseen.iter().copied().map(i64::from).collect());
            let with = client.tenant.filter(vec![any], Vec::new());
            let (points, _) = client.page(collection, with, &[field::KEYS], Servers::Any, None, SEEN_AT_ONCE).await?;
            let known = seen.len();
            for point in &points {
                seen.extend(point.keys(field::KEYS)?.into_iter().filter(|key| unseen.remove(key)));
            }
            if seen.len() == known {
                break;
            }
        }
    }
    Ok(seen)
}

/// Reads the statistics.
///
/// The counts of keys, chunks and documents are exact. The lengths are those of the branches' documents, scaled to these counts, since a
/// chunk that several documents have is stored once.
pub(super) async fn read_statistics(client: &Client, mut keys: Vec<u32>) -> Result<Statistics, StoreError> {
    keys.sort_unstable();
    keys.dedup();
    if keys.len() > COUNTED_AT_ONCE {
        keys = existing(client, keys).await?;
    }
    let live = || is(field::STATE, State::Live.as_str());
    let all_chunks = client.count(CHUNKS, client.tenant.filter(Vec::new(), Vec::new()));
    let all_documents = client.count(DOCUMENTS, client.tenant.filter(vec![live()], Vec::new()));
    let of_key = |key: u32| async move {
        let has = || number_is(field::KEYS, i64::from(key));
        let (chunks, documents) = tokio::try_join!(
            client.count(CHUNKS, client.tenant.filter(vec![has()], Vec::new())),
            client.count(DOCUMENTS, client.tenant.filter(vec![has(), live()], Vec::new()))
        )?;
        Ok::<_, StoreError>((key, chunks + documents))
    };
    let counts = stream::iter(keys).map(of_key).buffer_unordered(AT_ONCE).try_collect::<Vec<_>>();
    let begun = client.tenant.filter(vec![is_greater(field::GENERATION, -1)], Vec::new());
    let wanted = [&[field::DOCUMENTS][..], &SUMS].concat();
    let branches = client.first(BRANCHES, begun, &wanted, Servers::Any, SAMPLED_BRANCHES);
    let (chunks, documents, counts, branches) = tokio::try_join!(all_chunks, all_documents, counts, branches)?;
    if branches.is_empty() {
        return Err(StoreError::Empty);
    }
    let (mut sums, mut paths) = (Sums::default(), 0);
    for branch in &branches {
        sums = sums.plus(Sums::read(branch)?);
        paths += branch.number(field::DOCUMENTS)?.max(0).cast_unsigned();
    }
    let lengths = std::array::from_fn(|place| {
        scale(sums.chunks[place], chunks, sums.occurrences) + scale(sums.paths[place], documents, paths)
    });
    let counts: FxHashMap<u32, u64> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    Ok(Statistics { chunks, documents, lengths, counts })
}

/// Scales a sum over `summed` things to `all` of them.
fn scale(sum: u64, all: u64, summed: u64) -> u64 {
    if summed == 0 {
        0
    } else {
        u64::try_from(u128::from(sum) * u128::from(all) / u128::from(summed)).unwrap_or(u64::MAX)
    }
}

/// Returns the models whose vectors the tenant has.
pub(super) async fn models(client: &Client) -> Result<Vec<Model>, StoreError> {
    let mut models = Vec::new();
    for model in client.collections().await?.iter().filter_map(|name| schema::model(name)) {
        if has_vectors(client, &model).await? {
            models.push(model);
        }
    }
    Ok(models)
}

/// Whether the tenant has a vector of a model.
pub(super) async fn has_vectors(client: &Client, model: &Model) -> Result<bool, StoreError> {
    let mine = client.tenant.filter(Vec::new(), Vec::new());
    match client.page(&schema::vectors(model), mine, &[], Servers::Any, None, 1).await {
        Err(StoreError::Empty) => Ok(false),
        page => Ok(!page?.0.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::scale;

    #[test]
    fn a_sum_is_scaled_without_overflow() {
        assert_eq!(scale(10, 5, 10), 5);
        assert_eq!(scale(7, 3, 3), 7);
        assert_eq!(scale(7, 3, 0), 0);
        assert_eq!(scale(u64::MAX / 2, 1_000, 1_000), u64::MAX / 2);
    }
}
