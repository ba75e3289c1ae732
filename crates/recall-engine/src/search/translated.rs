//! Questions in another language than the texts.

use recall_core::Understood;
use recall_index::lexical::{KnownWords, translate};

use crate::engine::MountedStore;

/// The most words that are read to find other forms of a word.
const MOST_WORDS: usize = 64;

/// Returns a query in English, if it was in another language: its words are replaced by those that mean the same and that a text
/// contains. What texts contain of its own words stays. `asks_others` says that stores are searched whose words are not known here.
pub(super) fn into_english(understood: Understood, stores: &[MountedStore], asks_others: bool) -> Understood {
    match translate(&understood, &WordsOf { stores, asks_others }) {
        Some(translated) => understood.with_translation(translated.language, &translated.text),
        None => understood,
    }
}

/// The words of all texts that a query searches. If an index is damaged, retrieving from it reports the error.
struct WordsOf<'a> {
    stores: &'a [MountedStore],
    /// Other stores may contain any word.
    asks_others: bool,
}

impl KnownWords for WordsOf<'_> {
    fn contains(&self, word: &str) -> bool {
        self.asks_others || self.stores.iter().any(|store| store.index.searcher().contains(word).unwrap_or(false))
    }

    fn beginning_with(&self, prefix: &str) -> Vec<String> {
        let words = |store: &MountedStore| store.index.searcher().words_with_prefix(prefix, MOST_WORDS);
        self.stores.iter().flat_map(|store| words(store).unwrap_or_default()).collect()
    }
}
