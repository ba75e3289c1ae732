//! How rare words are in the memories of a store, and which words of a text tell what it is about.

use std::collections::{HashMap, HashSet};

use recall_index::lexical::in_english;
use recall_text::words::{Word, is_stop_word, split};

/// The number of memories that a smaller store is taken to have. In a store of five, every word would be common.
const LEAST_COUNTED: usize = 200;

/// The fewest characters of a word.
const LEAST_CHARS: usize = 3;

/// The fewest characters that are left of a word without its ending.
const LEAST_STEM: usize = 4;

/// The endings that words of one meaning differ in.
const ENDINGS: [&str; 7] = ["ing", "ies", "ed", "es", "s", "e", "y"];

/// In how many memories each word stands.
#[derive(Debug, Default)]
pub(crate) struct WordRarity {
    counts: HashMap<String, usize>,
    memories: usize,
}

impl WordRarity {
    /// Counts the words of memories, each with its title and its content.
    pub(super) fn new<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> Self {
        let mut rarity = Self::default();
        for (title, content) in texts {
            rarity.memories += 1;
            for word in telling_words(title).union(&telling_words(content)) {
                *rarity.counts.entry(word.clone()).or_default() += 1;
            }
        }
        rarity
    }

    /// Returns how much it says that two texts share these words: the sum of the logarithms of their rarities.
    pub(crate) fn weight<'w>(&self, words: impl Iterator<Item = &'w String>) -> f64 {
        let memories = self.memories.max(LEAST_COUNTED) as f64;
        let rarity = |word| ((memories + 1.0) / (self.counts.get(word).copied().unwrap_or_default() as f64 + 0.5)).ln();
        words.map(rarity).sum()
    }
}

/// Returns the words of a text, without common ones and without the endings of English words. Compound names also count by their
/// parts, and a text in another language by the English words for it.
pub(crate) fn telling_words(text: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    let english = in_english(text);
    for text in [Some(text), english.as_deref()].into_iter().flatten() {
        split(text, |word| {
            let (Word::Plain(word) | Word::Compound(word) | Word::Part(word)) = word;
            let word = word.to_lowercase();
            if word.chars().count() >= LEAST_CHARS && !is_stop_word(&word) {
                words.insert(without_ending(&word).to_owned());
            }
        });
    }
    words
}

fn without_ending(word: &str) -> &str {
    let stems = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
    stems.into_iter().find(|stem| stem.chars().count() >= LEAST_STEM).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more() {
        let texts = [("The lock of the store", "It waits."), ("The store is closed", ""), ("A store", "")];
        let rarity = WordRarity::new(texts.into_iter());
        let weight = |text: &str| rarity.weight(telling_words(text).iter());
        assert!(weight("locks") > weight("stores") && weight("stores") > 0.0);
        assert!(weight("the of an").abs() < f64::EPSILON);
        assert!((weight("locked store") - weight("lock") - weight("store")).abs() < 1e-9);
    }

    #[test]
    fn names_count_by_their_parts_and_words_without_endings() {
        let words = telling_words("Retries of `retry_policy` were waiting");
        for word in ["retr", "retry_polic", "polic", "wait"] {
            assert!(words.contains(word), "{word}: {words:?}");
        }
        assert!(!words.contains("were") && !words.contains("of"));
    }
}
