//! The table of compressed texts.

use recall_core::{ByteSpan, DocumentRow};
use rusqlite::Connection;

use crate::{ReadError, text_blocks};

pub(crate) fn insert(connection: &Connection, document: DocumentRow, text: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO main.texts (document, compressed) VALUES (?1, ?2)")?
        .execute((document.0, text_blocks::compress(text)))?;
    Ok(())
}

pub(crate) fn read(connection: &Connection, document: DocumentRow) -> Result<Option<String>, ReadError> {
    with_compressed(connection, document, |compressed| {
        text_blocks::decompress(compressed)
            .ok_or_else(|| ReadError::damaged(format!("the text of document row {} is corrupt", document.0)))
    })
}

pub(crate) fn read_span(
    connection: &Connection,
    document: DocumentRow,
    span: ByteSpan,
) -> Result<Option<String>, ReadError> {
    with_compressed(connection, document, |compressed| {
        text_blocks::decompress_span(compressed, span)
            .ok_or_else(|| ReadError::damaged(format!("the text of document row {} is corrupt", document.0)))
    })
}

/// Calls `read` with the stored text; see [`text_blocks::decompress_span`].
pub(crate) fn with_compressed<T>(
    connection: &Connection,
    document: DocumentRow,
    read: impl FnOnce(&[u8]) -> Result<T, ReadError>,
) -> Result<Option<T>, ReadError> {
    super::first(connection, "SELECT compressed FROM texts WHERE document = ?1", [document.0], |row| {
        read(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)
    })
}
