//! Chunks similar to a text.

use std::collections::HashMap;

use recall_text::words::is_stop_word;
use tantivy::TantivyError;

use crate::lexical::analysis::Analysis;
use crate::lexical::clause::DisjunctionQuery;
use crate::lexical::fields::Fields;
use crate::lexical::snapshot::LexicalSnapshot;
use crate::lexical::words::Word;

/// The number of terms searched: the most significant ones. More terms find no better neighbours, and each costs a
/// posting list. Lucene's `MoreLikeThis` takes 25 for the same reason.
const SIGNIFICANT_TERMS: usize = 24;

/// The number of distinct terms looked up, the most frequent first.
const CONSIDERED_TERMS: usize = 256;

/// Adds the terms that best distinguish a text, by frequency in the text times rarity in the index.
pub(super) fn add_clauses(
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
fn frequent_terms(text: &str) -> Vec<(String, u32)> {
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
    terms.truncate(CONSIDERED_TERMS);
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
        assert_eq!((terms.len(), &*terms[0].0), (CONSIDERED_TERMS, "often"));
    }
}
