//! The lines of a text: their starts, their token counts, and the fenced code blocks that they are in.

use std::ops::Range;

use recall_core::{ByteSpan, Span};
use recall_text::tokens;

/// The lines of a text: their starts, first visible bytes and cumulative token counts.
///
/// Lines are counted from 0 here, from 1 in a [`Span`]. A line includes its `\n`.
pub(crate) struct Lines<'a> {
    text: &'a str,
    /// The first byte of each line, followed by the length of the text.
    starts: Vec<u32>,
    /// The first byte of each line that is not white space. For a blank line, the end of the line.
    firsts: Vec<u32>,
    /// The tokens of all lines before each line, `\n` included, followed by the total.
    tokens_before: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// Indexes the lines of a text. The text must be shorter than 4 GiB.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 2);
        let mut firsts = Vec::with_capacity(text.len() / 32 + 2);
        let mut tokens_before = Vec::with_capacity(text.len() / 32 + 2);
        let (mut at, mut sum) = (0, 0);
        for line in text.split_inclusive('\n') {
            starts.push(at as u32);
            firsts.push((at + (line.len() - line.trim_start().len())) as u32);
            tokens_before.push(sum);
            at += line.len();
            sum += tokens::estimate(line);
        }
        starts.push(text.len() as u32);
        tokens_before.push(sum);
        Self { text, starts, firsts, tokens_before }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The number of lines.
    pub(crate) fn len(&self) -> usize {
        self.firsts.len()
    }

    /// The first byte of a line. For the index after the last line, the length of the text.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts[line] as usize
    }

    /// The end of a line, after its `\n`.
    pub(crate) fn end(&self, line: usize) -> usize {
        self.starts[line + 1] as usize
    }

    /// The first byte of a line that is not white space.
    pub(crate) fn first(&self, line: usize) -> usize {
        self.firsts[line] as usize
    }

    /// A line without its line break.
    pub(crate) fn get(&self, line: usize) -> &'a str {
        self.text[self.start(line)..self.end(line)].trim_end_matches(['\n', '\r'])
    }

    pub(crate) fn is_blank(&self, line: usize) -> bool {
        self.first(line) >= self.end(line)
    }

    /// The bytes of white space before the first visible character of a line.
    pub(crate) fn indent(&self, line: usize) -> usize {
        self.first(line) - self.start(line)
    }

    /// The line that contains a byte.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= byte).saturating_sub(1).min(self.len().saturating_sub(1))
    }

    /// The tokens of some lines, as counted by [`tokens::estimate`].
    pub(crate) fn tokens(&self, lines: &Range<usize>) -> u32 {
        self.tokens_before[lines.end] - self.tokens_before[lines.start]
    }

    /// Some lines without the blank ones at either end. Empty if all are blank.
    pub(crate) fn trim(&self, lines: Range<usize>) -> Range<usize> {
        let Range { mut start, mut end } = lines;
        while start < end && self.is_blank(start) {
            start += 1;
        }
        while start < end && self.is_blank(end - 1) {
            end -= 1;
        }
        start..end
    }

    /// The span of some lines, from the indentation of the first to before the line break of the last.
    pub(crate) fn span(&self, lines: &Range<usize>) -> Span {
        let start = self.start(lines.start);
        let end = self.text[..self.end(lines.end - 1)].trim_end_matches(['\n', '\r']).len().max(start);
        self.span_of_bytes(start, end)
    }

    /// The span of some bytes.
    pub(crate) fn span_of_bytes(&self, start: usize, end: usize) -> Span {
        let last = end.saturating_sub(1).max(start);
        Span {
            bytes: ByteSpan { start: start as u32, end: end as u32 },
            start_line: self.line_of(start) as u32 + 1,
            end_line: self.line_of(last) as u32 + 1,
        }
    }
}

/// The fence that is open after a line, given the one that is open before it.
///
/// A fence is a run of three or more `` ` `` or `~`. A run of the same character that is at least as long, with nothing
/// after it, closes it.
pub(crate) fn fence_after<'a>(open: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    // Fences in lists are indented further than the three spaces allowed at the top level.
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    let run = mark.map_or("", |mark| &line[..line.len() - line.trim_start_matches(mark).len()]);
    let rest = &line[run.len()..];
    match open {
        Some(fence) if run.starts_with(fence) && rest.trim().is_empty() => None,
        Some(fence) => Some(fence),
        None if run.len() >= 3 && !(run.starts_with('`') && rest.contains('`')) => Some(run),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_give_byte_ranges_and_token_counts() {
        let lines = Lines::new("a b\n\n  über\r\nlast");
        assert_eq!(lines.len(), 4);
        assert_eq!((0..4).map(|line| lines.get(line)).collect::<Vec<_>>(), ["a b", "", "  über", "last"]);
        assert_eq!((lines.first(2), lines.indent(2), lines.is_blank(1)), (7, 2, true));
        assert_eq!((lines.line_of(0), lines.line_of(4), lines.line_of(5), lines.line_of(99)), (0, 1, 2, 3));
        assert_eq!(lines.tokens(&(0..4)), tokens::estimate(lines.text()));
        assert_eq!(lines.trim(1..4), 2..4);
        let span = lines.span(&(2..3));
        assert_eq!((span.bytes.slice(lines.text()), span.start_line, span.end_line), (Some("  über"), 3, 3));
        assert_eq!(Lines::new("").len(), 0);
    }

    #[test]
    fn a_fence_is_closed_by_its_own_kind_only() {
        for (open, line, expected) in [
            (None, "text", None),
            (None, "```rust", Some("```")),
            (None, "    ~~~~", Some("~~~~")),
            (None, "```inline``` code", None),
            (Some("```"), "~~~", Some("```")),
            (Some("```"), "```rust", Some("```")),
            (Some("```"), "````  ", None),
            (Some("````"), "```", Some("````")),
        ] {
            assert_eq!(super::fence_after(open, line), expected, "{open:?} {line:?}");
        }
    }
}
