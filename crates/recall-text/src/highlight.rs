//! Highlighting of code: comments, strings, numbers and keywords.
//!
//! The words of a language and its comments and strings are in its row of the table of languages. Nothing is parsed: a chunk begins in the middle of
//! its file, and a command has no time to load a grammar. Prose is not highlighted. How a part looks is up to the caller.

use std::ops::Range;

use crate::language::syntax_of;
use crate::language::syntaxes::{Quote, Syntax};

/// The maximum length in bytes of a character in single quotes, as in `'\u{10ffff}'`.
const CHARACTER_BYTES: usize = 12;

/// A highlighted part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The bytes of the part.
    pub range: Range<usize>,
    /// What the bytes are in the language.
    pub part: SyntaxPart,
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxPart {
    /// A comment.
    Comment,
    /// A string or a character.
    Literal,
    /// A number.
    Number,
    /// A keyword or a named constant.
    Keyword,
}

/// Returns the highlighted parts of a text: ascending, disjoint, on character boundaries. Empty for a language without a row.
pub fn spans(text: &str, language: &str) -> Vec<Highlight> {
    let Some(syntax) = syntax_of(language) else { return Vec::new() };
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, part) = next(rest, first, &text[..at], syntax);
        if let Some(part) = part {
            spans.push(Highlight { range: at..at + length, part });
        }
        at += length;
    }
    spans
}

