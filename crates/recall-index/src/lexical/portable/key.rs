//! Numbers of terms, and the fields that they belong to.

use crate::lexical::format::checksum;

/// A field whose terms have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyField {
    /// Terms of a chunk's text.
    Body,
    /// Terms of a chunk's text that make up much of it.
    Dense,
    /// Terms of a chunk's names.
    Symbol,
    /// Terms of a chunk's doc comment.
    Comment,
    /// A name that the chunk defines, folded.
    Name,
    /// A title, a heading or a first sentence.
    Phrase,
    /// Terms of a document's path.
    Path,
    /// Terms of its file name without extension.
    Stem,
    /// Terms of the name of its directory.
    Folder,
    /// A suffix of its path, folded.
    PathEnd,
    /// Its file name without extension, folded.
    FileName,
}

/// The number of a term in a field. Two terms share one with a probability of one in four thousand million.
pub(super) fn key(field: KeyField, term: &str) -> u32 {
    let sum = checksum(term) ^ (field as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (sum ^ sum >> 32) as u32
}

/// The number of terms in each field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// In the texts of chunks.
    pub body: u64,
    /// In the names that chunks define, and that enclose them.
    pub symbol: u64,
    /// In the doc comments of chunks.
    pub comment: u64,
    /// In the paths of documents, once for each document.
    pub path: u64,
    /// In file names without extensions, once for each document.
    pub stem: u64,
    /// In the names of directories, once for each document.
    pub folder: u64,
}

impl Lengths {
    /// The lengths as a list, in the order of the fields.
    pub fn to_array(self) -> [u64; 6] {
        let Self { body, symbol, comment, path, stem, folder } = self;
        [body, symbol, comment, path, stem, folder]
    }

    /// The inverse of [`to_array`](Self::to_array).
    pub fn from_array([body, symbol, comment, path, stem, folder]: [u64; 6]) -> Self {
        Self { body, symbol, comment, path, stem, folder }
    }
}
