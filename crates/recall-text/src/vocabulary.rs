//! Similarity of short texts by their words.

use std::hash::{DefaultHasher, Hasher};

use crate::words::{self, Word};

/// The words of a text in lower case, without repetition. Identifiers count as one word.
///
/// The words are stored as ascending hashes, so comparing a hundred texts takes as long as reading one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary(Vec<u64>);

impl Vocabulary {
    /// Collects the words of several texts.
    pub fn new(texts: &[&str]) -> Self {
        let mut found = Vec::new();
        for text in texts {
            words::split(text, |word| match word {
                Word::Plain(word) | Word::Compound(word) => found.push(hash(&word.to_lowercase())),
                Word::Part(_) => {}
            });
        }
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    /// Returns the Jaccard similarity: 1 for the same words, 0 if none are common or if both texts have no words.
    pub fn similarity(&self, other: &Self) -> f64 {
        let both = common(&self.0, &other.0);
        let either = self.0.len() + other.0.len() - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// Returns the share of its words that another text has, from 0 to 1; 0 if it has no words.
    pub fn share_in(&self, other: &Self) -> f64 {
        if self.0.is_empty() { 0.0 } else { common(&self.0, &other.0) as f64 / self.0.len() as f64 }
    }
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(word.as_bytes());
    hasher.finish()
}

/// The number of values that two ascending lists share.
fn common(mut one: &[u64], mut other: &[u64]) -> usize {
    let mut count = 0;
    while let (Some((first, rest)), Some((second, after))) = (one.split_first(), other.split_first()) {
        count += usize::from(first == second);
        (one, other) = (if first <= second { rest } else { one }, if second <= first { after } else { other });
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_that_of_the_first_texts_words() {
        let share = |a: &str, b: &str| Vocabulary::new(&[a]).share_in(&Vocabulary::new(&[b]));
        for (a, b, expected) in [("use wal", "we use WAL here", 1.0), ("a b c d", "c", 0.25), ("", "a", 0.0)] {
            assert!((share(a, b) - expected).abs() < 1e-9, "{a} {b}: {}", share(a, b));
        }
    }

    #[test]
    fn similarity_is_the_share_of_common_words() {
        let similarity = |a: &str, b: &str| Vocabulary::new(&[a]).similarity(&Vocabulary::new(&[b]));
        for (a, b, expected) in [
            ("Use WAL mode.", "use wal MODE", 1.0),
            ("use WAL", "use DELETE", 1.0 / 3.0),
            ("open_store", "open store", 0.0),
            ("", "", 0.0),
            ("…", "a", 0.0),
            ("a b c d", "c d e f", 1.0 / 3.0),
            ("wal wal WAL", "wal", 1.0),
        ] {
            assert!((similarity(a, b) - expected).abs() < 1e-9, "{a} {b}: {}", similarity(a, b));
        }
    }
}
