//! Keys of whole phrases: titles, headings, and the first sentences of memories.
//!
//! Two phrases have the same key if they have the same words in the same order. Case, punctuation, marks and white space do
//! not count. Words are not stemmed. A run of a script without spaces counts as one word.

use recall_text::fold_case;
use recall_text::words::runs;

/// The most words of a key. Phrases that share their first twelve words are taken to be the same phrase, so that a long
/// sentence is found if it is cut.
const MAX_WORDS: usize = 12;

/// The most bytes of a word in a key: a longer one is data.
const MAX_WORD_BYTES: usize = 64;

/// The key of a phrase; `None` if it has no word.
pub(crate) fn key(text: &str) -> Option<String> {
    let mut key = String::new();
    let text = fold_case(text);
    let words = runs(&text).map(|run| run.trim_matches('_')).filter(|word| !word.is_empty());
    for (count, word) in words.take(MAX_WORDS).enumerate() {
        if count > 0 {
            key.push(' ');
        }
        key.push_str(&word[..word.floor_char_boundary(MAX_WORD_BYTES)]);
    }
    (!key.is_empty()).then_some(key)
}

/// The first sentence of a text. It ends at a blank line, or at a mark that ends a sentence and is followed by white space.
pub fn first_sentence(text: &str) -> &str {
    let text = text.trim_start();
    let blank = text.find("\n\n").unwrap_or(text.len());
    let text = &text[..blank];
    let ends = |at: &usize| {
        text[*at..].starts_with(['.', '!', '?']) && text[at + 1..].starts_with(|next: char| next.is_whitespace())
    };
    let end = text.match_indices(['.', '!', '?']).map(|(at, _)| at).find(ends);
    end.map_or(text, |at| &text[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_of_the_same_words_have_the_same_key() {
        let check = |text, expected: Option<&str>| assert_eq!(key(text).as_deref(), expected, "{text:?}");
        check("Minimum `supported` Rust version", Some("minimum supported rust version"));
        check("minimum   supported Rust-version!", Some("minimum supported rust version"));
        check("Use HttpClient, not reqwest", Some("use httpclient not reqwest"));
        check("***", None);
        check("", None);
        let long = "one two three four five six seven eight nine ten eleven twelve";
        assert_eq!(key(&format!("{long} thirteen")), key(&format!("{long} fourteen")));
    }

    #[test]
    fn a_sentence_ends_at_a_mark_or_a_blank_line() {
        for (text, expected) in [
            ("Retries use jitter. Always.", "Retries use jitter."),
            ("Version 1.2 is the floor! Why?", "Version 1.2 is the floor!"),
            ("no mark\nat all", "no mark\nat all"),
            ("a list\n\nthen. more", "a list"),
            ("\n  Ends.", "Ends."),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), expected, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_key_is_its_own_key(text in "\\PC{0,200}") {
            let once = key(&text);
            proptest::prop_assert_eq!(once.as_deref().and_then(key), once.clone());
            proptest::prop_assert!(text.contains(first_sentence(&text)));
        }
    }
}
