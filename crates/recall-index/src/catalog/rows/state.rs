//! The committed generation and the next row numbers.

use recall_core::{ChunkRow, DocumentRow, Generation};
use rusqlite::Connection;

use crate::catalog::ReadError;

/// The only row of `state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateRow {
    pub(crate) generation: Generation,
    pub(crate) next_document: DocumentRow,
    pub(crate) next_chunk: ChunkRow,
    pub(crate) next_symbol: i64,
}

pub(crate) fn read(connection: &Connection) -> Result<StateRow, ReadError> {
    super::first(connection, "SELECT generation, next_document, next_chunk, next_symbol FROM state", [], |row| {
        Ok(StateRow {
            generation: Generation(row.get::<_, i64>(0)? as u64),
            next_document: DocumentRow(row.get(1)?),
            next_chunk: ChunkRow(row.get(2)?),
            next_symbol: row.get(3)?,
        })
    })?
    .ok_or_else(|| ReadError::damaged("the state row is missing"))
}

/// The version of the parser that parsed all documents.
pub(crate) fn parser_version(connection: &Connection) -> Result<u32, ReadError> {
    super::first(connection, "SELECT parsing FROM state", [], |row| Ok(row.get(0)?))?
        .ok_or_else(|| ReadError::damaged("the state row is missing"))
}

pub(crate) fn write_parser_version(connection: &Connection, version: u32) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE state SET parsing = ?1")?.execute([version])?;
    Ok(())
}

pub(crate) fn write(connection: &Connection, state: &StateRow) -> rusqlite::Result<()> {
    let StateRow { generation, next_document, next_chunk, next_symbol } = *state;
    connection
        .prepare_cached("UPDATE state SET generation = ?1, next_document = ?2, next_chunk = ?3, next_symbol = ?4")?
        .execute((generation.0 as i64, next_document.0, next_chunk.0, next_symbol))?;
    Ok(())
}
