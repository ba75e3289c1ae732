//! The text of a chunk that is embedded.

use recall_catalog::ChunkedDocument;
use recall_core::{Chunk, ChunkRow, ChunkText, DocumentType};

/// The chunks of a document in the form in which they are embedded.
pub(crate) struct ChunkTexts {
    first: ChunkRow,
    path: String,
    document_type: DocumentType,
    /// The symbol or heading path, and the text, of each chunk.
    chunks: Vec<(String, String)>,
}

impl ChunkTexts {
    /// Builds the texts of a document's chunks.
    pub(crate) fn of(chunked: &ChunkedDocument) -> Self {
        let ChunkedDocument { path, document_type, first, text, chunks } = chunked;
        let chunks = chunks.iter().map(|chunk| part(*document_type, path.as_str(), chunk, text)).collect();
        Self { first: *first, path: path.as_str().to_owned(), document_type: *document_type, chunks }
    }

    /// Returns one text per chunk, in order.
    ///
    /// For code, path, name and body are separate parts, since the words of the body would outweigh the others. A page is one
    /// text that begins with its path and headings: as separate parts they would make pages of one folder too similar.
    pub(crate) fn parts(&self) -> Vec<ChunkText<'_>> {
        self.chunks
            .iter()
            .map(|(symbol, text)| match self.document_type {
                DocumentType::Code => ChunkText { path: &self.path, symbol, text },
                _ => ChunkText { path: "", symbol: "", text },
            })
            .collect()
    }

    /// Returns the chunk in a row as one text; `None` if the row is of another document.
    pub(crate) fn joined(&self, row: ChunkRow) -> Option<String> {
        let place = usize::try_from(row.0.checked_sub(self.first.0)?).ok()?;
        Some(self.parts().get(place)?.joined())
    }
}

/// Returns the symbol or heading path of a chunk, and its text.
fn part(document_type: DocumentType, path: &str, chunk: &Chunk, text: &str) -> (String, String) {
    let symbol = chunk.symbol.clone().unwrap_or_default();
    let body = chunk.span.bytes.of(text).unwrap_or_default();
    if document_type != DocumentType::Code {
        let whole = if symbol.is_empty() { format!("{path}\n{body}") } else { format!("{path}\n{symbol}\n{body}") };
        return (String::new(), whole);
    }
    // Only the first of several chunks of a definition gets its comment.
    let comment = chunk.doc_comment.filter(|comment| comment.end <= chunk.span.bytes.start);
    let comment = comment.and_then(|comment| comment.of(text));
    (symbol, comment.map_or_else(|| body.to_owned(), |comment| format!("{comment}\n{body}")))
}

#[cfg(test)]
mod tests {
    use recall_core::{ByteSpan, ChunkKind, DocPath, Span};

    use super::*;

    fn check(document_type: DocumentType, expected: (&str, &str, &str)) {
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
        let path = DocPath::new("src/say.rs").expect("plain");
        let first = ChunkRow(7);
        let texts = ChunkTexts::of(&ChunkedDocument { path, document_type, first, text, chunks: vec![chunk] });
        assert_eq!((texts.joined(ChunkRow(6)), texts.joined(ChunkRow(8))), (None, None));
        assert_eq!(texts.joined(first), Some(texts.parts()[0].joined()));
        let ChunkText { path, symbol, text } = texts.parts()[0];
        assert_eq!((path, symbol, text), expected);
    }

    #[test]
    fn code_has_separate_parts_and_a_page_is_one_text() {
        check(DocumentType::Code, ("src/say.rs", "fn say", "/// Says it.\nfn say() {}"));
        check(DocumentType::Documentation, ("", "", "src/say.rs\nfn say\nfn say() {}"));
    }
}
