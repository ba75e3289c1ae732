//! What of a chunk is a model given?

use recall_catalog::Chunked;
use recall_core::{Chunk, ChunkRow, ChunkText, DocumentType};

/// The chunks of a document as a model is given them.
pub(crate) struct Texts {
    first: ChunkRow,
    path: String,
    document_type: DocumentType,
    /// Of each chunk: its symbol or heading path, and its text.
    chunks: Vec<(String, String)>,
}

impl Texts {
    /// Takes the chunks out of a document.
    pub(crate) fn of(chunked: &Chunked) -> Self {
        let Chunked { path, document_type, first, text, chunks } = chunked;
        let chunks = chunks.iter().map(|chunk| part(*document_type, path.as_str(), chunk, text)).collect();
        Self { first: *first, path: path.as_str().to_owned(), document_type: *document_type, chunks }
    }

    /// One a chunk, in order.
    ///
    /// Of code, a path, a name and a body are told apart, since the words of the first two would drown in those of the last.
    /// A page is one text with its path and headings in front: told apart, they make pages of one folder too much alike.
    pub(crate) fn parts(&self) -> Vec<ChunkText<'_>> {
        self.chunks
            .iter()
            .map(|(symbol, text)| match self.document_type {
                DocumentType::Code => ChunkText { path: &self.path, symbol, text },
                _ => ChunkText { path: "", symbol: "", text },
            })
            .collect()
    }

    /// The chunk in a row as one text; `None` where it is of another document.
    pub(crate) fn joined(&self, row: ChunkRow) -> Option<String> {
        let place = usize::try_from(row.0.checked_sub(self.first.0)?).ok()?;
        Some(self.parts().get(place)?.joined())
    }
}

/// The symbol or heading path of a chunk, and the text that stands for it.
fn part(document_type: DocumentType, path: &str, chunk: &Chunk, text: &str) -> (String, String) {
    let symbol = chunk.symbol.clone().unwrap_or_default();
    let body = chunk.span.bytes.of(text).unwrap_or_default();
    if document_type != DocumentType::Code {
        let whole = if symbol.is_empty() { format!("{path}\n{body}") } else { format!("{path}\n{symbol}\n{body}") };
        return (String::new(), whole);
    }
    // The comment of a definition that goes on over several chunks stands in the first of them alone.
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
        let texts = Texts::of(&Chunked { path, document_type, first, text, chunks: vec![chunk] });
        assert_eq!((texts.joined(ChunkRow(6)), texts.joined(ChunkRow(8))), (None, None));
        assert_eq!(texts.joined(first), Some(texts.parts()[0].joined()));
        let ChunkText { path, symbol, text } = texts.parts()[0];
        assert_eq!((path, symbol, text), expected);
    }

    #[test]
    fn code_is_told_apart_and_pages_are_one_text() {
        check(DocumentType::Code, ("src/say.rs", "fn say", "/// Says it.\nfn say() {}"));
        check(DocumentType::Documentation, ("", "", "src/say.rs\nfn say\nfn say() {}"));
    }
}
