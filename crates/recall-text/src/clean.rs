//! Removal of invisible characters and terminal control sequences from text.

use std::borrow::Cow;

/// Removes control characters other than line feed and tab, terminal escape sequences, and invisible characters:
/// bidirectional controls, zero-width characters, variation selectors, fillers and tags. The line and paragraph
/// separators become spaces.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_clean) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match CharClass::classify(c) {
            CharClass::Kept => {
                cleaned.push(c);
                c.len_utf8()
            }
            CharClass::Space => {
                cleaned.push(' ');
                c.len_utf8()
            }
            CharClass::Removed => c.len_utf8(),
            CharClass::Escape => c.len_utf8() + sequence_length(&rest[c.len_utf8()..]),
        };
        rest = &rest[length..];
    }
    Cow::Owned(cleaned)
}

/// Whether [`clean`] keeps a character.
pub fn is_clean(c: char) -> bool {
    CharClass::classify(c) == CharClass::Kept
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Kept,
    Space,
    Removed,
    /// Removed together with the sequence that follows.
    Escape,
}

impl CharClass {
    fn classify(c: char) -> Self {
        match c {
            '\n' | '\t' => Self::Kept,
            '\u{1b}' => Self::Escape,
            '\u{2028}' | '\u{2029}' => Self::Space,
            c if is_invisible(c) => Self::Removed,
            c if c.is_control() => Self::Removed,
            _ => Self::Kept,
        }
    }
}

/// Whether a character has no width and no glyph of its own, controls of ASCII aside.
pub(crate) fn is_invisible(c: char) -> bool {
    changes_direction(c) || has_no_glyph(c) || is_tag(c)
}

/// Whether a character changes the direction of the text around it.
fn changes_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
}

/// Whether a character has no glyph (Unicode's `Default_Ignorable_Code_Point`, and interlinear annotation). This
/// includes variation selectors: a run of them can carry arbitrary bytes after one letter.
fn has_no_glyph(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}' | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
    )
}

/// Whether a character is a tag, or a variation selector of the supplement; both can carry hidden bytes.
fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e0fff}')
}

/// Returns the length of the sequence after an escape character; 0 for an unterminated one, so that it hides no text.
fn sequence_length(after: &str) -> usize {
    let Some(first) = after.chars().next() else { return 0 };
    match first {
        '[' => {
            let parameters = after[1..].bytes().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            let ended = after.as_bytes().get(1 + parameters).is_some_and(|byte| matches!(byte, 0x40..=0x7e));
            if ended { 2 + parameters } else { 0 }
        }
        ']' | 'P' | '^' | '_' => {
            let bell = after.find('\u{7}').map(|at| at + 1);
            let terminator = after.find("\u{1b}\\").map(|at| at + 2);
            let end = bell.into_iter().chain(terminator).min();
            end.filter(|end| !after[..*end].contains('\n')).unwrap_or(0)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_text_is_removed() {
        for (text, expected) in [
            ("plain\n\ttext – ü 日本", "plain\n\ttext – ü 日本"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]unended text", "]unended text"),
            ("\u{1b}[12", "[12"),
            ("a\u{0}b\u{8}c\r\n", "abc\n"),
            ("if (x\u{202e} } \u{2066}", "if (x } "),
            ("pass\u{200b}word\u{feff}", "password"),
            ("hi\u{e0041}\u{e0042}\u{e01ef}", "hi"),
            ("one\u{2028}two", "one two"),
            ("a\u{fe00}\u{fe0f}\u{e0100}b", "ab"),
            ("\u{3164}\u{115f}\u{ffa0}\u{17b4}\u{fff0}\u{1d173}x", "x"),
            ("\u{9b}31m", "31m"),
            ("a\u{61c}b\u{ad}c\u{206a}d\u{206f}", "abcd"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }
}
