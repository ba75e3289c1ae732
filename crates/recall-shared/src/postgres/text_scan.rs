//! A pass over whole texts, in the order of the documents' numbers.

use std::sync::Arc;

use tokio_postgres::types::ToSql;

use super::connection::Pool;
use super::find::{SqlConditions, document_of, escape};
use crate::{StoreError, TextPosition, TextScan, TextStep, WholeDocument};

/// The bytes of the texts that a step compares. A server reads and compares them in some tens of milliseconds; the last text may exceed
/// it.
const COMPARED_BYTES: i64 = 8 << 20;

/// The most documents that a step compares. Small files cost more for their rows than for their texts.
const COMPARED_DOCUMENTS: i64 = 2_000;

pub(super) async fn step(pool: Arc<Pool>, scan: TextScan) -> Result<TextStep, StoreError> {
    let conditions = SqlConditions::new(&pool.tenant, &scan.filters, &scan.without);
    let after: i64 = scan.from.as_ref().and_then(|from| from.after.parse().ok()).unwrap_or_default();
    // One fragment is compared as it is, which is faster than an expression; several are read once.
    let (condition, fragment) = match &scan.fragments[..] {
        [] => ("$8::text = ''", String::new()),
        [one] => ("strpos(d.text, $8) > 0", one.clone()),
        several => {
            let escaped: Vec<String> = several.iter().map(|fragment| escape(fragment)).collect();
            ("d.text ~ $8", escaped.join("|"))
        }
    };
    // The row without a document has how far the step came, also if no text has a fragment, and the sum of the generations that readers
    // see, which differs after each publication.
    let read = format!(
        "with passing as materialized (select d.id, octet_length(d.text)::int8 as bytes \
           from recall_1.document d join recall_1.branch b on b.tenant = $1 and b.id = d.branch \
           and b.is_default and b.generation > 0 and not b.repository = any($2) \
           where d.tenant = $1 and d.id > $7 and d.is_live \
           and (cardinality($3::text[]) = 0 or d.kind = any($3)) and (cardinality($4::text[]) = 0 or d.language = any($4)) \
           and d.tags @> $5::text[] and (cardinality($6::text[]) = 0 or d.path ~ any($6)) \
           order by d.id limit {COMPARED_DOCUMENTS}), \
         summed as (select p.id, sum(p.bytes) over (order by p.id) - p.bytes as before from passing p), \
         compared as materialized (select s.id from summed s where s.before < {COMPARED_BYTES}) \
         select b.repository, d.path, d.key, d.record, d.chunk_keys, d.text, null::int8, null::int8, null::int8, null::int8 \
           from compared c join recall_1.document d on d.tenant = $1 and d.id = c.id \
           join recall_1.branch b on b.tenant = $1 and b.id = d.branch where {condition} \
         union all select null, null, null, null, null, null, (select count(*) from passing), \
           (select count(*) from compared), (select max(c.id) from compared c), \
           (select coalesce(sum(b.generation), 0)::int8 from recall_1.branch b where b.tenant = $1 and b.is_default)"
    );
    let parameters: [&(dyn ToSql + Sync); 2] = [&after, &fragment];
    let mut connection = pool.connection().await?;
    let rows = match connection.rows(&read, &conditions.with(&parameters)).await {
        // Nothing was published yet.
        Err(StoreError::Empty) => return Ok(TextStep::default()),
        rows => rows?,
    };
    connection.done();
    let mut step = TextStep::default();
    for row in &rows {
        let Some(passing) = row.get::<_, Option<i64>>(6) else {
            step.documents.push(WholeDocument { document: document_of(row)?, text: row.get(5) });
            continue;
        };
        let (compared, last, state): (i64, Option<i64>, i64) = (row.get(7), row.get(8), row.get(9));
        let state = state.to_string();
        scan.after(&state)?;
        step.compared = compared.max(0) as u64;
        let is_last = compared == passing && passing < COMPARED_DOCUMENTS;
        step.next = last.filter(|_| !is_last).map(|last| TextPosition { state, after: last.to_string() });
    }
    Ok(step)
}
