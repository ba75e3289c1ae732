//! A binary form of a parsed document, for transfer between processes of one version.
//!
//! Not a file format: both sides are the same program. The reader trusts nothing, because a scanner that overflows a buffer
//! can corrupt the writer: every bound is checked against the document's text.

use recall_core::{ByteSpan, Chunk, ChunkKind, Edge, EdgeKind, ParseOutcome, ParsedDocument, Span, Symbol, SymbolKind};

/// The bytes are not a parsed document of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a parsed document of this text")]
pub struct DecodeError;

/// Encodes a document.
pub fn encode(document: &ParsedDocument) -> Vec<u8> {
    let ParsedDocument { title, tags, chunks, symbols, edges, outcome } = document;
    let mut out = Writer(Vec::with_capacity(64 * (chunks.len() + symbols.len()) + 24 * edges.len() + 16));
    out.optional(title.as_deref());
    out.list(tags, |out, tag| out.text(tag));
    out.list(chunks, Writer::chunk);
    out.list(symbols, Writer::symbol);
    out.list(edges, Writer::edge);
    match outcome {
        ParseOutcome::Parsed => out.number(0),
        ParseOutcome::NoParser => out.number(1),
        ParseOutcome::Failed { reason } => {
            out.number(2);
            out.text(reason);
        }
    }
    out.0
}

/// Decodes the document of a text.
///
/// # Errors
/// The bytes end early or late, name an unknown kind, a span lies outside the text or splits a character, or a symbol or edge
/// is in a chunk that does not exist.
pub fn decode(bytes: &[u8], text: &str) -> Result<ParsedDocument, DecodeError> {
    let mut from = Decoder { rest: bytes, text };
    let title = from.optional()?;
    let tags = from.list(Decoder::string)?;
    let chunks = from.list(Decoder::chunk)?;
    if chunks.iter().zip(0..).any(|(chunk, place)| chunk.ordinal != place) {
        return Err(DecodeError);
    }
    let chunk_count = chunks.len() as u32;
    let symbols = from.list(|from| from.symbol(chunk_count))?;
    let edges = from.list(|from| from.edge(chunk_count))?;
    let outcome = match from.number()? {
        0 => ParseOutcome::Parsed,
        1 => ParseOutcome::NoParser,
        2 => ParseOutcome::Failed { reason: from.string()? },
        _ => return Err(DecodeError),
    };
    if !from.rest.is_empty() {
        return Err(DecodeError);
    }
    Ok(ParsedDocument { title, tags, chunks, symbols, edges, outcome })
}

/// Appends values. Numbers are LEB128: seven bits a byte, the lowest first.
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.number(u32::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u32);
        for item in items {
            write(self, item);
        }
    }

    fn bytes(&mut self, span: ByteSpan) {
        let ByteSpan { start, end } = span;
        self.number(start);
        self.number(end);
    }

    fn span(&mut self, span: Span) {
        let Span { bytes, start_line, end_line } = span;
        self.bytes(bytes);
        self.number(start_line);
        self.number(end_line);
    }

    fn chunk(&mut self, chunk: &Chunk) {
        let &Chunk { ordinal, kind, span, ref symbol, ref signature, doc_comment, tokens } = chunk;
        self.number(ordinal);
        self.kind(&ChunkKind::ALL, &kind);
        self.span(span);
        self.optional(symbol.as_deref());
        self.optional(signature.as_deref());
        self.number(u32::from(doc_comment.is_some()));
        if let Some(bytes) = doc_comment {
            self.bytes(bytes);
        }
        self.number(tokens);
    }

    fn symbol(&mut self, symbol: &Symbol) {
        let &Symbol { ref name, ref qualified, kind, span, chunk } = symbol;
        self.text(name);
        self.text(qualified);
        self.kind(&SymbolKind::ALL, &kind);
        self.span(span);
        self.number(chunk);
    }

    fn edge(&mut self, edge: &Edge) {
        let &Edge { kind, chunk, ref target } = edge;
        self.kind(&EdgeKind::ALL, &kind);
        self.number(chunk);
        self.text(target);
    }

    fn kind<T: PartialEq>(&mut self, all: &[T], kind: &T) {
        let place = all.iter().position(|other| other == kind);
        self.number(place.expect("`ALL` has every kind") as u32);
    }
}

/// Takes values from the front.
struct Decoder<'a> {
    rest: &'a [u8],
    text: &'a str,
}

