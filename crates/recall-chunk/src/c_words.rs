//! The words of C and C++, without a grammar.

use std::ops::Range;

/// The most bytes of the arguments of a macro, or of a type.
const MAX_ARGUMENTS_BYTES: usize = 300;

/// Whether a text that may be C is C++: a header does not say it in its name.
///
/// Many words of C++ are names in C, so that only what can be nothing else counts.
pub(crate) fn is_cpp(text: &str) -> bool {
    let words = Words::new(text);
    let mut at = 0;
    let follows = |at: usize, marks: &[&str]| {
        words.next(at).is_some_and(|token| token.kind == TokenKind::Mark && marks.contains(&&text[token.range]))
    };
    while let Some(token) = words.next(at) {
        at = token.range.end;
        let is_cpp = match &text[token.range] {
            "::" => true,
            "template" => follows(at, &["<"]),
            "public" | "protected" | "private" => follows(at, &[":"]),
            "namespace" | "class" => {
                let name = words.next(at).filter(|name| name.kind == TokenKind::Word);
                name.is_some_and(|name| follows(name.range.end, &["{", ":"]))
            }
            _ => false,
        };
        if is_cpp {
            return true;
        }
    }
    false
}

/// A token and its place.
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) range: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// A string, a character or a number.
    Literal,
    /// A line of the preprocessor, with the lines that continue it.
    Directive,
    Mark,
}

/// The tokens of a text.
#[derive(Clone, Copy)]
pub(crate) struct Words<'t> {
    pub(crate) text: &'t str,
    bytes: &'t [u8],
}

impl<'t> Words<'t> {
    /// The tokens of this text.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, bytes: text.as_bytes() }
    }

    /// The first token at or after a place, without comments.
    pub(crate) fn next(self, mut at: usize) -> Option<Token> {
        loop {
            let byte = *self.bytes.get(at)?;
            let token = |kind, end| Some(Token { kind, range: at..end });
            match byte {
                b'/' if self.text[at..].starts_with("//") => at = self.line_end(at),
                b'/' if self.text[at..].starts_with("/*") => at = self.after(at + 2, "*/"),
                b'#' => return token(TokenKind::Directive, self.directive_end(at)),
                b'"' if at > 0 && self.bytes[at - 1] == b'R' => return token(TokenKind::Literal, self.raw_end(at)),
                b'"' | b'\'' => return token(TokenKind::Literal, self.literal_end(at)),
                byte if byte.is_ascii_whitespace() || byte == b'\\' => at += 1,
                byte if byte.is_ascii_digit() => {
                    let is_part = |&&byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'\'' | b'_');
                    return token(TokenKind::Literal, at + self.bytes[at..].iter().take_while(is_part).count());
                }
                byte if is_word_byte(byte) => {
                    let length = self.bytes[at..].iter().take_while(|&&byte| is_word_byte(byte)).count();
                    return token(TokenKind::Word, at + length);
                }
                b':' if self.text[at..].starts_with("::") => return token(TokenKind::Mark, at + 2),
                b'-' if self.text[at..].starts_with("->") => return token(TokenKind::Mark, at + 2),
                _ => return token(TokenKind::Mark, at + 1),
            }
        }
    }

    /// The place after the arguments that begin right here; the same place if none do. `None` if they do not end.
    pub(crate) fn after_arguments(self, at: usize) -> Option<usize> {
        if self.bytes.get(at) == Some(&b'(') { self.after_bracket(at, "(", ")") } else { Some(at) }
    }

    /// The place after the rest of a type: `::string<int> const *`. `None` if it does not end.
    pub(crate) fn after_type(self, mut at: usize) -> Option<usize> {
        loop {
            let Some(token) = self.next(at) else { return Some(at) };
            match &self.text[token.range.clone()] {
                "::" => at = self.next(token.range.end).filter(|name| name.kind == TokenKind::Word)?.range.end,
                "<" => at = self.after_bracket(token.range.start, "<", ">")?,
                "*" | "&" | "const" => at = token.range.end,
                _ => return Some(at),
            }
        }
    }

    /// The place after the bracket that closes the one at `open`. `None` if a statement ends before it, or if it is far away.
    fn after_bracket(self, open: usize, opening: &str, closing: &str) -> Option<usize> {
        let mut depth = 0_u32;
        let mut at = open;
        while at < open + MAX_ARGUMENTS_BYTES {
            let token = self.next(at)?;
            at = token.range.end;
            match &self.text[token.range] {
                mark if mark == opening => depth += 1,
                mark if mark == closing => depth -= 1,
                ";" | "{" | "}" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The end of the line of a place.
    fn line_end(self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |length| at + length)
    }

    /// The place after the next occurrence of some characters, or the end of the text.
    fn after(self, at: usize, end: &str) -> usize {
        self.text[at..].find(end).map_or(self.text.len(), |length| at + length + end.len())
    }

    /// The end of the lines that a directive continues over.
    fn directive_end(self, at: usize) -> usize {
        let mut end = self.line_end(at);
        while end < self.text.len() && self.text[at..end].trim_end_matches('\r').ends_with('\\') {
            end = self.line_end(end + 1);
        }
        end
    }

    /// The end of `"…"` or `'…'`, at the latest that of the line.
    fn literal_end(self, at: usize) -> usize {
        let mut end = at + 1;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' => return end,
                byte if byte == self.bytes[at] => return end + 1,
                _ => {}
            }
            end += 1;
        }
        self.text.len()
    }

    /// The end of `R"x(…)x"`.
    fn raw_end(self, at: usize) -> usize {
        /// The longest delimiter that the language allows.
        const MAX_DELIMITER: usize = 16;
        let head = self.bytes[at + 1..].iter().take(MAX_DELIMITER + 1);
        let Some(length) = head.copied().position(|byte| byte == b'(') else { return self.literal_end(at) };
        self.after(at, &format!("){}\"", &self.text[at + 1..at + 1 + length]))
    }
}

/// Whether a byte is a part of a word. All characters beyond ASCII are.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_cpp_shows_it() {
        for text in ["namespace n {", "template <typename T>", "class A : B {", "private:", "std::string x;"] {
            assert!(is_cpp(text), "{text}");
        }
        for text in [
            "int class = 1, template;",
            "// std::string\n\"::\" '::'",
            "#define A b::c",
            "void private(int namespace);",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint x;",
        ] {
            assert!(!is_cpp(text), "{text}");
        }
    }
}
