//! Citations: `path`, `path:10`, `path:10-20`, each with `@hash` or without.

use crate::ids::is_lower_hex;

/// A place in a document, as shown in answers and accepted as input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation<'a> {
    /// The document's path, or its id.
    pub document: &'a str,
    /// The cited lines.
    pub lines: Option<Lines>,
    /// The first digits of the content's hash when it was cited, in lower case.
    pub hash: Option<&'a str>,
}

/// Lines of a document, from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first line.
    pub start: u32,
    /// The last line.
    pub end: u32,
}

/// The fewest digits of a hash. A shorter run of digits may be an ordinary word, as in `me@cafe`.
const SHORTEST_HASH: usize = 6;

impl<'a> Citation<'a> {
    /// Splits the lines and the hash off the end of a text: `src/lib.rs:10-20@0123456789ab`. A text without them is a
    /// document.
    pub fn of(text: &'a str) -> Self {
        let (place, hash) = match text.rsplit_once('@') {
            Some((place, hash)) if is_hash(hash) && !place.is_empty() => (place, Some(hash)),
            _ => (text, None),
        };
        let cited = place.rsplit_once(':').filter(|(document, _)| !document.is_empty());
        match cited.and_then(|(document, lines)| Some((document, Lines::of(lines)?))) {
            Some((document, lines)) => Self { document, lines: Some(lines), hash },
            None => Self { document: place, lines: None, hash },
        }
    }
}

impl Lines {
    /// Parses `10` or `10-20`; returns `None` for anything else, including line 0 and reversed ranges.
    pub fn of(text: &str) -> Option<Self> {
        let (start, end) = text.split_once('-').unwrap_or((text, text));
        let lines = Self { start: start.parse().ok()?, end: end.parse().ok()? };
        (lines.start > 0 && lines.start <= lines.end).then_some(lines)
    }
}

fn is_hash(text: &str) -> bool {
    text.len() >= SHORTEST_HASH && is_lower_hex(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_is_a_document_with_lines_and_a_hash() {
        let lines = |start, end| Some(Lines { start, end });
        for (text, document, lines, hash) in [
            ("src/lib.rs:10-20@0123456789ab", "src/lib.rs", lines(10, 20), Some("0123456789ab")),
            ("src/lib.rs:10-20", "src/lib.rs", lines(10, 20), None),
            ("src/lib.rs:7", "src/lib.rs", lines(7, 7), None),
            ("src/lib.rs@0123456789ab", "src/lib.rs", None, Some("0123456789ab")),
            ("src/lib.rs", "src/lib.rs", None, None),
            ("C:x", "C:x", None, None),
            (":7", ":7", None, None),
            ("a@b.rs:1-2", "a@b.rs", lines(1, 2), None),
            ("me@home", "me@home", None, None),
            ("a.rs:0-3", "a.rs:0-3", None, None),
            ("a.rs:9-3", "a.rs:9-3", None, None),
            ("0123456789abcdef-3", "0123456789abcdef-3", None, None),
        ] {
            assert_eq!(Citation::of(text), Citation { document, lines, hash }, "{text}");
        }
    }
}
