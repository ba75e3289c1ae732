//! The requests of a publication: `begin`, chunks, documents, `commit` and `collect`.
//!
//! Chunks have the hash of their content as key and are shared by branches. Documents are staged, invisible until one transaction
//! ends those that they replace, makes them live and moves the branch to the next generation (ADR 42).
//!
//! Every request may be repeated after a lost answer: a chunk that is there is kept, a staged document is replaced, and a commit that
//! arrived is recognised by its generation and digest. The later `begin` of a branch takes its row over; the earlier publication
//! fails with `Busy` when it stages or commits documents.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use tokio_postgres::Transaction;
use tokio_postgres::types::ToSql;

use super::connection::{Pool, store_error};
use super::schema::{self, numbers as numbers_of};
use crate::seam::{BranchState, ChunkRecord, DocumentRecord};
use crate::{Branch, Key, Manifest, Model, Publication, StoreError};

/// How long documents that were replaced, and chunks without documents, stay: longer than a search or a publication that may still
/// read them.
const KEPT: &str = "1 hour";
const CHUNKS_KEPT: &str = "1 day";

/// The number of new documents from which the planner is told about them at once.
const ANALYZED: usize = 100;

/// How many chunks are deleted at a time.
const COLLECTED_AT_ONCE: i64 = 10_000;

pub(super) async fn branch(pool: Arc<Pool>, branch: Branch) -> Result<Option<BranchState>, StoreError> {
    let mut connection = pool.connection().await?;
    let read = "select generation, digest, documents from recall_1.branch \
                where tenant = $1 and repository = $2 and name = $3 and generation > 0";
    let parameters: [&(dyn ToSql + Sync); 3] = [&pool.tenant, &branch.repository, &branch.name];
    let row = connection.client().query_opt(read, &parameters).await.map_err(store_error)?;
    connection.done();
    let Some(row) = row else { return Ok(None) };
    let digest: &[u8] = row.get(1);
    let digest =
        digest.try_into().map_err(|_| StoreError::Invalid { what: "a digest has another length".to_owned() })?;
    Ok(Some(BranchState { generation: row.get::<_, i64>(0) as u64, digest, documents: row.get::<_, i64>(2) as u64 }))
}

pub(super) async fn manifest(pool: Arc<Pool>, branch: Branch) -> Result<Manifest, StoreError> {
    let mut connection = pool.connection().await?;
    // A document is whole if each of its occurrences has a chunk. The number of its chunks is in its record.
    let read = "select d.path, d.key from recall_1.document d join recall_1.branch b on b.tenant = d.tenant and b.id = d.branch \
                where d.tenant = $1 and b.tenant = $1 and b.repository = $2 and b.name = $3 and d.is_live \
                and not exists (select 1 from recall_1.occurrence o left join recall_1.chunk_keys c \
                  on c.tenant = $1 and c.chunk = o.chunk where o.tenant = $1 and o.document = d.id and c.chunk is null) \
                and exists (select 1 from recall_1.occurrence o where o.tenant = $1 and o.document = d.id)";
    let parameters: [&(dyn ToSql + Sync); 3] = [&pool.tenant, &branch.repository, &branch.name];
    let rows = connection.client().query(read, &parameters).await.map_err(store_error)?;
    connection.done();
    rows.iter().map(|row| Ok((row.get(0), key(row.get(1))?))).collect()
}

pub(super) async fn begin(pool: Arc<Pool>, branch: Branch, model: Option<Model>) -> Result<Publication, StoreError> {
    let mut connection = pool.connection().await?;
    let client = connection.client();
    schema::create(client, &pool, model.as_ref()).await?;
    let transaction = client.transaction().await.map_err(store_error)?;
    let id = i64::from_ne_bytes(fastrand::u64(1..).to_ne_bytes()) & i64::MAX;
    // The first branch of a repository is what its readers see.
    let open = "insert into recall_1.branch as b (tenant, repository, name, is_default, generation, digest, documents, publication) \
                values ($1, $2, $3, not exists (select 1 from recall_1.branch where tenant = $1 and repository = $2), 0, '', 0, $4) \
                on conflict (repository, name, tenant) do update set publication = $4 returning id, generation";
    let parameters: [&(dyn ToSql + Sync); 4] = [&pool.tenant, &branch.repository, &branch.name, &id];
    let row = transaction.query_one(open, &parameters).await.map_err(store_error)?;
    let (number, base): (i64, i64) = (row.get(0), row.get(1));
    // Documents that a killed publication staged are deleted; its chunks stay and are not sent again.
    let leftovers = "with gone as (delete from recall_1.document \
                     where tenant = $1 and branch = $2 and not is_live and ended is null returning id), \
                     paths as (delete from recall_1.path_key where tenant = $1 and document in (select id from gone)) \
                     delete from recall_1.occurrence where tenant = $1 and document in (select id from gone)";
    transaction.execute(leftovers, &[&pool.tenant, &number]).await.map_err(store_error)?;
    transaction.commit().await.map_err(store_error)?;
    connection.done();
    Ok(Publication { branch, base: base as u64, id: id as u64 })
}

