//! Lines of code, without comments and multi-line strings.
//!
//! Works line by line without parsing: a comment or string that starts in the middle of a line may be missed.

/// The syntax of comments and strings in a language.
pub(super) struct CommentSyntax {
    /// The prefixes of line comments.
    pub(super) comments: &'static [&'static str],
    /// The delimiters of block comments. The opening one must begin a line.
    pub(super) blocks: &'static [(&'static str, &'static str)],
    /// The delimiters of multi-line strings, anywhere in a line.
    pub(super) quotes: &'static [&'static str],
}

/// Returns the lines of code, unchanged.
pub(super) fn code_lines<'a>(text: &'a str, syntax: &'static CommentSyntax) -> impl Iterator<Item = &'a str> {
    let mut end: Option<&str> = None;
    text.lines().filter(move |line| {
        if let Some(waited_for) = end {
            if line.contains(waited_for) {
                end = None;
            }
            return false;
        }
        let code = line.trim_start();
        if let Some((sign, last)) = syntax.blocks.iter().find(|(sign, _)| code.starts_with(sign)) {
            end = (!code[sign.len()..].contains(last)).then_some(*last);
            return false;
        }
        if syntax.comments.iter().any(|sign| code.starts_with(sign)) {
            return false;
        }
        end = syntax.quotes.iter().copied().find(|quote| line.matches(quote).count() % 2 == 1);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNTAX: CommentSyntax = CommentSyntax { comments: &["//"], blocks: &[("/*", "*/")], quotes: &["\"\"\""] };

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(code_lines(text, &SYNTAX).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn comments_and_multi_line_strings_are_skipped() {
        check("a\n // b\n/* c */\n/*\nd\n*/\ne\n", &["a", "e"]);
        check("x = \"\"\"\nb\n\"\"\"\nc\n", &["x = \"\"\"", "c"]);
        check("x = \"\"\"one line\"\"\"\nc\n", &["x = \"\"\"one line\"\"\"", "c"]);
        check("/* never closed\na\n", &[]);
    }

    #[test]
    fn a_comment_sign_in_the_middle_of_a_line_is_ignored() {
        check("glob(\"src/**/*.ts\")\na\n", &["glob(\"src/**/*.ts\")", "a"]);
        check("// a \"\"\" in a comment\na\n", &["a"]);
    }
}
