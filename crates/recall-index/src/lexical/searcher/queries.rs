//! The clauses of each kind of query, and of a text to which chunks should be similar.

use std::collections::HashMap;

use recall_core::Understood;
use recall_text::words::is_stop_word;
use recall_text::{fold_case, normalize_text, normalized_path};
use tantivy::TantivyError;

use crate::lexical::analysis::Analysis;
use crate::lexical::clause::DisjunctionQuery;
use crate::lexical::fields::{FieldWeights, Fields};
use crate::lexical::names::{MAX_COMPONENTS, MAX_NAME_BYTES, SCOPE, ends, fold_name, written_as_symbol};
use crate::lexical::query_terms::{TermCache, terms};
use crate::lexical::searcher::extras::path_of;
use crate::lexical::snapshot::LexicalSnapshot;
use crate::lexical::words::Word;

/// Adds the words of a query, in all weighted fields.
pub(super) fn words(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    weights: &FieldWeights,
    term_cache: &TermCache<'_>,
) -> Result<(), TantivyError> {
    let FieldWeights { body, symbol, path, comment, tag } = *weights;
    let weighted = [
        (fields.body, body),
        (fields.symbol, symbol),
        (fields.path, path),
        (fields.comment, comment),
        (fields.tag_words, tag),
    ];
    for term in &term_cache.terms {
        for (field, weight) in weighted.into_iter().filter(|&(_, weight)| weight > 0.0) {
            clauses.term(field, term, weight)?;
        }
    }
    Ok(())
}

/// The score of each kind of match, in units of the most that the parts of names can score together. A better kind thus
/// always ranks first, and BM25 orders equal matches. A name that is equal also scores as equal in any case.
const NAME_EQUALS: f32 = 1.0;
const NAME_EQUALS_IGNORING_CASE: f32 = 2.0;
const NAME_STARTS_WITH: f32 = 1.0;
/// The last part of a qualified name, in another scope. Better than sharing words with it.
const NAME_EQUALS_WITHOUT_SCOPE: f32 = 1.0;
/// A title, a heading or a first sentence that equals the query.
const PHRASE_EQUALS: f32 = 3.0;
/// A spelling suggestion.
const NAME_IS_SUGGESTED: f32 = 1.0;

/// The most names that one prefix expands to. An editor's completion list is shorter.
const MAX_PREFIX_MATCHES: usize = 64;

/// Adds the names in a query.
pub(super) fn names(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    term_cache: &TermCache<'_>,
) -> Result<(), TantivyError> {
    for term in &term_cache.terms {
        clauses.term(fields.symbol, term, 1.0)?;
    }
    let unit = clauses.bound() + 1.0;
    for name in &term_cache.names {
        let folded = fold_name(name);
        clauses.key(fields.name, name, NAME_EQUALS * unit)?;
        clauses.key(fields.folded_name, &folded, NAME_EQUALS_IGNORING_CASE * unit)?;
        if let Some((_, last)) = folded.rsplit_once(SCOPE) {
            clauses.key(fields.folded_name, last, NAME_EQUALS_WITHOUT_SCOPE * unit)?;
        }
        if let Some((field, prefix)) = term_cache.prefix_of_names(name) {
            clauses.keys_with_prefix(field, &prefix, MAX_PREFIX_MATCHES, NAME_STARTS_WITH * unit)?;
        }
    }
    for name in &term_cache.suggestions.names {
        clauses.key(fields.name, name, NAME_IS_SUGGESTED * unit)?;
    }
    if let Some(phrase) = &term_cache.phrase {
        clauses.key(fields.phrase, phrase, PHRASE_EQUALS * unit)?;
    }
    Ok(())
}

/// The score of each kind of match, in units of the most that the words of paths can score together. A better kind thus
/// always ranks first, and BM25 orders equal matches. A path scores this once for each trailing component it shares
/// with the query's path, so that the longest match wins even if the query's path begins outside the store's root.
const PATH_END_EQUALS: f32 = 2.0;
const STEM_EQUALS: f32 = 1.0;

