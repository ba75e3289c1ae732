//! The statements that read, write and evict embeddings.

use recall_core::{ModelFingerprint, TextHash};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::EmbeddingStoreError;

/// The number of embeddings written in one transaction: a few hundredths of a second in which no other process can
/// write.
pub(super) const TRANSACTION_LEN: usize = 4096;

/// A use of an embedding, by which the least used ones are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) row: i64,
    /// The day of the use, since 1970.
    pub(super) day: i64,
}

/// The contents of an embedding store in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingStatistics {
    /// Statistics of each model, by fingerprint.
    pub models: Vec<ModelStatistics>,
    /// The bytes in use in its file.
    pub bytes: u64,
}

/// The contents of an embedding store for one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStatistics {
    /// The fingerprint of the model.
    pub fingerprint: ModelFingerprint,
    /// The number of embeddings.
    pub embeddings: u64,
}

/// The key of an embedding: a prefix of the hash of model and text, long enough to be unique.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name([u8; 20]);

impl Name {
    fn new(model: ModelFingerprint, text: TextHash) -> Self {
        let key = model.key_of(text);
        Self(*key.first_chunk().expect("longer than a name"))
    }

    /// The checksum of an embedding with this name.
    fn checksum(self, embedding: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&self.0);
        hasher.update(embedding);
        hasher.finalize()
    }
}

/// Reads embeddings, and records those that were not used before on this day.
pub(super) fn get(
    connection: &Connection,
    model: ModelFingerprint,
    texts: &[TextHash],
    day: i64,
    used: &mut Vec<Use>,
) -> Result<Vec<Option<Vec<u8>>>, EmbeddingStoreError> {
    let mut names: Vec<(Name, usize)> =
        texts.iter().enumerate().map(|(place, text)| (Name::new(model, *text), place)).collect();
    // Sorted, so that adjacent index entries are read together.
    names.sort_unstable();
    let mut found = vec![None; texts.len()];
    // One consistent state, and one lock.
    let transaction = connection.unchecked_transaction()?;
    {
        let statement = "SELECT row, used, checksum, embedding FROM embeddings WHERE name = ?1";
        let mut statement = transaction.prepare_cached(statement)?;
        for (name, place) in names {
            let mut rows = statement.query([&name.0[..]])?;
            let Some(row) = rows.next()? else { continue };
            let embedding = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
            if row.get::<_, i64>(2)? != i64::from(name.checksum(embedding)) {
                continue;
            }
            found[place] = Some(embedding.to_vec());
            if row.get::<_, i64>(1)? < day {
                used.push(Use { row: row.get(0)?, day });
            }
        }
    }
    transaction.commit()?;
    Ok(found)
}

pub(super) fn put(
    connection: &Connection,
    model: ModelFingerprint,
    embeddings: &[(TextHash, &[u8])],
    day: i64,
) -> Result<(), EmbeddingStoreError> {
    connection.execute("INSERT INTO models (fingerprint) VALUES (?1) ON CONFLICT DO NOTHING", [&model.0[..]])?;
    let number = model_number(connection, model)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let statement = "INSERT OR REPLACE INTO embeddings (name, model, used, checksum, embedding) \
                     VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = connection.prepare_cached(statement)?;
    for (text, embedding) in embeddings {
        let name = Name::new(model, *text);
        statement.execute((&name.0[..], number, day, name.checksum(embedding), embedding))?;
    }
    Ok(())
}

pub(super) fn write_uses(connection: &Connection, uses: &[Use]) -> Result<(), EmbeddingStoreError> {
    let mut statement = connection.prepare_cached("UPDATE embeddings SET used = ?2 WHERE row = ?1 AND used < ?2")?;
    for Use { row, day } in uses {
        statement.execute((row, day))?;
    }
    Ok(())
}

pub(super) fn model_number(
    connection: &Connection,
    model: ModelFingerprint,
) -> Result<Option<i64>, EmbeddingStoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM models WHERE fingerprint = ?1")?;
    Ok(statement.query_row([&model.0[..]], |row| row.get(0)).optional()?)
}

