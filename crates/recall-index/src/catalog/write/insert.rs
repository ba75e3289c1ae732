//! Insertion and removal of documents.

use recall_core::{ChunkRow, Document, DocumentRow, ParsedDocument, Timestamp};
use recall_text::DocPath;
use rusqlite::Connection;

use crate::catalog::CatalogWriteError;
use crate::catalog::rows::state::StateRow;
use crate::catalog::rows::{chunks, documents, edges, failures, symbols, texts};

/// A document and its contents, to be stored.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRecord<'a> {
    /// The document. Its `id` is ignored and derived from its path.
    pub document: &'a Document,
    /// The whole text, which the spans of `parsed` refer to.
    pub text: &'a str,
    /// The parsed text. Edges of kind `Defines` are not stored, because they follow from the symbols.
    pub parsed: &'a ParsedDocument,
    /// The current time. It becomes the creation time of a document that is indexed for the first time.
    pub indexed: Timestamp,
}

/// The rows of a stored document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The document's row.
    pub document: DocumentRow,
    /// The row of its first chunk. The others follow in order, without gaps.
    pub first_chunk: ChunkRow,
    /// The row of the document that was replaced and removed with its chunks.
    pub replaced: Option<DocumentRow>,
}

/// Stores a document and replaces the one at the same path. The generation is the caller's.
pub(super) fn insert(
    connection: &Connection,
    state: &mut StateRow,
    record: &DocumentRecord<'_>,
) -> Result<Inserted, CatalogWriteError> {
    let DocumentRecord { document, text, parsed, indexed } = *record;
    let replaced = remove(connection, &document.path)?;
    failures::delete(connection, document.path.as_str())?;

    let (row, first_chunk, first_symbol) = (state.next_document, state.next_chunk, state.next_symbol);
    state.next_document = DocumentRow(row.0 + 1);
    state.next_chunk = ChunkRow(first_chunk.0 + parsed.chunks.len() as i64);
    state.next_symbol = first_symbol + parsed.symbols.len() as i64;

    let stored_edges = edges::edges_to_store(&parsed.edges);
    let entry = documents::Entry {
        row,
        document: Document { tags: Vec::new(), ..document.clone() },
        created: replaced.as_ref().map_or(indexed, |old| old.created),
        own_title: parsed.title.clone(),
        own_tags: parsed.tags.clone(),
        outcome: parsed.outcome.clone(),
        text_bytes: text.len() as u64,
        first_chunk,
        chunk_count: parsed.chunks.len() as u32,
        first_symbol,
        symbol_count: parsed.symbols.len() as u32,
        edge_count: stored_edges.len() as u64,
    };
    documents::insert(connection, &entry)?;
    texts::insert(connection, row, text)?;
    texts::insert_signature(connection, row, text)?;
    documents::insert_tags(connection, row, &document.tags)?;
    chunks::insert(connection, row, first_chunk, &parsed.chunks)?;
    symbols::insert(connection, row, first_symbol, &parsed.symbols)?;
    edges::insert(connection, row, &stored_edges, text, &parsed.chunks)?;
    Ok(Inserted { document: row, first_chunk, replaced: replaced.map(|old| old.row) })
}

/// Removes the document at a path. Returns its row.
pub(super) fn remove(connection: &Connection, path: &DocPath) -> Result<Option<documents::Entry>, CatalogWriteError> {
    let Some(entry) = documents::by_path(connection, path)? else { return Ok(None) };
    chunks::delete(connection, entry.chunk_rows())?;
    symbols::delete(connection, entry.symbol_rows())?;
    documents::delete(connection, entry.row)?;
    Ok(Some(entry))
}

/// Checks the record's spans against its text, so that everything stored can be read.
pub(super) fn validate(record: &DocumentRecord<'_>) -> Result<(), CatalogWriteError> {
    let DocumentRecord { document, text, parsed, indexed: _ } = *record;
    let invalid = |reason: String| Err(CatalogWriteError::InvalidRecord { path: document.path.to_string(), reason });
    if u32::try_from(text.len()).is_err() {
        return invalid(format!("the text has {} bytes, more than the 4 GiB of a span", text.len()));
    }
    for (place, chunk) in parsed.chunks.iter().enumerate() {
        if chunk.ordinal as usize != place {
            return invalid(format!("chunk {place} has the ordinal {}", chunk.ordinal));
        }
        let spans = [Some(chunk.span.bytes), chunk.doc_comment];
        if spans.into_iter().flatten().any(|span| span.slice(text).is_none()) {
            return invalid(format!("chunk {place} has a span outside of the text"));
        }
    }
    Ok(())
}
