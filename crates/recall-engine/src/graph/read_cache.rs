//! The cache of documents that one query has read.

use std::collections::HashMap;
use std::rc::Rc;

use recall_core::{ByteSpan, ChunkRow, Document, Edge, Symbol};

/// The most bytes of document text that are cached during one query. A cached document takes about five times the memory of its
/// text. Beyond the bound, the cache is cleared.
pub(crate) const MOST_KEPT_BYTES: usize = 4 * 1024 * 1024;

/// The cache between the steps of one query, many of which read the same documents.
#[derive(Default)]
pub(crate) struct ReadCache {
    pub(crate) documents: HashMap<u32, Option<Rc<Document>>>,
    pub(crate) uses: HashMap<u32, Rc<Uses>>,
    /// The bytes of the texts of `uses`.
    pub(crate) bytes: usize,
    pub(crate) around: HashMap<ChunkRow, Option<Rc<Around>>>,
}

/// The references of a document's chunks.
pub(crate) struct Uses {
    /// The references, by chunk, then by target.
    pub(crate) references: Vec<Edge>,
    /// The spans of the chunks, in order.
    pub(crate) chunks: Vec<ByteSpan>,
    pub(crate) text: String,
}

/// A chunk and the definitions around its parts.
pub(crate) struct Around {
    pub(crate) span: ByteSpan,
    pub(crate) text: String,
    /// The symbols of its document that overlap it, in order.
    pub(crate) symbols: Vec<Symbol>,
}

impl Uses {
    pub(crate) fn references(&self) -> &[Edge] {
        &self.references
    }

    /// Returns the references of the chunks that overlap a span.
    pub(crate) fn within(&self, span: ByteSpan) -> &[Edge] {
        let first = self.chunks.partition_point(|chunk| chunk.end <= span.start) as u32;
        let behind = self.chunks.partition_point(|chunk| chunk.start < span.end) as u32;
        let start = self.references.partition_point(|edge| edge.chunk < first);
        let end = self.references.partition_point(|edge| edge.chunk < behind);
        &self.references[start..end.max(start)]
    }
}
