//! Scripts whose words are not separated by spaces.
//!
//! Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces between words; Korean writes particles and endings
//! together with the word. A run of letters of these scripts is therefore a phrase or a sentence, not a word. Where its
//! words begin is not decided here: that takes a dictionary, and two texts that share a word would be cut differently.

use unicode_normalization::char::is_combining_mark;

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

fn is_letter(c: char) -> bool {
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
