//! Quoting of foreign text, so that it cannot be mistaken for recall's own.

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

#[cfg(test)]
mod tests {
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
}
