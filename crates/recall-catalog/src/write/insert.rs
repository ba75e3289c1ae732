//! Insertion and removal of documents.

use recall_core::{ChunkRow, DocPath, Document, DocumentRow};

use super::{DocumentRecord, Inserted, Transaction};
use crate::WriteError;
use crate::rows::{chunks, documents, edges, failures, symbols, texts};

pub(super) fn insert(transaction: &mut Transaction<'_>, record: &DocumentRecord<'_>) -> Result<Inserted, WriteError> {
    let DocumentRecord { document, text, parsed, indexed } = *record;
    let replaced = remove(transaction, &document.path)?;
    let connection = transaction.connection;
    failures::delete(connection, document.path.as_str())?;

    let state = &mut transaction.state;
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
    transaction.mark_changed();
    Ok(Inserted { document: row, first_chunk, replaced: replaced.map(|old| old.row) })
}

/// Removes the document at a path. Returns its row.
pub(super) fn remove(
    transaction: &mut Transaction<'_>,
    path: &DocPath,
) -> Result<Option<documents::Entry>, WriteError> {
    let connection = transaction.connection;
    let Some(entry) = documents::by_path(connection, path)? else { return Ok(None) };
    chunks::delete(connection, entry.chunk_rows())?;
    symbols::delete(connection, entry.symbol_rows())?;
    documents::delete(connection, entry.row)?;
    transaction.mark_changed();
    Ok(Some(entry))
}

/// Checks the record's spans against its text, so that everything stored can be read.
pub(super) fn validate(record: &DocumentRecord<'_>) -> Result<(), WriteError> {
    let DocumentRecord { document, text, parsed, indexed: _ } = *record;
    let invalid = |reason: String| Err(WriteError::InvalidRecord { path: document.path.to_string(), reason });
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
