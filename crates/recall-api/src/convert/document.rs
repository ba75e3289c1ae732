//! Documents with their chunks and symbols.

use recall_core::{Chunk, ChunkId, Document, DocumentId, Enclosing, Span, StoreScope, Symbol};

use super::{scope, time};
use crate::v1;

/// Writes a document of a store. When it was first seen is unknown here and omitted. The document of a memory has the
/// memory's id and no path.
pub fn to_proto(document: &Document, store: StoreScope, store_id: &str) -> v1::Document {
    let Document {
        id,
        path,
        memory,
        document_type,
        title,
        language,
        hash,
        size_bytes,
        modified,
        file_kind,
        tags,
        source,
    } = document;
    v1::Document {
        id: memory.map_or_else(|| id.to_string(), |memory| memory.to_string()),
        path: if memory.is_some() { String::new() } else { path.as_str().to_owned() },
        mtime: Some(time::to_proto(*modified)),
        hash: hash.to_string(),
        tag: tags.clone(),
        source: source.clone().unwrap_or_default(),
        r#type: document_type.as_str().to_owned(),
        title: title.clone(),
        scope: scope::store_to_proto(store).into(),
        language: language.as_ref().map(|language| language.as_str().to_owned()).unwrap_or_default(),
        size: *size_bytes,
        created_at: None,
        updated_at: Some(time::to_proto(*modified)),
        file_kind: file_kind.as_str().to_owned(),
        store_id: store_id.to_owned(),
        root: String::new(),
    }
}

/// Writes a chunk of a document with its text.
pub fn chunk_to_proto(chunk: &Chunk, document: DocumentId, text: &str) -> v1::Chunk {
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

/// Writes a symbol of a document.
pub fn symbol_to_proto(symbol: &Symbol, document: DocumentId) -> v1::Symbol {
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