pub(super) fn statistics(connection: &Connection) -> Result<EmbeddingStatistics, EmbeddingStoreError> {
    let statement = "SELECT models.fingerprint, counts.embeddings FROM \
                     (SELECT model, count(*) AS embeddings FROM embeddings INDEXED BY embeddings_by_use GROUP BY model) \
                     AS counts JOIN models ON models.id = counts.model ORDER BY models.fingerprint";
    let mut statement = connection.prepare_cached(statement)?;
    let mut rows = statement.query([])?;
    let mut models = Vec::new();
    while let Some(row) = rows.next()? {
        let fingerprint = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        let fingerprint =
            fingerprint.try_into().map_err(|_| EmbeddingStoreError::damaged("a fingerprint is too short"))?;
        let embeddings = row.get::<_, i64>(1)? as u64;
        models.push(ModelStatistics { fingerprint: ModelFingerprint(fingerprint), embeddings });
    }
    Ok(EmbeddingStatistics { models, bytes: bytes_in_use(connection)? })
}

/// The bytes of all pages that are not free.
pub(super) fn bytes_in_use(connection: &Connection) -> Result<u64, EmbeddingStoreError> {
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let pages = number("PRAGMA page_count")? - number("PRAGMA freelist_count")?;
    Ok((pages * number("PRAGMA page_size")?) as u64)
}

/// The share of the bound that remains after an eviction, so that not every write evicts.
const KEPT_SHARE: f64 = 0.9;

/// Deletes the least recently used embeddings until the file is within its bound, and returns the space to the file
/// system.
pub(super) fn evict(connection: &mut Connection, most_bytes: u64) -> Result<(), EmbeddingStoreError> {
    let mut bytes = bytes_in_use(connection)?;
    if bytes <= most_bytes {
        return Ok(());
    }
    // Indexes keep half-empty pages, so a second round may be needed.
    while bytes > most_bytes {
        let count: i64 = connection.query_row("SELECT count(*) FROM embeddings", [], |row| row.get(0))?;
        let excess = count as f64 * (1.0 - most_bytes as f64 * KEPT_SHARE / bytes as f64);
        let longest_unused = "SELECT row FROM embeddings ORDER BY used, model, row LIMIT ?1";
        if delete(connection, excess.ceil() as usize, longest_unused)? == 0 {
            break;
        }
        bytes = bytes_in_use(connection)?;
    }
    shrink(connection)
}

/// Deletes all embeddings by a model. Returns their number.
pub(super) fn forget(connection: &mut Connection, model: ModelFingerprint) -> Result<usize, EmbeddingStoreError> {
    let Some(number) = model_number(connection, model)? else { return Ok(0) };
    let some = format!("SELECT row FROM embeddings INDEXED BY embeddings_by_use WHERE model = {number} LIMIT ?1");
    let deleted = delete(connection, usize::MAX, &some)?;
    connection.execute("DELETE FROM models WHERE id = ?1", [number])?;
    shrink(connection)?;
    Ok(deleted)
}

/// Deletes the rows selected by a statement, at most `most`. Uses several transactions, so that others can write in
/// between.
fn delete(connection: &mut Connection, most: usize, rows: &str) -> Result<usize, EmbeddingStoreError> {
    let statement = format!("DELETE FROM embeddings WHERE row IN ({rows})");
    let mut deleted = 0;
    while deleted < most {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let some = transaction.execute(&statement, [(most - deleted).min(TRANSACTION_LEN) as i64])?;
        transaction.commit()?;
        if some == 0 {
            break;
        }
        deleted += some;
    }
    Ok(deleted)
}

/// Truncates free pages and checkpoints the log.
fn shrink(connection: &Connection) -> Result<(), EmbeddingStoreError> {
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut steps = statement.query([])?;
    // Each step frees one page.
    while steps.next()?.is_some() {}
    // Active readers keep a part of the log until the next time.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
