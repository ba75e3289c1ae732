//! The rarest word of a query, as it is written.
//!
//! A term is a stem, so `sessions` and `session` share one. A question with a word that a single file contains is about that file,
//! even if the stem is common. This module therefore compares whole words in their folded form: a compound such as `parseTokens` counts as one.
//! It decides which documents contain the word; the caller decides what that is worth.

use std::collections::BTreeSet;

use recall_core::DocumentRow;
use recall_text::words::is_stop_word;
use tantivy::{DocId, TantivyError};

use crate::lexical::analysis::{Analysis, cut};
use crate::lexical::clause::inverse_document_frequency;
use crate::lexical::filter::DocFilter;
use crate::lexical::query_terms::TermCache;
use crate::lexical::words::Word;

/// The most documents that contain a rare word. With more, the word is a topic of the project, and BM25 weighs it well.
const MAX_DOCUMENTS: usize = 3;

/// The most chunks of a rare word that are read.
const MAX_CHUNKS: u64 = 64;

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

/// Finds the word of a query that the fewest documents contain, and the fewest chunks among equals. `None` if each word is in more
/// than a few documents, or in none.
pub(crate) fn find(
    term_cache: &TermCache<'_>,
    text: &str,
    most_words: usize,
    doc_filters: &[DocFilter<'_>],
) -> Result<Option<RareWord>, TantivyError> {
    let words = words(text, most_words);
    let mut weights = Vec::with_capacity(words.len());
    for word in &words {
        let mut weight = 0.0;
        for term in &word.terms {
            let found = term_cache.look_up(term_cache.snapshot.fields.body, term.as_bytes())?;
            weight += inverse_document_frequency(found.chunks, term_cache.snapshot.chunks);
        }
        weights.push(weight);
    }
    let all = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut rare: Vec<(Holders, f32)> = Vec::new();
    for (word, weight) in words.iter().zip(weights) {
        let Some(holders) = holders(term_cache, word, doc_filters)? else { continue };
        if !holders.documents.is_empty() {
            rare.push((holders, weight / all));
        }
    }
    let count = |place: &usize| (rare[*place].0.documents.len(), rare[*place].0.chunks(), *place);
    let Some(rarest) = (0..rare.len()).min_by_key(count) else { return Ok(None) };
    let is_there = |holders: &Holders| !holders.documents.is_disjoint(&rare[rarest].0.documents);
    let share_together = rare.iter().filter(|(holders, _)| is_there(holders)).map(|(_, share)| share).sum();
    let (Holders { entries, .. }, share) = rare.swap_remove(rarest);
    Ok(Some(RareWord { entries, share, share_together }))
}

/// Returns the documents with a word; `None` if they are many.
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
    Ok((documents.len() <= MAX_DOCUMENTS).then_some(Holders { documents, entries }))
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