pub(super) async fn missing(pool: Arc<Pool>, chunks: Vec<Key>, model: Option<Model>) -> Result<Vec<bool>, StoreError> {
    let mut connection = pool.connection().await?;
    let keys: Vec<&[u8]> = chunks.iter().map(|key| &key.0[..]).collect();
    // What is about to be used again must not be collected.
    let touch = "update recall_1.chunk set touched = now() \
                 where tenant = $1 and key = any($2) and touched < now() - interval '1 hour'";
    connection.client().execute(touch, &[&pool.tenant, &keys]).await.map_err(store_error)?;
    let and_vector = model.map(|model| {
        format!(
            "and exists (select 1 from recall_1.{} v where v.tenant = $1 and v.chunk = c.id)",
            schema::vectors(&model)
        )
    });
    let read = format!(
        "select c.key from recall_1.chunk c where c.tenant = $1 and c.key = any($2) \
         and exists (select 1 from recall_1.chunk_keys k where k.tenant = $1 and k.chunk = c.id) {}",
        and_vector.unwrap_or_default()
    );
    let rows = connection.client().query(&read, &[&pool.tenant, &keys]).await.map_err(store_error)?;
    connection.done();
    let known: HashSet<Key> = rows.iter().map(|row| key(row.get(0))).collect::<Result<_, _>>()?;
    Ok(chunks.iter().map(|key| !known.contains(key)).collect())
}

pub(super) async fn put_chunks(
    pool: Arc<Pool>,
    mut chunks: Vec<ChunkRecord>,
    model: Option<Model>,
) -> Result<(), StoreError> {
    if chunks.is_empty() {
        return Ok(());
    }
    // One order for all writers, so that none waits for another in a circle.
    chunks.sort_by_key(|chunk| chunk.key);
    let mut connection = pool.connection().await?;
    let transaction = connection.client().transaction().await.map_err(store_error)?;
    let keys: Vec<&[u8]> = chunks.iter().map(|chunk| &chunk.key.0[..]).collect();
    // PostgreSQL's texts cannot hold NUL.
    let texts: Vec<String> = chunks.iter().map(|chunk| chunk.text.replace('\0', "\u{fffd}")).collect();
    let term_keys: Vec<String> = chunks.iter().map(|chunk| array(&numbers_of(&chunk.keys))).collect();
    let lengths: Vec<String> = chunks.iter().map(|chunk| array(&chunk.lengths)).collect();
    let insert = "with sent as (select * from unnest($2::bytea[], $3::text[], $4::text[], $5::text[]) \
                  as s(key, text, keys, lengths)), \
                  new as (insert into recall_1.chunk (tenant, key, text, lengths) \
                  select $1, key, text, lengths::int8[] from sent \
                  on conflict (key, tenant) do nothing returning id, key) \
                  insert into recall_1.chunk_keys (tenant, chunk, keys) \
                  select $1, new.id, sent.keys::int4[] from new join sent on sent.key = new.key returning chunk";
    let parameters: [&(dyn ToSql + Sync); 5] = [&pool.tenant, &keys, &texts, &term_keys, &lengths];
    let new = transaction.query(insert, &parameters).await.map_err(store_error)?;
    let new: Vec<i64> = new.iter().map(|row| row.get(0)).collect();
    let ids = ids(&transaction, &pool, &keys).await?;
    let added: Vec<&ChunkRecord> =
        chunks.iter().filter(|chunk| ids.get(&chunk.key).is_some_and(|id| new.contains(id))).collect();
    let lengths = sums(added.iter().map(|chunk| &chunk.lengths));
    count_terms(&transaction, &pool, added.iter().map(|chunk| &chunk.keys[..]), 1).await?;
    add_totals(&transaction, &pool, added.len() as i64, 0, lengths).await?;
    if let Some(model) = model {
        let with_vector = || chunks.iter().filter_map(|chunk| Some((ids.get(&chunk.key)?, chunk.vector.as_ref()?)));
        let of: Vec<i64> = with_vector().map(|(id, _)| *id).collect();
        let vectors: Vec<String> = with_vector().map(|(_, vector)| vector_text(vector)).collect();
        let insert = format!(
            "insert into recall_1.{} (tenant, chunk, embedding) \
             select $1, s.chunk, s.embedding::halfvec from unnest($2::int8[], $3::text[]) as s(chunk, embedding) \
             on conflict (chunk, tenant) do nothing",
            schema::vectors(&model)
        );
        transaction.execute(&insert, &[&pool.tenant, &of, &vectors]).await.map_err(store_error)?;
    }
    transaction.commit().await.map_err(store_error)?;
    connection.done();
    Ok(())
}