/// Adds the paths in a query.
pub(super) fn paths(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    term_cache: &TermCache<'_>,
    understood: &Understood,
) -> Result<(), TantivyError> {
    for term in &term_cache.terms {
        clauses.term(fields.path_words, term, 1.0)?;
    }
    let unit = clauses.bound() + 1.0;
    // A query of one word may be a file name even if it does not look like one: `Makefile`.
    let is_one_word = !understood.text.contains(char::is_whitespace) && understood.paths.is_empty();
    let alone = is_one_word.then_some(&understood.text);
    for path in understood.paths.iter().chain(alone) {
        let folded = path_of(path);
        for end in ends(&folded, "/").take(MAX_COMPONENTS) {
            clauses.key(fields.path_end, end, PATH_END_EQUALS * unit)?;
        }
    }
    for path in &term_cache.suggestions.paths {
        clauses.key(fields.path_end, path, PATH_END_EQUALS * unit)?;
    }
    for path in &understood.telling_paths {
        clauses.key(fields.path_raw, &normalized_path(path), PATH_END_EQUALS * unit)?;
    }
    for name in term_cache.names.iter().chain(&term_cache.suggestions.names) {
        let folded = fold_case(name);
        let last = folded.rsplit_once(SCOPE).map_or(&*folded, |(_, last)| last);
        clauses.key(fields.stem, last, STEM_EQUALS * unit)?;
    }
    Ok(())
}

/// Adds the definitions of a name with the scopes given, in the same case.
pub(super) fn definitions(clauses: &mut DisjunctionQuery<'_>, fields: &Fields, name: &str) -> Result<(), TantivyError> {
    let name = &*normalize_text(name);
    clauses.key(fields.name, name, 1.0)?;
    let written = written_as_symbol(name);
    // A name with punctuation of its own, such as `empty?`, is indexed as written. Other ways to write a scope are
    // converted to `::`.
    if written != name && !written.is_empty() && written.len() <= MAX_NAME_BYTES {
        clauses.key(fields.name, &written, 0.5)?;
    }
    Ok(())
}

/// Adds the texts that contain a name as a word.
pub(super) fn mentions(clauses: &mut DisjunctionQuery<'_>, fields: &Fields, name: &str) -> Result<(), TantivyError> {
    let mut whole: Option<String> = None;
    let mut pairs: Vec<String> = Vec::new();
    Analysis::for_queries().each(name, |term| match term.word {
        Word::Plain(_) | Word::Compound(_) => {
            // Of a name with several words, such as `x-y`, the longest is searched.
            if whole.as_ref().is_none_or(|known| known.len() < term.indexed.len()) {
                whole = Some(term.indexed.to_owned());
            }
        }
        Word::Pair(_) | Word::Alone(_) => pairs.push(term.indexed.to_owned()),
        Word::Part(_) | Word::Letter(_) => {}
    });
    match whole {
        Some(term) => clauses.term(fields.body, &term, 1.0),
        None => pairs.iter().try_for_each(|pair| clauses.term(fields.body, pair, 1.0)),
    }
}

/// The number of words looked up, at even distances over the whole text. Each costs a lookup in every segment, and a
/// chunk with most words of the text has most of these.
const CONSIDERED_TERMS: usize = 32;

/// The number of them searched: the rarest. Their posting lists are short, whereas those of common words are most of an
/// index.
const RAREST_TERMS: usize = 16;

