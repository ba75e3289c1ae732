//! What was read of documents while one question was answered.

use std::collections::HashMap;
use std::rc::Rc;

use recall_core::{ByteSpan, ChunkRow, Document, Edge, EdgeKind, Symbol};

use super::definitions::Names;
use crate::error::StoreError;

/// How much text of documents is kept while one question is answered. What is read of a document takes some five times as
/// much memory as its text; a question that comes to more of it forgets all and begins anew.
const MOST_KEPT_BYTES: usize = 4 * 1024 * 1024;

/// What is kept between the steps of one question, since many of them lead through the same documents.
#[derive(Default)]
pub(super) struct Kept {
    documents: HashMap<u32, Option<Rc<Document>>>,
    uses: HashMap<u32, Rc<Uses>>,
    /// The bytes of the texts of `uses`.
    bytes: usize,
    around: HashMap<ChunkRow, Option<Rc<Around>>>,
}

/// What the chunks of a document refer to.
pub(crate) struct Uses {
    /// The references, by chunk, then by target.
    references: Vec<Edge>,
    /// Where the chunks are, in order.
    chunks: Vec<ByteSpan>,
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

impl Names<'_> {
    /// A document by its place; `None` where it is gone.
    pub(crate) fn document(&mut self, place: u32) -> Result<Option<Rc<Document>>, StoreError> {
        if let Some(known) = self.kept.documents.get(&place) {
            return Ok(known.clone());
        }
        let row = self.row(place);
        let document = self.read(|snapshot| snapshot.document_in(row))?.map(|stored| Rc::new(stored.document));
        self.kept.documents.insert(place, document.clone());
        Ok(document)
    }

    /// What the chunks of a document refer to.
    pub(crate) fn uses(&mut self, document: u32) -> Result<Rc<Uses>, StoreError> {
        if let Some(known) = self.kept.uses.get(&document) {
            return Ok(Rc::clone(known));
        }
        let row = self.row(document);
        let (mut references, chunks, text) = self.read(|snapshot| {
            Ok((snapshot.edges_of(row)?, snapshot.chunks_of(row)?, snapshot.text(row)?.unwrap_or_default()))
        })?;
        references.retain(|edge| edge.kind == EdgeKind::References);
        let chunks = chunks.into_iter().map(|chunk| chunk.span.bytes).collect();
        let kept = &mut self.kept;
        if kept.bytes + text.len() > MOST_KEPT_BYTES {
            kept.uses.clear();
            kept.bytes = 0;
        }
        kept.bytes += text.len();
        let uses = Rc::new(Uses { references, chunks, text });
        kept.uses.insert(document, Rc::clone(&uses));
        Ok(uses)
    }

    /// A chunk of a document with what is defined around it; `None` where it is gone.
    pub(crate) fn around(&mut self, document: u32, chunk: ChunkRow) -> Result<Option<Rc<Around>>, StoreError> {
        if let Some(known) = self.kept.around.get(&chunk) {
            return Ok(known.clone());
        }
        let row = self.row(document);
        let around = self.read(|snapshot| {
            let Some(span) = snapshot.chunk_span(chunk)?.map(|span| span.bytes) else { return Ok(None) };
            let Some(text) = snapshot.text_in(row, span)? else { return Ok(None) };
            Ok(Some(Rc::new(Around { span, text, symbols: snapshot.symbols_around(row, span)? })))
        })?;
        self.kept.around.insert(chunk, around.clone());
        Ok(around)
    }
}