pub(super) async fn put_documents(
    pool: Arc<Pool>,
    publication: Publication,
    documents: Vec<DocumentRecord>,
) -> Result<(), StoreError> {
    if documents.is_empty() {
        return Ok(());
    }
    let mut connection = pool.connection().await?;
    let transaction = connection.client().transaction().await.map_err(store_error)?;
    let branch = lock(&transaction, &pool, &publication).await?;
    let id = publication.id as i64;
    let paths: Vec<&str> = documents.iter().map(|document| document.path.as_str()).collect();
    // A repeated request replaces what the first one may have stored.
    let repeated = "with gone as (delete from recall_1.document where tenant = $1 and branch = $2 and path = any($3) \
                    and publication = $4 and not is_live and ended is null returning id), \
                    paths as (delete from recall_1.path_key where tenant = $1 and document in (select id from gone)) \
                    delete from recall_1.occurrence where tenant = $1 and document in (select id from gone)";
    transaction.execute(repeated, &[&pool.tenant, &branch.number, &paths, &id]).await.map_err(store_error)?;
    let wanted = documents.iter().flat_map(|document| &document.chunks).collect::<BTreeSet<_>>();
    let wanted: Vec<&[u8]> = wanted.into_iter().map(|key| &key.0[..]).collect();
    let ids = ids(&transaction, &pool, &wanted).await?;
    if ids.len() != wanted.len() {
        return Err(StoreError::Lost { lost: (wanted.len() - ids.len()) as u64, sent: wanted.len() as u64 });
    }
    let numbers_of_chunks =
        |document: &DocumentRecord| document.chunks.iter().map(|key| ids[key]).collect::<Vec<i64>>();
    let chunks: Vec<String> = documents.iter().map(|document| array(&numbers_of_chunks(document))).collect();
    let chunk_keys = |document: &DocumentRecord| document.chunks.iter().flat_map(|key| key.0).collect::<Vec<u8>>();
    let chunk_keys: Vec<Vec<u8>> = documents.iter().map(chunk_keys).collect();
    let keys: Vec<&[u8]> = documents.iter().map(|document| &document.key.0[..]).collect();
    let records: Vec<&[u8]> = documents.iter().map(|document| &document.record[..]).collect();
    let term_keys: Vec<String> = documents.iter().map(|document| array(&numbers_of(&document.keys))).collect();
    let lengths: Vec<String> = documents.iter().map(|document| array(&document.lengths)).collect();
    let kinds: Vec<&str> = documents.iter().map(|document| document.kind.as_str()).collect();
    let languages: Vec<&str> = documents.iter().map(|document| document.language.as_str()).collect();
    let tags: Vec<String> = documents.iter().map(|document| text_array(&document.tags)).collect();
    let texts: Vec<&str> = documents.iter().map(|document| document.text.as_str()).collect();
    let insert = "insert into recall_1.document \
                  (tenant, branch, path, key, record, chunks, chunk_keys, keys, lengths, kind, language, tags, text, publication, is_live) \
                  select $1, $2, s.path, s.key, s.record, s.chunks::int8[], s.chunk_keys, s.keys::int4[], s.lengths::int8[], s.kind, \
                  s.language, s.tags::text[], s.text, $3, false from unnest($4::text[], $5::bytea[], $6::bytea[], $7::text[], $8::bytea[], $9::text[], \
                  $10::text[], $11::text[], $12::text[], $13::text[], $14::text[]) \
                  as s(path, key, record, chunks, chunk_keys, keys, lengths, kind, language, tags, text) returning id, path";
    let parameters: [&(dyn ToSql + Sync); 14] = [
        &pool.tenant,
        &branch.number,
        &id,
        &paths,
        &keys,
        &records,
        &chunks,
        &chunk_keys,
        &term_keys,
        &lengths,
        &kinds,
        &languages,
        &tags,
        &texts,
    ];
    let rows = transaction.query(insert, &parameters).await.map_err(store_error)?;
    let numbers: BTreeMap<String, i64> = rows.iter().map(|row| (row.get(1), row.get(0))).collect();
    let (mut keyed, mut path_keys): (Vec<i64>, Vec<i32>) = Default::default();
    for document in &documents {
        let keys = numbers_of(&document.keys);
        keyed.extend(std::iter::repeat_n(numbers[&document.path], keys.len()));
        path_keys.extend(keys);
    }
    let name = "insert into recall_1.path_key (tenant, key, document) \
                select $1, s.key, s.document from unnest($2::int4[], $3::int8[]) as s(key, document)";
    transaction.execute(name, &[&pool.tenant, &path_keys, &keyed]).await.map_err(store_error)?;
    let (mut of, mut ordinals, mut chunks): (Vec<i64>, Vec<i32>, Vec<i64>) = Default::default();
    for document in &documents {
        for (ordinal, chunk) in document.chunks.iter().enumerate() {
            of.push(numbers[&document.path]);
            ordinals.push(ordinal as i32);
            chunks.push(ids[chunk]);
        }
    }
    let occur = "insert into recall_1.occurrence (tenant, document, ordinal, chunk) \
                 select $1, s.document, s.ordinal, s.chunk from unnest($2::int8[], $3::int4[], $4::int8[]) as s(document, ordinal, chunk)";
    let parameters: [&(dyn ToSql + Sync); 4] = [&pool.tenant, &of, &ordinals, &chunks];
    transaction.execute(occur, &parameters).await.map_err(store_error)?;
    transaction.commit().await.map_err(store_error)?;
    connection.done();
    Ok(())
}

