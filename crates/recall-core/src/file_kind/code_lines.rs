//! The lines of a text that are neither comments nor inside longer texts.
//!
//! A look at lines, not a parse: what is hidden in the middle of a line is not seen.

/// How a language writes what is not code.
pub(super) struct Syntax {
    /// What a comment to the end of its line begins with.
    pub(super) comments: &'static [&'static str],
    /// What a comment over several lines begins and ends with, at the beginning of its first line.
    pub(super) blocks: &'static [(&'static str, &'static str)],
    /// What a text over several lines begins and ends with, anywhere in a line.
    pub(super) quotes: &'static [&'static str],
}

/// The lines of code, as they are written.
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

    const SYNTAX: Syntax = Syntax { comments: &["//"], blocks: &[("/*", "*/")], quotes: &["\"\"\""] };

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(code_lines(text, &SYNTAX).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn comments_and_texts_are_left_out() {
        check("a\n // b\n/* c */\n/*\nd\n*/\ne\n", &["a", "e"]);
        check("x = \"\"\"\nb\n\"\"\"\nc\n", &["x = \"\"\"", "c"]);
        check("x = \"\"\"one line\"\"\"\nc\n", &["x = \"\"\"one line\"\"\"", "c"]);
        check("/* never closed\na\n", &[]);
    }

    #[test]
    fn a_sign_in_the_middle_of_a_line_begins_no_comment() {
        check("glob(\"src/**/*.ts\")\na\n", &["glob(\"src/**/*.ts\")", "a"]);
        check("// a \"\"\" in a comment\na\n", &["a"]);
    }
}
