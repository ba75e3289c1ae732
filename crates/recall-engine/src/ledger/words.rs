//! How rare words are in the memories of a store, and which words of a text tell what it is about.

use std::collections::{HashMap, HashSet};

use recall_index::lexical::{in_english, telling_terms};

/// The number of memories that a smaller store is taken to have. In a store of five, every word would be common.
const LEAST_COUNTED: usize = 200;

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

/// Returns the terms that tell what a text is about: those of the index without stop words. A text in another language also counts by
/// the English words for it.
pub(crate) fn telling_words(text: &str) -> HashSet<String> {
    let english = in_english(text);
    let texts = [Some(text), english.as_deref()].into_iter().flatten();
    texts.flat_map(telling_terms).collect()
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
    fn words_are_the_terms_of_the_index() {
        let words = telling_words("Retries of `retry_policy` were waiting");
        for word in ["retri", "retry_policy", "polici", "wait"] {
            assert!(words.contains(word), "{word}: {words:?}");
        }
        assert!(!words.contains("were") && !words.contains("of"));
    }

    #[test]
    fn a_text_in_another_language_counts_by_its_english_words_too() {
        let words = telling_words("Die Datenbank ist gesperrt");
        assert!(words.contains("databas") && words.contains("datenbank"), "{words:?}");
    }
}