pub(super) async fn commit(
    pool: Arc<Pool>,
    publication: Publication,
    added: u64,
    removed: Vec<String>,
    state: BranchState,
) -> Result<(), StoreError> {
    let mut connection = pool.connection().await?;
    let transaction = connection.client().transaction().await.map_err(store_error)?;
    let branch = lock(&transaction, &pool, &publication).await?;
    // A repeated commit: the first one arrived, and its answer was lost.
    if branch.generation == state.generation as i64 && branch.digest == state.digest {
        return Ok(());
    }
    if branch.generation != publication.base as i64 {
        return Err(StoreError::Busy);
    }
    let id = publication.id as i64;
    let staged = "select count(*) from recall_1.document \
                  where tenant = $1 and branch = $2 and publication = $3 and not is_live and ended is null";
    let there: i64 =
        transaction.query_one(staged, &[&pool.tenant, &branch.number, &id]).await.map_err(store_error)?.get(0);
    // After the promotion of a standby that was behind, documents may be missing. A part must not become visible.
    if there as u64 != added {
        return Err(StoreError::Lost { lost: added.saturating_sub(there as u64), sent: added });
    }
    // The old documents end and the new ones become live in one transaction, and the statistics change with them.
    let end = "update recall_1.document d set is_live = false, ended = now() \
               where d.tenant = $1 and d.branch = $2 and d.is_live and (d.path = any($3) or d.path in (select s.path \
               from recall_1.document s where s.tenant = $1 and s.branch = $2 and s.publication = $4 and not s.is_live and s.ended is null)) \
               returning keys, lengths";
    let parameters: [&(dyn ToSql + Sync); 4] = [&pool.tenant, &branch.number, &removed, &id];
    let ended = transaction.query(end, &parameters).await.map_err(store_error)?;
    let start = "update recall_1.document set is_live = true \
                 where tenant = $1 and branch = $2 and publication = $3 and not is_live and ended is null returning keys, lengths";
    let started = transaction.query(start, &[&pool.tenant, &branch.number, &id]).await.map_err(store_error)?;
    let keys = |rows: &[tokio_postgres::Row]| -> Vec<Vec<u32>> {
        rows.iter().map(|row| row.get::<_, Vec<i32>>(0).into_iter().map(i32::cast_unsigned).collect()).collect()
    };
    let lengths = |rows: &[tokio_postgres::Row]| {
        sums(
            rows.iter()
                .map(|row| row.get::<_, Vec<i64>>(1).try_into().unwrap_or_default())
                .collect::<Vec<[i64; 6]>>()
                .iter(),
        )
    };
    let (gone, new) = (keys(&ended), keys(&started));
    count_terms(&transaction, &pool, gone.iter().map(|keys| &keys[..]), -1).await?;
    count_terms(&transaction, &pool, new.iter().map(|keys| &keys[..]), 1).await?;
    let (minus, plus) = (lengths(&ended), lengths(&started));
    let change = std::array::from_fn(|field| plus[field] - minus[field]);
    add_totals(&transaction, &pool, 0, started.len() as i64 - ended.len() as i64, change).await?;
    let flip = "update recall_1.branch set generation = $3, digest = $4, documents = $5 where tenant = $1 and id = $2";
    let (generation, documents, digest) = (state.generation as i64, state.documents as i64, &state.digest[..]);
    let parameters: [&(dyn ToSql + Sync); 5] = [&pool.tenant, &branch.number, &generation, &digest, &documents];
    transaction.execute(flip, &parameters).await.map_err(store_error)?;
    transaction.commit().await.map_err(store_error)?;
    // Without this, each search reads the whole pending list of the index, and the planner prefers the table.
    schema::empty_pending_list(connection.client(), &pool).await?;
    if started.len() >= ANALYZED {
        schema::analyze(connection.client(), &pool).await?;
    }
    for model in super::schema::models(Arc::clone(&pool)).await? {
        schema::index_vectors(connection.client(), &pool, &model).await?;
    }
    connection.done();
    Ok(())
}

