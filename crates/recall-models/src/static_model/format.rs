//! The file format of a static model, and the splitting of a text into rows of its vocabulary.
//!
//! All numbers are little-endian.
//!
//! | part | form |
//! |---|---|
//! | magic, version | `RCLE`, u16 |
//! | dimensions | u16 |
//! | words, pieces, hashed rows | u32 each |
//! | length of the vocabulary in bytes | u32 |
//! | vocabulary | the words, then the pieces, in ASCII, each followed by a line feed |
//! | scales | one f32 per row |
//! | table | one i8 per component, row by row |
//! | checksum | u32, CRC-32 of all bytes before it |
//!
//! A text is split into words, and identifiers into their parts ([`words::split`]). A lower-cased part that the
//! vocabulary contains is one row. Any other part is split greedily from its start into the longest known words, with
//! pieces of up to three letters between them. Letters beyond ASCII have no words: each letter, and each pair of
//! neighbours, is hashed to a row, so that equal words in any script have equal rows. The training code does the same
//! (`training/embed/words.py`).

use recall_text::words::{self, Word};
use rustc_hash::FxHashMap;
use thiserror::Error;

const MAGIC: &[u8] = b"RCLE";

/// Incremented with every change of the format.
const VERSION: u16 = 1;

const HEADER_BYTES: usize = 24;
const CHECKSUM_BYTES: usize = 4;

/// A static model could not be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// The bytes are not a static model.
    #[error("this is not a static model: it does not begin with `RCLE`")]
    Magic,
    /// The bytes have another format version.
    #[error("the static model has format version {found}, expected {VERSION}")]
    Version {
        /// The version in the header.
        found: u16,
    },
    /// The bytes were changed.
    #[error("the static model is damaged: its checksum is {found:08x}, but that of its bytes is {computed:08x}")]
    Checksum {
        /// The checksum in the file.
        found: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// The length differs from that in the header.
    #[error("the static model has {found} bytes, but its header says {expected}")]
    Length {
        /// The actual length in bytes.
        found: u64,
        /// The length according to the header.
        expected: u64,
    },
    /// The number of vocabulary entries differs from that in the header.
    #[error("the static model's vocabulary has {found} entries, expected {expected}")]
    Vocabulary {
        /// The actual number; 0 if the vocabulary is not UTF-8.
        found: usize,
        /// The number in the header.
        expected: usize,
    },
    /// The dimension is 0, or there are no rows for unknown letters.
    #[error("the static model has no dimensions or no hashed rows")]
    Empty,
    /// A row's scale is infinite or not a number.
    #[error("the scale of row {row} of the static model is not a finite number")]
    Scale {
        /// The index of the row.
        row: usize,
    },
}

/// The parts of a model's file.
pub(super) struct Parts<'a> {
    pub(super) dimensions: usize,
    pub(super) words: Vec<&'a str>,
    pub(super) pieces: Vec<&'a str>,
    pub(super) hashed: u32,
    pub(super) scales: &'a [u8],
    pub(super) table: &'a [u8],
}

