//! The tables of compressed texts and of their signatures.

use recall_core::{ByteSpan, DocumentRow};
use recall_text::TextSignature;
use rusqlite::Connection;

use crate::catalog::checksum::{CHECKSUM_BYTES, checksum};
use crate::catalog::{ReadError, text_blocks};

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

pub(crate) fn insert_signature(connection: &Connection, document: DocumentRow, text: &str) -> rusqlite::Result<()> {
    let signature = TextSignature::compute(text);
    // A changed bit would hide a text from a search.
    let mut packed = checksum(signature.as_bytes()).to_vec();
    packed.extend_from_slice(signature.as_bytes());
    connection
        .prepare_cached("INSERT INTO main.signatures (document, packed) VALUES (?1, ?2)")?
        .execute((document.0, packed))?;
    Ok(())
}

/// Calls `visit` with the signatures of the documents after a row, in the order of rows.
pub(crate) fn signatures_after(
    connection: &Connection,
    row: DocumentRow,
    mut visit: impl FnMut(DocumentRow, TextSignature),
) -> Result<(), ReadError> {
    let statement = "SELECT document, packed FROM signatures WHERE document > ?1 ORDER BY document";
    super::each(connection, statement, [row.0], |columns| {
        let document = DocumentRow(columns.get(0)?);
        let packed = columns.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let signature = unpack(packed).ok_or_else(|| {
            ReadError::damaged(format!("the signature of the text of document row {} is corrupt", document.0))
        })?;
        visit(document, signature);
        Ok(())
    })
}

fn unpack(packed: &[u8]) -> Option<TextSignature> {
    let (expected, bytes) = packed.split_first_chunk::<CHECKSUM_BYTES>()?;
    (checksum(bytes) == *expected).then(|| TextSignature::from_bytes(bytes))?
}
