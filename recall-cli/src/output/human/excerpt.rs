//! Selection and highlighting of the lines of a chunk.

use std::fmt::Write;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::style::{DIM, LINE, MATCH};
use super::text::printable;

/// A text with its matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked<'a> {
    /// The text.
    pub(crate) text: &'a str,
    /// The number of its first line.
    pub(crate) first_line: u32,
    /// The matches: byte ranges, ascending, disjoint. Ranges that split a character or are out of bounds are ignored.
    pub(crate) matches: &'a [Range<usize>],
}

struct Line<'a> {
    number: u32,
    text: &'a str,
    /// The byte offset in the whole text.
    start: usize,
    matches: Vec<Range<usize>>,
}

impl Marked<'_> {
    /// Returns at most `most` numbered lines: the first, which usually names the symbol, and those around the densest
    /// matches.
    ///
    /// A gap is marked with `⋮`. Lines are cut at `width` columns.
    pub(crate) fn render(&self, most: usize, width: Option<usize>) -> String {
        let lines = self.lines();
        let last = lines.last().map_or(self.first_line, |line| line.number);
        let digits = last.to_string().len().max(4);
        let mut text = String::new();
        let mut expected = None;
        for at in chosen(&lines, most) {
            let line = &lines[at];
            if expected.is_some_and(|expected| expected != at) {
                let _ = writeln!(text, "{DIM}{:>digits$}{DIM:#}", "⋮");
            }
            expected = Some(at + 1);
            let room = width.map(|width| width.saturating_sub(digits + 3));
            let _ = write!(text, "{LINE}{:>digits$}{LINE:#} {DIM}│{DIM:#}", line.number);
            let shown = line.render(room);
            if !shown.is_empty() {
                text.push(' ');
                text.push_str(&shown);
            }
            text.push('\n');
        }
        text
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut start = 0;
        let mut lines = Vec::new();
        for (number, whole) in (self.first_line..).zip(self.text.split_inclusive('\n')) {
            let text = whole.trim_end();
            let end = start + text.len();
            let within = |range: &Range<usize>| range.start < end && range.end > start;
            let matches = self.matches.iter().filter(|range| within(range));
            let matches = matches.map(|range| range.start.max(start)..range.end.min(end)).collect();
            lines.push(Line { number, text, start, matches });
            start += whole.len();
        }
        lines
    }
}

impl Line<'_> {
    fn render(&self, width: Option<usize>) -> String {
        let mut shown = Fitting { text: String::new(), left: width };
        let mut from = 0;
        for range in &self.matches {
            let (begin, end) = (range.start - self.start, range.end - self.start);
            let (Some(before), Some(matched)) = (self.text.get(from..begin), self.text.get(begin..end)) else {
                continue;
            };
            from = end;
            if !(shown.push(before, "", "") && shown.push(matched, &format!("{MATCH}"), &format!("{MATCH:#}"))) {
                return shown.text;
            }
        }
        shown.push(&self.text[from..], "", "");
        shown.text
    }
}

/// A line that is filled up to a width.
struct Fitting {
    text: String,
    left: Option<usize>,
}

impl Fitting {
    /// Appends text between two style marks; returns `false` if it was cut.
    fn push(&mut self, text: &str, before: &str, behind: &str) -> bool {
        let text = printable(text);
        self.text.push_str(before);
        let mut whole = true;
        match &mut self.left {
            None => self.text.push_str(&text),
            Some(left) => {
                for (at, c) in text.char_indices() {
                    let columns = c.width().unwrap_or(0);
                    // The last column is reserved for the `…`, unless this character ends the text.
                    let ends = at + c.len_utf8() == text.len();
                    if columns > *left || (columns == *left && !ends) {
                        self.text.push('…');
                        *left = 0;
                        whole = false;
                        break;
                    }
                    *left -= columns;
                    self.text.push(c);
                }
            }
        }
        self.text.push_str(behind);
        whole
    }
}

/// Returns the lines to show: all if they fit, else the first that is not blank and the window with the most matches.
fn chosen(lines: &[Line<'_>], most: usize) -> Vec<usize> {
    let is_blank = |at: &usize| lines[*at].text.is_empty();
    let Some(first) = (0..lines.len()).find(|at| !is_blank(at)) else { return Vec::new() };
    let end = lines.len() - (0..lines.len()).rev().take_while(is_blank).count();
    if end - first <= most {
        return (first..end).collect();
    }
    let Some(window) = most.checked_sub(1).filter(|&window| window > 0) else {
        return (first..end).take(most).collect();
    };
    let count = |from: usize| -> usize { lines[from..from + window].iter().map(|line| line.matches.len()).sum() };
    // Ties go to the first window.
    let best = (first + 1..=end - window).max_by_key(|&from| (count(from), usize::MAX - from)).unwrap_or(first + 1);
    // A match is easier to read with a line of context before it than with one more after it.
    let lead = lines[best..best + window].iter().rev().take_while(|line| line.matches.is_empty()).count() / 2;
    let from = best.saturating_sub(lead).max(first + 1);
    std::iter::once(first).chain(from..from + window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    const TEXT: &str = "pub fn open(path: &Path) -> Store {\n\n    let a = 1;\n    let b = 2;\n    let lock = lock(path);\n    \
                        let c = 3;\n    let d = 4;\n    Store { lock }\n}\n";

    fn shown(matches: &[&str], most: usize, width: Option<usize>) -> String {
        let matches: Vec<_> = matches.iter().flat_map(|word| TEXT.match_indices(word)).collect();
        let mut ranges: Vec<_> = matches.into_iter().map(|(at, word)| at..at + word.len()).collect();
        ranges.sort_by_key(|range| range.start);
        let text = Marked { text: TEXT, first_line: 10, matches: &ranges }.render(most, width);
        plain(&text)
    }

    #[test]
    fn a_short_chunk_is_shown_whole_with_its_matches_marked() {
        insta::assert_snapshot!(shown(&["path"], 20, None), @r"
        10 │ pub fn open([path]: &Path) -> Store {
        11 │
        12 │     let a = 1;
        13 │     let b = 2;
        14 │     let lock = lock([path]);
        15 │     let c = 3;
        16 │     let d = 4;
        17 │     Store { lock }
        18 │ }
        ");
    }

    #[test]
    fn of_a_long_one_the_first_line_and_the_densest_are_shown() {
        insta::assert_snapshot!(shown(&["lock"], 4, Some(28)), @r"
        10 │ pub fn open(path: &P…
         ⋮
        12 │     let a = 1;
        13 │     let b = 2;
        14 │     let [lock] = [lock](…
        ");
    }
}