pub(super) fn read(bytes: &[u8]) -> Result<Parts<'_>, ReadError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ReadError::Magic);
    }
    let too_short = ReadError::Length { found: bytes.len() as u64, expected: (HEADER_BYTES + CHECKSUM_BYTES) as u64 };
    let header: &[u8; HEADER_BYTES] = bytes.first_chunk().ok_or(too_short)?;
    let version = u16::from_le_bytes([header[4], header[5]]);
    if version != VERSION {
        return Err(ReadError::Version { found: version });
    }
    let dimensions = usize::from(u16::from_le_bytes([header[6], header[7]]));
    let [words, pieces, hashed, text] = [8, 12, 16, 20].map(|at| number(&header[at..]));
    if dimensions == 0 || hashed == 0 {
        return Err(ReadError::Empty);
    }
    // Sums and products of these numbers fit into 64 bits.
    let rows = u64::from(words) + u64::from(pieces) + u64::from(hashed);
    let expected = (HEADER_BYTES + CHECKSUM_BYTES) as u64 + u64::from(text) + rows * (4 + dimensions as u64);
    if expected != bytes.len() as u64 {
        return Err(ReadError::Length { found: bytes.len() as u64, expected });
    }
    let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
    let (found, computed) = (number(checksum), crc32fast::hash(body));
    if found != computed {
        return Err(ReadError::Checksum { found, computed });
    }
    let (vocabulary, numbers) = body[HEADER_BYTES..].split_at(text as usize);
    let (scales, table) = numbers.split_at(rows as usize * 4);
    if let Some(row) = scales.chunks_exact(4).position(|scale| !f32::from_bits(number(scale)).is_finite()) {
        return Err(ReadError::Scale { row });
    }
    let mut words_and_pieces = entries(vocabulary, words as usize + pieces as usize)?;
    let pieces = words_and_pieces.split_off(words as usize);
    Ok(Parts { dimensions, words: words_and_pieces, pieces, hashed, scales, table })
}

fn entries(vocabulary: &[u8], expected: usize) -> Result<Vec<&str>, ReadError> {
    let text = std::str::from_utf8(vocabulary).unwrap_or_default();
    let entries: Vec<&str> = text.lines().collect();
    if entries.len() == expected { Ok(entries) } else { Err(ReadError::Vocabulary { found: entries.len(), expected }) }
}

/// Reads the first four bytes of a slice.
fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The number of bytes of a text that are read; the cut is at a character boundary.
///
/// Chunks are smaller by an order of magnitude. One vector for a whole file would not represent its parts.
pub const MOST_TEXT_BYTES: usize = 32 * 1024;

/// The least length of a word inside an unknown part. Shorter words would match by accident.
const SHORTEST_WORD_WITHIN: usize = 4;

/// The length of the vocabulary's longest word in bytes.
const LONGEST_WORD_BYTES: usize = 24;

#[derive(Debug)]
pub(super) struct Tokenizer<'a> {
    words: FxHashMap<&'a str, u32>,
    pieces: FxHashMap<&'a str, u32>,
    first_hashed: u32,
    hashed: u32,
}

impl<'a> Tokenizer<'a> {
    /// Numbers the rows: first the words, then the pieces, then `hashed` rows, of which there must be at least one.
    pub(super) fn new(words: Vec<&'a str>, pieces: Vec<&'a str>, hashed: u32) -> Self {
        let first_piece = words.len() as u32;
        let first_hashed = first_piece + pieces.len() as u32;
        Self {
            words: words.into_iter().zip(0..).collect(),
            pieces: pieces.into_iter().zip(first_piece..).collect(),
            first_hashed,
            hashed,
        }
    }

    /// Calls `emit` with each row of a text, in order and with repetitions.
    pub(super) fn rows(&self, text: &str, mut emit: impl FnMut(u32)) {
        let text = &text[..text.floor_char_boundary(MOST_TEXT_BYTES)];
        let mut lower = String::new();
        words::split(text, |word| match word {
            Word::Compound(_) => {}
            Word::Plain(part) | Word::Part(part) => {
                lower.clear();
                if part.is_ascii() {
                    lower.push_str(part);
                    lower.make_ascii_lowercase();
                } else {
                    lower.push_str(&part.to_lowercase());
                }
                self.rows_of_part(&lower, &mut emit);
            }
        });
    }

    fn rows_of_part(&self, part: &str, emit: &mut impl FnMut(u32)) {
        if let Some(row) = self.words.get(part) {
            return emit(*row);
        }
        let mut at = 0;
        let mut previous = None;
        while let Some(letter) = part[at..].chars().next() {
            if letter.is_ascii() {
                previous = None;
                at += self.longest(&part[at..], emit);
            } else {
                emit(self.hash(None, letter));
                if previous.is_some() {
                    emit(self.hash(previous, letter));
                }
                previous = Some(letter);
                at += letter.len_utf8();
            }
        }
    }

