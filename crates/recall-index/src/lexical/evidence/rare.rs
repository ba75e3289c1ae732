//! The rarest word of a query, as it is written.
//!
//! A term is a stem, so `sessions` and `session` share one. A question with a word that a single file contains is about that file,
//! even if the stem is common. This module therefore compares whole words in their folded form: a compound such as `parseTokens` counts as one.
//! It decides which documents contain the word; the caller decides what that is worth.

use std::collections::BTreeSet;

use recall_core::{ChunkRow, DocumentRow};
use recall_text::words::is_stop_word;
use tantivy::{DocId, TantivyError};

use crate::lexical::analysis::{Analysis, cut};
use crate::lexical::clause::inverse_document_frequency;
use crate::lexical::filter::DocFilter;
use crate::lexical::query_terms::TermCache;
use crate::lexical::words::Word;

/// The most documents that contain a rare word. With more, the word is a topic of the project, and BM25 weighs it well.
const MAX_DOCUMENTS: usize = 3;

/// The least share of a query's weight with which a rare word is what the query is about.
const SUBJECT_SHARE: f32 = 0.3;

/// The most chunks of a rare word that are read.
const MAX_CHUNKS: u64 = 64;

/// A word of a query whose parts are joined by punctuation, such as `x-request-id` or `2.1.0`. The index has only its parts, so the caller
/// looks the word up in the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedWord {
    /// The word as the query has it.
    pub text: String,
    /// All chunks that contain it.
    pub chunks: Vec<ChunkRow>,
}

/// What the words of a query say about documents and chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct TellingWords {
    /// The word that the fewest documents contain; `None` if each is in more than a few, or in none.
    pub(crate) rare: Option<RareWord>,
    /// The chunks that contain what the query is about, as the entries of each segment, ascending: a word with punctuation and a digit, such
    /// as a version, which nobody names by the way, in any number of documents; else the rare word, if its share is large. In a document,
    /// they precede chunks without it.
    pub(crate) subject: Option<Vec<Vec<DocId>>>,
}

/// A word of the query that few documents contain as it is written.
#[derive(Clone, Debug)]
pub(crate) struct RareWord {
    /// The chunks that contain it and pass the filters: the entries of each segment, ascending.
    pub(crate) entries: Vec<Vec<DocId>>,
    /// The share of the query's weight that the word and its parts have, above 0, at most 1.
    pub(crate) share: f32,
    /// The same share of all words that few documents contain, one of these documents among them.
    pub(crate) share_together: f32,
}

/// The documents that contain a word, and the entries of their chunks in each segment.
struct Holders {
    documents: BTreeSet<DocumentRow>,
    entries: Vec<Vec<DocId>>,
}

impl Holders {
    fn chunks(&self) -> usize {
        self.entries.iter().map(Vec::len).sum()
    }
}

/// A word of a query, with the terms of its group: itself, and the parts of a compound.
struct QueryWord {
    /// The word in its folded form.
    folded: String,
    terms: Vec<String>,
}

impl QueryWord {
    /// The sum of the weights of its terms.
    fn weight(&self, term_cache: &TermCache<'_>) -> Result<f32, TantivyError> {
        let snapshot = term_cache.snapshot;
        let weights = self.terms.iter().map(|term| {
            let found = term_cache.look_up(snapshot.fields.body, term.as_bytes())?;
            Ok(inverse_document_frequency(found.chunks, snapshot.chunks))
        });
        weights.sum()
    }
}

