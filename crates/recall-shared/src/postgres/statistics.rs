//! The statistics of a tenant.

use std::sync::Arc;

use super::connection::{Pool, failed};
use crate::{Model, Statistics, StoreError};

pub(super) async fn ping(pool: Arc<Pool>) -> Result<(), StoreError> {
    let mut connection = pool.connection().await?;
    connection.client().simple_query("select 1").await.map_err(failed)?;
    connection.done();
    Ok(())
}

pub(super) async fn read(pool: Arc<Pool>, keys: Vec<i32>) -> Result<Statistics, StoreError> {
    let mut connection = pool.connection().await?;
    let client = &*connection.client();
    let totals = async {
        let read = "select chunks, documents, lengths from recall_1.total where tenant = $1";
        client.query_opt(read, &[&pool.tenant]).await
    };
    let counts = async {
        let read = "select key, count from recall_1.term where tenant = $1 and key = any($2)";
        client.query(read, &[&pool.tenant, &keys]).await
    };
    let (totals, counts) = tokio::try_join!(totals, counts).map_err(failed)?;
    connection.done();
    let totals = totals.ok_or(StoreError::Empty)?;
    let lengths: Vec<i64> = totals.get(2);
    let mut statistics = Statistics {
        chunks: totals.get::<_, i64>(0).max(0) as u64,
        documents: totals.get::<_, i64>(1).max(0) as u64,
        ..Statistics::default()
    };
    for (known, length) in statistics.lengths.iter_mut().zip(lengths) {
        *known = length.max(0) as u64;
    }
    let count = |row: &tokio_postgres::Row| (row.get::<_, i32>(0).cast_unsigned(), row.get::<_, i64>(1).max(0) as u64);
    statistics.counts = counts.iter().map(count).filter(|(_, count)| *count > 0).collect();
    Ok(statistics)
}

pub(super) async fn models(pool: Arc<Pool>) -> Result<Vec<Model>, StoreError> {
    let mut connection = pool.connection().await?;
    let partition = super::schema::partition(&pool.tenant);
    let tables = "select c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
                  where n.nspname = 'recall_1' and c.relname like 'vector\\_%\\_' || $1 and c.relkind = 'r'";
    let rows = connection.client().query(tables, &[&partition]).await.map_err(failed)?;
    connection.done();
    let model = |row: &tokio_postgres::Row| {
        let name: String = row.get(0);
        let parts: Vec<&str> = name.split('_').collect();
        let ["vector", fingerprint, dimensions, _] = parts[..] else { return None };
        Some(Model { fingerprint: fingerprint.to_owned(), dimensions: dimensions.parse().ok()? })
    };
    Ok(rows.iter().filter_map(model).collect())
}
