//! The tables, and the statements that read and write them.

use recall_core::{ChunkRow, DocumentRow, Generation};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row};

use crate::catalog::ReadError;

pub(crate) mod chunks;
pub(crate) mod documents;
pub(crate) mod edges;
pub(crate) mod failures;
pub(crate) mod symbols;
pub(crate) mod texts;

/// The version of the schema, and of what is packed in its columns. Raised if one of them changes.
pub(crate) const SCHEMA: u32 = 6;

/// Reads all rows of a statement. The statement stays prepared.
pub(crate) fn all<T>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let mut found = Vec::new();
    each(connection, statement, parameters, |row| {
        found.push(read(row)?);
        Ok(())
    })?;
    Ok(found)
}

/// Calls `visit` with each row of a statement.
pub(crate) fn each(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    mut visit: impl FnMut(&Row<'_>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut prepared = connection.prepare_cached(statement)?;
    let mut rows = prepared.query(parameters)?;
    while let Some(row) = rows.next()? {
        visit(row)?;
    }
    Ok(())
}

/// Reads the first row of a statement.
pub(crate) fn first<T>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, ReadError>,
) -> Result<Option<T>, ReadError> {
    let mut prepared = connection.prepare_cached(statement)?;
    let mut rows = prepared.query(parameters)?;
    rows.next()?.map(read).transpose()
}

/// Appends a parameter for each value in brackets, as in `(?,?)`, and adds the values to those to be bound.
pub(crate) fn push_list(statement: &mut String, bound: &mut Vec<Value>, values: impl Iterator<Item = Value>) {
    statement.push('(');
    for (place, value) in values.enumerate() {
        statement.push_str(if place == 0 { "?" } else { ",?" });
        bound.push(value);
    }
    statement.push(')');
}

/// The only row of `state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateRow {
    pub(crate) generation: Generation,
    pub(crate) next_document: DocumentRow,
    pub(crate) next_chunk: ChunkRow,
}

pub(crate) fn read_state(connection: &Connection) -> Result<StateRow, ReadError> {
    first(connection, "SELECT generation, next_document, next_chunk FROM state", [], |row| {
        Ok(StateRow {
            generation: Generation(row.get::<_, i64>(0)? as u64),
            next_document: DocumentRow(row.get(1)?),
            next_chunk: ChunkRow(row.get(2)?),
        })
    })?
    .ok_or_else(|| ReadError::damaged("the state row is missing"))
}

/// The generation, and whether documents are in the base.
pub(crate) fn read_generation(connection: &Connection) -> Result<(Generation, bool), ReadError> {
    first(connection, "SELECT generation, has_base FROM state", [], |row| {
        Ok((Generation(row.get::<_, i64>(0)? as u64), row.get(1)?))
    })?
    .ok_or_else(|| ReadError::damaged("the state row is missing"))
}

/// The version of the parser that parsed all documents.
pub(crate) fn parser_version(connection: &Connection) -> Result<u32, ReadError> {
    first(connection, "SELECT parsing FROM state", [], |row| Ok(row.get(0)?))?
        .ok_or_else(|| ReadError::damaged("the state row is missing"))
}

pub(crate) fn write_parser_version(connection: &Connection, version: u32) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE state SET parsing = ?1")?.execute([version])?;
    Ok(())
}

pub(crate) fn write_state(connection: &Connection, state: &StateRow) -> rusqlite::Result<()> {
    let StateRow { generation, next_document, next_chunk } = *state;
    connection.prepare_cached("UPDATE state SET generation = ?1, next_document = ?2, next_chunk = ?3")?.execute((
        generation.0 as i64,
        next_document.0,
        next_chunk.0,
    ))?;
    Ok(())
}