/// Finds the word of a query that the fewest documents contain, and the fewest chunks among equals, and what the query is about. `joined`
/// are words of the query whose parts the index has.
pub(crate) fn find(
    term_cache: &TermCache<'_>,
    text: &str,
    most_words: usize,
    joined: &[JoinedWord],
    doc_filters: &[DocFilter<'_>],
) -> Result<TellingWords, TantivyError> {
    let words = words(text, most_words);
    let weights = words.iter().map(|word| word.weight(term_cache)).collect::<Result<Vec<_>, _>>()?;
    let all = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut rare: Vec<(Holders, f32)> = Vec::new();
    let mut subject = None;
    for word in joined {
        let parts = self::words(&word.text, most_words);
        let weight = parts.iter().map(|part| part.weight(term_cache)).sum::<Result<f32, _>>()?;
        let holders = holders_of_chunks(term_cache, &word.chunks, doc_filters);
        if subject.is_none() && word.text.contains(|c: char| c.is_ascii_digit()) {
            subject = Some(holders.entries.clone());
        }
        rare.push((holders, (weight / all).min(1.0)));
    }
    for (word, weight) in words.iter().zip(weights) {
        rare.extend(holders(term_cache, word, doc_filters)?.map(|holders| (holders, weight / all)));
    }
    rare.retain(|(holders, _)| (1..=MAX_DOCUMENTS).contains(&holders.documents.len()));
    let count = |place: &usize| (rare[*place].0.documents.len(), rare[*place].0.chunks(), *place);
    let Some(rarest) = (0..rare.len()).min_by_key(count) else { return Ok(TellingWords { rare: None, subject }) };
    let is_there = |holders: &Holders| !holders.documents.is_disjoint(&rare[rarest].0.documents);
    let share_together = rare.iter().filter(|(holders, _)| is_there(holders)).map(|(_, share)| share).sum();
    let (Holders { entries, .. }, share) = rare.swap_remove(rarest);
    let subject = subject.or_else(|| (share >= SUBJECT_SHARE).then(|| entries.clone()));
    Ok(TellingWords { rare: Some(RareWord { entries, share, share_together }), subject })
}

/// Returns the documents of some chunks that pass the filters.
fn holders_of_chunks(term_cache: &TermCache<'_>, chunks: &[ChunkRow], doc_filters: &[DocFilter<'_>]) -> Holders {
    let snapshot = term_cache.snapshot;
    let mut holders = Holders { documents: BTreeSet::new(), entries: vec![Vec::new(); snapshot.segments.len()] };
    for address in chunks.iter().filter_map(|row| snapshot.address_of(*row)) {
        if doc_filters[address.segment].passes(address.entry) {
            holders.documents.insert(snapshot.segments[address.segment].document_row(address.entry));
            holders.entries[address.segment].push(address.entry);
        }
    }
    for entries in &mut holders.entries {
        entries.sort_unstable();
        entries.dedup();
    }
    holders
}

/// Returns the documents with a word; `None` if it is in many chunks.
fn holders(
    term_cache: &TermCache<'_>,
    word: &QueryWord,
    doc_filters: &[DocFilter<'_>],
) -> Result<Option<Holders>, TantivyError> {
    let snapshot = term_cache.snapshot;
    let key = cut(&word.folded);
    let mut postings = vec![(snapshot.fields.body, term_cache.look_up(snapshot.fields.body, key.as_bytes())?)];
    // A word whose term is another one is in the field of written forms; as a compound it is a term itself.
    if word.terms.iter().all(|term| term != key) {
        postings.push((snapshot.fields.form, term_cache.look_up(snapshot.fields.form, key.as_bytes())?));
    }
    if postings.iter().map(|(_, found)| found.chunks).sum::<u64>() > MAX_CHUNKS {
        return Ok(None);
    }
    let mut documents = BTreeSet::new();
    let mut entries = Vec::with_capacity(snapshot.segments.len());
    for (number, (segment, doc_filter)) in snapshot.segments.iter().zip(doc_filters).enumerate() {
        let mut here = Vec::new();
        for (field, found) in &postings {
            if let Some(info) = &found.infos[number] {
                segment.each_in(*field, info, |entry| {
                    if doc_filter.passes(entry) {
                        here.push(entry);
                    }
                })?;
            }
        }
        here.sort_unstable();
        here.dedup();
        documents.extend(here.iter().map(|&entry| segment.document_row(entry)));
        entries.push(here);
    }
    Ok(Some(Holders { documents, entries }))
}

/// The first distinct words of a query without stop words, in order.
fn words(text: &str, most: usize) -> Vec<QueryWord> {
    let mut words: Vec<QueryWord> = Vec::new();
    // Whether the parts that follow belong to the last word: not if it was seen before.
    let mut is_new = false;
    Analysis::for_queries().each(text, |term| {
        if let Word::Part(_) = term.word {
            if let Some(word) = words.last_mut().filter(|_| is_new) {
                word.terms.push(term.indexed.to_owned());
            }
            return;
        }
        let is_stop_word = matches!(term.word, Word::Plain(_)) && is_stop_word(term.folded);
        is_new = !is_stop_word && words.len() < most && !words.iter().any(|known| known.folded == term.folded);
        if is_new {
            words.push(QueryWord { folded: term.folded.to_owned(), terms: vec![term.indexed.to_owned()] });
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_is_one_word_with_its_parts() {
        let of = |text: &str| {
            let shown = words(text, 9).into_iter().map(|word| format!("{}({})", word.folded, word.terms.join(",")));
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("where is parseTokens configured"), "parsetokens(parsetokens,pars,token) configured(configur)");
        assert_eq!(of("parseTokens parseTokens hashes"), "parsetokens(parsetokens,pars,token) hashes(hash)");
        assert_eq!(of("what is this"), "");
    }
}
