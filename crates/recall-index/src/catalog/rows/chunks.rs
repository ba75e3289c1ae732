//! The table of chunks.
//!
//! A row holds up to [`PART_CHUNKS`] consecutive chunks of a document, packed, under the number of the first one. So a chunk has a
//! number, as if it were a row, and is found by it.

use std::ops::{ControlFlow, Range};

use recall_core::{Chunk, ChunkRow, DocumentRow};
use rusqlite::Connection;

use crate::catalog::ReadError;
use crate::catalog::packing::{PackedChunk, compress, decompress, pack_chunks, unpack_chunks, visit_chunks};

/// The most chunks in a row: some 5 KB before compression, so that reading one of them costs a few microseconds however long its
/// document is. A part of the stored format: a chunk is searched in the rows of this many numbers.
const PART_CHUNKS: usize = 64;

/// A chunk with its document. The ordinal is 0 here: it follows from the rows of the document.
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
    let mut statement = connection
        .prepare_cached("INSERT INTO main.chunks (first, document, count, packed) VALUES (?1, ?2, ?3, ?4)")?;
    for (first, part) in (first.0..).step_by(PART_CHUNKS).zip(chunks.chunks(PART_CHUNKS)) {
        statement.execute((first, document.0, part.len() as i64, compress(&pack_chunks(part))))?;
    }
    Ok(())
}

/// Deletes the chunks of a document, which are all in these rows.
pub(crate) fn delete(connection: &Connection, rows: Range<i64>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM main.chunks WHERE first >= ?1 AND first < ?2")?
        .execute((rows.start, rows.end))?;
    Ok(())
}

/// Returns the number of all chunks.
pub(crate) fn count(connection: &Connection) -> Result<u64, ReadError> {
    let count =
        super::first(connection, "SELECT ifnull(sum(count), 0) FROM chunks", [], |row| Ok(row.get::<_, i64>(0)?))?;
    Ok(count.unwrap_or(0) as u64)
}

pub(crate) fn by_row(connection: &Connection, row: ChunkRow) -> Result<Option<Entry>, ReadError> {
    // The bounds of `first` are those of an index; the sum alone would make SQLite read every row.
    let statement =
        "SELECT first, document, packed FROM chunks WHERE first > ?2 AND first <= ?1 AND ?1 < first + count";
    let lowest = row.0.saturating_sub(PART_CHUNKS as i64);
    super::first(connection, statement, (row.0, lowest), |columns| {
        let first: i64 = columns.get(0)?;
        let packed = unpack(columns.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?, first)?;
        let (mut place, mut chunk) = (first, None);
        visit_chunks(&packed, |packed| {
            if place == row.0 {
                chunk = Some(packed.to_chunk(0));
                return ControlFlow::Break(());
            }
            place += 1;
            ControlFlow::Continue(())
        });
        let chunk = chunk.ok_or_else(|| corrupt(first))?;
        Ok(Entry { document: DocumentRow(columns.get(1)?), chunk })
    })
}

/// The chunks of a document, which are all in these rows, with their ordinals.
pub(crate) fn in_rows(connection: &Connection, rows: Range<i64>) -> Result<Vec<Chunk>, ReadError> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let statement = "SELECT first, packed FROM chunks WHERE first >= ?1 AND first < ?2 ORDER BY first";
    super::each(connection, statement, [rows.start, rows.end], |row| {
        let first: i64 = row.get(0)?;
        let packed = unpack(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, first)?;
        if first != rows.start + chunks.len() as i64 {
            return Err(missing(&rows));
        }
        chunks.extend(unpack_chunks(&packed, chunks.len() as u32).ok_or_else(|| corrupt(first))?);
        Ok(())
    })?;
    if chunks.len() as i64 != rows.end - rows.start {
        return Err(missing(&rows));
    }
    Ok(chunks)
}

/// Calls `visit` with the document, the row and the contents of every chunk.
pub(crate) fn each(
    connection: &Connection,
    mut visit: impl FnMut(DocumentRow, ChunkRow, PackedChunk<'_>),
) -> Result<(), ReadError> {
    super::each(connection, SELECT_ALL, [], |row| {
        let (mut place, document) = (row.get(0)?, DocumentRow(row.get(1)?));
        let packed = unpack(row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?, place)?;
        let first = place;
        let visited = visit_chunks(&packed, |chunk| {
            visit(document, ChunkRow(place), chunk);
            place += 1;
            ControlFlow::Continue(())
        });
        visited.ok_or_else(|| corrupt(first))
    })
}

/// The statement that reads every chunk.
pub(crate) const SELECT_ALL: &str = "SELECT first, document, packed FROM chunks";

/// Calls `visit` with the chunks from a row, inclusive, back to the first row of its document, until it returns `Break`.
pub(crate) fn backward_from(
    connection: &Connection,
    first: ChunkRow,
    row: ChunkRow,
    mut visit: impl FnMut(&Chunk) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let statement = "SELECT first, packed FROM chunks WHERE first >= ?1 AND first <= ?2 ORDER BY first DESC";
    parts(connection, statement, (first.0, row.0), |part_first, part| {
        let before = part.get(..=(row.0 - part_first) as usize).unwrap_or(part);
        before.iter().rev().try_for_each(&mut visit)
    })
}

/// Calls `visit` with the chunks of a document after a row, up to the end of the document, until it returns `Break`.
pub(crate) fn forward_from(
    connection: &Connection,
    row: ChunkRow,
    end: ChunkRow,
    mut visit: impl FnMut(&Chunk) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let statement = "SELECT first, packed FROM chunks WHERE first > ?1 AND first < ?2 ORDER BY first";
    let lowest = row.0.saturating_sub(PART_CHUNKS as i64);
    parts(connection, statement, (lowest, end.0), |part_first, part| {
        // A row before that of the chunk may be of the previous document.
        let skipped = usize::try_from(row.0 + 1 - part_first).unwrap_or(0);
        part.get(skipped..).unwrap_or_default().iter().try_for_each(&mut visit)
    })
}

/// Calls `visit` with the first row and the chunks of each part, until it returns `Break`.
fn parts(
    connection: &Connection,
    statement: &str,
    bounds: (i64, i64),
    mut visit: impl FnMut(i64, &[Chunk]) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mut prepared = connection.prepare_cached(statement)?;
    let mut rows = prepared.query(bounds)?;
    while let Some(row) = rows.next()? {
        let first: i64 = row.get(0)?;
        let packed = unpack(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, first)?;
        let chunks = unpack_chunks(&packed, 0).ok_or_else(|| corrupt(first))?;
        if visit(first, &chunks).is_break() {
            break;
        }
    }
    Ok(())
}

fn unpack(stored: &[u8], first: i64) -> Result<Vec<u8>, ReadError> {
    decompress(stored).ok_or_else(|| corrupt(first))
}

fn corrupt(first: i64) -> ReadError {
    ReadError::damaged(format!("the chunks from row {first} are corrupt"))
}

fn missing(rows: &Range<i64>) -> ReadError {
    ReadError::damaged(format!("some of the chunk rows {} to {} are missing", rows.start, rows.end))
}
