//! The tables, and the statements that read and write them.

use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row};

use crate::catalog::ReadError;

pub(crate) mod chunks;
pub(crate) mod documents;
pub(crate) mod edges;
pub(crate) mod failures;
pub(crate) mod state;
pub(crate) mod symbols;
pub(crate) mod texts;

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
