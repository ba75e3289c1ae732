//! Matching of a text's words against the terms of a query.

use recall_core::words::Word;

use crate::analysis::Analysis;
use crate::query_terms::terms;

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
    pub(crate) fn of(query: &str) -> Self {
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
        Self { terms, beginnings, analysis: Analysis::of_queries() }
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The index of the term that a word matches.
    ///
    /// A word whose first letters differ from those of every term is not stemmed. This holds for nineteen of twenty
    /// words.
    pub(crate) fn index_of(&mut self, word: Word<'_>) -> Option<usize> {
        let (Word::Plain(written) | Word::Part(written) | Word::Compound(written)) = word;
        if !self.may_match(written.as_bytes()) {
            return None;
        }
        let term = self.analysis.term(word);
        self.terms.iter().position(|known| known == term)
    }

    fn may_match(&self, written: &[u8]) -> bool {
        let Some(first) = written.first() else { return false };
        // Lower case may change the length of letters beyond ASCII.
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
        let term = Analysis::of_queries().term(Word::Plain(word)).to_owned();
        let expected = terms(query).iter().position(|known| *known == term);
        assert_eq!(QueryTermMatcher::of(query).index_of(Word::Plain(word)), expected, "{word} in {query}");
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
