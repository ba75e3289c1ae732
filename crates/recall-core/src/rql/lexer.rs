//! Words, texts, numbers and signs of a statement.

use std::ops::Range;

use crate::rql::error::{Fault, MOST_BYTES, Problem};

/// An example of a valid filter.
pub(crate) const FILTER_EXAMPLE: &str = "doc.path GLOB 'src/**' AND doc.language = 'rust'";

/// A token with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) bytes: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A keyword or the name of a field, with its object: `doc.path`.
    Word,
    /// A text in quotes, without them.
    Text(String),
    /// Digits with a sign and a fraction, if any.
    Number,
    /// `=`, `!=`, `<`, `<=`, `>`, `>=`.
    Comparison,
    /// `(`, `)`, `,`, `*`, `;`.
    Sign(char),
    /// The end of the text.
    End,
}

/// Splits a text into tokens; the last one is the end. `example` is a valid text.
pub(crate) fn tokens(text: &str, example: &str) -> Result<Vec<Token>, Fault> {
    if text.len() > MOST_BYTES {
        let problem = Problem::TooLong { bytes: text.len() };
        return Err(Fault::new(0..0, problem, format!("at most {MOST_BYTES} bytes"), example));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let token = token(text, at, first, example)?;
        at = token.bytes.end;
        tokens.push(token);
    }
    tokens.push(Token { kind: TokenKind::End, bytes: text.len()..text.len() });
    Ok(tokens)
}

fn token(text: &str, at: usize, first: char, example: &str) -> Result<Token, Fault> {
    let rest = &text[at..];
    let while_matching = |matches: fn(u8) -> bool| rest.bytes().take_while(|byte| matches(*byte)).count();
    let (kind, length) = match first {
        '\'' | '"' => {
            let (content, length) = quotation(rest, first).ok_or_else(|| {
                let expected = format!("a closing {first}");
                Fault::new(at..text.len(), Problem::OpenText, expected, example).replaced_by(format!("{rest}{first}"))
            })?;
            (TokenKind::Text(content), length)
        }
        'a'..='z' | 'A'..='Z' | '_' => {
            (TokenKind::Word, while_matching(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')))
        }
        '0'..='9' | '-' => {
            let digits = usize::from(first == '-');
            let whole = digits + rest[digits..].bytes().take_while(u8::is_ascii_digit).count();
            if whole == digits {
                return Err(unexpected_character(text, at, first, example));
            }
            let fraction =
                rest[whole..].strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
            (TokenKind::Number, if fraction == 0 { whole } else { whole + 1 + fraction })
        }
        '<' | '>' | '!' | '=' => {
            let length = 1 + usize::from(rest[1..].starts_with('='));
            let two = &rest[..length.max(if rest.starts_with("<>") { 2 } else { length })];
            if matches!(two, "<>" | "==" | "!") {
                let operator = if two == "==" { "=" } else { "!=" };
                let problem = Problem::Unexpected { found: format!("`{two}`") };
                return Err(
                    Fault::new(at..at + two.len(), problem, format!("`{operator}`"), example).replaced_by(operator)
                );
            }
            (TokenKind::Comparison, length)
        }
        '(' | ')' | ',' | '*' | ';' => (TokenKind::Sign(first), 1),
        _ => return Err(unexpected_character(text, at, first, example)),
    };
    Ok(Token { kind, bytes: at..at + length })
}

fn unexpected_character(text: &str, at: usize, found: char, example: &str) -> Fault {
    let rest = &text[at..];
    let (bytes, replacement) = match found {
        '&' => (if rest.starts_with("&&") { 2 } else { 1 }, Some(" AND ")),
        '|' => (if rest.starts_with("||") { 2 } else { 1 }, Some(" OR ")),
        other => (other.len_utf8(), None),
    };
    let expected = "a field, a keyword, an operator, a number or a text in quotes";
    let fault = Fault::new(at..at + bytes, Problem::Character { found }, expected, example);
    replacement.into_iter().fold(fault, Fault::replaced_by)
}

/// Reads a text in quotes at the beginning of `text`. A doubled quote is one. `None` if it has no end.
fn quotation(text: &str, quote: char) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut at = 1;
    loop {
        let length = text[at..].find(quote)?;
        content.push_str(&text[at..at + length]);
        at += length + 1;
        if !text[at..].starts_with(quote) {
            return Some((content, at));
        }
        content.push(quote);
        at += 1;
    }
}
