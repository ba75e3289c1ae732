//! Lines of code, without comments and multi-line strings.
//!
//! Works line by line without parsing: a comment or string that starts in the middle of a line may be missed.

use crate::language::syntaxes::Syntax;

/// The shortest mark of a string that is counted: `"""`. Shorter ones also stand in characters and comments.
const MARK_BYTES: usize = 3;

/// Returns the lines of code, unchanged.
pub(super) fn code_lines<'a>(text: &'a str, syntax: &'static Syntax) -> impl Iterator<Item = &'a str> {
    let mut end: Option<&str> = None;
    text.lines().filter(move |line| {
        if let Some(waited_for) = end {
            if line.contains(waited_for) {
                end = None;
            }
            return false;
        }
        let code = line.trim_start();
        if let Some((sign, last)) = syntax.block_comments.iter().find(|(sign, _)| code.starts_with(sign)) {
            end = (!code[sign.len()..].contains(last)).then_some(*last);
            return false;
        }
        if syntax.line_comments.iter().any(|sign| code.starts_with(sign)) {
            return false;
        }
        let mut marks = syntax.quotes.iter().filter(|quote| quote.open == quote.close).map(|quote| quote.close);
        end = marks.find(|mark| mark.len() >= MARK_BYTES && line.matches(mark).count() % 2 == 1);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::syntaxes::JAVA;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(code_lines(text, &JAVA).collect::<Vec<_>>(), expected, "{text:?}");
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
