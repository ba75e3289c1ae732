//! Counts of documents by value.

use std::sync::Arc;

use super::connection::Pool;
use super::find::{READ_BY_KEYS, SqlConditions, VISIBLE};
use super::schema::numbers;
use crate::{FacetCounts, FacetScan, StoreError};

/// The most chunks whose documents are looked up: some 50 ms of the server.
const MOST_CHUNKS: u64 = 5 * READ_BY_KEYS;

/// The most documents that are read for one word of a path.
const MOST_DOCUMENTS: u64 = READ_BY_KEYS;

/// Counts documents. Of a word that more chunks have than [`READ_BY_KEYS`], only so many are read.
pub(super) async fn count(pool: Arc<Pool>, scan: FacetScan) -> Result<FacetCounts, StoreError> {
    let conditions = SqlConditions::new(&pool.tenant, &scan.filters, &scan.without);
    let (words, paths) = (numbers(&scan.words), numbers(&scan.paths));
    let weights = vec![1.0_f32; words.len()];
    // One row for each distinct combination of values: directories and tags are split here.
    let read = format!(
        "with matched as materialized (select distinct o.document \
             from recall_1.chunks_with($7, $8, {READ_BY_KEYS}, {MOST_CHUNKS}) f \
             join recall_1.occurrence o on o.tenant = $1 and o.chunk = f.chunk \
           union select c.document from unnest($9::int4[]) as r(key) cross join lateral (select p.document \
             from recall_1.path_key p where p.tenant = $1 and p.key = r.key limit {MOST_DOCUMENTS}) c) \
         select v.kind, v.language, v.tags, regexp_replace(v.path, '[^/]*$', ''), count(*) \
           from matched o {VISIBLE} join recall_1.document v on v.tenant = $1 and v.id = d.id group by 1, 2, 3, 4"
    );
    let mut connection = pool.connection().await?;
    let rows = match connection.rows(&read, &conditions.with(&[&words, &weights, &paths])).await {
        // Nothing was published yet.
        Err(StoreError::Empty) => return Ok(FacetCounts::default()),
        rows => rows?,
    };
    connection.done();
    let mut counts = FacetCounts::default();
    for row in &rows {
        let (kind, language, tags): (String, String, Vec<String>) = (row.get(0), row.get(1), row.get(2));
        let (folder, documents): (String, i64) = (row.get(3), row.get(4));
        counts.add(&kind, &language, &folder, tags.iter().map(String::as_str), documents.max(0) as u64);
    }
    Ok(counts)
}
