//! The text of a chunk that is embedded.

use recall_core::{ByteSpan, Chunk, ChunkRow, ChunkText, DocumentType, MemoryId};
use recall_index::catalog::ChunkedDocument;

use crate::mask::{self, Whole};

/// The chunks of a document in the form in which they are embedded.
pub(crate) struct ChunkTexts {
    first: ChunkRow,
    path: String,
    document_type: DocumentType,
    /// The symbol or heading path, and the text, of each chunk.
    chunks: Vec<(String, String)>,
    /// The masked text of a document that is not code, for a model elsewhere that describes its chunks; otherwise empty.
    document: String,
}

impl ChunkTexts {
    /// Builds the texts of a document's chunks.
    pub(crate) fn new(chunked: &ChunkedDocument) -> Self {
        let ChunkedDocument { path, document_type, first, text, chunks } = chunked;
        let read = |span: ByteSpan| span.slice(text).unwrap_or_default().to_owned();
        let chunks = chunks.iter().map(|chunk| part(*document_type, path.as_str(), chunk, read)).collect();
        let path = path.as_str().to_owned();
        Self { first: *first, path, document_type: *document_type, chunks, document: String::new() }
    }

    /// Builds the same texts with their secrets masked, for a model outside of this process. A secret that begins in one chunk and
    /// ends in another is masked too.
    pub(crate) fn with_masks(chunked: &ChunkedDocument) -> Self {
        let ChunkedDocument { path, document_type, first, text, chunks } = chunked;
        let shown = mask::shown_path(path.as_str().to_owned());
        let whole = Whole::new(path, text.clone());
        let read = |span: ByteSpan| whole.mask_range(span.start as usize..span.end as usize);
        let chunks = chunks.iter().map(|chunk| {
            let (mut symbol, text) = part(*document_type, &shown, chunk, read);
            mask::text(&mut symbol);
            (symbol, text)
        });
        let chunks = chunks.collect();
        let is_code = *document_type == DocumentType::Code;
        let document = if is_code { String::new() } else { whole.mask_range(0..text.len()) };
        Self { first: *first, chunks, document_type: *document_type, path: shown, document }
    }

    /// Returns one text per chunk, in order.
    ///
    /// For code, path, name and body are separate parts, since the words of the body would outweigh the others. A page is one
    /// text that begins with its path and headings, a memory with its title: as separate parts they would make pages of one folder too similar.
    pub(crate) fn parts(&self) -> Vec<ChunkText<'_>> {
        self.chunks
            .iter()
            .map(|(symbol, text)| match self.document_type {
                DocumentType::Code => ChunkText { path: &self.path, symbol, text, document: "" },
                _ => ChunkText { path: "", symbol: "", text, document: &self.document },
            })
            .collect()
    }

    /// Returns the chunk in a row as one text; `None` if the row is of another document.
    pub(crate) fn text_of(&self, row: ChunkRow) -> Option<String> {
        let place = usize::try_from(row.0.checked_sub(self.first.0)?).ok()?;
        Some(self.parts().get(place)?.full_text())
    }
}

/// Returns the symbol or heading path of a chunk, and its text. `read` returns a part of the document.
fn part(document_type: DocumentType, path: &str, chunk: &Chunk, read: impl Fn(ByteSpan) -> String) -> (String, String) {
    let symbol = chunk.symbol.clone().unwrap_or_default();
    let body = read(chunk.span.bytes);
    if document_type != DocumentType::Code {
        // The id of a memory says nothing. A model takes its digits for words, and the memory would be near to other things by chance.
        let path = if path.parse::<MemoryId>().is_ok() { "" } else { path };
        let parts = [path, &symbol, &body].into_iter().filter(|part| !part.is_empty());
        return (String::new(), parts.collect::<Vec<_>>().join("\n"));
    }
    // Only the first of several chunks of a definition gets its comment.
    let comment = chunk.doc_comment.filter(|comment| comment.end <= chunk.span.bytes.start);
    let comment = comment.map(read).filter(|comment| !comment.is_empty());
    (symbol, comment.map_or_else(|| body.clone(), |comment| format!("{comment}\n{body}")))
}

#[cfg(test)]
mod tests {
    use recall_core::{ByteSpan, ChunkKind, Span};
    use recall_text::DocPath;

    use super::*;

    fn check(path: &str, document_type: DocumentType, expected: (&str, &str, &str)) {
        let text = "/// Says it.\nfn say() {}\n".to_owned();
        let span = Span { bytes: ByteSpan { start: 13, end: 24 }, start_line: 2, end_line: 2 };
        let chunk = Chunk {
            ordinal: 0,
            kind: ChunkKind::Function,
            span,
            symbol: Some("fn say".to_owned()),
            signature: None,
            doc_comment: Some(ByteSpan { start: 0, end: 12 }),
            tokens: 4,
        };
        let path = DocPath::new(path).expect("plain");
        let first = ChunkRow(7);
        let texts = ChunkTexts::new(&ChunkedDocument { path, document_type, first, text, chunks: vec![chunk] });
        assert_eq!((texts.text_of(ChunkRow(6)), texts.text_of(ChunkRow(8))), (None, None));
        assert_eq!(texts.text_of(first), Some(texts.parts()[0].full_text()));
        let ChunkText { path, symbol, text, document: _ } = texts.parts()[0];
        assert_eq!((path, symbol, text), expected);
    }

    #[test]
    fn a_secret_that_spans_chunks_is_masked_in_each() {
        let body = "MIIEpAIBAAKCAQEA7bq0dXQm8v1ZKJtWkq2yXr5c8n3Lh9uT4wPsY6oE1fGdVbNa\n".repeat(12);
        let text =
            format!("key = \"\"\"\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n\"\"\"\n");
        let (middle, end) = (text.len() as u32 / 2, text.len() as u32);
        let chunk = |start, end| Chunk {
            ordinal: 0,
            kind: ChunkKind::Function,
            span: Span { bytes: ByteSpan { start, end }, start_line: 1, end_line: 2 },
            symbol: None,
            signature: None,
            doc_comment: None,
            tokens: 4,
        };
        let chunks = vec![chunk(0, middle), chunk(middle, end)];
        let path = DocPath::new("src/key.py").expect("plain");
        let document =
            ChunkedDocument { path, document_type: DocumentType::Code, first: ChunkRow(1), text: text.clone(), chunks };
        let shown: Vec<String> = ChunkTexts::with_masks(&document).parts().iter().map(ChunkText::full_text).collect();
        assert!(shown.iter().all(|text| !text.contains("MIIEpAIB") && !text.contains("7bq0dXQm8v1")), "{shown:?}");
        assert!(ChunkTexts::new(&document).parts()[1].full_text().contains("7bq0dXQm8v1"), "it is there unmasked");
    }

    #[test]
    fn code_has_separate_parts_and_a_page_is_one_text() {
        check("src/say.rs", DocumentType::Code, ("src/say.rs", "fn say", "/// Says it.\nfn say() {}"));
        check("src/say.rs", DocumentType::Documentation, ("", "", "src/say.rs\nfn say\nfn say() {}"));
    }

    #[test]
    fn the_id_of_a_memory_is_not_embedded() {
        check("L-0123abcd", DocumentType::Lesson, ("", "", "fn say\nfn say() {}"));
    }
}
