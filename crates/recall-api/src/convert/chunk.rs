//! Chunks.

use recall_core::{Chunk, ChunkId, DocumentId, Enclosing, Span};

use crate::v1;

/// Writes a chunk of a document with its text.
pub fn to_proto(chunk: &Chunk, document: DocumentId, text: &str) -> v1::Chunk {
    let Chunk {
        ordinal,
        kind,
        span,
        symbol,
        signature,
        // The position of the doc comment only matters for ranking.
        doc_comment: _,
        tokens,
    } = chunk;
    let Span { bytes, start_line, end_line } = *span;
    v1::Chunk {
        id: ChunkId { document, ordinal: *ordinal }.to_string(),
        doc_id: document.to_string(),
        offset: bytes.start,
        tokens: *tokens,
        text: text.to_owned(),
        start_line,
        end_line,
        symbol: symbol.clone().unwrap_or_default(),
        kind: kind.as_str().to_owned(),
        signature: signature.clone().unwrap_or_default(),
    }
}

/// Writes an enclosing definition or heading of a chunk.
pub fn enclosing_to_proto(enclosing: Enclosing) -> v1::Parent {
    let Enclosing { name, kind, signature, start_line, end_line } = enclosing;
    v1::Parent { name, kind: kind.as_str().to_owned(), signature: signature.unwrap_or_default(), start_line, end_line }
}
