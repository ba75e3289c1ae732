//! The cutting of a large text into parts that are parsed one by one, and the joining of what was found in them.
//!
//! A syntax tree takes some thirty times the memory of its text. With parts, the memory does not grow with the file, and a
//! part that cannot be parsed costs only itself. A definition that a cut divides is found in two pieces; cuts are made
//! between definitions where possible.

use std::ops::Range;

use recall_core::{ByteSpan, ParseOutcome, ParsedDocument, Span};

/// The last part of a full part that is searched for a good cut.
const SEARCH_DIVISOR: usize = 4;

/// Returns the ranges of the parts of a text, each of at most `most_bytes`, which is at least the length of a character.
///
/// A cut is made before a line without indentation after a blank line, or else before any line. A line that is longer than a
/// part is cut within.
pub(crate) fn cut(text: &str, most_bytes: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while text.len() - start > most_bytes {
        let full = text.floor_char_boundary(start + most_bytes).max(text.ceil_char_boundary(start + 1));
        let earliest = text.floor_char_boundary(full - (full - start) / SEARCH_DIVISOR);
        let end = between_definitions(text, earliest..full)
            .or_else(|| text[start..full].rfind('\n').map(|newline| start + newline + 1))
            .unwrap_or(full);
        parts.push(start..end);
        start = end;
    }
    if start < text.len() || parts.is_empty() {
        parts.push(start..text.len());
    }
    parts
}

/// Returns the last place within a range where a line without indentation follows a blank line.
fn between_definitions(text: &str, within: Range<usize>) -> Option<usize> {
    let breaks = text[within.clone()].rmatch_indices("\n\n");
    let mut places = breaks.map(|(at, newlines)| within.start + at + newlines.len());
    places.find(|&place| {
        let after = text[place..].chars().next();
        place < within.end && after.is_some_and(|first| !first.is_whitespace() && !matches!(first, '}' | ')' | ']'))
    })
}

/// A document that grows by the parts of its text.
pub(crate) struct Joined<'t> {
    text: &'t str,
    document: ParsedDocument,
    /// The end of the last part, and the number of lines before it.
    end: usize,
    lines: u32,
}

impl<'t> Joined<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let document = ParsedDocument {
            title: None,
            tags: Vec::new(),
            chunks: Vec::new(),
            symbols: Vec::new(),
            edges: Vec::new(),
            outcome: ParseOutcome::Parsed,
        };
        Self { text, document, end: 0, lines: 0 }
    }

    /// Appends what was found in the part that follows the last one.
    pub(crate) fn append(&mut self, part: &Range<usize>, found: ParsedDocument) {
        let newlines = self.text[self.end..part.start].matches('\n').count();
        self.lines += u32::try_from(newlines).unwrap_or(u32::MAX);
        self.end = part.start;
        let ParsedDocument { title, tags, chunks, symbols, edges, outcome } = found;
        let all = &mut self.document;
        let first = all.chunks.len() as u32;
        let (bytes, lines) = (part.start as u32, self.lines);
        all.title = all.title.take().or(title);
        all.tags.extend(tags);
        all.chunks.extend(chunks.into_iter().map(|mut chunk| {
            chunk.ordinal += first;
            chunk.span = shift(chunk.span, bytes, lines);
            chunk.doc_comment = chunk.doc_comment.map(|comment| shift_bytes(comment, bytes));
            chunk
        }));
        all.symbols.extend(symbols.into_iter().map(|mut symbol| {
            symbol.chunk += first;
            symbol.span = shift(symbol.span, bytes, lines);
            symbol
        }));
        all.edges.extend(edges.into_iter().map(|mut edge| {
            edge.chunk += first;
            edge
        }));
        if all.outcome == ParseOutcome::Parsed {
            all.outcome = outcome;
        }
    }

    /// Returns the document. It counts as parsed only if each part is.
    pub(crate) fn finish(self) -> ParsedDocument {
        let mut document = self.document;
        document.edges.sort_unstable();
        document.edges.dedup();
        document
    }
}

fn shift(span: Span, bytes: u32, lines: u32) -> Span {
    let Span { bytes: of_part, start_line, end_line } = span;
    Span { bytes: shift_bytes(of_part, bytes), start_line: start_line + lines, end_line: end_line + lines }
}

fn shift_bytes(span: ByteSpan, bytes: u32) -> ByteSpan {
    ByteSpan { start: span.start + bytes, end: span.end + bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, most_bytes: usize, expected: &[&str]) {
        let parts: Vec<&str> = cut(text, most_bytes).into_iter().map(|part| &text[part]).collect();
        assert_eq!(parts, expected, "{text:?}");
    }

    #[test]
    fn a_text_is_cut_between_definitions_or_lines_or_characters() {
        check("short", 10, &["short"]);
        check("", 10, &[""]);
        check("fn a() {}\n\nfn b() {}\n", 12, &["fn a() {}\n\n", "fn b() {}\n"]);
        check("aaa\n\n  b\n\nccc\nddd\neee\n", 15, &["aaa\n\n  b\n\nccc\n", "ddd\neee\n"]);
        check("one\ntwo\nthree\n", 9, &["one\ntwo\n", "three\n"]);
        check("0123456789", 4, &["0123", "4567", "89"]);
        check("\u{e9}\u{e9}\u{e9}", 3, &["\u{e9}", "\u{e9}", "\u{e9}"]);
        check("\u{8fd9}\u{8fd9}", 1, &["\u{8fd9}", "\u{8fd9}"]);
    }
}
