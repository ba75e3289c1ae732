//! Cached reads of documents during one query.

use std::rc::Rc;

use recall_core::{ChunkRow, Document, EdgeKind};

use super::definitions::NameResolver;
use crate::error::StoreError;
use crate::graph::read_cache::{Around, MOST_KEPT_BYTES, Uses};

impl NameResolver<'_> {
    /// Returns a document by its index; `None` if it no longer exists.
    pub(crate) fn document(&mut self, place: u32) -> Result<Option<Rc<Document>>, StoreError> {
        if let Some(known) = self.kept.documents.get(&place) {
            return Ok(known.clone());
        }
        let row = self.row(place);
        let document = self.read(|snapshot| snapshot.document_in(row))?.map(|stored| Rc::new(stored.document));
        self.kept.documents.insert(place, document.clone());
        Ok(document)
    }

    /// Returns the references of a document's chunks.
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

    /// Returns a chunk with the definitions around it; `None` if it no longer exists.
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
