//! Words of a question that have punctuation in them, such as `x-request-id`, `navigation.tabs.sticky` or `2.1.0`.
//!
//! Whoever writes such a word means exactly this text. The lexical index has only its parts, which may be the commonest words of a
//! project, so that a file is outvoted although no other one has the word. It is therefore looked up in the texts, in the names of
//! files, and among definitions. If few documents have it, it counts as a rare word. If more have it, it says which part of a document is
//! meant, such as the heading of a version in a list of changes.

use std::collections::BTreeMap;

use recall_core::{Case, ChunkRow, Understood};
use recall_index::lexical::exact::Pattern;
use recall_index::lexical::{JoinedWord, Searcher};

use crate::error::StoreError;
use crate::occurrences::chunks_with;
use crate::store::Store;

/// The most words of a question that are looked up.
const MOST_WORDS: usize = 3;

/// The fewest characters of such a word. `e.g` and `a-b` are in texts of all kinds.
const MIN_CHARS: usize = 4;

/// The most documents with a word. With more, it is a topic of the project.
const MOST_DOCUMENTS: usize = 50;

/// The most bytes of texts that are read for a word. A word that needs more counts as common.
const MOST_READ_BYTES: usize = 16 << 20;

/// Looks up the words of a question that at most [`MOST_DOCUMENTS`] documents have.
///
/// # Errors
/// The catalog or the index cannot be read.
pub(super) fn look_up(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<JoinedWord>, StoreError> {
    let failed = |source| store.index.search_error(source);
    let mut found = Vec::new();
    // A report is searched by its places and messages.
    if understood.report.is_some() {
        return Ok(found);
    }
    for word in joined_words(&understood.text) {
        let Ok(pattern) = Pattern::word(word, Case::Insensitive) else { continue };
        let Some(mut chunks) = chunks_with(store, &pattern, MOST_DOCUMENTS, MOST_READ_BYTES)? else { continue };
        let mut named = searcher.files_with_stem(word, MOST_DOCUMENTS).map_err(failed)?;
        if understood.identifiers.iter().any(|name| name == word) {
            // The text of the definition does not contain `Store::open`.
            named.extend(searcher.defining(word, MOST_DOCUMENTS).map_err(failed)?);
        }
        for candidate in named {
            chunks.entry(candidate.document.0).or_default().push(candidate.chunk);
        }
        if !chunks.is_empty() {
            let chunks: Vec<ChunkRow> = BTreeMap::into_values(chunks).flatten().collect();
            found.push(JoinedWord { text: word.to_owned(), chunks });
        }
    }
    Ok(found)
}

/// Returns the first distinct words of a text with punctuation between letters or digits, without what is around them.
fn joined_words(text: &str) -> Vec<&str> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c| !is_of_word(c));
        let parts = || word.split(|c| !is_of_word(c)).filter(|part| !part.is_empty());
        // An apostrophe joins the words of a language, and a slash the folders of a path or two alternatives.
        let is_joined = parts().nth(1).is_some() && !word.contains(['\'', '’', '/', '\\']);
        let is_long = word.chars().count() >= MIN_CHARS && parts().any(|part| part.chars().nth(1).is_some());
        let is_version = || parts().all(|part| part.chars().all(|c| c.is_ascii_digit())) && parts().nth(2).is_some();
        if is_joined && (is_long || is_version()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(MOST_WORDS);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_punctuation_between_letters_are_joined() {
        let check = |text: &str, expected: &[&str]| assert_eq!(joined_words(text), expected, "{text}");
        check("how is x-request-id read?", &["x-request-id"]);
        check("release notes for 0.95.0, 1.2.3 (and v2.0)", &["0.95.0", "1.2.3", "v2.0"]);
        check("what does \"needs.langs.outputs\" change", &["needs.langs.outputs"]);
        check("the user's files, e.g. src/a.rs or GET/POST", &[]);
        check("parseTokens read_all --no-cache", &["no-cache"]);
        check("a-b a-b ab-cd ab-cd", &["ab-cd"]);
    }
}
