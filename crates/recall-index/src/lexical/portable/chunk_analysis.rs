//! The terms, names and phrases of one chunk, the numbers that stand for them, and the fields that they belong to.

use std::collections::BTreeMap;

use recall_text::{DocPath, fold_case, normalize_text};
use tantivy::fieldnorm::FieldNormReader;

use crate::lexical::analysis::Analysis;
use crate::lexical::format::checksum;
use crate::lexical::names::{self, MAX_NAME_BYTES, ends, folded_ends};
use crate::lexical::translation::in_english;

/// The parts of a chunk that are analysed. Secrets are masked in all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkParts<'a> {
    /// The text of the chunk; its language is recognised here.
    pub body: &'a str,
    /// Its doc comment; empty if it has none.
    pub comment: &'a str,
    /// The qualified names that it defines.
    pub names: &'a [String],
    /// Those of the fields, constants and values of types, whose words are not searched as those of names.
    pub members: &'a [String],
    /// The definitions or headings that enclose it, and the document's title if it is not the file name.
    pub enclosing: &'a [&'a str],
    /// Its headings, the title of prose and the first sentence of a memory.
    pub phrases: &'a [&'a str],
}

/// The terms of a chunk with their frequencies, and the names and phrases that it defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkAnalysis {
    /// The number of terms in the text, the names and the doc comment.
    pub(super) lengths: [u32; 3],
    /// By number, ascending: the frequencies of a term in the three fields.
    pub(super) terms: Vec<(u32, [u32; 3])>,
    /// As written, normalized.
    pub(super) names: Vec<String>,
    /// As keys.
    pub(super) phrases: Vec<String>,
}

/// The fields of chunks in the order of [`ChunkAnalysis::lengths`].
pub(super) const CHUNK_FIELDS: [KeyField; 3] = [KeyField::Body, KeyField::Symbol, KeyField::Comment];

/// The least share of a chunk's text that a dense term makes up. A tenth of the texts of source code that contain a term contain
/// it so often.
const DENSE: f32 = 0.04;

/// The format of [`ChunkAnalysis::encode`]. Raised with every change of it or of the analysis.
const FORMAT: u8 = 5;

/// The number of a term without its field.
pub(super) fn term_number(term: &str) -> u32 {
    key(KeyField::Body, term)
}

impl ChunkAnalysis {
    /// Analyses the parts of a chunk, as the index analyses them.
    pub fn new(parts: &ChunkParts<'_>) -> Self {
        let mut words = Analysis::for_text();
        let mut terms: BTreeMap<u32, [u32; 3]> = BTreeMap::new();
        let mut lengths = [0; 3];
        let names = parts.names.iter().map(String::as_str).chain(parts.enclosing.iter().copied());
        let english = in_english(parts.body);
        let bodies = [parts.body].into_iter().chain(english.as_deref());
        let fields = bodies.map(|body| (0, body)).chain(names.map(|name| (1, name)));
        for (field, text) in fields.chain([(2, parts.comment)]) {
            words.each(text, |term| {
                lengths[field] += 1;
                terms.entry(term_number(term.indexed)).or_default()[field] += 1;
            });
        }
        Self {
            lengths,
            terms: terms.into_iter().collect(),
            names: parts
                .names
                .iter()
                .chain(parts.members)
                .filter(|name| name.len() <= MAX_NAME_BYTES)
                .map(|name| normalize_text(name).into())
                .collect(),
            phrases: parts.phrases.iter().filter_map(|text| names::phrase_key(text)).collect(),
        }
    }