impl<'a> Decoder<'a> {
    fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&first, rest) = self.rest.split_first().ok_or(DecodeError)?;
        self.rest = rest;
        Ok(first)
    }

    fn number(&mut self) -> Result<u32, DecodeError> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| DecodeError);
            }
        }
        Err(DecodeError)
    }

    fn take(&mut self, length: u32) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(length as usize).ok_or(DecodeError)?;
        self.rest = rest;
        Ok(taken)
    }

    fn string(&mut self) -> Result<String, DecodeError> {
        let length = self.number()?;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| DecodeError)?;
        Ok(text.to_owned())
    }

    fn flag(&mut self) -> Result<bool, DecodeError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError),
        }
    }

    fn optional(&mut self) -> Result<Option<String>, DecodeError> {
        if self.flag()? { self.string().map(Some) } else { Ok(None) }
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T, DecodeError>) -> Result<Vec<T>, DecodeError> {
        // The list grows as items are read: a false count reserves no memory.
        let count = self.number()?;
        (0..count).map(|_| read(self)).collect()
    }

    fn bytes(&mut self) -> Result<ByteSpan, DecodeError> {
        let span = ByteSpan { start: self.number()?, end: self.number()? };
        span.slice(self.text).map(|_| span).ok_or(DecodeError)
    }

    fn span(&mut self) -> Result<Span, DecodeError> {
        let span = Span { bytes: self.bytes()?, start_line: self.number()?, end_line: self.number()? };
        // A text has at most one line more than bytes.
        let is_plausible =
            1 <= span.start_line && span.start_line <= span.end_line && span.end_line as usize <= self.text.len() + 1;
        if is_plausible { Ok(span) } else { Err(DecodeError) }
    }

    fn chunk(&mut self) -> Result<Chunk, DecodeError> {
        Ok(Chunk {
            ordinal: self.number()?,
            kind: self.kind(&ChunkKind::ALL)?,
            span: self.span()?,
            symbol: self.optional()?,
            signature: self.optional()?,
            doc_comment: if self.flag()? { Some(self.bytes()?) } else { None },
            tokens: self.number()?,
        })
    }

    fn symbol(&mut self, chunk_count: u32) -> Result<Symbol, DecodeError> {
        Ok(Symbol {
            name: self.string()?,
            qualified: self.string()?,
            kind: self.kind(&SymbolKind::ALL)?,
            span: self.span()?,
            chunk: self.chunk_of(chunk_count)?,
        })
    }

    fn edge(&mut self, chunk_count: u32) -> Result<Edge, DecodeError> {
        Ok(Edge { kind: self.kind(&EdgeKind::ALL)?, chunk: self.chunk_of(chunk_count)?, target: self.string()? })
    }

    fn chunk_of(&mut self, chunk_count: u32) -> Result<u32, DecodeError> {
        let chunk = self.number()?;
        // A document without chunks puts everything into chunk 0.
        if chunk < chunk_count.max(1) { Ok(chunk) } else { Err(DecodeError) }
    }

    fn kind<T: Copy>(&mut self, all: &[T]) -> Result<T, DecodeError> {
        all.get(self.number()? as usize).copied().ok_or(DecodeError)
    }
}

#[cfg(test)]
mod tests {
    use recall_core::Limits;
    use recall_text::{DocPath, Language};

    use super::*;
    use crate::{ChunkLimits, Chunker};

    /// Returns the fixtures of all languages with their parsed documents.
    fn documents() -> Vec<(String, ParsedDocument)> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut chunker = Chunker::new(ChunkLimits::from(&Limits::default()));
        let files = std::fs::read_dir(folder).expect("there are fixtures").map(|file| file.expect("readable").path());
        let documents = files.map(|file| {
            let text = std::fs::read_to_string(&file).expect("text");
            let path = DocPath::new(file.file_name().and_then(|name| name.to_str()).expect("a name")).expect("plain");
            let parsed = chunker.parse(&path, Language::detect(&path, &text).as_ref(), &text);
            (text, parsed)
        });
        documents.collect()
    }

    #[test]
    fn a_document_survives_the_way_there_and_back() {
        let documents = documents();
        assert!(documents.len() > 25 && documents.iter().any(|(_, parsed)| !parsed.edges.is_empty()));
        for (text, parsed) in documents {
            assert_eq!(decode(&encode(&parsed), &text), Ok(parsed));
        }
        let failed = ParsedDocument {
            title: Some("title".to_owned()),
            tags: vec!["a".to_owned(), String::new()],
            chunks: Vec::new(),
            symbols: Vec::new(),
            edges: Vec::new(),
            outcome: ParseOutcome::Failed { reason: "why".to_owned() },
        };
        assert_eq!(decode(&encode(&failed), ""), Ok(failed));
    }

    #[test]
    fn damaged_bytes_are_an_error_or_a_document_within_the_text() {
        for (text, parsed) in documents() {
            let bytes = encode(&parsed);
            assert_eq!(decode(&bytes[..bytes.len() - 1], &text), Err(DecodeError));
            assert_eq!(decode(&[&bytes[..], &[0]].concat(), &text), Err(DecodeError));
            for at in (0..bytes.len()).step_by(7) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x55;
                if let Ok(document) = decode(&damaged, &text) {
                    assert!(document.chunks.iter().all(|chunk| chunk.span.bytes.slice(&text).is_some()));
                }
            }
        }
    }

    #[test]
    fn a_false_count_reserves_nothing() {
        assert_eq!(decode(&[0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], ""), Err(DecodeError));
    }
}
