//! Ids, rows and hashes of documents and chunks, and citations: `path:10-20@hash`, as answers write them, and the other forms
//! in which people and programs name lines of a file: `path:10`, `path:10:5`, `path#L10`, `path#L10-L20`.

use std::fmt;
use std::str::FromStr;

use recall_text::DocPath;

/// The stable id of a document: derived from its path in the store, so that it survives every edit.
///
/// Worktrees of one repository give the same file the same id. Shown as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId([u8; 8]);

impl DocumentId {
    /// Derives the id of the document at a path.
    pub fn from_path(path: &DocPath) -> Self {
        let hash = blake3::hash(path.as_str().as_bytes());
        let mut id = [0; 8];
        id.copy_from_slice(&hash.as_bytes()[..8]);
        Self(id)
    }

    /// The id as bytes, in the order in which its digits are shown.
    pub fn to_bytes(self) -> [u8; 8] {
        self.0
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl FromStr for DocumentId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError { text: text.to_owned() };
        if text.len() != 16 || !is_lower_hex(text) {
            return Err(wrong());
        }
        let number = u64::from_str_radix(text, 16).map_err(|_| wrong())?;
        Ok(Self(number.to_be_bytes()))
    }
}

/// The id of a chunk: the id of its document and its index in the document, from 0. Shown as `<document>-<ordinal>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId {
    /// The document that contains the chunk.
    pub document: DocumentId,
    /// The chunk's index among the chunks of its document, from 0.
    pub ordinal: u32,
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.document, self.ordinal)
    }
}

impl FromStr for ChunkId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError { text: text.to_owned() };
        let (document, ordinal) = text.split_once('-').ok_or_else(wrong)?;
        if ordinal.is_empty() || !ordinal.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        Ok(Self { document: document.parse()?, ordinal: ordinal.parse().map_err(|_| wrong())? })
    }
}

/// The text is not the id of a document or a chunk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id: a document has 16 hexadecimal digits, a chunk the same followed by `-<number>`")]
pub struct IdError {
    /// The text as it was given.
    pub text: String,
}

/// The BLAKE3 hash of some content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes the bytes by BLAKE3.
    pub fn hash(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the first 12 hexadecimal digits, as used in citations.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

/// Computes the hash of content that arrives in parts.
#[derive(Clone, Debug, Default)]
pub struct ContentHasher(blake3::Hasher);

impl ContentHasher {
    /// Appends a part. The parts are hashed as one text, so their borders do not count.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all parts, which is that of the whole.
    pub fn finish(&self) -> ContentHash {
        ContentHash(*self.0.finalize().as_bytes())
    }
}

/// Whether a text consists of hexadecimal digits in lower case.
pub(crate) fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Writes at most 32 bytes as hexadecimal digits in one call: every hit contains several ids and hashes.
pub(crate) fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    let mut digits = [0; 64];
    let digits = &mut digits[..2 * bytes.len()];
    hex::encode_to_slice(bytes, digits).map_err(|_| fmt::Error)?;
    f.write_str(str::from_utf8(digits).map_err(|_| fmt::Error)?)
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

/// A document's row in one store's catalog. Never reused in the lifetime of the catalog, and meaningless outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentRow(pub i64);

/// A chunk's row in one store's catalog. Never reused in the lifetime of the catalog, and meaningless outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkRow(pub i64);

/// The number of a store's committed state: every committed batch increments it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u64);

impl Generation {
    /// Returns the generation after the next commit.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

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
    fn ids_are_parsed_as_they_are_shown() {
        let document = DocumentId::from_path(&DocPath::new("src/lib.rs").expect("a plain path"));
        assert_eq!(document.to_string().parse(), Ok(document));
        let chunk = ChunkId { document, ordinal: 12 };
        assert_eq!(chunk.to_string().parse(), Ok(chunk));
    }

    #[test]
    fn other_text_is_not_an_id() {
        for text in ["", "abc", "zzzzzzzzzzzzzzzz", "ABCDEF0123456789", "+123456789abcdef", "0123456789abcdef-"] {
            assert!(text.parse::<DocumentId>().is_err(), "{text}");
            assert!(text.parse::<ChunkId>().is_err(), "{text}");
        }
    }

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
