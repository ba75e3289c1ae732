//! Words that distinguish one text from others.

use std::collections::{BTreeMap, BTreeSet};

use recall_text::words::is_stop_word;

/// The minimum length of a keyword.
const MIN_CHARS: usize = 5;

/// The number of texts that contain each word.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary(BTreeMap<String, usize>);

impl Vocabulary {
    /// Counts the distinct words of a text.
    pub(crate) fn add(&mut self, text: &str) {
        for word in words(text) {
            *self.0.entry(word).or_default() += 1;
        }
    }

    /// Returns the words of a text that the fewest other texts contain, the rarest first, then in alphabetic order.
    pub(crate) fn rarest(&self, text: &str, most: usize) -> Vec<String> {
        let mut words: Vec<String> = words(text).into_iter().collect();
        words.sort_by_key(|word| self.texts(word));
        words.truncate(most);
        words
    }

    /// Returns the number of texts that contain a word.
    pub(crate) fn texts(&self, word: &str) -> usize {
        self.0.get(word).copied().unwrap_or_default()
    }
}

/// Returns the words of a text in lower case, without stop words and words with other characters than letters.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.filter(|word| word.len() >= MIN_CHARS && word.chars().all(|c| c.is_ascii_alphabetic()));
    words.map(str::to_ascii_lowercase).filter(|word| !is_stop_word(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_words_of_a_text_come_first() {
        let mut vocabulary = Vocabulary::default();
        for text in ["Retries wait before sending", "Retries carry jitter", "Sending retries"] {
            vocabulary.add(text);
        }
        assert_eq!(vocabulary.rarest("retries carry jitter", 2), ["carry", "jitter"]);
        assert_eq!(vocabulary.rarest("Sending RETRIES again", 9), ["again", "sending", "retries"]);
        assert_eq!((vocabulary.texts("retries"), vocabulary.texts("never")), (3, 0));
    }

    #[test]
    fn a_word_has_only_letters() {
        assert_eq!(words("open_store uses version2 about lockfiles").into_iter().collect::<Vec<_>>(), ["lockfiles"]);
    }
}