    /// Emits the longest word or piece at the beginning of a text and returns its length; 1 for an unknown letter.
    fn longest(&self, text: &str, emit: &mut impl FnMut(u32)) -> usize {
        let ascii = text.bytes().take(LONGEST_WORD_BYTES).take_while(u8::is_ascii).count();
        for length in (1..=ascii).rev() {
            let rows = if length >= SHORTEST_WORD_WITHIN { &self.words } else { &self.pieces };
            if let Some(row) = rows.get(&text[..length]) {
                emit(*row);
                return length;
            }
        }
        1
    }

    /// Returns the row of one letter or of two neighbours: FNV-1a of their UTF-8 bytes.
    fn hash(&self, previous: Option<char>, letter: char) -> u32 {
        let mut hash: u32 = 0x811C_9DC5;
        for letter in previous.into_iter().chain([letter]) {
            for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
        self.first_hashed + hash % self.hashed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file with two words, one piece and one hashed row, in two dimensions.
    fn small() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0, 2, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0]);
        bytes.extend(b"ab\ncd\ne\n");
        for _ in 0..4 {
            bytes.extend(0.5_f32.to_le_bytes());
        }
        bytes.extend([1, 2, 3, 4, 5, 6, 7, 8]);
        sealed(bytes)
    }

    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    fn error_of(bytes: &[u8]) -> ReadError {
        read(bytes).err().expect("it is refused")
    }

    #[test]
    fn a_valid_file_is_read() {
        let bytes = small();
        let parts = read(&bytes).expect("it is whole");
        assert_eq!((parts.words, parts.pieces), (vec!["ab", "cd"], vec!["e"]));
        assert_eq!((parts.dimensions, parts.hashed, parts.scales.len()), (2, 1, 16));
        assert_eq!(parts.table, [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn every_truncation_and_every_changed_byte_is_refused() {
        let whole = small();
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "cut to {length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            assert!(read(&changed).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_refusal_has_its_reason() {
        assert_eq!(error_of(b"ONNX"), ReadError::Magic);
        let change = |at: usize, value: u8| {
            let mut bytes = small();
            bytes.truncate(bytes.len() - CHECKSUM_BYTES);
            bytes[at] = value;
            sealed(bytes)
        };
        assert_eq!(error_of(&change(4, 9)), ReadError::Version { found: 9 });
        assert_eq!(error_of(&change(6, 0)), ReadError::Empty);
        assert_eq!(error_of(&change(16, 0)), ReadError::Empty);
        assert_eq!(error_of(&change(8, 3)), ReadError::Length { found: 60, expected: 66 });
        assert_eq!(error_of(&change(26, b'x')), ReadError::Vocabulary { found: 2, expected: 3 });
        assert_eq!(error_of(&change(24, 0xFF)), ReadError::Vocabulary { found: 0, expected: 3 });
        let mut bytes = change(35, 0x7F);
        bytes.truncate(bytes.len() - CHECKSUM_BYTES);
        bytes[34] = 0x80;
        assert_eq!(error_of(&sealed(bytes)), ReadError::Scale { row: 0 });
    }

    fn check(text: &str, expected: &[u32]) {
        let tokenizer = Tokenizer::new(vec!["http", "open", "read"], vec!["e", "l", "li", "n", "r"], 1);
        let mut rows = Vec::new();
        tokenizer.rows(text, |row| rows.push(row));
        assert_eq!(rows, expected, "{text:?}");
    }

    #[test]
    fn identifiers_are_split_into_parts_and_parts_into_pieces() {
        check("", &[]);
        check("open HTTPRead read_open", &[1, 0, 2, 2, 1]);
        // An unknown part: first a word inside it, then the longest pieces. Unknown letters are skipped.
        check("readline", &[2, 5, 6, 3]);
        check("rzeopen", &[7, 3, 1]);
    }

    #[test]
    fn letters_beyond_ascii_are_hashed_alone_and_in_pairs() {
        check("字", &[8]);
        check("日本", &[8, 8, 8]);
        check("énopen", &[8, 6, 1]);
    }
}
