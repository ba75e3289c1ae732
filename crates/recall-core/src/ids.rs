//! Ids, rows and hashes of documents and chunks.

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
}
