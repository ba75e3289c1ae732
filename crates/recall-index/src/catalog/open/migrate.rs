//! Schema recognition and migration.

use std::path::Path;

use rusqlite::Connection;

use crate::catalog::CatalogOpenError;

/// The application id in the header, which identifies a catalog to `file` and other programs: "rcll".
const APPLICATION_ID: i32 = 0x7263_6C6C;

/// The page size of a new file.
///
/// The compressed text of a small document is a row of some KiB. With pages of 4 KiB such rows leave a fifth of their
/// pages empty (bench `catalog` on files of 4 KB); larger pages take more of them, and fewer pages are written.
pub(super) const PAGE_BYTES: u32 = 16 * 1024;

/// The migrations in order. The first creates schema 1 in an empty file. A released migration never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
];

/// The newest schema that this version supports.
pub(super) const SUPPORTED: u32 = MIGRATIONS.len() as u32;

/// Returns the schema of a file without changing the file. 0 if it is empty.
///
/// # Errors
/// The file is not a catalog, or its schema is newer.
pub(super) fn recognise(path: &Path, connection: &Connection) -> Result<u32, CatalogOpenError> {
    let open_error = |error| CatalogOpenError::new(path, error);
    // In one transaction, because another process may be creating the schema right now.
    let reading = connection.unchecked_transaction().map_err(open_error)?;
    let application: i32 = reading.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(open_error)?;
    let objects: i64 =
        reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(open_error)?;
    let found = version(&reading).map_err(open_error)?;
    reading.commit().map_err(open_error)?;
    if application == 0 && objects == 0 {
        return Ok(0);
    }
    if application != APPLICATION_ID {
        return Err(CatalogOpenError::Damaged {
            path: path.to_owned(),
            reason: "it is a database of another application".to_owned(),
        });
    }
    if found > SUPPORTED {
        return Err(CatalogOpenError::NewerSchema { path: path.to_owned(), found, known: SUPPORTED });
    }
    Ok(found)
}

/// Migrates a file to the current schema in one transaction.
pub(super) fn migrate(path: &Path, connection: &Connection) -> Result<(), CatalogOpenError> {
    let open_error = |error| CatalogOpenError::new(path, error);
    if version(connection).map_err(open_error)? == SUPPORTED {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE").map_err(open_error)?;
    let outcome = apply_missing(connection).and_then(|()| connection.execute_batch("COMMIT"));
    if outcome.is_err() && !connection.is_autocommit() {
        // Report the first error. An uncommitted transaction ends with the connection at the latest.
        let _ = connection.execute_batch("ROLLBACK");
    }
    outcome.map_err(open_error)
}

/// Reads the version again under the lock, because another process may have migrated meanwhile.
fn apply_missing(connection: &Connection) -> rusqlite::Result<()> {
    let found = version(connection)?;
    for migration in MIGRATIONS.iter().skip(found as usize) {
        connection.execute_batch(migration)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SUPPORTED.max(found))
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
