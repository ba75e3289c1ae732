//! The statistics of a tenant.

use std::sync::Arc;

use super::connection::{Pool, store_error};
use crate::{Model, Statistics, StoreError};

pub(super) async fn ping(pool: Arc<Pool>) -> Result<(), StoreError> {
    let mut connection = pool.connection().await?;
    connection.client().simple_query("select 1").await.map_err(store_error)?;
    connection.done();
    Ok(())
}

pub(super) async fn read(pool: Arc<Pool>, keys: Vec<i32>) -> Result<Statistics, StoreError> {
    let mut connection = pool.connection().await?;
    // One request for both; the row with the totals has no key.
    let read = "select null::int4, t.chunks, t.documents, t.lengths from recall_1.total t where t.tenant = $1 union all \
                select k.key, k.count, 0, null from recall_1.term k where k.tenant = $1 and k.key = any($2)";
    let rows = connection.rows(read, &[&pool.tenant, &keys]).await?;
    let totals = rows.iter().find(|row| row.get::<_, Option<i32>>(0).is_none());
    connection.done();
    let totals = totals.ok_or(StoreError::Empty)?;
    let lengths: Vec<i64> = totals.get(3);
    let mut statistics = Statistics {
        chunks: totals.get::<_, i64>(1).max(0) as u64,
        documents: totals.get::<_, i64>(2).max(0) as u64,
        ..Statistics::default()
    };
    for (known, length) in statistics.lengths.iter_mut().zip(lengths) {
        *known = length.max(0) as u64;
    }
    for row in &rows {
        if let (Some(key), count @ 1..) = (row.get::<_, Option<i32>>(0), row.get::<_, i64>(1)) {
            statistics.counts.insert(key.cast_unsigned(), count as u64);
        }
    }
    Ok(statistics)
}

pub(super) async fn models(pool: Arc<Pool>) -> Result<Vec<Model>, StoreError> {
    let mut connection = pool.connection().await?;
    let partition = super::schema::partition(&pool.tenant);
    let tables = "select c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
                  where n.nspname = 'recall_1' and c.relname like 'vector\\_%\\_' || $1 and c.relkind = 'r'";
    let rows = connection.client().query(tables, &[&partition]).await.map_err(store_error)?;
    connection.done();
    let model = |row: &tokio_postgres::Row| {
        let name: String = row.get(0);
        let parts: Vec<&str> = name.split('_').collect();
        let ["vector", fingerprint, dimensions, _] = parts[..] else { return None };
        Some(Model { fingerprint: fingerprint.to_owned(), dimensions: dimensions.parse().ok()? })
    };
    Ok(rows.iter().filter_map(model).collect())
}