    /// The numbers by which a store finds the chunk, ascending, without repetition.
    pub fn keys(&self) -> Vec<u32> {
        let mut keys = Vec::with_capacity(self.terms.len() * 2 + self.names.len() * 2);
        let least = (self.lengths[0] as f32 * DENSE).max(2.0);
        for &(term, [body, symbol, comment]) in &self.terms {
            for (field, frequency) in CHUNK_FIELDS.into_iter().zip([body, symbol, comment]) {
                if frequency > 0 {
                    keys.push(field_key(field, term));
                }
            }
            if body as f32 >= least {
                keys.push(field_key(KeyField::Dense, term));
            }
        }
        for name in &self.names {
            keys.extend(folded_ends(name).iter().map(|end| key(KeyField::Name, end)));
        }
        keys.extend(self.phrases.iter().map(|phrase| key(KeyField::Phrase, phrase)));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Adds the chunk's lengths to those of a store: rounded, since an index takes its means from rounded ones.
    pub fn add_lengths(&self, lengths: &mut Lengths) {
        let [body, symbol, comment] = self.rounded_lengths().map(u64::from);
        lengths.body += body;
        lengths.symbol += symbol;
        lengths.comment += comment;
    }

    /// The frequencies of a term in the three fields.
    pub(super) fn frequencies(&self, term: u32) -> Option<[u32; 3]> {
        self.terms.binary_search_by_key(&term, |known| known.0).ok().map(|place| self.terms[place].1)
    }

    /// The lengths as an index stores them: with one byte each, rounded down.
    pub(super) fn rounded_lengths(&self) -> [u32; 3] {
        self.lengths.map(round)
    }

    /// Encodes the analysis, with the number of its format first.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![FORMAT];
        self.lengths.iter().for_each(|&length| put(&mut out, length));
        put(&mut out, self.terms.len() as u32);
        for (term, frequencies) in &self.terms {
            out.extend(term.to_le_bytes());
            // One byte says which fields have the term only once, and which have it more often.
            let code = frequencies.iter().rev().fold(0, |code: u8, &count| code * 3 + count.min(2) as u8);
            out.push(code);
            frequencies.iter().filter(|count| **count > 1).for_each(|&count| put(&mut out, count));
        }
        for texts in [&self.names, &self.phrases] {
            put(&mut out, texts.len() as u32);
            for text in texts {
                put(&mut out, text.len() as u32);
                out.extend(text.as_bytes());
            }
        }
        out
    }

    /// Decodes an analysis. `None` if the bytes are not one of this format.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (&FORMAT, mut rest) = bytes.split_first()? else { return None };
        let from = &mut rest;
        let lengths = [take(from)?, take(from)?, take(from)?];
        let count = take(from)? as usize;
        let mut terms = Vec::with_capacity(count.min(from.len() / 5 + 1));
        for _ in 0..count {
            let (number, after) = from.split_first_chunk::<4>()?;
            let (&code, after) = after.split_first()?;
            *from = after;
            let mut frequencies = [0; 3];
            let mut code = code;
            for frequency in &mut frequencies {
                *frequency = match code % 3 {
                    2 => take(from)?,
                    once => u32::from(once),
                };
                code /= 3;
            }
            terms.push((u32::from_le_bytes(*number), frequencies));
        }
        if !terms.is_sorted_by_key(|(term, _)| *term) {
            return None;
        }
        let (names, phrases) = (take_texts(from)?, take_texts(from)?);
        from.is_empty().then_some(Self { lengths, terms, names, phrases })
    }
}

/// The number of a term in a field of chunks, from its number without the field.
pub(super) fn field_key(field: KeyField, term: u32) -> u32 {
    (term ^ (field as u32).wrapping_mul(0x9e37_79b9)).rotate_left(field as u32)
}

/// The numbers by which a store finds a document by its path, ascending, without repetition; and the lengths of its fields, which
/// are added to those of the store.
pub fn document_keys(path: &DocPath, lengths: &mut Lengths) -> Vec<u32> {
    let fields = path_terms(path);
    let [whole, stem, folder] = fields.each_ref().map(|terms| u64::from(round(terms.len() as u32)));
    lengths.path += whole;
    lengths.stem += stem;
    lengths.folder += folder;
    let mut keys: Vec<u32> = Vec::new();
    for (field, terms) in [KeyField::Path, KeyField::Stem, KeyField::Folder].into_iter().zip(&fields) {
        keys.extend(terms.iter().map(|term| key(field, term)));
    }
    keys.extend(ends(&fold_case(path.as_str()), "/").map(|end| key(KeyField::PathEnd, end)));
    keys.push(key(KeyField::FileName, &fold_case(path.stem())));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The terms of a document's path, of its file name without extension, and of the name of its directory.
pub(super) fn path_terms(path: &DocPath) -> [Vec<String>; 3] {
    let folder = path.as_str().rsplit('/').nth(1).unwrap_or_default();
    let mut words = Analysis::for_queries();
    [path.as_str(), path.stem(), folder].map(|text| {
        let mut terms = Vec::new();
        words.each(text, |term| terms.push(term.indexed.to_owned()));
        terms
    })
}

/// A length as an index stores it.
pub(super) fn round(length: u32) -> u32 {
    FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length))
}

fn put(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(from: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for place in 0..5 {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u32::from(byte & 0x7f).checked_shl(7 * place)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_texts(from: &mut &[u8]) -> Option<Vec<String>> {
    let count = take(from)? as usize;
    let mut texts = Vec::with_capacity(count.min(from.len()));
    for _ in 0..count {
        let length = take(from)? as usize;
        let (text, rest) = from.split_at_checked(length)?;
        *from = rest;
        texts.push(String::from_utf8(text.to_vec()).ok()?);
    }
    Some(texts)
}

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
