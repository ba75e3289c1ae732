//! Eviction of embeddings.

use recall_core::ModelFingerprint;
use rusqlite::{Connection, TransactionBehavior};

use super::rows::TRANSACTION_LEN;
use super::{EmbeddingStoreError, rows};

/// The share of the bound that remains after an eviction, so that not every write evicts.
const KEPT_SHARE: f64 = 0.9;

/// Deletes the least recently used embeddings until the file is within its bound, and returns the space to the file
/// system.
pub(super) fn evict(connection: &mut Connection, most_bytes: u64) -> Result<(), EmbeddingStoreError> {
    let mut bytes = rows::bytes_in_use(connection)?;
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
        bytes = rows::bytes_in_use(connection)?;
    }
    shrink(connection)
}

/// Deletes all embeddings by a model. Returns their number.
pub(super) fn forget(connection: &mut Connection, model: ModelFingerprint) -> Result<usize, EmbeddingStoreError> {
    let Some(number) = rows::model_number(connection, model)? else { return Ok(0) };
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
