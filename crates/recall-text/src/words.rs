//! Splitting of text into words and identifiers into parts, and English stop words.

mod unspaced;

pub use unspaced::{Piece, letters, pieces, runs, unspaced_letters};

/// Calls `emit` with each word of a text, in order, with its byte range.
///
/// A word is a maximal run of letters and digits, with `_` allowed inside. A word with several parts
/// (`parseHTTPHeader2`, `snake_case`) is emitted as [`Word::Compound`] first, then part by part.
pub fn split(text: &str, mut emit: impl FnMut(Word<'_>)) {
    let mut from = 0;
    while let Some(run) = next_run(text, from) {
        from = run.end;
        if run.form == WordForm::Plain {
            emit(Word::Plain(&text[run.start..run.end]));
            continue;
        }
        let run = text[run.start..run.end].trim_matches('_');
        if run.is_empty() {
            continue;
        }
        let first = first_part(run);
        if first.len() == run.len() {
            emit(Word::Plain(run));
            continue;
        }
        emit(Word::Compound(run));
        let mut tail = run;
        while !tail.is_empty() {
            let part = first_part(tail);
            emit(Word::Part(part));
            tail = tail[part.len()..].trim_start_matches('_');
        }
    }
}

/// A word of a text; see [`split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// A word without parts.
    Plain(&'a str),
    /// An identifier with several parts, whole.
    Compound(&'a str),
    /// One part of the preceding compound.
    Part(&'a str),
}

/// A run of word characters, as a range of bytes.
struct Run {
    start: usize,
    end: usize,
    form: WordForm,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WordForm {
    /// Only lower-case ASCII letters and digits: a word without parts.
    Plain,
    /// Anything else, which may have parts.
    Other,
}

/// Finds the next run of word characters at or after a byte offset.
///
/// Nearly all text is ASCII, so bytes are looked up in a table and only others are decoded.
fn next_run(text: &str, from: usize) -> Option<Run> {
    let bytes = text.as_bytes();
    let mut at = from;
    let start = loop {
        match CLASSES[usize::from(*bytes.get(at)?)] {
            NONE => at += 1,
            BEYOND => match beyond(text, at) {
                (true, _) => break at,
                (false, length) => at += length,
            },
            _ => break at,
        }
    };
    let mut seen = 0;
    while let Some(&byte) = bytes.get(at) {
        let class = CLASSES[usize::from(byte)];
        match class {
            NONE => break,
            BEYOND => match beyond(text, at) {
                (true, length) => at += length,
                (false, _) => break,
            },
            _ => at += 1,
        }
        seen |= class;
    }
    Some(Run { start, end: at, form: if seen == LOWER { WordForm::Plain } else { WordForm::Other } })
}

/// Whether the character at an offset, beyond ASCII, is a word character, and its length in bytes.
fn beyond(text: &str, at: usize) -> (bool, usize) {
    text[at..].chars().next().map_or((false, 1), |c| (c.is_alphanumeric(), c.len_utf8()))
}

/// Not a word character.
const NONE: u8 = 0;
/// A lower-case letter or a digit.
const LOWER: u8 = 1;
/// A capital letter or `_`.
const RAISED: u8 = 2;
/// A byte of a multi-byte character.
const BEYOND: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut table = [BEYOND; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => LOWER,
            b'A'..=b'Z' | b'_' => RAISED,
            _ => NONE,
        };
        byte += 1;
    }
    table
};

/// Returns the first part of a non-empty identifier that does not begin with `_`.
///
/// A part ends before `_`, between a lower-case letter or digit and an upper-case letter (`camelCase`), and before the
/// last capital of a run if a lower-case letter follows (`HTTPServer`). Letters and digits are not separated: `utf8`,
/// `server2` and `v1` stay whole.
fn first_part(identifier: &str) -> &str {
    if identifier.is_ascii() {
        let bytes = identifier.as_bytes();
        let ends = |at: &usize| {
            let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            let humps = bytes[*at].is_ascii_uppercase() && (!bytes[at - 1].is_ascii_uppercase() || next_is_lower);
            bytes[*at] == b'_' || humps
        };
        return &identifier[..(1..bytes.len()).find(ends).unwrap_or(bytes.len())];
    }
    let mut chars = identifier.char_indices().peekable();
    let Some((_, mut previous)) = chars.next() else { return identifier };
    while let Some((at, c)) = chars.next() {
        if c == '_' {
            return &identifier[..at];
        }
        let next_is_lower = chars.peek().is_some_and(|&(_, next)| next.is_lowercase());
        let humps = c.is_uppercase() && (!previous.is_uppercase() || next_is_lower);
        if humps {
            return &identifier[..at];
        }
        previous = c;
    }
    identifier
}

/// Whether a lower-case English word is too common to distinguish documents.
///
/// Stop words are articles, pronouns, auxiliaries, prepositions and question words.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being", "both",
    "but", "by", "can", "could", "did", "do", "does", "doing", "during", "each", "for", "from", "had", "has", "have",
    "having", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "or", "our", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "under", "until", "us", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        split(text, |word| {
            out.push(match word {
                Word::Plain(w) => w.to_owned(),
                Word::Compound(w) => format!("<{w}>"),
                Word::Part(w) => format!("+{w}"),
            });
        });
        out
    }

    #[test]
    fn identifiers_are_split_into_parts() {
        for (text, expected) in [
            ("", ""),
            ("open the file", "open the file"),
            ("camelCase", "<camelCase> +camel +Case"),
            ("HTTPServer2", "<HTTPServer2> +HTTP +Server2"),
            ("parse_http_header", "<parse_http_header> +parse +http +header"),
            ("__init__ _x", "init x"),
            ("utf8 v1", "utf8 v1"),
            ("MAX_SIZE", "<MAX_SIZE> +MAX +SIZE"),
            ("a__b", "<a__b> +a +b"),
            ("std::io::Error", "std io Error"),
            ("größeÄndern", "<größeÄndern> +größe +Ändern"),
            ("日本語 text", "日本語 text"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn stop_words_are_sorted_for_binary_search() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("query"));
    }

    proptest::proptest! {
        #[test]
        fn splitting_never_panics_and_emits_no_empty_word(text in "\\PC*") {
            split(&text, |word| match word {
                Word::Plain(w) | Word::Compound(w) | Word::Part(w) => assert!(!w.is_empty()),
            });
        }
    }
}
