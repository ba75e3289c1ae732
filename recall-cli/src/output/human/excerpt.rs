//! Selection and highlighting of the lines of a chunk.

use std::fmt::Write;
use std::ops::Range;

use anstyle::Style;
use recall_text::highlight::{Highlight, SyntaxPart, spans};
use unicode_width::UnicodeWidthChar;

use super::style::{COMMENT, DIM, KEYWORD, LINE, LITERAL, MATCH, NUMBER};
use super::text::{columns, printable};

/// A text with its matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked<'a> {
    /// The text.
    pub(crate) text: &'a str,
    /// The number of its first line.
    pub(crate) first_line: u32,
    /// The matches: byte ranges, ascending, disjoint. Ranges that split a character or are out of bounds are ignored.
    pub(crate) matches: &'a [Range<usize>],
    /// The language in which the text is highlighted; `None` for plain text.
    pub(crate) language: Option<&'a str>,
}

struct Line<'a> {
    number: u32,
    text: &'a str,
    /// The byte offset in the whole text.
    start: usize,
    matches: Vec<Range<usize>>,
    /// The highlighted parts that touch the line.
    code: &'a [Highlight],
}

impl Marked<'_> {
    /// Returns at most `most` numbered lines: the first, which usually names the symbol, and those around the densest
    /// matches.
    ///
    /// A gap is marked with `⋮`. Lines are cut at `width` columns.
    pub(crate) fn render(&self, most: usize, width: Option<usize>) -> String {
        let code = self.language.map(|language| spans(self.text, language)).unwrap_or_default();
        let lines = self.lines(&code);
        let last = lines.last().map_or(self.first_line, |line| line.number);
        let digits = last.to_string().len().max(4);
        let mut text = String::new();
        let mut expected = None;
        for at in choose_lines(&lines, most) {
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

    /// Returns every line with its number and its parts, each of which has a style and is safe for a terminal.
    pub(crate) fn styled_lines(&self) -> Vec<(u32, Vec<(String, Style)>)> {
        let code = self.language.map(|language| spans(self.text, language)).unwrap_or_default();
        let styled = |(piece, style): (&str, Style)| (printable(piece).into_owned(), style);
        let lines = self.lines(&code);
        lines.iter().map(|line| (line.number, line.pieces().into_iter().map(styled).collect())).collect()
    }

    fn lines<'l>(&'l self, code: &'l [Highlight]) -> Vec<Line<'l>> {
        let mut start = 0;
        let mut lines = Vec::new();
        for (number, whole) in (self.first_line..).zip(self.text.split_inclusive('\n')) {
            let text = whole.trim_end();
            let end = start + text.len();
            let within = |range: &Range<usize>| range.start < end && range.end > start;
            let matches = self.matches.iter().filter(|range| within(range));
            let matches = matches.map(|range| range.start.max(start)..range.end.min(end)).collect();
            let from = code.partition_point(|span| span.range.end <= start);
            let to = from + code[from..].partition_point(|span| span.range.start < end);
            lines.push(Line { number, text, start, matches, code: &code[from..to] });
            start += whole.len();
        }
        lines
    }
}

impl<'a> Line<'a> {
    fn render(&self, width: Option<usize>) -> String {
        // The last column of a line that is cut is reserved for the `…`.
        let width = width.filter(|&width| columns(&printable(self.text)) > width);
        let mut shown = Fitting { text: String::new(), left: width.map(|width| width.saturating_sub(1)) };
        for (piece, style) in self.pieces() {
            if !shown.push(piece, style) {
                break;
            }
        }
        shown.text
    }

    /// The parts of the line, each with its style. A match hides the highlighting below it.
    fn pieces(&self) -> Vec<(&'a str, Style)> {
        let mut pieces = Vec::new();
        let mut from = 0;
        for range in &self.matches {
            let (begin, end) = (range.start - self.start, range.end - self.start);
            let is_whole = |at: usize| self.text.is_char_boundary(at);
            if begin < from || !is_whole(begin) || !is_whole(end) {
                continue;
            }
            self.push_code(&mut pieces, from..begin);
            pieces.push((&self.text[begin..end], MATCH));
            from = end;
        }
        self.push_code(&mut pieces, from..self.text.len());
        pieces
    }

    /// Appends a part of the line without matches.
    fn push_code(&self, pieces: &mut Vec<(&'a str, Style)>, part: Range<usize>) {
        let mut from = part.start;
        for Highlight { range, part: kind } in self.code {
            let begin = range.start.saturating_sub(self.start).clamp(from, part.end);
            let end = range.end.saturating_sub(self.start).clamp(from, part.end);
            if begin < end {
                pieces.push((&self.text[from..begin], Style::new()));
                pieces.push((&self.text[begin..end], style_of(*kind)));
                from = end;
            }
        }
        pieces.push((&self.text[from..part.end], Style::new()));
    }
}

fn style_of(part: SyntaxPart) -> Style {
    match part {
        SyntaxPart::Comment => COMMENT,
        SyntaxPart::Literal => LITERAL,
        SyntaxPart::Number => NUMBER,
        SyntaxPart::Keyword => KEYWORD,
    }
}

/// A line that is filled up to a width.
struct Fitting {
    text: String,
    /// The columns that are left; `None` if everything fits.
    left: Option<usize>,
}

impl Fitting {
    /// Appends text with a style; returns `false` if it was cut.
    fn push(&mut self, text: &str, style: Style) -> bool {
        let text = printable(text);
        if text.is_empty() {
            return true;
        }
        let _ = write!(self.text, "{style}");
        let mut whole = true;
        match &mut self.left {
            None => self.text.push_str(&text),
            Some(left) => {
                for c in text.chars() {
                    let columns = c.width().unwrap_or(0);
                    if columns > *left {
                        self.text.push('…');
                        whole = false;
                        break;
                    }
                    *left -= columns;
                    self.text.push(c);
                }
            }
        }
        let _ = write!(self.text, "{style:#}");
        whole
    }
}

/// Returns the lines to show: all if they fit, else the first that is not blank and the window with the most matches.
fn choose_lines(lines: &[Line<'_>], most: usize) -> Vec<usize> {
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
        let text = Marked { text: TEXT, first_line: 10, matches: &ranges, language: None }.render(most, width);
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