pub(super) async fn collect(pool: Arc<Pool>) -> Result<u64, StoreError> {
    let models = super::schema::models(Arc::clone(&pool)).await?;
    let mut connection = pool.connection().await?;
    let transaction = connection.client().transaction().await.map_err(store_error)?;
    let documents = format!(
        "with gone as (delete from recall_1.document where tenant = $1 and ended < now() - interval '{KEPT}' returning id), \
         paths as (delete from recall_1.path_key where tenant = $1 and document in (select id from gone)) \
         delete from recall_1.occurrence where tenant = $1 and document in (select id from gone)"
    );
    transaction.execute(&documents, &[&pool.tenant]).await.map_err(store_error)?;
    let chunks = format!(
        "delete from recall_1.chunk c where c.tenant = $1 and c.id in (select o.id from recall_1.chunk o \
         where o.tenant = $1 and o.touched < now() - interval '{CHUNKS_KEPT}' and not exists \
         (select 1 from recall_1.occurrence u where u.tenant = $1 and u.chunk = o.id) limit $2 for update skip locked) returning c.id, c.lengths"
    );
    let gone = transaction.query(&chunks, &[&pool.tenant, &COLLECTED_AT_ONCE]).await.map_err(store_error)?;
    let ids: Vec<i64> = gone.iter().map(|row| row.get(0)).collect();
    if !ids.is_empty() {
        let terms = "delete from recall_1.chunk_keys where tenant = $1 and chunk = any($2) returning keys";
        let keys = transaction.query(terms, &[&pool.tenant, &ids]).await.map_err(store_error)?;
        let keys: Vec<Vec<u32>> =
            keys.iter().map(|row| row.get::<_, Vec<i32>>(0).into_iter().map(i32::cast_unsigned).collect()).collect();
        count_terms(&transaction, &pool, keys.iter().map(|keys| &keys[..]), -1).await?;
        let lengths: Vec<[i64; 6]> =
            gone.iter().map(|row| row.get::<_, Vec<i64>>(1).try_into().unwrap_or_default()).collect();
        let lengths = sums(lengths.iter()).map(|length| -length);
        add_totals(&transaction, &pool, -(ids.len() as i64), 0, lengths).await?;
        for model in models {
            let vectors =
                format!("delete from recall_1.{} where tenant = $1 and chunk = any($2)", schema::vectors(&model));
            transaction.execute(&vectors, &[&pool.tenant, &ids]).await.map_err(store_error)?;
        }
    }
    transaction.commit().await.map_err(store_error)?;
    connection.done();
    Ok(ids.len() as u64)
}

/// A branch whose row is locked.
struct LockedBranch {
    number: i64,
    generation: i64,
    digest: Vec<u8>,
}

