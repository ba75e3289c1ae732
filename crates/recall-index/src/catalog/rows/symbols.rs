//! The table of symbols.

use std::ops::Range;

use recall_core::{ByteSpan, ChunkRow, DocumentRow, Span, Symbol, SymbolKind};
use rusqlite::{Connection, Row};

use crate::catalog::ReadError;

/// Inserts the symbols of a document in consecutive rows.
pub(crate) fn insert(
    connection: &Connection,
    document: DocumentRow,
    first: i64,
    symbols: &[Symbol],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO main.symbols (row, document, chunk, kind, qualified, name, start_byte, end_byte, start_line, end_line)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (row, symbol) in (first..).zip(symbols) {
        let Symbol { name, qualified, kind, span, chunk } = symbol;
        statement.execute((
            row,
            document.0,
            chunk,
            kind.as_str(),
            qualified,
            (last_part(qualified) != name).then_some(name),
            span.bytes.start,
            span.bytes.end,
            span.start_line,
            span.end_line,
        ))?;
    }
    Ok(())
}

pub(crate) fn delete(connection: &Connection, rows: Range<i64>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM main.symbols WHERE row >= ?1 AND row < ?2")?
        .execute((rows.start, rows.end))?;
    Ok(())
}

/// Selects the symbols from row `?1` to row `?2`, exclusive, that satisfy a condition, in order.
macro_rules! in_rows {
    ($condition:literal) => {
        concat!(
            "SELECT chunk, kind, qualified, name, start_byte, end_byte, start_line, end_line
            FROM symbols WHERE row >= ?1 AND row < ?2 AND ",
            $condition,
            " ORDER BY row"
        )
    };
}

/// Returns the rows of a document's symbols; `None` if the document does not exist.
fn rows_of(connection: &Connection, document: DocumentRow) -> Result<Option<Range<i64>>, ReadError> {
    let statement = "SELECT first_symbol, symbol_count FROM documents WHERE row = ?1";
    super::first(connection, statement, [document.0], |row| {
        let (first, count): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(first..first + count)
    })
}

/// The symbols in a range of rows, in order.
pub(crate) fn in_rows(connection: &Connection, rows: Range<i64>) -> Result<Vec<Symbol>, ReadError> {
    let symbols = super::all(connection, in_rows!("true"), [rows.start, rows.end], read)?;
    if symbols.len() as i64 != rows.end - rows.start {
        return Err(ReadError::damaged(format!("some of the symbol rows {} to {} are missing", rows.start, rows.end)));
    }
    Ok(symbols)
}

/// The symbols whose names are in one chunk of a document, in order.
pub(crate) fn in_chunk(
    connection: &Connection,
    document: DocumentRow,
    chunk: ChunkRow,
) -> Result<Vec<Symbol>, ReadError> {
    let Some(rows) = rows_of(connection, document)? else { return Ok(Vec::new()) };
    let statement = in_rows!("chunk = ?3 - (SELECT first_chunk FROM documents WHERE row = ?4)");
    super::all(connection, statement, [rows.start, rows.end, chunk.0, document.0], read)
}

/// The symbols of a document that overlap a span, in order.
pub(crate) fn around(connection: &Connection, document: DocumentRow, span: ByteSpan) -> Result<Vec<Symbol>, ReadError> {
    let Some(rows) = rows_of(connection, document)? else { return Ok(Vec::new()) };
    let bounds = (rows.start, rows.end, span.start, span.end);
    super::all(connection, in_rows!("start_byte < ?4 AND end_byte > ?3"), bounds, read)
}

/// The symbols of a document whose lines contain all lines of a span, in order.
///
/// Symbols are stored by their start, so symbols after the start of the span are not read.
pub(crate) fn holding(connection: &Connection, document: DocumentRow, span: Span) -> Result<Vec<Symbol>, ReadError> {
    let mut holding = Vec::new();
    let Some(rows) = rows_of(connection, document)? else { return Ok(holding) };
    let mut prepared = connection.prepare_cached(in_rows!("(end_line >= ?4 OR start_line > ?3)"))?;
    let mut rows = prepared.query((rows.start, rows.end, span.start_line, span.end_line))?;
    while let Some(row) = rows.next()? {
        let start_line: u32 = row.get(6)?;
        if start_line > span.start_line {
            break;
        }
        holding.push(read(row)?);
    }
    Ok(holding)
}

/// Calls `visit` with the kind, the bare and the qualified name of every symbol, in the order of rows, which is that of documents.
pub(crate) fn each_name(
    connection: &Connection,
    mut visit: impl FnMut(DocumentRow, SymbolKind, &str, &str),
) -> Result<(), ReadError> {
    super::each(connection, "SELECT document, kind, qualified, name FROM symbols ORDER BY row", [], |row| {
        let qualified = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        let name = row.get_ref(3)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        let kind = kind_of(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
        visit(DocumentRow(row.get(0)?), kind, name.unwrap_or_else(|| last_part(qualified)), qualified);
        Ok(())
    })
}

fn kind_of(name: &str) -> Result<SymbolKind, ReadError> {
    SymbolKind::from_name(name).ok_or_else(|| ReadError::damaged(format!("`{name}` is not a kind of symbol")))
}

fn read(row: &Row<'_>) -> Result<Symbol, ReadError> {
    let kind = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    let qualified: String = row.get(2)?;
    let name: Option<String> = row.get(3)?;
    Ok(Symbol {
        name: name.unwrap_or_else(|| last_part(&qualified).to_owned()),
        qualified,
        kind: kind_of(kind)?,
        span: Span {
            bytes: ByteSpan { start: row.get(4)?, end: row.get(5)? },
            start_line: row.get(6)?,
            end_line: row.get(7)?,
        },
        chunk: row.get(0)?,
    })
}

/// The part after the last `::`.
fn last_part(qualified: &str) -> &str {
    qualified.rsplit_once("::").map_or(qualified, |(_, last)| last)
}
