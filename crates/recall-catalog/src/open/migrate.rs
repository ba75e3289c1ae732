//! Which schema has a file, and how does it get the current one?

use std::path::Path;

use rusqlite::Connection;

use crate::OpenError;

/// What a catalog's header says to `file` and to everybody else who asks whose database it is: "rcll".
const APPLICATION_ID: i32 = 0x7263_6C6C;

/// The page size of a new file.
///
/// The compressed text of a small document is a row of some KiB. With pages of 4 KiB such rows leave a fifth of their
/// pages empty (bench `catalog` on files of 4 KB); larger pages take more of them, and fewer pages are written.
pub(super) const PAGE_BYTES: u32 = 16 * 1024;

/// The schemas' differences, in order; the first makes the first schema out of nothing. A released one never changes.
const MIGRATIONS: &[&str] = &[include_str!("schema_1.sql"), include_str!("schema_2.sql")];

/// The highest schema that this program knows.
pub(super) const KNOWN: u32 = MIGRATIONS.len() as u32;

/// Tells which schema a file has, without changing it; 0 when it is empty.
///
/// # Errors
/// The file is no catalog, or one with a newer schema.
pub(super) fn recognise(path: &Path, connection: &Connection) -> Result<u32, OpenError> {
    let wrong = |error| OpenError::new(path, error);
    // All of one state: another process may be making the schema at this moment.
    let reading = connection.unchecked_transaction().map_err(wrong)?;
    let application: i32 = reading.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(wrong)?;
    let things: i64 = reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(wrong)?;
    let found = version(&reading).map_err(wrong)?;
    reading.commit().map_err(wrong)?;
    if application == 0 && things == 0 {
        return Ok(0);
    }
    if application != APPLICATION_ID {
        return Err(OpenError::Damaged {
            path: path.to_owned(),
            reason: "it is a database of another program".to_owned(),
        });
    }
    if found > KNOWN {
        return Err(OpenError::NewerSchema { path: path.to_owned(), found, known: KNOWN });
    }
    Ok(found)
}

/// Brings a file to the current schema, in one transaction.
pub(super) fn migrate(path: &Path, connection: &Connection) -> Result<(), OpenError> {
    let wrong = |error| OpenError::new(path, error);
    if version(connection).map_err(wrong)? == KNOWN {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE").map_err(wrong)?;
    let outcome = apply_missing(connection).and_then(|()| connection.execute_batch("COMMIT"));
    if outcome.is_err() && !connection.is_autocommit() {
        // The first error is the one to report; without a commit the transaction ends with the connection at the latest.
        let _ = connection.execute_batch("ROLLBACK");
    }
    outcome.map_err(wrong)
}

/// Another process may have migrated while this one waited for the lock, so the version is read again under it.
fn apply_missing(connection: &Connection) -> rusqlite::Result<()> {
    let found = version(connection)?;
    for migration in MIGRATIONS.iter().skip(found as usize) {
        connection.execute_batch(migration)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", KNOWN.max(found))
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
