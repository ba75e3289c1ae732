//! Code that a query copies without quotation marks: a sentence of a comment, lines, a message.
//!
//! Terms say nothing about order. A copied sentence has common words, so texts that have the rarer of them more often come before the one
//! that has them all in a row. A page is found by its sentences anyway, and a list of changes repeats the subjects of commits, which are
//! about the code.

use std::collections::HashMap;

use recall_core::{ChunkRow, DocumentRow, Understood};
use recall_index::lexical::Retrieved;
use recall_text::words::{Piece, is_stop_word, letters, pieces, runs};
use recall_text::{fold_case, is_agent_file};

use crate::error::StoreError;
use crate::known::Known;
use crate::ranking::ContentKind;
use crate::store::Store;

/// The fewest words in a row that count as copied.
const RUN_WORDS: usize = 4;

/// The fewest copied words of a query. Four are often a turn of the language.
const LEAST_COPIED: usize = 5;

/// The fewest different words among them that are not stop words.
const LEAST_TELLING: usize = 3;

/// The least share of a query's words that are copied. The rest of a longer question is about what is copied, or is a value.
const LEAST_SHARE: f64 = 0.7;

/// The copied words that are enough in a query of any length: a few lines of code.
const ENOUGH_COPIED: usize = 12;

/// The most words of a query. A longer text is a report of something else that also has code.
const MOST_WORDS: usize = 80;

/// The most chunks that are read. A text with all words of a query is among the first by words.
const MOST_CHUNKS: usize = 40;

/// The most documents that have the copied words. More say that they are a licence or another common text.
const MOST_DOCUMENTS: usize = 4;

/// Returns the chunks of code that contain most of a query's words in the order of the query, with their documents. Empty if no chunk contains
/// enough, or if more than [`MOST_DOCUMENTS`] contain the same.
///
/// # Errors
/// The catalog cannot be read.
pub(super) fn find_copied(
    store: &Store,
    known: &Known,
    retrieved: &Retrieved,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let words = words(understood.wording());
    let is_no_copy = understood.report.is_some() || is_question(understood.wording());
    if is_no_copy || !(LEAST_COPIED..=MOST_WORDS).contains(&words.len()) {
        return Ok(Vec::new());
    }
    let reads_tables = understood.original.is_none() && !begins_as_question(understood.wording());
    let likely = retrieved
        .lexical
        .iter()
        .filter(|one| may_be_copied(retrieved, one.document) && (reads_tables || !known.is_data_table(one.document)));
    let likely = likely.take(MOST_CHUNKS);
    let likely: Vec<(DocumentRow, ChunkRow)> = likely.map(|one| (one.document, one.chunk)).collect();
    let rows: Vec<ChunkRow> = likely.iter().map(|&(_, chunk)| chunk).collect();
    let texts = store.index.read(|snapshot| snapshot.chunk_texts(&rows))?;
    let reader = CopyReader::new(&words);
    let copied: Vec<usize> = texts.iter().map(|text| text.as_ref().map_or(0, |text| reader.count(text))).collect();
    let most = copied.iter().copied().max().unwrap_or_default();
    if most < LEAST_COPIED || (most < ENOUGH_COPIED && (most as f64) < LEAST_SHARE * words.len() as f64) {
        return Ok(Vec::new());
    }
    let mut found: Vec<(DocumentRow, ChunkRow)> = Vec::new();
    for (place, _) in likely.into_iter().zip(copied).filter(|&(_, count)| count == most) {
        if !found.iter().any(|&(document, _)| document == place.0) && !is_of_agents(store, place.0)? {
            found.push(place);
        }
    }
    Ok(if found.len() <= MOST_DOCUMENTS { found } else { Vec::new() })
}

/// The words with which a question begins.
const QUESTION_WORDS: &str = "how what where which who why";

/// The words that follow them in a question. A comment may begin with "how to" or "what a caller".
const AUXILIARIES: &str = "is are was were do does did can could should would will has have had";

/// Whether a text is a question. Files that have it too, such as the questions of a benchmark, do not answer it.
fn is_question(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_lowercase);
    let mut is_next_in = |list: &str| words.next().is_some_and(|word| list.split(' ').any(|known| known == word));
    is_next_in(QUESTION_WORDS) && is_next_in(AUXILIARIES)
}

/// Whether a text begins as questions and some comments do. A table of data with it has it as a question.
fn begins_as_question(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    QUESTION_WORDS.split(' ').any(|known| known == first) || text.trim_end().ends_with('?')
}

