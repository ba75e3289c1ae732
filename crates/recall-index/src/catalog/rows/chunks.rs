//! The table of chunks.

use std::ops::{ControlFlow, Range};

use recall_core::{ByteSpan, Chunk, ChunkKind, ChunkRow, DocumentRow, Span};
use rusqlite::{Connection, Row};

use crate::catalog::ReadError;

/// A row of `chunks`. The ordinal is 0 here: it follows from the rows of the document.
pub(crate) struct Entry {
    pub(crate) document: DocumentRow,
    pub(crate) chunk: Chunk,
}

/// Inserts the chunks of a document in consecutive rows.
pub(crate) fn insert(
    connection: &Connection,
    document: DocumentRow,
    first: ChunkRow,
    chunks: &[Chunk],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO main.chunks (row, document, kind, start_byte, end_byte, start_line, end_line, tokens, symbol, signature,
            doc_comment_start, doc_comment_end)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    for (row, chunk) in (first.0..).zip(chunks) {
        let Chunk { ordinal: _, kind, span, symbol, signature, doc_comment, tokens } = chunk;
        statement.execute((
            row,
            document.0,
            kind.as_str(),
            span.bytes.start,
            span.bytes.end,
            span.start_line,
            span.end_line,
            tokens,
            symbol,
            signature,
            doc_comment.map(|span| span.start),
            doc_comment.map(|span| span.end),
        ))?;
    }
    Ok(())
}

pub(crate) fn delete(connection: &Connection, rows: Range<i64>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM main.chunks WHERE row >= ?1 AND row < ?2")?
        .execute((rows.start, rows.end))?;
    Ok(())
}

pub(crate) fn by_row(connection: &Connection, row: ChunkRow) -> Result<Option<Entry>, ReadError> {
    super::first(
        connection,
        "SELECT document, kind, start_byte, end_byte, start_line, end_line, tokens, symbol, signature,
            doc_comment_start, doc_comment_end
        FROM chunks WHERE row = ?1",
        [row.0],
        read,
    )
}

/// Selects the columns in the order expected by [`read_with_row`].
pub(crate) const SELECT_WITH_ROW: &str =
    "SELECT document, kind, start_byte, end_byte, start_line, end_line, tokens, symbol,
    signature, doc_comment_start, doc_comment_end, row FROM chunks";

pub(crate) fn read_with_row(row: &Row<'_>) -> Result<(ChunkRow, Chunk), ReadError> {
    Ok((ChunkRow(row.get(11)?), read(row)?.chunk))
}

/// The chunks in a range of rows, with their ordinals.
pub(crate) fn in_rows(connection: &Connection, rows: Range<i64>) -> Result<Vec<Chunk>, ReadError> {
    let mut chunks: Vec<Chunk> = super::all(
        connection,
        "SELECT document, kind, start_byte, end_byte, start_line, end_line, tokens, symbol, signature,
            doc_comment_start, doc_comment_end
        FROM chunks WHERE row >= ?1 AND row < ?2 ORDER BY row",
        [rows.start, rows.end],
        |row| Ok(read(row)?.chunk),
    )?;
    if chunks.len() as i64 != rows.end - rows.start {
        return Err(ReadError::damaged(format!("some of the chunk rows {} to {} are missing", rows.start, rows.end)));
    }
    for (ordinal, chunk) in (0..).zip(&mut chunks) {
        chunk.ordinal = ordinal;
    }
    Ok(chunks)
}

/// A chunk near another one.
pub(crate) struct Neighbour<'a> {
    pub(crate) symbol: &'a str,
    pub(crate) signature: Option<&'a str>,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
}

/// Calls `visit` with the chunks from a row, inclusive, back to the first row of its document, until it returns `Break`.
pub(crate) fn backward_from(
    connection: &Connection,
    first: ChunkRow,
    row: ChunkRow,
    visit: impl FnMut(Neighbour<'_>) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let statement = "SELECT symbol, signature, start_line, end_line FROM chunks
        WHERE row >= ?1 AND row <= ?2 ORDER BY row DESC";
    neighbours(connection, statement, (first.0, row.0), visit)
}

/// Calls `visit` with the chunks after a row, up to another row, exclusive, until it returns `Break`.
pub(crate) fn forward_from(
    connection: &Connection,
    row: ChunkRow,
    end: ChunkRow,
    visit: impl FnMut(Neighbour<'_>) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let statement = "SELECT symbol, signature, start_line, end_line FROM chunks
        WHERE row > ?1 AND row < ?2 ORDER BY row";
    neighbours(connection, statement, (row.0, end.0), visit)
}

fn neighbours(
    connection: &Connection,
    statement: &str,
    bounds: (i64, i64),
    mut visit: impl FnMut(Neighbour<'_>) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mut prepared = connection.prepare_cached(statement)?;
    let mut rows = prepared.query(bounds)?;
    while let Some(row) = rows.next()? {
        let seen = visit(Neighbour {
            symbol: row.get_ref(0)?.as_str_or_null().map_err(rusqlite::Error::from)?.unwrap_or_default(),
            signature: row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)?,
            start_line: row.get(2)?,
            end_line: row.get(3)?,
        });
        if seen.is_break() {
            break;
        }
    }
    Ok(())
}

fn read(row: &Row<'_>) -> Result<Entry, ReadError> {
    let kind = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    let doc_comment = match (row.get(9)?, row.get(10)?) {
        (Some(start), Some(end)) => Some(ByteSpan { start, end }),
        _ => None,
    };
    Ok(Entry {
        document: DocumentRow(row.get(0)?),
        chunk: Chunk {
            ordinal: 0,
            kind: ChunkKind::from_name(kind)
                .ok_or_else(|| ReadError::damaged(format!("`{kind}` is not a kind of chunk")))?,
            span: Span {
                bytes: ByteSpan { start: row.get(2)?, end: row.get(3)? },
                start_line: row.get(4)?,
                end_line: row.get(5)?,
            },
            tokens: row.get(6)?,
            symbol: row.get(7)?,
            signature: row.get(8)?,
            doc_comment,
        },
    })
}
