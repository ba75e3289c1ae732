//! Counts of documents by value.
//!
//! The server counts points by the value of a field, but the points of replaced documents are among them. So the documents that have a
//! word are read, without their texts, and counted here.

use std::collections::{HashMap, HashSet};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use qdrant_client::qdrant::Condition;
use uuid::Uuid;

use super::branches::Standing;
use super::client::{AT_ONCE, Client, NAMED, Servers};
use super::find::candidates::{Conditions, branch};
use super::point::Point;
use super::schema::{CHUNKS, DOCUMENTS};
use super::tenant::{is_any, number_is};
use super::{branches, field};
use crate::{FacetCounts, FacetScan, StoreError};

/// The most chunks and the most documents that are read for one word: four requests of a page each.
const READ_BY_WORD: usize = 4_000;

/// The most chunks whose documents are looked up.
const MOST_CHUNKS: usize = 5 * READ_BY_WORD;

/// Counts documents. Like a search, it starts over if something is committed meanwhile.
pub(super) async fn count(client: &Client, scan: &FacetScan) -> Result<FacetCounts, StoreError> {
    loop {
        let epoch = match branches::epoch(client).await {
            // Nothing was published yet.
            Err(StoreError::Empty) => return Ok(FacetCounts::default()),
            epoch => epoch?,
        };
        let counts = once(client, scan).await?;
        if branches::epoch(client).await? == epoch {
            return Ok(counts);
        }
    }
}

async fn once(client: &Client, scan: &FacetScan) -> Result<FacetCounts, StoreError> {
    let conditions = Conditions::new(&scan.filters, &scan.without);
    let has = |word: &u32| number_is(field::KEYS, i64::from(*word));
    let with_words = scan.words.iter().map(has).collect::<Vec<_>>();
    let with_words = stream::iter(with_words).map(|has| {
        let has = client.tenant.filter(vec![has], Vec::new());
        client.first(CHUNKS, has, &[], Servers::Any, READ_BY_WORD)
    });
    let mut chunks: HashSet<Uuid> = HashSet::new();
    for of_word in with_words.buffered(AT_ONCE).try_collect::<Vec<_>>().await? {
        chunks.extend(of_word.iter().map(|chunk| chunk.id).take(MOST_CHUNKS - chunks.len()));
    }
    let chunks: Vec<String> = chunks.iter().map(Uuid::to_string).collect();
    let by_chunk = chunks.chunks(NAMED).map(|ids| (is_any(field::CHUNKS, ids.to_vec()), usize::MAX));
    let by_path = scan.paths.iter().map(|word| (has(word), READ_BY_WORD));
    let asked: Vec<(Condition, usize)> = by_chunk.chain(by_path).collect();
    let found = stream::iter(asked).map(|(condition, most)| read(client, &conditions, condition, most));
    let found: Vec<Vec<Point>> = found.buffer_unordered(AT_ONCE).try_collect().await?;
    let documents: HashMap<Uuid, Point> = found.into_iter().flatten().map(|point| (point.id, point)).collect();
    let of_branches: HashSet<Uuid> = documents.values().map(branch).collect::<Result<_, _>>()?;
    let of_branches: Vec<Uuid> = of_branches.into_iter().collect();
    let committed = branches::committed_numbers(client, &of_branches).await?;
    let mut counts = FacetCounts::default();
    for document in documents.values() {
        let (path, last) =
            (document.text(field::PATH)?, committed.get(&branch(document)?).copied().unwrap_or_default());
        if Standing::read(document)?.is_visible(last) && conditions.paths.pass(path) {
            let (kind, language) = (document.text(field::KIND)?, document.text(field::LANGUAGE)?);
            counts.add(kind, language, path, document.texts(field::TAGS)?, 1);
        }
    }
    Ok(counts)
}

/// Reads about the first `most` documents that satisfy the conditions and one more.
async fn read(
    client: &Client,
    conditions: &Conditions,
    condition: Condition,
    most: usize,
) -> Result<Vec<Point>, StoreError> {
    let values = [field::BRANCH, field::PATH, field::KIND, field::LANGUAGE, field::TAGS];
    let wanted = [&values[..], &branches::FIELDS].concat();
    client.first(DOCUMENTS, conditions.with(client, vec![condition]), &wanted, Servers::Any, most).await
}
