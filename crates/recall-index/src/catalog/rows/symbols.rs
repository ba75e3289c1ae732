//! The table of symbols: a row for each document that has some, packed in the order of their starts.

use recall_core::{ByteSpan, ChunkRow, DocumentRow, Span, Symbol, SymbolKind};
use rusqlite::Connection;

use crate::catalog::ReadError;
use crate::catalog::packing::{PackedSymbol, compress, decompress, pack_symbols, visit_symbols};

/// Inserts the symbols of a document.
pub(crate) fn insert(connection: &Connection, document: DocumentRow, symbols: &[Symbol]) -> rusqlite::Result<()> {
    if symbols.is_empty() {
        return Ok(());
    }
    connection
        .prepare_cached("INSERT INTO main.symbols (document, packed) VALUES (?1, ?2)")?
        .execute((document.0, compress(&pack_symbols(symbols))))?;
    Ok(())
}

/// The symbols of a document, in order. Empty if there is no such document.
pub(crate) fn read(connection: &Connection, document: DocumentRow) -> Result<Vec<Symbol>, ReadError> {
    matching(connection, document, |_| true)
}

/// The symbols whose names are in one chunk of a document, in order.
pub(crate) fn in_chunk(
    connection: &Connection,
    document: DocumentRow,
    chunk: ChunkRow,
) -> Result<Vec<Symbol>, ReadError> {
    let statement = "SELECT first_chunk FROM documents WHERE row = ?1";
    let Some(first) = super::first(connection, statement, [document.0], |row| Ok(row.get::<_, i64>(0)?))? else {
        return Ok(Vec::new());
    };
    matching(connection, document, |symbol| i64::from(symbol.chunk) == chunk.0 - first)
}

/// The symbols of a document that overlap a span, in order.
pub(crate) fn around(connection: &Connection, document: DocumentRow, span: ByteSpan) -> Result<Vec<Symbol>, ReadError> {
    matching(connection, document, |symbol| symbol.span.bytes.start < span.end && symbol.span.bytes.end > span.start)
}

/// The symbols of a document whose lines contain all lines of a span, in order.
pub(crate) fn holding(connection: &Connection, document: DocumentRow, span: Span) -> Result<Vec<Symbol>, ReadError> {
    matching(connection, document, |symbol| {
        symbol.span.start_line <= span.start_line && symbol.span.end_line >= span.end_line
    })
}

/// The symbols of a document that satisfy a condition, in order.
fn matching(
    connection: &Connection,
    document: DocumentRow,
    satisfies: impl Fn(&PackedSymbol<'_>) -> bool,
) -> Result<Vec<Symbol>, ReadError> {
    let mut symbols = Vec::new();
    super::first(connection, "SELECT packed FROM symbols WHERE document = ?1", [document.0], |row| {
        visit(document, row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?, |symbol| {
            if satisfies(&symbol) {
                symbols.push(symbol.to_symbol());
            }
        })
    })?;
    Ok(symbols)
}

/// Calls `visit` with the kind, the bare and the qualified name of every symbol, in the order of documents.
pub(crate) fn each_name(
    connection: &Connection,
    mut visit_name: impl FnMut(DocumentRow, SymbolKind, &str, &str),
) -> Result<(), ReadError> {
    super::each(connection, "SELECT document, packed FROM symbols ORDER BY document", [], |row| {
        let document = DocumentRow(row.get(0)?);
        visit(document, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, |symbol| {
            visit_name(document, symbol.kind, symbol.name, symbol.qualified);
        })
    })
}

fn visit(document: DocumentRow, stored: &[u8], visit: impl FnMut(PackedSymbol<'_>)) -> Result<(), ReadError> {
    decompress(stored)
        .and_then(|packed| visit_symbols(&packed, visit))
        .ok_or_else(|| ReadError::damaged(format!("the symbols of document row {} are corrupt", document.0)))
}
