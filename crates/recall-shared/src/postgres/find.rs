//! Candidates and their texts.
//!
//! A candidate needs no exact score, since the daemon computes the order from the documents' records. So work is bounded in steps:
//! chunks are read by the rarest keys, the best of them are compared by all keys, and only for the best of these it is looked up
//! whether a reader sees them and the filters hold (ADR 43). The four retrievers run at the same time, each on a connection of its
//! own.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use tokio_postgres::types::ToSql;

use super::connection::Pool;
use super::publication::{key, vector_text};
use super::schema;
use crate::{Ask, Chunk, Document, Filters, Found, Key, PathCondition, Place, StoreError, Weighted, WholeDocument};

/// The number of chunks that are read by their keys. A key that would exceed it is used only to compare the chunks that were read;
/// the first is always read.
pub(super) const READ_BY_KEYS: u64 = 4_000;

/// The number of chunks that are compared by all keys.
const COMPARED: i64 = 600;
/// The same if there are filters, which are checked afterwards.
const COMPARED_WITH_FILTERS: i64 = 4_000;

/// The same if most of these are of no document that readers see.
const COMPARED_AT_MOST: i64 = 20_000;

/// The joins from documents, as `o.document`, to those that readers see, as `d`, and the conditions on these. The parameters are the
/// tenant, the repositories that are left out, and the filters.
///
/// `offset 0` keeps the planner from joining in another order: each is one look-up by a key.
pub(super) const VISIBLE: &str = "cross join lateral (select d.id, d.keys, d.branch from recall_1.document d \
       where d.tenant = $1 and d.id = o.document and d.is_live \
       and (cardinality($3::text[]) = 0 or d.kind = any($3)) and (cardinality($4::text[]) = 0 or d.language = any($4)) \
       and d.tags @> $5::text[] and (cardinality($6::text[]) = 0 or d.path ~ any($6)) offset 0) d \
     cross join lateral (select b.id from recall_1.branch b where b.tenant = $1 and b.id = d.branch \
       and b.is_default and b.generation > 0 and not b.repository = any($2) offset 0) b";

/// The parameters that every request of a search has.
pub(super) struct SqlConditions {
    tenant: String,
    without: Vec<String>,
    kinds: Vec<String>,
    languages: Vec<String>,
    tags: Vec<String>,
    paths: Vec<String>,
}

impl SqlConditions {
    pub(super) fn new(tenant: &str, filters: &Filters, without: &[String]) -> Self {
        let Filters { kinds, languages, paths, tags } = filters.clone();
        Self {
            tenant: tenant.to_owned(),
            without: without.to_vec(),
            kinds,
            languages,
            tags,
            paths: paths.iter().map(pattern).collect(),
        }
    }

