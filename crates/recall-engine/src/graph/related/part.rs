//! The document or the part of it that a query is about.

use recall_core::{ByteSpan, Chunk, Lines};

use crate::error::GraphError;
use crate::graph::definitions::NameResolver;
use crate::graph::name::Name;
use crate::graph::start::{by_id, by_path};

/// A document or a part of it.
pub(crate) struct Part {
    /// The index of the document among the store's paths.
    pub(crate) document: u32,
    pub(crate) text: String,
    /// Its span in the document's text.
    pub(crate) span: ByteSpan,
    /// The chunks that it overlaps, by their ordinals in the document.
    pub(crate) chunks: Vec<u32>,
    /// Whether it is the whole document.
    pub(crate) extent: Extent,
}

/// How much of a document a part covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Some,
}

impl Part {
    /// Reads the part that a name and lines denote; `None` if the store does not know the document.
    ///
    /// # Errors
    /// The document does not have the lines, or the store cannot be read.
    pub(crate) fn read(
        names: &NameResolver<'_>,
        name: &Name,
        lines: Option<Lines>,
    ) -> Result<Option<Self>, GraphError> {
        let document = match name {
            Name::Document(id) => by_id(names, *id)?,
            Name::Chunk(id) => by_id(names, id.document)?,
            Name::Paths(paths) => by_path(names, paths),
        };
        let Some(document) = document else { return Ok(None) };
        let row = names.row(document);
        let (text, chunks) =
            names.read(|snapshot| Ok((snapshot.text(row)?.unwrap_or_default(), snapshot.chunks_of(row)?)))?;
        let whole = ByteSpan { start: 0, end: text.len() as u32 };
        let span = match (name, lines) {
            (Name::Chunk(id), _) => match chunks.get(id.ordinal as usize) {
                Some(chunk) => chunk.span.bytes,
                None => return Ok(None),
            },
            (_, Some(lines)) => span_of(&text, lines).ok_or_else(|| GraphError::NoLines {
                path: names.path(document).to_owned(),
                lines: text.lines().count() as u32,
                start: lines.start,
                end: lines.end,
            })?,
            (_, None) => whole,
        };
        let touches = |chunk: &&Chunk| chunk.span.bytes.start < span.end && span.start < chunk.span.bytes.end;
        Ok(Some(Self {
            document,
            chunks: chunks.iter().filter(touches).map(|chunk| chunk.ordinal).collect(),
            extent: if span == whole { Extent::Whole } else { Extent::Some },
            text: span.slice(&text).unwrap_or_default().to_owned(),
            span,
        }))
    }
}

/// Returns the span of lines in a text; `None` if it has none of them.
fn span_of(text: &str, lines: Lines) -> Option<ByteSpan> {
    if lines.start == 0 || lines.end < lines.start {
        return None;
    }
    let mut start = None;
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if number == lines.start {
            start = Some(at);
        }
        at += line.len() as u32;
        if number == lines.end {
            break;
        }
    }
    start.map(|start| ByteSpan { start, end: at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bytes_of_the_text() {
        let text = "one\ntwo\nthree";
        let check = |start, end, expected: Option<&str>| {
            let span = span_of(text, Lines { start, end });
            assert_eq!(span.and_then(|span| span.slice(text)), expected, "{start}-{end}");
        };
        check(1, 1, Some("one\n"));
        check(2, 3, Some("two\nthree"));
        check(2, 99, Some("two\nthree"));
        check(4, 4, None);
        check(0, 2, None);
        check(3, 2, None);
    }
}
