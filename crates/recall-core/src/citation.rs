//! Citations: `path:10-20@hash`, as answers write them, and the other forms in which people and programs name lines of a file:
//! `path:10`, `path:10:5`, `path#L10`, `path#L10-L20`.

use crate::ids::is_lower_hex;

/// A place in a document, as shown in answers and accepted as input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation<'a> {
    /// The document's path, or its id.
    pub document: &'a str,
    /// The cited lines; `None` for the whole document.
    pub lines: Option<Lines>,
    /// The first digits of the content's hash when it was cited, in lower case.
    pub hash: Option<&'a str>,
}

/// Lines of a document, both included. No document has a line 0, which a text may name all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first line, counted from 1.
    pub start: u32,
    /// The last line, not before the first.
    pub end: u32,
}

/// The fewest digits of a hash. A shorter run of digits may be an ordinary word, as in `me@cafe`.
const SHORTEST_HASH: usize = 6;

impl<'a> Citation<'a> {
    /// Splits the lines and the hash off the end of a text: `src/lib.rs:10-20@0123456789ab`. A text without them is a
    /// document. A column after the line is ignored.
    pub fn split(text: &'a str) -> Self {
        let (place, hash) = match text.rsplit_once('@') {
            Some((place, hash)) if is_hash(hash) && !place.is_empty() => (place, Some(hash)),
            _ => (text, None),
        };
        match split_lines(place) {
            Some((document, lines)) => Self { document, lines: Some(lines), hash },
            None => Self { document: place, lines: None, hash },
        }
    }

    /// Returns what a text may mean: a document with that name as a whole, then one with lines or a hash at the end of the text.
    pub fn readings(text: &'a str) -> impl Iterator<Item = Self> {
        let whole = Self { document: text, lines: None, hash: None };
        let cited = Some(Self::split(text)).filter(|cited| *cited != whole);
        std::iter::once(whole).chain(cited)
    }
}

/// Splits lines off the end of a text.
fn split_lines(place: &str) -> Option<(&str, Lines)> {
    let split = |separator| place.rsplit_once(separator).filter(|(document, _): &(&str, &str)| !document.is_empty());
    if let Some((document, fragment)) = split('#') {
        return Lines::parse_fragment(fragment).map(|lines| (document, lines));
    }
    let (document, last) = split(':')?;
    // Compilers write `path:line:column`, and grep `path:line:`.
    if let Some((outer, line)) = document.rsplit_once(':')
        && let (false, Ok(line)) = (outer.is_empty(), line.parse())
        && (last.is_empty() || last.parse::<u32>().is_ok())
    {
        return Some((outer, Lines { start: line, end: line }));
    }
    Some((document, Lines::parse(last)?))
}

impl Lines {
    /// Parses `10` or `10-20`; returns `None` for anything else. The lines of a reversed range are those between its ends.
    pub fn parse(text: &str) -> Option<Self> {
        let (one, other) = text.split_once('-').unwrap_or((text, text));
        let (one, other) = (one.parse().ok()?, other.parse().ok()?);
        Some(Self { start: std::cmp::min(one, other), end: std::cmp::max(one, other) })
    }

    /// Parses the fragment with which hosts of repositories link to lines: `L10`, `L10-L20`, `L10-20`, `L10C5-L20C8`.
    fn parse_fragment(text: &str) -> Option<Self> {
        fn line(text: &str) -> Option<u32> {
            let text = text.strip_prefix('L').unwrap_or(text);
            let (line, column) = text.split_once('C').unwrap_or((text, "1"));
            column.parse::<u32>().ok().and_then(|_| line.parse().ok())
        }
        let (one, other) = text.split_once('-').unwrap_or((text, text));
        let (one, other) = (text.starts_with('L').then(|| line(one))??, line(other)?);
        Some(Self { start: std::cmp::min(one, other), end: std::cmp::max(one, other) })
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
            ("a.rs:0-3", "a.rs", lines(0, 3), None),
            ("a.rs:9-3", "a.rs", lines(3, 9), None),
            ("a.rs:9:3", "a.rs", lines(9, 9), None),
            ("a.rs:9:", "a.rs", lines(9, 9), None),
            ("C:\\a.rs:9:3", "C:\\a.rs", lines(9, 9), None),
            ("a.rs:9:x", "a.rs:9:x", None, None),
            ("a.rs#L9", "a.rs", lines(9, 9), None),
            ("a.rs#L9-L12@0123456789ab", "a.rs", lines(9, 12), Some("0123456789ab")),
            ("a.rs#L9-12", "a.rs", lines(9, 12), None),
            ("a.rs#L12C3-L9C1", "a.rs", lines(9, 12), None),
            ("a.md#Lists", "a.md#Lists", None, None),
            ("a.md#9", "a.md#9", None, None),
            ("#L9", "#L9", None, None),
            ("0123456789abcdef-3", "0123456789abcdef-3", None, None),
        ] {
            assert_eq!(Citation::split(text), Citation { document, lines, hash }, "{text}");
        }
    }

    #[test]
    fn a_text_is_first_read_as_the_name_of_a_document() {
        let documents = |text| Citation::readings(text).map(|reading| reading.document).collect::<Vec<_>>();
        assert_eq!(documents("a.rs:9"), ["a.rs:9", "a.rs"]);
        assert_eq!(documents("a.rs"), ["a.rs"]);
    }
}
