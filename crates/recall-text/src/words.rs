//! Splitting of text into words, also in scripts whose words are not separated by spaces, and of identifiers into
//! parts; English stop words.
//!
//! Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces between words; Korean writes particles and endings
//! together with the word. A run of letters of these scripts is therefore a phrase or a sentence, not a word. Where its
//! words begin is not decided here: that takes a dictionary, and two texts that share a word would be cut differently.

use unicode_normalization::char::is_combining_mark;

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

/// A part of a run; see [`pieces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Letters of scripts that separate words, digits, and `_`.
    Spaced(&'a str),
    /// Letters of a script that does not.
    Unspaced(&'a str),
}

/// Returns the maximal runs of letters, digits and `_`, with the marks that follow them.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.find(is_letter)?..];
        let end = rest.find(|c| !is_letter(c) && !is_mark(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

/// Splits a run where its letters change between scripts that separate words and scripts that do not: `使用Redis缓存` is
/// `使用`, `Redis`, `缓存`. A mark belongs to the letter before it.
pub fn pieces(run: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let is_first_unspaced = is_unspaced(rest.chars().next()?);
        let changes = |c: char| !is_mark(c) && is_unspaced(c) != is_first_unspaced;
        let (piece, after) = rest.split_at(rest.find(changes).unwrap_or(rest.len()));
        rest = after;
        Some(if is_first_unspaced { Piece::Unspaced(piece) } else { Piece::Spaced(piece) })
    })
}

/// Returns the letters of a text, each with the marks that follow it. A vowel before or after a Thai consonant is a letter of
/// its own.
pub fn letters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.len_utf8();
        let end = rest[first..].find(|c| !is_mark(c)).map_or(rest.len(), |length| first + length);
        let (letter, after) = rest.split_at(end);
        rest = after;
        Some(letter)
    })
}

/// Counts the letters of a text that belong to scripts without spaces between words.
pub fn unspaced_letters(text: &str) -> usize {
    if text.is_ascii() { 0 } else { text.chars().filter(|&c| is_unspaced(c) && !is_mark(c)).count() }
}

/// Returns whether a character begins a run: a letter, a digit or `_`, and no combining mark, although some count as letters.
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() && !is_combining_mark(c) }
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && is_combining_mark(c)
}

/// Whether a character is of a script that does not separate words. By blocks, which these scripts do not share.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        // Thai and Lao.
        '\u{e00}'..='\u{eff}'
        // Burmese, with its extensions.
        | '\u{1000}'..='\u{109f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}'
        // Khmer.
        | '\u{1780}'..='\u{17ff}'
        // Korean: letters, and syllables composed of them.
        | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        // Chinese and Japanese: radicals, iteration marks and numerals, kana, bopomofo, ideographs.
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{312f}'
        | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

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

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        for run in runs(text) {
            let pieces = pieces(run).map(|piece| match piece {
                Piece::Spaced(text) => text.to_owned(),
                Piece::Unspaced(text) => letters(text).collect::<Vec<_>>().join("·"),
            });
            found.push(pieces.collect::<Vec<_>>().join("|"));
        }
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn runs_are_split_where_the_script_changes() {
        for (text, expected) in [
            ("", ""),
            ("open the_file, v1.2", "open the_file v1 2"),
            ("使用Redis缓存。第3章", "使·用|Redis|缓·存 第|3|章"),
            ("データベース接続", "デ·ー·タ·ベ·ー·ス·接·続"),
            ("결제를 취소", "결·제·를 취·소"),
            ("คืนเงิน", "คื·น·เ·งิ·น"),
            ("ប្រទេស", "ប្·រ·ទេ·ស"),
            ("မြန်မာ", "မြ·န်·မာ"),
            ("हिन्दी नमस्ते", "हिन्दी नमस्ते"),
            ("cafe\u{301} bar", "cafe\u{301} bar"),
            ("表_user", "表|_user"),
            ("\u{301}a", "a"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn letters_of_unspaced_scripts_are_counted() {
        for (text, expected) in [("open", 0), ("größe", 0), ("退款 policy", 2), ("คืนเงิน", 5)] {
            assert_eq!(unspaced_letters(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn pieces_and_letters_cover_a_run(text in "\\PC{0,40}") {
            for run in runs(&text) {
                let mut joined = String::new();
                for piece in pieces(run) {
                    let (Piece::Spaced(piece) | Piece::Unspaced(piece)) = piece;
                    assert!(!piece.is_empty());
                    joined.extend(letters(piece));
                }
                assert_eq!(joined, run);
            }
        }
    }
}
