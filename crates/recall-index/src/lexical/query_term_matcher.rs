//! Matching of a text's words against the terms of a query.

use crate::lexical::analysis::Analysis;
use crate::lexical::query_terms::terms;
use crate::lexical::words::Word;

/// The terms of a query, matched against the words of texts. Create one per query.
pub(crate) struct QueryTermMatcher {
    terms: Vec<String>,
    /// For each first byte of a term, a set of possible second bytes, by their last five bits.
    beginnings: [u32; 128],
    analysis: Analysis,
}

/// Stems of at least this length keep the first two letters of their words, because English stemming rewrites endings.
/// Only short words change earlier (`dying` becomes `die`).
const MIN_STABLE_PREFIX_LEN: usize = 4;

impl QueryTermMatcher {
    /// Prepares for a query.
    pub(crate) fn new(query: &str) -> Self {
        let terms = terms(query);
        let mut beginnings = [0; 128];
        for term in &terms {
            let mut bytes = term.bytes();
            if let Some(seconds) = bytes.next().and_then(|first| beginnings.get_mut(usize::from(first))) {
                *seconds |= match bytes.next() {
                    Some(second) if second.is_ascii() && term.len() >= MIN_STABLE_PREFIX_LEN => bit(second),
                    _ => u32::MAX,
                };
            }
        }
        Self { terms, beginnings, analysis: Analysis::for_queries() }
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The index of the term that a word of a normalized text matches.
    ///
    /// A word whose first letters differ from those of every term is not stemmed. This holds for nineteen of twenty
    /// words.
    pub(crate) fn index_of(&mut self, word: Word<'_>) -> Option<usize> {
        if !self.may_match(word.text().as_bytes()) {
            return None;
        }
        let Self { terms, analysis, .. } = self;
        let mut place = None;
        analysis.each_of(word, |term| {
            place = place.or_else(|| terms.iter().position(|known| known == term.indexed));
        });
        place
    }

    fn may_match(&self, written: &[u8]) -> bool {
        let Some(first) = written.first() else { return false };
        // The folded form of letters beyond ASCII may begin with any byte.
        let Some(&seconds) = self.beginnings.get(usize::from(first.to_ascii_lowercase())) else { return true };
        match written.get(1) {
            Some(second) if second.is_ascii() => seconds & bit(second.to_ascii_lowercase()) != 0,
            _ => seconds != 0,
        }
    }
}

fn bit(byte: u8) -> u32 {
    1 << (byte & 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(query: &str, word: &str) {
        let word = &*recall_text::normalize_text(word);
        let asked = terms(query);
        let mut expected = None;
        Analysis::for_queries().each_of(Word::Plain(word), |term| {
            expected = expected.or_else(|| asked.iter().position(|known| known == term.indexed));
        });
        assert_eq!(QueryTermMatcher::new(query).index_of(Word::Plain(word)), expected, "{word} in {query}");
    }

    #[test]
    fn words_whose_first_letters_change_in_stemming_match() {
        for word in ["dying", "lying", "tying", "skies", "ski", "idly", "gently", "ugly", "early", "only", "singly"] {
            check(word, word);
            check(&format!("other {word} words"), &word.to_uppercase());
        }
        check("die", "dying");
        check("sky", "skies");
        check("Élan", "élan");
        check("großÄrger", "GROSS");
    }

    proptest! {
        #[test]
        fn a_word_matches_itself(word in "[a-zA-Z]{1,12}(ing|ed|ational|iveness|ies|ly|s|ization|biliti|logi)?") {
            check(&word, &word);
        }

        #[test]
        fn a_word_matches_exactly_if_its_term_does(word in "\\PC{1,8}", query in "\\PC{0,20}") {
            check(&query, &word);
        }
    }
}