    pub(super) fn with<'a>(&'a self, more: &[&'a (dyn ToSql + Sync)]) -> Vec<&'a (dyn ToSql + Sync)> {
        let Self { tenant, without, kinds, languages, tags, paths } = self;
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![tenant, without, kinds, languages, tags, paths];
        all.extend(more);
        all
    }
}

/// A candidate: a chunk, if a retriever of chunks found it, and its document.
struct CandidateRow {
    document: i64,
    chunk: Option<i64>,
    /// The score of its retriever.
    score: f32,
}

pub(super) async fn find(pool: Arc<Pool>, ask: Ask) -> Result<Found, StoreError> {
    let conditions = SqlConditions::new(&pool.tenant, &ask.filters, &ask.without);
    let words = by_keys(&pool, &conditions, &ask, &ask.words, ask.depths.words);
    let definitions = by_keys(&pool, &conditions, &ask, &ask.definitions, ask.depths.definitions);
    let files = by_path(&pool, &conditions, &ask);
    let nearest = nearest(&pool, &conditions, &ask);
    let (words, definitions, files, nearest) = tokio::try_join!(words, definitions, files, nearest)?;
    let near: HashSet<i64> = nearest.iter().flatten().filter_map(|candidate| candidate.chunk).collect();
    let has_cosines = nearest.is_some();
    let all: Vec<CandidateRow> =
        words.into_iter().chain(definitions).chain(files).chain(nearest.into_iter().flatten()).collect();
    let documents: Vec<i64> = distinct(all.iter().map(|candidate| candidate.document));
    let chunks: Vec<i64> = distinct(all.iter().filter_map(|candidate| candidate.chunk));
    let (mut found, cosines) =
        tokio::try_join!(records(&pool, &documents), cosines(&pool, &ask, has_cosines, &chunks))?;
    for Row { document, numbers } in &mut found {
        for (chunk, number) in document.chunks.iter_mut().zip(numbers) {
            (chunk.cosine, chunk.is_near) = (cosines.get(number).copied(), near.contains(number));
        }
    }
    let mut found: Vec<Document> = found.into_iter().map(|row| row.document).collect();
    found.sort_by(|a, b| (&a.repository, &a.path).cmp(&(&b.repository, &b.path)));
    Ok(Found { documents: found, has_cosines })
}

/// Finds chunks by the sum of the weights of their keys.
async fn by_keys(
    pool: &Arc<Pool>,
    conditions: &SqlConditions,
    ask: &Ask,
    wanted: &[Weighted],
    depth: usize,
) -> Result<Vec<CandidateRow>, StoreError> {
    if wanted.is_empty() || depth == 0 {
        return Ok(Vec::new());
    }
    let (read, all) = (rarest(wanted), Parameters::new(wanted));
    let read = Parameters::new(&read);
    let first = if ask.filters.is_empty() { COMPARED } else { COMPARED_WITH_FILTERS };
    // Chunks of replaced documents and of other branches may be most of those that were compared.
    let mut candidates = Vec::new();
    for compared in [first.max(depth as i64), COMPARED_AT_MOST] {
        let (found, seen) = compare(pool, conditions, &read, &all, compared, depth as i64).await?;
        candidates = found;
        if candidates.len() >= depth || seen < compared {
            break;
        }
    }
    Ok(candidates)
}

/// Compares the best chunks by the keys that are read, by all keys. They are sorted before their documents are looked up, so that only as
/// many are looked up as are wanted. Returns the best that readers see, and how many were compared.
async fn compare(
    pool: &Arc<Pool>,
    conditions: &SqlConditions,
    read: &Parameters,
    all: &Parameters,
    compared: i64,
    depth: i64,
) -> Result<(Vec<CandidateRow>, i64), StoreError> {
    let limit = (READ_BY_KEYS as i64).max(compared);
    let find = format!(
        "with read as materialized (select f.chunk, f.score from recall_1.chunks_with($7, $8, {limit}, {compared}) f), \
         compared as materialized (select read.chunk, (select sum(w.weight) from unnest($9::int4[], $10::float4[]) as w(key, weight) \
           where w.key = any(k.keys)) as score from read join recall_1.chunk_keys k on k.tenant = $1 and k.chunk = read.chunk), \
         best as (select d.id, c.chunk, c.score::float4 as score \
           from (select compared.chunk, compared.score from compared order by compared.score desc, compared.chunk offset 0) c \
           cross join lateral (select o.document from recall_1.occurrence o \
             where o.tenant = $1 and o.chunk = c.chunk offset 0) o {VISIBLE} \
           order by c.score desc, c.chunk limit {depth}) \
         select best.id, best.chunk, best.score, seen.count from (select count(*) from read) seen left join best on true"
    );
    let parameters = conditions.with(&[&read.keys, &read.weights, &all.keys, &all.weights]);
    let mut connection = pool.connection().await?;
    let rows = connection.rows(&find, &parameters).await?;
    connection.done();
    let seen = rows.first().map_or(0, |row| row.get(3));
    let candidate = |row: &tokio_postgres::Row| {
        Some(CandidateRow { document: row.get::<_, Option<i64>>(0)?, chunk: Some(row.get(1)), score: row.get(2) })
    };
    Ok((rows.iter().filter_map(candidate).collect(), seen))
}

/// Finds documents by the sum of the weights of their keys.
async fn by_path(pool: &Arc<Pool>, conditions: &SqlConditions, ask: &Ask) -> Result<Vec<CandidateRow>, StoreError> {
    if ask.files.is_empty() || ask.depths.files == 0 {
        return Ok(Vec::new());
    }
    let (read, all) = (rarest(&ask.files), Parameters::new(&ask.files));
    let read = Parameters::new(&read);
    let depth = ask.depths.files as i64;
    let find = format!(
        "with read as materialized (select distinct c.document from unnest($7::int4[]) as r(key) \
           cross join lateral (select p.document from recall_1.path_key p where p.tenant = $1 and p.key = r.key limit {READ_BY_KEYS}) c) \
         select d.id, (select sum(w.weight) from unnest($8::int4[], $9::float4[]) as w(key, weight) \
           where w.key = any(d.keys))::float4 as score \
         from read as o {VISIBLE} order by score desc, d.id limit {depth}"
    );
    let parameters = conditions.with(&[&read.keys, &all.keys, &all.weights]);
    let mut connection = pool.connection().await?;
    let rows = connection.rows(&find, &parameters).await?;
    connection.done();
    let candidate = |row: &tokio_postgres::Row| CandidateRow { document: row.get(0), chunk: None, score: row.get(1) };
    Ok(rows.iter().map(candidate).collect())
}

/// Finds the chunks with the nearest vectors; `None` if the store has none of the model.
async fn nearest(
    pool: &Arc<Pool>,
    conditions: &SqlConditions,
    ask: &Ask,
) -> Result<Option<Vec<CandidateRow>>, StoreError> {
    let Some((model, vector)) = &ask.vector else { return Ok(None) };
    if ask.depths.nearest == 0 {
        return Ok(None);
    }
    let depth = ask.depths.nearest as i64;
    let text = vector_text(vector);
    let find = format!(
        "select d.id, v.chunk, (1 - (v.embedding <=> $7::text::halfvec))::float4 from recall_1.{} v \
         cross join lateral (select o.document from recall_1.occurrence o \
           where o.tenant = $1 and o.chunk = v.chunk offset 0) o {VISIBLE} \
         where v.tenant = $1 order by v.embedding <=> $7::text::halfvec limit {depth}",
        schema::vectors(model)
    );
    let mut connection = pool.connection().await?;
    let rows = match connection.rows(&find, &conditions.with(&[&text])).await {
        Err(StoreError::Empty) => return Ok(None),
        rows => rows?,
    };
    connection.done();
    let candidate =
        |row: &tokio_postgres::Row| CandidateRow { document: row.get(0), chunk: Some(row.get(1)), score: row.get(2) };
    Ok(Some(rows.iter().map(candidate).filter(|candidate| !candidate.score.is_nan()).collect()))
}

/// A document, with the numbers of its chunks.
struct Row {
    document: Document,
    numbers: Vec<i64>,
}

/// Reads documents. All of a document is in one row: a search finds a hundred, with a thousand chunks.
async fn records(pool: &Arc<Pool>, documents: &[i64]) -> Result<Vec<Row>, StoreError> {
    let read = "select b.repository, d.path, d.key, d.record, d.chunk_keys, d.chunks from recall_1.document d \
                join recall_1.branch b on b.tenant = $1 and b.id = d.branch where d.tenant = $1 and d.id = any($2)";
    let mut connection = pool.connection().await?;
    let rows = connection.rows(read, &[&pool.tenant, &documents]).await?;
    connection.done();
    rows.iter().map(|row| Ok(Row { document: document_of(row)?, numbers: row.get(5) })).collect()
}

/// Converts a row of a repository, a path, a key, a record and the keys of chunks.
pub(super) fn document_of(row: &tokio_postgres::Row) -> Result<Document, StoreError> {
    let chunk = |key| Chunk { key, cosine: None, is_near: false };
    let chunks = Key::all_of(row.get(4))?.into_iter().map(chunk).collect();
    Ok(Document { repository: row.get(0), path: row.get(1), key: key(row.get(2))?, record: row.get(3), chunks })
}

pub(super) async fn document(pool: Arc<Pool>, places: Vec<Place>) -> Result<Option<WholeDocument>, StoreError> {
    let (repositories, paths): (Vec<String>, Vec<String>) =
        places.into_iter().map(|place| (place.repository, place.path)).unzip();
    let read = "select b.repository, d.path, d.key, d.record, d.chunk_keys, d.text \
                from unnest($2::text[], $3::text[]) with ordinality as p(repository, path, number) \
                join recall_1.branch b on b.tenant = $1 and b.repository = p.repository and b.is_default and b.generation > 0 \
                join recall_1.document d on d.tenant = $1 and d.branch = b.id and d.path = p.path and d.is_live \
                order by p.number limit 1";
    let mut connection = pool.connection().await?;
    let rows = connection.rows(read, &[&pool.tenant, &repositories, &paths]).await?;
    connection.done();
    rows.first().map(|row| Ok(WholeDocument { document: document_of(row)?, text: row.get(5) })).transpose()
}

async fn cosines(
    pool: &Arc<Pool>,
    ask: &Ask,
    has_cosines: bool,
    chunks: &[i64],
) -> Result<HashMap<i64, f32>, StoreError> {
    let Some((model, vector)) = ask.vector.as_ref().filter(|_| has_cosines && !chunks.is_empty()) else {
        return Ok(HashMap::new());
    };
    let text = vector_text(vector);
    let read = format!(
        "select v.chunk, (1 - (v.embedding <=> $2::text::halfvec))::float4 from recall_1.{} v \
         where v.tenant = $1 and v.chunk = any($3)",
        schema::vectors(model)
    );
    let mut connection = pool.connection().await?;
    let rows = connection.rows(&read, &[&pool.tenant, &text, &chunks]).await?;
    connection.done();
    let cosine = |row: &tokio_postgres::Row| (row.get(0), row.get(1));
    // The embedding of a text without meaning is all zero and has no cosine.
    Ok(rows.iter().map(cosine).filter(|(_, cosine): &(i64, f32)| !cosine.is_nan()).collect())
}

pub(super) async fn texts(pool: Arc<Pool>, chunks: Vec<Key>) -> Result<Vec<Option<String>>, StoreError> {
    let keys: Vec<&[u8]> = chunks.iter().map(|key| &key.0[..]).collect();
    let read = "select key, text from recall_1.chunk where tenant = $1 and key = any($2)";
    let mut connection = pool.connection().await?;
    let rows = connection.rows(read, &[&pool.tenant, &keys]).await?;
    connection.done();
    let known: HashMap<Key, String> =
        rows.iter().map(|row| Ok((key(row.get(0))?, row.get(1)))).collect::<Result<_, StoreError>>()?;
    Ok(chunks.iter().map(|key| known.get(key).cloned()).collect())
}

/// Keys and weights as parameters.
struct Parameters {
    keys: Vec<i32>,
    weights: Vec<f32>,
}

impl Parameters {
    fn new(wanted: &[Weighted]) -> Self {
        Self {
            keys: wanted.iter().map(|one| one.key.cast_signed()).collect(),
            weights: wanted.iter().map(|one| one.weight).collect(),
        }
    }
}

/// Returns the keys that are read: the rarest, as many as fit.
fn rarest(wanted: &[Weighted]) -> Vec<Weighted> {
    let mut wanted = wanted.to_vec();
    wanted.sort_by(|a, b| a.count.cmp(&b.count).then(b.weight.total_cmp(&a.weight)).then(a.key.cmp(&b.key)));
    let mut sum = 0;
    let fits = |one: &Weighted| {
        sum += one.count;
        sum <= READ_BY_KEYS
    };
    let count = wanted.iter().map(fits).take_while(|fits| *fits).count().max(1);
    wanted.truncate(count);
    wanted
}

fn distinct(ids: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut ids: Vec<i64> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns a condition on a path as a regular expression.
fn pattern(condition: &PathCondition) -> String {
    match condition {
        PathCondition::Below(directory) if directory.is_empty() => String::new(),
        PathCondition::Below(directory) => format!("^{}(/|$)", escape(directory)),
        PathCondition::Glob(glob) => format!("^{}$", glob_pattern(glob)),
    }
}

fn glob_pattern(glob: &str) -> String {
    let mut pattern = String::new();
    let mut rest = glob;
    let mut depth = 0;
    while let Some(next) = rest.chars().next() {
        let (taken, written) = if rest.starts_with("**/") {
            (3, "(.*/)?".to_owned())
        } else if rest.starts_with("**") {
            (2, ".*".to_owned())
        } else {
            let one = match next {
                '*' => "[^/]*".to_owned(),
                '?' => "[^/]".to_owned(),
                '{' => {
                    depth += 1;
                    "(".to_owned()
                }
                '}' if depth > 0 => {
                    depth -= 1;
                    ")".to_owned()
                }
                ',' if depth > 0 => "|".to_owned(),
                '[' => {
                    if let Some(end) = rest[1..].find(']').filter(|end| *end > 0) {
                        let class = rest[1..=end].replacen('!', "^", usize::from(rest[1..].starts_with('!')));
                        let _ = write!(pattern, "[{}]", class.replace('\\', "\\\\"));
                        rest = &rest[end + 2..];
                        continue;
                    }
                    "\\[".to_owned()
                }
                other => escape(&other.to_string()),
            };
            (next.len_utf8(), one)
        };
        pattern.push_str(&written);
        rest = &rest[taken..];
    }
    pattern
}

pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if ".^$*+?()[]{}|\\".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_regular_expressions() {
        let check = |glob, expected: &str| {
            assert_eq!(pattern(&PathCondition::Glob(String::from(glob))), expected, "{glob}");
        };
        check("src/*.rs", "^src/[^/]*\\.rs$");
        check("**/a?", "^(.*/)?a[^/]$");
        check("src/**", "^src/.*$");
        check("{a,b}/[!x]", "^(a|b)/[^x]$");
        check("a[", "^a\\[$");
    }

    #[test]
    fn a_directory_is_not_a_prefix_of_a_name() {
        assert_eq!(pattern(&PathCondition::Below("src/a".to_owned())), "^src/a(/|$)");
        assert_eq!(pattern(&PathCondition::Below(String::new())), "");
    }

    #[test]
    fn rare_keys_are_read_and_at_least_one() {
        let key = |key, count| Weighted { key, weight: 1.0, count };
        let keys = |wanted: &[Weighted]| rarest(wanted).iter().map(|one| one.key).collect::<Vec<_>>();
        assert_eq!(keys(&[key(1, 9_000), key(2, 10), key(3, 3_000)]), [2, 3]);
        assert_eq!(keys(&[key(1, 90_000), key(2, 100_000)]), [1]);
    }
}
