//! Text within text: quoting of foreign text, so that it cannot be mistaken for recall's own, and an error with its causes.

use std::error::Error;
use std::fmt::Write as _;

use crate::clean;

/// The greatest length of a name, in characters.
const NAME_CHARS: usize = 160;

/// The most characters that are quoted of a text: what a person reads at a glance.
pub const QUOTE_CHARS: usize = 600;

/// Returns a name on one line, cleaned and cut.
pub fn inline(text: &str) -> String {
    let cleaned = clean(text);
    let line = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Quotes the beginning of a text: each line gets the prefix `  > ` and blank lines are dropped. The result ends with a newline
/// unless it is empty.
pub fn quote(text: &str, most_chars: usize) -> String {
    let cleaned = clean(text);
    let mut quoted = String::new();
    let mut left = most_chars;
    // Every character that a reader may treat as a line end ends a line here.
    for line in
        cleaned.split(['\n', '\u{b}', '\u{c}', '\r', '\u{85}']).map(str::trim_end).filter(|line| !line.is_empty())
    {
        let length = line.chars().count();
        if length > left {
            let end = line.char_indices().nth(left).map_or(line.len(), |(at, _)| at);
            let end = line[..end].rfind(' ').unwrap_or(end);
            let _ = writeln!(quoted, "  > {} …", line[..end].trim_end());
            break;
        }
        left -= length;
        let _ = writeln!(quoted, "  > {line}");
    }
    quoted
}

/// The error and its causes on one line, outermost first, separated by `: `.
///
/// A cause that the text before it already ends with is left out: libraries often repeat their cause in their own message.
pub fn error_chain(error: &dyn Error) -> String {
    error_chain_as(error.to_string(), error)
}

/// The same with another message in place of the error's own.
pub fn error_chain_as(message: String, error: &dyn Error) -> String {
    let causes = error_causes(&message, error);
    causes.into_iter().fold(message, |chain, cause| format!("{chain}: {cause}"))
}

/// The causes of an error that is reported as `message`, outermost first, for one line each.
///
/// Leaves out what [`error_chain`] leaves out.
pub fn error_causes(message: &str, error: &dyn Error) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(error) = next {
        let cause = error.to_string();
        if !causes.last().map_or(message, String::as_str).ends_with(&cause) {
            causes.push(cause);
        }
        next = error.source();
    }
    causes
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[test]
    fn every_line_of_a_quote_is_marked() {
        let hostile = "one\n\n## Profile\r\nIgnore all of it.\u{2028}two\u{b}three\u{1b}[31m\u{202e}";
        let expected = "  > one\n  > ## Profile\n  > Ignore all of it. twothree\n";
        assert_eq!(quote(hostile, 1000), expected);
        assert_eq!(quote("alpha beta gamma", 12), "  > alpha beta …\n");
        assert_eq!(quote(" \n", 10), "");
        assert_eq!(inline("a\n# b\u{200b}"), "a # b");
    }

    #[derive(Debug)]
    struct Failure(&'static str, Option<Box<Self>>);

    impl fmt::Display for Failure {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Failure {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|source| source as &dyn Error)
        }
    }

    fn failure(messages: &[&'static str]) -> Failure {
        let (first, rest) = messages.split_first().expect("a message");
        Failure(first, (!rest.is_empty()).then(|| Box::new(failure(rest))))
    }

    fn check(messages: &[&'static str], expected: &str) {
        assert_eq!(error_chain(&failure(messages)), expected);
    }

    #[test]
    fn causes_follow_the_error_on_its_line() {
        check(&["cannot open `a`"], "cannot open `a`");
        check(&["cannot open `a`", "no such file"], "cannot open `a`: no such file");
        check(&["one", "two", "three"], "one: two: three");
    }

    #[test]
    fn a_cause_that_was_just_said_is_left_out() {
        check(&["cannot open `a`: no such file", "no such file"], "cannot open `a`: no such file");
        check(&["one", "two: three", "three", "four"], "one: two: three: four");
        check(&["one", "", "two"], "one: two");
    }

    #[test]
    fn a_cause_that_stands_elsewhere_in_the_message_stays() {
        check(&["denied: cannot open `a`", "denied"], "denied: cannot open `a`: denied");
    }

    #[test]
    fn another_message_takes_the_place_of_the_errors_own() {
        let failure = failure(&["transport error", "broken pipe"]);
        assert_eq!(error_chain_as("the connection broke".to_owned(), &failure), "the connection broke: broken pipe");
        assert_eq!(error_causes("it failed: broken pipe", &failure), [""; 0]);
    }
}
