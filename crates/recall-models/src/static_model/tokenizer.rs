//! Splitting a text into rows of the vocabulary.
//!
//! A text is split into words, and identifiers into their parts ([`words::split`]). A lower-cased part that the
//! vocabulary contains is one row. Any other part is split greedily from its start into the longest known words, with
//! pieces of up to three letters between them. Letters beyond ASCII have no words: each letter, and each pair of
//! neighbours, is hashed to a row, so that equal words in any script have equal rows. The training code does the same
//! (`training/embed/words.py`).

use recall_text::words::{self, Word};
use rustc_hash::FxHashMap;

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