/// Returns the length of the next token and what it is. `before` is the text before it.
fn next(rest: &str, first: char, before: &str, syntax: &Syntax) -> (usize, Option<SyntaxPart>) {
    if is_word(first) {
        return word(rest, first, syntax);
    }
    for &(open, close) in syntax.block_comments {
        if let Some(body) = rest.strip_prefix(open) {
            let end = body.find(close).map_or(rest.len(), |at| open.len() + at + close.len());
            return (end, Some(SyntaxPart::Comment));
        }
    }
    let begins_comment = |mark: &&&str| {
        // In shells and YAML, a mark within a word is not a comment: `$#`, `a#b`.
        rest.starts_with(**mark) && (**mark != "#" || before.chars().next_back().is_none_or(char::is_whitespace))
    };
    if syntax.line_comments.iter().any(|mark| begins_comment(&mark)) {
        return (rest.find('\n').unwrap_or(rest.len()), Some(SyntaxPart::Comment));
    }
    for quote in syntax.quotes {
        if let Some(length) = quote_end(rest, quote) {
            return (length, Some(SyntaxPart::Literal));
        }
    }
    if syntax.has_characters
        && let Some(length) = character(rest)
    {
        return (length, Some(SyntaxPart::Literal));
    }
    (first.len_utf8(), None)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length and the part of a word or a number.
fn word(rest: &str, first: char, syntax: &Syntax) -> (usize, Option<SyntaxPart>) {
    if first.is_ascii_digit() {
        let bytes = rest.as_bytes();
        let is_part = |at: usize| {
            let next_is_digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || (bytes[at] == b'.' && next_is_digit)
        };
        let end = (0..bytes.len()).find(|&at| !is_part(at)).unwrap_or(bytes.len());
        return (end, Some(SyntaxPart::Number));
    }
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let word = &rest[..end];
    // A prefix of a string, as in `b"…"`, `f'…'` or `r#"…"#`.
    for quote in syntax.quotes.iter().filter(|quote| quote.open.starts_with(first)) {
        if let Some(length) = quote_end(rest, quote) {
            return (length, Some(SyntaxPart::Literal));
        }
    }
    let is_keyword = if syntax.ignores_case {
        syntax.keywords.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
    } else {
        syntax.keywords.contains(&word)
    };
    (end, is_keyword.then_some(SyntaxPart::Keyword))
}

/// Returns the length of a string that begins here; `None` if none does, or if it would have to end on this line and does not.
fn quote_end(rest: &str, quote: &Quote) -> Option<usize> {
    let body = rest.strip_prefix(quote.open)?;
    let mut at = 0;
    while let Some(c) = body[at..].chars().next() {
        if body[at..].starts_with(quote.close) {
            return Some(quote.open.len() + at + quote.close.len());
        }
        if c == '\n' && !quote.spans_lines {
            return None;
        }
        at += c.len_utf8();
        if c == '\\' && quote.escapes {
            at += body[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    quote.spans_lines.then_some(rest.len())
}

/// Returns the length of a character in single quotes, which is not a lifetime or an apostrophe.
fn character(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    let first = body.chars().next().filter(|c| *c != '\'' && *c != '\n')?;
    let at = if first == '\\' {
        let escaped = 1 + body[1..].chars().next()?.len_utf8();
        escaped + body[escaped..].find('\'').filter(|length| *length < CHARACTER_BYTES)?
    } else {
        first.len_utf8()
    };
    body[at..].starts_with('\'').then_some(at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks comments as `‹…›`, strings as `«…»`, numbers as `#…#` and keywords as `*…*`.
    fn marked(text: &str, language: &str) -> String {
        let mut marked = String::new();
        let mut at = 0;
        for Highlight { range, part } in spans(text, language) {
            marked.push_str(&text[at..range.start]);
            let (open, close) = match part {
                SyntaxPart::Comment => ('‹', '›'),
                SyntaxPart::Literal => ('«', '»'),
                SyntaxPart::Number => ('#', '#'),
                SyntaxPart::Keyword => ('*', '*'),
            };
            marked.push(open);
            marked.push_str(&text[range.clone()]);
            marked.push(close);
            at = range.end;
        }
        marked + &text[at..]
    }

    #[test]
    fn comments_strings_numbers_and_keywords_are_marked() {
        for (language, text, expected) in [
            ("rust", "let s: &'a str = \"a\\\"b\"; // it's", "*let* s: &'a str = «\"a\\\"b\"»; ‹// it's›"),
            (
                "rust",
                "'x' '\\n' 'static r#\"a\"b\"# 1_000u32 0..n",
                "«'x'» «'\\n'» '*static* «r#\"a\"b\"#» #1_000u32# #0#..n",
            ),
            ("rust", "/* a\nb */ x", "‹/* a\nb */› x"),
            (
                "python",
                "def f(): # x\n  '''a\nb''' 'c' f\"d\" 1.5",
                "*def* f(): ‹# x›\n  «'''a\nb'''» «'c'» «f\"d\"» #1.5#",
            ),
            ("typescript", "const a = `x\n${b}`", "*const* a = «`x\n${b}`»"),
            ("go", "func f() { return `a\\` }", "*func* f() { *return* «`a\\`» }"),
            ("sql", "select 1 -- one", "*select* #1# ‹-- one›"),
            ("bash", "if [ $# -gt 0 ]; then # x", "*if* [ $# -gt #0# ]; *then* ‹# x›"),
            ("html", "<!-- a --> it's", "‹<!-- a -->› it's"),
            ("haskell", "f {- a -} = x' -- b", "f ‹{- a -}› = x' ‹-- b›"),
            // Not closed: a line is lost at most.
            ("java", "String s = \"a\nint b;", "String s = \"a\n*int* b;"),
            ("rust", "/* open", "‹/* open›"),
            ("markdown", "let it be", "let it be"),
            ("klingon", "let x", "let x"),
        ] {
            assert_eq!(marked(text, language), expected, "{language}");
        }
    }

    #[test]
    fn every_part_is_within_the_text_and_after_the_one_before() {
        const LANGUAGES: [&str; 12] = [
            "rust",
            "csharp",
            "go",
            "typescript",
            "kotlin",
            "php",
            "python",
            "elixir",
            "bash",
            "lua",
            "haskell",
            "html",
        ];
        // Pieces that begin and end tokens, in an order that a fixed generator chooses.
        let pieces =
            ["\"", "'", "/*", "*/", "//", "\\", "ü", "日", "\n", "r#\"", "if", "0x1.", "`", "#", "'''", "<!--", " "];
        let mut seed = 7_u64;
        for round in 0..2_000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            let language = LANGUAGES[round % LANGUAGES.len()];
            let mut end = 0;
            for span in spans(&text, language) {
                assert!(span.range.start >= end && span.range.end > span.range.start, "{language}: {text:?}");
                assert!(text.get(span.range.clone()).is_some(), "{language}: {text:?}");
                end = span.range.end;
            }
        }
    }
}
