//! The literals of a query: text that an answer contains as it is written.
//!
//! A phrase in quotation marks is one, and so is a single word with punctuation, such as `x-request-id` or `--no-cache`, whose parts
//! are words of many files. Terms say nothing about order and punctuation, so the texts are searched.

use std::collections::BTreeMap;

use recall_core::Case;
use recall_core::{ChunkRow, QueryClass, Understood};
use recall_index::lexical::Evidence;

use crate::error::StoreError;
use crate::occurrences::literal_matches;
use crate::store::Store;

/// The most documents with a literal that become candidates. More say that the literal is common, and words rank it well.
const MOST_DOCUMENTS: usize = 200;

/// The most literals of a query that are searched.
const MOST_LITERALS: usize = 4;

/// The fewest characters of a literal. Two letters are in nearly every text.
const MIN_CHARS: usize = 3;

/// The documents of a store that contain literals of a query.
#[derive(Debug, Default)]
pub(super) struct Literals {
    /// By row: the number of literals that the document contains, and the first chunk with one.
    documents: BTreeMap<i64, (u32, ChunkRow)>,
    count: u32,
}

impl Literals {
    /// Finds the documents with the literals of a query.
    ///
    /// # Errors
    /// The catalog cannot be read.
    pub(super) fn find(store: &Store, understood: &Understood) -> Result<Self, StoreError> {
        let mut found = Self::default();
        for literal in literals(understood) {
            found.count += 1;
            for document in literal_matches(store, literal, Case::Insensitive, MOST_DOCUMENTS)? {
                found.documents.entry(document.row.0).or_insert((0, document.chunk)).0 += 1;
            }
        }
        Ok(found)
    }

    /// Returns a chunk of each document.
    pub(super) fn chunks(&self) -> Vec<ChunkRow> {
        self.documents.values().map(|&(_, chunk)| chunk).collect()
    }

    /// Marks the documents among the candidates. Each is represented by the chunk with the literal, unless it defines a name of the query.
    pub(super) fn mark(&self, evidence: &mut Evidence) {
        for document in &mut evidence.documents {
            if let Some(&(count, chunk)) = self.documents.get(&document.document.0) {
                document.literal = count as f32 / self.count as f32;
                // A definition of the literal represents its file better than a use.
                if document.names_equal <= 0.0 {
                    document.chunk = chunk;
                }
            }
        }
    }
}

/// Returns the literals of a query, in order.
fn literals(understood: &Understood) -> Vec<&str> {
    let text = understood.text.trim();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // The path of a file is found by the index of paths.
    let is_alone = understood.class == QueryClass::Symbol && !text.contains(char::is_whitespace);
    let has_punctuation =
        !text.trim_matches(|c| !is_word(c)).chars().all(is_word) || text.starts_with(['-', '@', '#', '$', '.']);
    let alone = (understood.phrases.is_empty() && is_alone && has_punctuation).then_some(text);
    let phrases = understood.phrases.iter().map(String::as_str);
    phrases.chain(alone).filter(|literal| literal.chars().count() >= MIN_CHARS).take(MOST_LITERALS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall_core::understand;

    #[test]
    fn phrases_and_words_with_punctuation_are_literals() {
        let check = |query: &str, expected: &[&str]| assert_eq!(literals(&understand(query)), expected, "{query}");
        check("\"retry with jitter\" budget", &["retry with jitter"]);
        check("x-request-id", &["x-request-id"]);
        check("--no-cache", &["--no-cache"]);
        check("Store::open", &["Store::open"]);
        check("parseTokens", &[]);
        check("src/net/retry.rs", &[]);
        check("how are x-request-id headers read", &[]);
        check("\"ab\"", &[]);
    }
}
