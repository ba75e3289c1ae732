//! The table of signatures of texts.

use recall_core::{DocumentRow, TextSignature};
use rusqlite::Connection;

use crate::ReadError;
use crate::checksum::{CHECKSUM_BYTES, checksum};

pub(crate) fn insert(connection: &Connection, document: DocumentRow, text: &str) -> rusqlite::Result<()> {
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
pub(crate) fn after(
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
