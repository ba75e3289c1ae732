//! What was read of documents while one question is answered.

use std::collections::HashMap;
use std::rc::Rc;

use recall_core::{ByteSpan, ChunkRow, Document, Edge, Symbol};

/// How much text of documents is kept while one question is answered. What is read of a document takes some five times as
/// much memory as its text; a question that comes to more of it forgets all and begins anew.
pub(crate) const MOST_KEPT_BYTES: usize = 4 * 1024 * 1024;

/// What is kept between the steps of one question, since many of them lead through the same documents.
#[derive(Default)]
pub(crate) struct ReadCache {
    pub(crate) documents: HashMap<u32, Option<Rc<Document>>>,
    pub(crate) uses: HashMap<u32, Rc<Uses>>,
    /// The bytes of the texts of `uses`.
    pub(crate) bytes: usize,
    pub(crate) around: HashMap<ChunkRow, Option<Rc<Around>>>,
}

/// What the chunks of a document refer to.
pub(crate) struct Uses {
    /// The references, by chunk, then by target.
    pub(crate) references: Vec<Edge>,
    /// Where the chunks are, in order.
    pub(crate) chunks: Vec<ByteSpan>,
    pub(crate) text: String,
}

/// A chunk and the definitions around its parts.
pub(crate) struct Around {
    pub(crate) span: ByteSpan,
    pub(crate) text: String,
    /// The symbols of its document that share bytes with it, in order.
    pub(crate) symbols: Vec<Symbol>,
}

impl Uses {
    pub(crate) fn references(&self) -> &[Edge] {
        &self.references
    }

    /// The references of the chunks that share bytes with a span.
    pub(crate) fn within(&self, span: ByteSpan) -> &[Edge] {
        let first = self.chunks.partition_point(|chunk| chunk.end <= span.start) as u32;
        let behind = self.chunks.partition_point(|chunk| chunk.start < span.end) as u32;
        let start = self.references.partition_point(|edge| edge.chunk < first);
        let end = self.references.partition_point(|edge| edge.chunk < behind);
        &self.references[start..end.max(start)]
    }
}