/// Locks the row of the publication's branch, and checks that no other publication has begun since.
async fn lock(
    transaction: &Transaction<'_>,
    pool: &Pool,
    publication: &Publication,
) -> Result<LockedBranch, StoreError> {
    let read = "select id, generation, digest, publication from recall_1.branch \
                where tenant = $1 and repository = $2 and name = $3 for update";
    let Branch { repository, name } = &publication.branch;
    let parameters: [&(dyn ToSql + Sync); 3] = [&pool.tenant, repository, name];
    let row = transaction.query_opt(read, &parameters).await.map_err(store_error)?;
    let row = row.ok_or(StoreError::Lost { lost: 1, sent: 1 })?;
    if row.get::<_, i64>(3) != publication.id as i64 {
        return Err(StoreError::Busy);
    }
    Ok(LockedBranch { number: row.get(0), generation: row.get(1), digest: row.get(2) })
}

/// Returns the numbers of the chunks that are there.
async fn ids(transaction: &Transaction<'_>, pool: &Pool, keys: &[&[u8]]) -> Result<BTreeMap<Key, i64>, StoreError> {
    let read = "select id, key from recall_1.chunk where tenant = $1 and key = any($2)";
    let rows = transaction.query(read, &[&pool.tenant, &keys]).await.map_err(store_error)?;
    rows.iter().map(|row| Ok((key(row.get(1))?, row.get(0)))).collect()
}

/// Adds `each` to the count of every key, once for each list that has it.
async fn count_terms(
    transaction: &Transaction<'_>,
    pool: &Pool,
    lists: impl Iterator<Item = &[u32]>,
    each: i64,
) -> Result<(), StoreError> {
    let mut counts: BTreeMap<i32, i64> = BTreeMap::new();
    for key in lists.flatten() {
        *counts.entry(key.cast_signed()).or_default() += each;
    }
    let (keys, counts): (Vec<i32>, Vec<i64>) = counts.into_iter().unzip();
    let add = "insert into recall_1.term as t (tenant, key, count) select $1, s.key, s.count \
               from unnest($2::int4[], $3::int8[]) as s(key, count) order by s.key \
               on conflict (key, tenant) do update set count = t.count + excluded.count";
    transaction.execute(add, &[&pool.tenant, &keys, &counts]).await.map_err(store_error)?;
    Ok(())
}

async fn add_totals(
    transaction: &Transaction<'_>,
    pool: &Pool,
    chunks: i64,
    documents: i64,
    lengths: [i64; 6],
) -> Result<(), StoreError> {
    let add = "insert into recall_1.total as t (tenant, chunks, documents, lengths) values ($1, $2, $3, $4) \
               on conflict (tenant) do update set chunks = t.chunks + excluded.chunks, documents = t.documents + excluded.documents, \
               lengths = (select array_agg(a + b order by place) \
               from unnest(t.lengths, excluded.lengths) with ordinality as both_lengths(a, b, place))";
    let lengths = &lengths[..];
    transaction.execute(add, &[&pool.tenant, &chunks, &documents, &lengths]).await.map_err(store_error)?;
    Ok(())
}

fn sums<N: Copy + TryInto<i64>>(all: impl Iterator<Item = impl std::borrow::Borrow<[N; 6]>>) -> [i64; 6] {
    let mut sums = [0; 6];
    for lengths in all {
        for (sum, length) in sums.iter_mut().zip(*lengths.borrow()) {
            *sum += length.try_into().unwrap_or_default();
        }
    }
    sums
}

pub(super) fn key(bytes: &[u8]) -> Result<Key, StoreError> {
    let key = bytes.try_into().map_err(|_| StoreError::Invalid { what: "a key has another length".to_owned() })?;
    Ok(Key(key))
}

/// Writes an array of numbers for a column, since PostgreSQL has no arrays of arrays of different lengths.
fn array<N: std::fmt::Display>(numbers: &[N]) -> String {
    let mut text = String::with_capacity(numbers.len() * 11 + 2);
    text.push('{');
    for (place, number) in numbers.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(&number.to_string());
    }
    text.push('}');
    text
}

fn text_array(texts: &[String]) -> String {
    let quoted = texts.iter().map(|text| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")));
    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
}

pub(super) fn vector_text(vector: &[f32]) -> String {
    let mut text = String::with_capacity(vector.len() * 9 + 2);
    text.push('[');
    for (place, component) in vector.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        // Half precision has three to four decimal digits.
        let _ = write!(text, "{component:.6}");
    }
    text.push(']');
    text
}
