//! The statistics of a tenant.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rustc_hash::FxHashMap;

use super::branches::{SUMS, Sums};
use super::client::{Client, Servers};
use super::field;
use super::schema::{self, BRANCHES, CHUNKS, DOCUMENTS};
use super::tenant::{is, is_greater, number_is};
use super::visible::State;
use crate::{Model, Statistics, StoreError};

/// How many requests are under way at a time.
const AT_ONCE: usize = 32;

/// From how many branches the lengths are taken. Points are read in the order of their identities, which are hashes, so that the first
/// ones are a fair sample.
const SAMPLED_BRANCHES: usize = 1_000;

/// Reads the statistics.
///
/// The counts of keys, chunks and documents are exact. The lengths are those of the branches' documents, scaled to these counts, since a
/// chunk that several documents have is stored once.
pub(super) async fn read(client: &Client, mut keys: Vec<u32>) -> Result<Statistics, StoreError> {
    keys.sort_unstable();
    keys.dedup();
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
