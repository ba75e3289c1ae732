//! The base of a catalog: a read-only file with documents that several catalogs share.
//!
//! A catalog that was [forked](crate::catalog::Catalog::fork) has the same documents as its source. These, their chunks, symbols, edges
//! and texts are stored once, in `base.db`, of which each catalog's folder has a hard link. So the file system counts who needs it.
//! A catalog says which documents of the base it has, with the size and time of the file, which differ between work trees: some
//! twenty bytes a document. A copy of the documents would take 200, so that twenty work trees would take half as much as the
//! base. Rows are never reused, so a row of the base is either what it was or belongs to a document that the catalog does not have.
//!
//! Statements read the tables through temporary views of the same names and write to `main`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use recall_os::delete_file;
use rusqlite::{Connection, OptionalExtension as _};

use crate::catalog::ReadError;
use crate::catalog::rows::SCHEMA;

/// The name of the file in the folder of the catalog.
const FILE: &str = "base.db";

/// The reason of the damage of a catalog without the base that it needs.
pub(crate) const MISSING: &str = "the file of the contents that it shares is missing or of another catalog";

/// The tables of contents, each with a column `document`.
const TABLES: [&str; 7] = ["chunks", "symbols", "edges", "reference_edges", "texts", "signatures", "tags"];

/// The view of documents, with the columns in the order of the table.
const DOCUMENTS: &str = "CREATE TEMP VIEW documents AS SELECT * FROM main.documents UNION ALL
    SELECT own.row, id, path, type, title, own_title, language, hash, own.size_bytes, own.modified, created, file_kind, own_tags,
        source, outcome, reason, text_bytes, first_chunk, chunk_count, symbol_count, edge_count
    FROM base.documents AS theirs JOIN main.shared_documents AS own ON own.row = theirs.row";

pub(crate) fn file(catalog: &Path) -> PathBuf {
    catalog.with_file_name(FILE)
}

/// Whether the catalog's own file lacks documents that are in the base.
pub(crate) fn is_needed(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT has_base FROM main.state", [], |row| row.get(0))
}

/// Whether the connection has the views.
pub(crate) fn is_attached(connection: &Connection) -> bool {
    connection.is_readonly("base").is_ok()
}

/// Attaches the base, if there is one of this catalog, and creates the views.
///
/// The views show only documents in `shared_documents`, so a connection may be older than the base's [adoption](adopt) or its
/// [end](give_up_if_mostly_unused).
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
            WHERE EXISTS (SELECT 1 FROM main.shared_documents WHERE row = shared.document)"
        ))?;
    }
    connection.execute_batch(DOCUMENTS)?;
    Ok(())
}

/// Attaches the base; `false` if it is of another catalog or schema.
fn attach_related(connection: &Connection, base: &Path) -> rusqlite::Result<bool> {
    attach_file(connection, base)?;
    let schema: u32 = connection.query_row("PRAGMA base.user_version", [], |row| row.get(0))?;
    let lineage = "SELECT 1 FROM main.state JOIN base.state ON main.state.lineage = base.state.lineage";
    let is_related = schema == SCHEMA && connection.query_row(lineage, [], |_| Ok(())).optional()?.is_some();
    if !is_related {
        connection.execute_batch("DETACH base")?;
    }
    Ok(is_related)
}

/// Attaches a base as it is, without views.
pub(crate) fn attach_file(connection: &Connection, base: &Path) -> rusqlite::Result<()> {
    connection.execute("ATTACH ?1 AS base", [immutable_uri(base).to_string_lossy()])?;
    Ok(())
}

/// Deletes documents from the catalog's own file that the base has, and returns whether it did, so that the file can be made
/// smaller. Deletes a base of another catalog.
pub(crate) fn adopt(connection: &Connection, catalog: &Path) -> rusqlite::Result<bool> {
    if is_needed(connection)? {
        return Ok(false);
    }
    if !is_attached(connection) {
        // The catalog was rebuilt since the base was made. A file that cannot be deleted only takes space.
        let _ = delete_file(&file(catalog));
        return Ok(false);
    }
    move_documents(connection)?;
    Ok(true)
}

fn move_documents(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = connection.unchecked_transaction()?;
    transaction.execute(
        "INSERT INTO main.shared_documents (row, size_bytes, modified)
        SELECT row, size_bytes, modified FROM main.documents WHERE row IN (SELECT row FROM base.documents)",
        [],
    )?;
    for table in TABLES {
        let statement = format!("DELETE FROM main.{table} WHERE document IN (SELECT row FROM main.shared_documents)");
        transaction.execute(&statement, [])?;
    }
    transaction.execute("DELETE FROM main.documents WHERE row IN (SELECT row FROM main.shared_documents)", [])?;
    transaction.execute("UPDATE main.state SET has_base = 1", [])?;
    transaction.commit()
}

/// Copies the documents that are needed from the base and deletes the base, if less than half of its documents are still here.
pub(crate) fn give_up_if_mostly_unused(connection: &Connection, catalog: &Path) -> rusqlite::Result<()> {
    if !is_needed(connection)? {
        return Ok(());
    }
    let counts = "SELECT (SELECT count(*) FROM base.documents), (SELECT count(*) FROM main.shared_documents)";
    let (all, used): (i64, i64) = connection.query_row(counts, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if used * 2 >= all {
        return Ok(());
    }
    let transaction = connection.unchecked_transaction()?;
    // The documents first, because contents refer to them.
    transaction.execute_batch(
        "INSERT INTO main.documents SELECT * FROM temp.documents WHERE row IN (SELECT row FROM main.shared_documents)",
    )?;
    for table in TABLES {
        transaction.execute_batch(&format!(
            "INSERT INTO main.{table} SELECT shared.* FROM base.{table} AS shared
                WHERE EXISTS (SELECT 1 FROM main.shared_documents WHERE row = shared.document)"
        ))?;
    }
    transaction.execute_batch("DELETE FROM main.shared_documents; UPDATE main.state SET has_base = 0")?;
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
