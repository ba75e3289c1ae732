//! The table of tags.

use recall_core::DocumentRow;
use rusqlite::Connection;

use crate::ReadError;

pub(crate) fn insert(connection: &Connection, document: DocumentRow, tags: &[String]) -> rusqlite::Result<()> {
    for tag in tags {
        connection
            .prepare_cached("INSERT OR IGNORE INTO tags (document, tag) VALUES (?1, ?2)")?
            .execute((document.0, tag))?;
    }
    Ok(())
}

/// Whether any document has a tag.
pub(crate) fn are_any(connection: &Connection) -> Result<bool, ReadError> {
    Ok(super::first(connection, "SELECT 1 FROM tags LIMIT 1", [], |_| Ok(()))?.is_some())
}

/// The tags of a document, sorted.
pub(crate) fn read(connection: &Connection, document: DocumentRow) -> Result<Vec<String>, ReadError> {
    super::all(connection, "SELECT tag FROM tags WHERE document = ?1 ORDER BY tag", [document.0], |row| Ok(row.get(0)?))
}
