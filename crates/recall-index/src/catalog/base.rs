//! The base of a catalog: a read-only file with contents of documents that several catalogs share.
//!
//! A catalog that was [forked](crate::catalog::Catalog::fork) has the same documents as its source. Their chunks, symbols, edges and texts are
//! stored once, in `base.db`, of which each catalog's folder has a hard link. So the file system counts who needs it. The
//! documents themselves are copied: each catalog deletes, adds and replaces its own. Rows are never reused, so a row of the base is
//! either what it was or belongs to a document that the catalog does not have.
//!
//! Statements read the tables of contents through temporary views of the same names and write to `main`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use recall_os::delete_file;
use rusqlite::{Connection, OptionalExtension as _};

use crate::catalog::ReadError;

/// The name of the file in the folder of the catalog.
const FILE: &str = "base.db";

/// The reason of the damage of a catalog without the base that it needs.
const MISSING: &str = "the file of the contents that it shares is missing or of another catalog";

/// The tables of contents, each with a column `document`.
const TABLES: [&str; 6] = ["chunks", "symbols", "edges", "reference_edges", "texts", "signatures"];

pub(crate) fn file(catalog: &Path) -> PathBuf {
    catalog.with_file_name(FILE)
}

/// Whether the catalog's own file lacks contents that are in the base.
fn is_needed(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT has_base FROM main.state", [], |row| row.get(0))
}

/// Attaches the base, if there is one of this catalog, and creates the views.
///
/// The views show contents of the base only while the catalog needs it, so a connection may be older than the base's
/// [adoption](adopt) or its [end](give_up_if_mostly_unused).
///
/// # Errors
/// An error of SQLite, or [`ReadError::Damaged`] if `base.db` is missing and a document refers to it.
pub(crate) fn attach(connection: &Connection, catalog: &Path) -> Result<(), ReadError> {
    let base = file(catalog);
    if !base.exists() || !attach_related(connection, &base)? {
        return if is_needed(connection)? { Err(ReadError::damaged(MISSING)) } else { Ok(()) };
    }
    for table in TABLES {
        connection.execute_batch(&format!(
            "CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} UNION ALL SELECT shared.* FROM base.{table} AS shared
            WHERE (SELECT has_base FROM main.state) AND EXISTS (SELECT 1 FROM main.documents WHERE row = shared.document)"
        ))?;
    }
    Ok(())
}

/// Attaches the base; `false` if it is of another catalog or schema.
fn attach_related(connection: &Connection, base: &Path) -> rusqlite::Result<bool> {
    connection.execute("ATTACH ?1 AS base", [immutable_uri(base).to_string_lossy()])?;
    let version = |schema| -> rusqlite::Result<u32> {
        connection.query_row(&format!("PRAGMA {schema}.user_version"), [], |row| row.get(0))
    };
    let is_same_schema = version("main")? == version("base")?;
    let lineage = "SELECT 1 FROM main.state JOIN base.state ON main.state.lineage = base.state.lineage";
    let is_related = is_same_schema && connection.query_row(lineage, [], |_| Ok(())).optional()?.is_some();
    if !is_related {
        connection.execute_batch("DETACH base")?;
    }
    Ok(is_related)
}

/// Deletes contents from the catalog's own file that the base has. Deletes a base of another catalog.
pub(crate) fn adopt(connection: &Connection, catalog: &Path) -> rusqlite::Result<()> {
    if is_needed(connection)? {
        return Ok(());
    }
    let attached = "SELECT 1 FROM pragma_database_list WHERE name = 'base'";
    if connection.query_row(attached, [], |_| Ok(())).optional()?.is_none() {
        // The catalog was rebuilt since the base was made. A file that cannot be deleted only takes space.
        let _ = delete_file(&file(catalog));
        return Ok(());
    }
    let transaction = connection.unchecked_transaction()?;
    for table in TABLES {
        let statement = format!("DELETE FROM main.{table} WHERE document IN (SELECT row FROM base.documents)");
        transaction.execute(&statement, [])?;
    }
    transaction.execute("UPDATE main.state SET has_base = 1", [])?;
    transaction.commit()?;
    connection.execute_batch("VACUUM main")?;
    // The log is as large as the contents that were deleted.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Copies the contents that are needed from the base and deletes the base, if less than half of its documents are still here.
pub(crate) fn give_up_if_mostly_unused(connection: &Connection, catalog: &Path) -> rusqlite::Result<()> {
    if !is_needed(connection)? {
        return Ok(());
    }
    let counts = "SELECT count(*), count(mine.row) FROM base.documents AS theirs
        LEFT JOIN main.documents AS mine ON mine.row = theirs.row";
    let (all, used): (i64, i64) = connection.query_row(counts, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if used * 2 >= all {
        return Ok(());
    }
    let transaction = connection.unchecked_transaction()?;
    for table in TABLES {
        transaction.execute_batch(&format!(
            "INSERT INTO main.{table} SELECT shared.* FROM base.{table} AS shared
                WHERE EXISTS (SELECT 1 FROM main.documents WHERE row = shared.document)"
        ))?;
    }
    transaction.execute("UPDATE main.state SET has_base = 0", [])?;
    transaction.commit()?;
    // A base that remains is adopted again at the next opening.
    let _ = delete_file(&file(catalog));
    Ok(())
}

/// The URI that makes SQLite read a file without locks, log and shared memory.
pub(crate) fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => uri.push(char::from(*byte)),
            other => write!(uri, "%{other:02X}").expect("writing to a string cannot fail"),
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}
