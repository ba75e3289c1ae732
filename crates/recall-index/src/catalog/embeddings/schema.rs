//! Opening and creation of an embedding store's file.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::EmbeddingStoreError;
use crate::catalog::connection::{self, Role};
use crate::catalog::open;

/// The application id in the header, which identifies the file to other programs: "rcle".
const APPLICATION_ID: i32 = 0x7263_6C65;

/// The schema version. An older file is replaced instead of migrated, because everything in it can be computed again.
const SCHEMA: u32 = 1;

/// Rows are read at random positions, a few hundred bytes at a time, so most of a larger page would be read in vain.
const PAGE_BYTES: u32 = 4096;

/// Opens or creates a store's file.
pub(super) fn open(path: &Path) -> Result<Connection, EmbeddingStoreError> {
    open::create(path).map_err(|source| EmbeddingStoreError::io(path, source))?;
    let mut connection = connection::open(path, Role::Write)?;
    // Reads both in one transaction: another process may be creating the schema.
    let reading = connection.transaction()?;
    let application: i32 = reading.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let things: i64 = reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    reading.commit()?;
    if application == 0 && things == 0 {
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        // What eviction frees can be given back.
        connection.pragma_update(None, "auto_vacuum", "incremental")?;
    } else if application != APPLICATION_ID {
        return Err(EmbeddingStoreError::damaged("it is a database of another application"));
    }
    open::switch_to_wal(&connection)?;
    // Another process may have made the schema meanwhile, so it is looked for under the lock.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match found {
        SCHEMA => {}
        0 => {
            transaction.execute_batch(include_str!("schema_1.sql"))?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", SCHEMA)?;
        }
        newer => return Err(EmbeddingStoreError::NewerSchema { found: newer, known: SCHEMA }),
    }
    transaction.commit()?;
    Ok(connection)
}
