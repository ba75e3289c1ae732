//! Symbols.

use recall_core::{ChunkId, DocumentId, Span, Symbol};

use crate::v1;

/// Writes a symbol of a document.
pub fn to_proto(symbol: &Symbol, document: DocumentId) -> v1::Symbol {
    let Symbol { name, qualified, kind, span, chunk } = symbol;
    let Span { bytes: _, start_line, end_line } = *span;
    v1::Symbol {
        name: name.clone(),
        qualified: qualified.clone(),
        kind: kind.as_str().to_owned(),
        start_line,
        end_line,
        chunk_id: ChunkId { document, ordinal: *chunk }.to_string(),
    }
}
