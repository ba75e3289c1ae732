//! Sanitising, measuring, cutting and wrapping of text for a terminal, hyperlinks to files, and times for people.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::adapter::strip_str;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use recall_text::clean;
use unicode_width::UnicodeWidthChar;

use super::quantity::count_noun;

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

/// The beginning of a link; its address and [`END`] follow.
const BEGIN: &str = "\u{1b}]8;;";

/// The end of an address.
const END: &str = "\u{1b}\\";

/// Where the links of an answer lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// The name of this machine. A terminal that shows another machine's output does not open its own file of that name.
    pub(crate) host: String,
    /// The root of the project.
    pub(crate) root: PathBuf,
}

impl Links {
    /// Links a text to a file of the project.
    fn link(&self, path: &str, text: &str) -> String {
        format!("{BEGIN}{}{END}{text}{BEGIN}{END}", self.address(path))
    }

    /// Returns the file's address, percent-encoded.
    fn address(&self, path: &str) -> String {
        let mut address = format!("file://{}", self.host);
        for byte in self.root.join(Path::new(path)).to_string_lossy().bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                address.push(char::from(byte));
            } else {
                let _ = write!(address, "%{byte:02X}");
            }
        }
        address
    }
}

/// Links a text to a file of the project, if there are links.
pub(crate) fn link(links: Option<&Links>, path: &str, text: &str) -> String {
    links.map_or_else(|| text.to_owned(), |links| links.link(path, text))
}

/// Removes the links from a text, and keeps the linked words.
pub(crate) fn without_links(text: &str) -> String {
    let mut pieces = text.split(BEGIN);
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.push_str(piece.split_once(END).map_or("", |(_, rest)| rest));
    }
    kept
}

/// The age below which a time is `just now`.
const JUST_NOW: Duration = Duration::from_secs(45);

const MINUTE: u64 = 60;

const HOUR: u64 = 60 * MINUTE;

const DAY: u64 = 24 * HOUR;

/// The age in days from which the date says more than the age does.
const DATED_FROM_DAYS: u64 = 30;

/// Formats a time: relative to `now` if that is given, else to the minute in the user's time zone. Empty if it is out of range.
pub(crate) fn moment(time: &prost_types::Timestamp, now: Option<Timestamp>) -> String {
    let Ok(time) = Timestamp::new(time.seconds, time.nanos) else { return String::new() };
    let absolute = |format: &str| time.to_zoned(TimeZone::system()).strftime(format).to_string();
    let Some(now) = now else { return absolute("%Y-%m-%d %H:%M") };
    // A clock that was set back, or another machine's.
    let Ok(age) = Duration::try_from(now.duration_since(time)) else { return absolute("%Y-%m-%d %H:%M") };
    let seconds = age.as_secs();
    if age < JUST_NOW {
        "just now".to_owned()
    } else if seconds < HOUR {
        format!("{} min ago", (seconds / MINUTE).max(1))
    } else if seconds < DAY {
        format!("{} ago", count_noun(seconds / HOUR, "hour", "hours"))
    } else if seconds < DATED_FROM_DAYS * DAY {
        format!("{} ago", count_noun(seconds / DAY, "day", "days"))
    } else {
        absolute("%Y-%m-%d")
    }
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

    #[test]
    fn a_link_leads_to_the_file_on_this_machine_and_can_be_removed() {
        let links = Links { host: "zoo".to_owned(), root: PathBuf::from("/home/me/my code") };
        let text = link(Some(&links), "src/ü#1.rs", "src/ü#1.rs:10");
        assert_eq!(
            text,
            "\u{1b}]8;;file://zoo/home/me/my%20code/src/%C3%BC%231.rs\u{1b}\\src/ü#1.rs:10\u{1b}]8;;\u{1b}\\"
        );
        assert_eq!(without_links(&format!("1. {text}  fn a")), "1. src/ü#1.rs:10  fn a");
        assert_eq!(link(None, "a.rs", "a.rs:1"), "a.rs:1");
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), "src/ü#1.rs:10");
    }

    #[test]
    fn a_terminal_says_how_long_ago_and_a_file_says_when() {
        let now = Timestamp::new(1_700_000_000, 0).expect("in range");
        let check = |seconds_ago: i64, expected: &str| {
            let time = prost_types::Timestamp { seconds: 1_700_000_000 - seconds_ago, nanos: 0 };
            assert_eq!(moment(&time, Some(now)), expected, "{seconds_ago}");
        };
        check(0, "just now");
        check(50, "1 min ago");
        check(59 * 60, "59 min ago");
        check(60 * 60, "1 hour ago");
        check(23 * 3600, "23 hours ago");
        check(86_400, "1 day ago");
        check(29 * 86_400, "29 days ago");
        assert_eq!(moment(&prost_types::Timestamp { seconds: 1_690_000_000, nanos: 0 }, Some(now)).len(), 10);
        // In the future, and without a present.
        assert_eq!(moment(&prost_types::Timestamp { seconds: 1_700_000_100, nanos: 0 }, Some(now)).len(), 16);
        assert_eq!(moment(&prost_types::Timestamp { seconds: 1_690_000_000, nanos: 0 }, None).len(), 16);
        assert_eq!(moment(&prost_types::Timestamp { seconds: i64::MAX, nanos: 0 }, None), "");
    }
}