/// Returns whether a document is code and has enough of the query's words.
fn may_be_copied(retrieved: &Retrieved, document: DocumentRow) -> bool {
    let is_code = |traits| ContentKind::from_traits(traits) == ContentKind::Code;
    let mut all = retrieved.evidence.documents.iter();
    let found = all.find(|one| one.document == document);
    found.is_some_and(|one| is_code(one.traits) && f64::from(one.body_coverage) >= LEAST_SHARE)
}

/// Returns whether a document holds instructions for agents, which repeat each other.
fn is_of_agents(store: &Store, document: DocumentRow) -> Result<bool, StoreError> {
    let stored = store.index.read(|snapshot| snapshot.document_with_run(document))?;
    Ok(stored.is_some_and(|(stored, _)| is_agent_file(stored.document.path.as_str())))
}

/// Returns the words of a text in lower case; each letter of a script without spaces is one.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

fn each_word(text: &str, mut found: impl FnMut(&str)) {
    for piece in runs(text).flat_map(pieces) {
        match piece {
            Piece::Spaced(word) => found(&fold_case(word)),
            Piece::Unspaced(run) => letters(run).for_each(&mut found),
        }
    }
}

/// Counts the words of a query that a text has in the order of the query.
struct CopyReader<'q> {
    words: &'q [String],
    /// The places of each word in the query.
    places: HashMap<&'q str, Vec<usize>>,
}

impl<'q> CopyReader<'q> {
    fn new(words: &'q [String]) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, word) in words.iter().enumerate() {
            places.entry(word).or_default().push(place);
        }
        Self { words, places }
    }

    /// Returns the number of the query's words in runs of at least [`RUN_WORDS`] that the text has; 0 if fewer than [`LEAST_TELLING`] of
    /// them tell anything.
    fn count(&self, text: &str) -> usize {
        let mut copied = vec![false; self.words.len()];
        // By the place of its last word: the length of the run that ends at the latest word of the text.
        let mut ending: Vec<(usize, usize)> = Vec::new();
        each_word(text, |word| {
            let places = self.places.get(word).map(Vec::as_slice).unwrap_or_default();
            let lengthen = |&place: &usize| {
                let before = ending.iter().find(|&&(last, _)| last + 1 == place).map_or(0, |&(_, length)| length);
                (place, before + 1)
            };
            let now: Vec<(usize, usize)> = places.iter().map(lengthen).collect();
            for &(last, length) in now.iter().filter(|&&(_, length)| length >= RUN_WORDS) {
                copied[last + 1 - length..=last].fill(true);
            }
            ending = now;
        });
        let words = || self.words.iter().zip(&copied).filter(|&(_, &is_copied)| is_copied).map(|(word, _)| word);
        let mut telling: Vec<&String> = words().filter(|word| !is_stop_word(word)).collect();
        telling.sort_unstable();
        telling.dedup();
        if telling.len() >= LEAST_TELLING { words().count() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(query: &str, text: &str) -> usize {
        CopyReader::new(&words(query)).count(text)
    }

    #[test]
    fn a_question_is_no_copy() {
        for (text, expected) in [
            ("where is the lock of the daemon taken", true),
            ("Why does a search wait for the writer?", true),
            ("waits until the lock of the daemon is free", false),
            ("how to wait until the lock is free", false),
            ("what a caller waits for is the lock", false),
        ] {
            assert_eq!(is_question(text), expected, "{text}");
        }
    }

    #[test]
    fn words_in_the_order_of_the_query_are_copied() {
        let text = "// The list of prices is read once,\n//   before the first order; see [`Order`].\nlet a = 1;";
        assert_eq!(count("the list of prices is read once before the first order", text), 11);
        assert_eq!(count("Prices is read ONCE, before the first", text), 7);
        assert_eq!(count("why is the list of prices is read once here", text), 7);
        assert_eq!(count("the prices once read is of list the", text), 0);
        assert_eq!(count("the first order of prices", text), 0, "three words are no run");
    }

    #[test]
    fn runs_with_other_words_between_them_are_added() {
        let text = "let total = prices.iter().sum::<u32>();\nlet tax = total * rate / 100;\n";
        assert_eq!(count("12 let total = prices.iter().sum\n13 let tax = total * rate", text), 9);
    }

    #[test]
    fn common_words_alone_are_not_copied() {
        assert_eq!(count("it is in the list if it is in the", "what it is in the list if it is in the box"), 0);
    }

    #[test]
    fn letters_of_scripts_without_spaces_are_words() {
        assert_eq!(count("価格表は一度だけ読む", "// 価格表は一度だけ読む。\n"), 10);
    }
}