/// Adds the rarest terms of a text that occur in the index, in texts and names.
pub(super) fn rarest_terms(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    weights: &FieldWeights,
    term_cache: &TermCache<'_>,
    text: &str,
) -> Result<(), TantivyError> {
    let terms = terms(text);
    let distance = terms.len().div_ceil(CONSIDERED_TERMS).max(1);
    let mut known = Vec::new();
    for term in terms.into_iter().step_by(distance) {
        let mut chunks = term_cache.look_up(fields.body, term.as_bytes())?.chunks;
        if chunks == 0 {
            // The words of a title are in no chunk's text.
            chunks = term_cache.look_up(fields.symbol, term.as_bytes())?.chunks;
        }
        if chunks > 0 {
            known.push((chunks, term));
        }
    }
    known.sort_unstable();
    for (_, term) in known.into_iter().take(RAREST_TERMS) {
        clauses.term(fields.body, &term, weights.body)?;
        clauses.term(fields.symbol, &term, weights.symbol)?;
    }
    Ok(())
}

/// The number of terms searched: the most significant ones. More terms find no better neighbours, and each costs a
/// posting list. Lucene's `MoreLikeThis` takes 25 for the same reason.
pub(crate) const SIGNIFICANT_TERMS: usize = 24;

/// The number of distinct terms looked up, the most frequent first.
const MOST_SIMILAR_TERMS: usize = 256;

/// Adds the terms that best distinguish a text, by frequency in the text times rarity in the index.
pub(super) fn add_similar(
    clauses: &mut DisjunctionQuery<'_>,
    snapshot: &LexicalSnapshot,
    fields: &Fields,
    text: &str,
) -> Result<(), TantivyError> {
    let mut significant = Vec::new();
    for (term, frequency) in frequent_terms(text) {
        let chunks = snapshot.look_up(fields.body, term.as_bytes())?.chunks;
        // A term that occurs in one chunk only leads to no other chunk.
        if chunks > 1 {
            let (with, all) = (chunks as f32, snapshot.chunks as f32);
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            let weight = 1.0 + (frequency as f32).ln();
            significant.push((weight * rarity, weight, term));
        }
    }
    significant.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    for (_, weight, term) in significant.into_iter().take(SIGNIFICANT_TERMS) {
        clauses.term(fields.body, &term, weight)?;
        clauses.term(fields.symbol, &term, weight)?;
    }
    Ok(())
}

/// The terms of a text with their frequencies, by descending frequency, then by term.
pub(crate) fn frequent_terms(text: &str) -> Vec<(String, u32)> {
    let mut frequencies: HashMap<String, u32> = HashMap::new();
    Analysis::for_text().each(text, |term| {
        let is_compound = matches!(term.word, Word::Compound(_));
        let is_short = if term.word.is_unspaced() {
            !matches!(term.word, Word::Pair(_))
        } else {
            term.folded.chars().nth(2).is_none()
        };
        let is_insignificant = is_short || term.folded.bytes().all(|byte| byte.is_ascii_digit());
        if (!is_compound && is_stop_word(term.folded)) || is_insignificant {
            return;
        }
        match frequencies.get_mut(term.indexed) {
            Some(frequency) => *frequency += 1,
            None => drop(frequencies.insert(term.indexed.to_owned(), 1)),
        }
    });
    let mut terms: Vec<(String, u32)> = frequencies.into_iter().collect();
    terms.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    terms.truncate(MOST_SIMILAR_TERMS);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_terms_are_counted() {
        let terms = frequent_terms("the store opens a store 42 at to_be StoreError");
        let terms: Vec<(&str, u32)> = terms.iter().map(|(term, frequency)| (term.as_str(), *frequency)).collect();
        assert_eq!(terms, [("store", 3), ("error", 1), ("open", 1), ("storeerror", 1), ("to_be", 1)]);
    }

    #[test]
    fn a_long_text_keeps_its_most_frequent_terms() {
        let text: String = (0..1000).fold("often often ".to_owned(), |text, number| text + &format!("w{number}x "));
        let terms = frequent_terms(&text);
        assert_eq!((terms.len(), &*terms[0].0), (MOST_SIMILAR_TERMS, "often"));
    }
}
