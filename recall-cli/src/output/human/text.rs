//! Sanitising, measuring, cutting and wrapping of text for a terminal.

use std::borrow::Cow;

use anstream::adapter::strip_str;
use recall_text::clean;
use unicode_width::UnicodeWidthChar;

/// The spaces that replace a tab.
const TAB: &str = "    ";

/// Makes a text safe for one line of a terminal: [`clean`], without line feeds, and with spaces for tabs.
pub fn printable(text: &str) -> Cow<'_, str> {
    let cleaned = clean(text);
    if !cleaned.contains(['\t', '\n']) {
        return cleaned;
    }
    Cow::Owned(cleaned.replace('\t', TAB).replace('\n', ""))
}

/// Returns the width of a text in columns.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Cuts the end of a text with `…` if it is wider than `width`.
pub(crate) fn fit(text: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width.filter(|&width| columns(text) > width) else { return Cow::Borrowed(text) };
    let mut kept = String::new();
    let mut left = width.saturating_sub(1);
    for c in text.chars() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or(0)) else { break };
        left = rest;
        kept.push(c);
    }
    Cow::Owned(kept + "…")
}

/// Cuts the beginning of a path with `…` if it is wider than `width`; the end is more informative.
pub(crate) fn fit_path(path: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width.filter(|&width| columns(path) > width) else { return Cow::Borrowed(path) };
    let mut left = width.saturating_sub(1);
    let mut from = path.len();
    for (at, c) in path.char_indices().rev() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or(0)) else { break };
        left = rest;
        from = at;
    }
    Cow::Owned(format!("…{}", &path[from..]))
}

/// Wraps long lines at spaces, so that no line is wider than `width`. Continued lines are indented. A word that is
/// longer than a line is left to the terminal. Styles have no width.
pub(crate) fn wrap(text: &str, width: Option<usize>, indent: usize) -> Cow<'_, str> {
    let shown = |text: &str| columns(&strip_str(text).to_string());
    let Some(width) = width.filter(|&width| width > 2 * indent && text.lines().any(|line| shown(line) > width)) else {
        return Cow::Borrowed(text);
    };
    let mut wrapped = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let mut taken = 0;
        for (number, word) in line.split(' ').enumerate() {
            let columns = shown(word.trim_end_matches('\n'));
            // Spaces before the first word of a line are its indentation.
            let is_begun = taken > indent;
            if number > 0 && is_begun && columns > 0 && taken + 1 + columns > width {
                wrapped.truncate(wrapped.trim_end_matches(' ').len());
                wrapped.push('\n');
                wrapped.push_str(&" ".repeat(indent));
                taken = indent;
            } else if number > 0 {
                wrapped.push(' ');
                taken += 1;
            }
            wrapped.push_str(word);
            taken += columns;
        }
    }
    Cow::Owned(wrapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printable_text_is_one_line_without_control_sequences() {
        for (text, expected) in [
            ("plain — ünïcode 日本", "plain — ünïcode 日本"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\tx\r\n\u{7}\u{9b}y", "    xy"),
        ] {
            assert_eq!(printable(text), expected, "{text:?}");
        }
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "note: another process has the index open\nshort\n";
        assert_eq!(wrap(text, Some(24), 2), "note: another process\n  has the index open\nshort\n");
        assert_eq!(wrap(text, None, 2), text);
        assert_eq!(wrap(text, Some(80), 2), text);
        assert_eq!(wrap("  name    one two three\n", Some(18), 8), "  name    one two\n        three\n");
        assert_eq!(wrap("\u{1b}[1mone\u{1b}[0m two three", Some(8), 1), "\u{1b}[1mone\u{1b}[0m two\n three");
        assert_eq!(wrap("a-very-long-word-alone b", Some(10), 2), "a-very-long-word-alone\n  b");
    }

    #[test]
    fn what_is_too_wide_is_cut_between_characters() {
        assert_eq!(fit("abcdef", Some(6)), "abcdef");
        assert_eq!(fit("abcdefg", Some(6)), "abcde…");
        assert_eq!(fit("日本語", Some(5)), "日本…");
        assert_eq!(fit("abc", None), "abc");
        assert_eq!(fit("abc", Some(0)), "…");
        assert_eq!(fit_path("src/very/long/name.rs", Some(8)), "…name.rs");
        assert_eq!(fit_path("a.rs", Some(8)), "a.rs");
    }
}
