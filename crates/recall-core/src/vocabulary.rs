//! How much do two short texts have in common?

use std::collections::BTreeSet;

use crate::words::{self, Word};

/// The words of a text, in small letters, each once. Identifiers count whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary(BTreeSet<String>);

impl Vocabulary {
    /// Reads texts, as if they were one.
    pub fn of(texts: &[&str]) -> Self {
        let mut found = BTreeSet::new();
        for text in texts {
            words::split(text, |word| match word {
                Word::Plain(word) | Word::Compound(word) => _ = found.insert(word.to_lowercase()),
                Word::Part(_) => {}
            });
        }
        Self(found)
    }

    /// The share of the words that both have, of those that either has (Jaccard's index): 1 for the same words, 0 for none in
    /// common and for a text without words.
    pub fn similarity(&self, other: &Self) -> f64 {
        let both = self.0.intersection(&other.0).count();
        let either = self.0.len() + other.0.len() - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_common_words_tells() {
        let similarity = |a: &str, b: &str| Vocabulary::of(&[a]).similarity(&Vocabulary::of(&[b]));
        for (a, b, expected) in [
            ("Use WAL mode.", "use wal MODE", 1.0),
            ("use WAL", "use DELETE", 1.0 / 3.0),
            ("open_store", "open store", 0.0),
            ("", "", 0.0),
            ("…", "a", 0.0),
        ] {
            assert!((similarity(a, b) - expected).abs() < 1e-9, "{a} {b}: {}", similarity(a, b));
        }
    }
}
