//! What a translation asks of an index.

/// What an index says about words.
pub trait KnownWords {
    /// Whether a text contains a word, in any form that the index regards as the same.
    fn contains(&self, word: &str) -> bool;

    /// Some words of the texts that begin with a prefix.
    fn beginning_with(&self, prefix: &str) -> Vec<String>;
}
