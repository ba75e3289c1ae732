//! The lines of a text that have matches.

use std::iter::Peekable;
use std::ops::Range;

/// The lines in which matches begin that follow each other: one, or as many as a literal of several lines has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedLine {
    /// The number of the line in which the matches begin, from 1.
    pub number: u32,
    /// The number of the line in which the last match ends.
    pub last_number: u32,
    /// The bytes of these lines, without the last line break.
    pub bytes: Range<usize>,
    /// The matches: bytes of the text, ascending.
    pub matches: Vec<Range<usize>>,
}

/// The lines of a text with matches, in order.
pub struct MatchedLines<'t> {
    text: &'t str,
    matches: Peekable<Box<dyn Iterator<Item = Range<usize>> + 't>>,
    /// A place in the text, and the number of its line.
    counted: (usize, u32),
}

impl<'t> MatchedLines<'t> {
    pub(crate) fn new(text: &'t str, matches: Box<dyn Iterator<Item = Range<usize>> + 't>) -> Self {
        Self { text, matches: matches.peekable(), counted: (0, 1) }
    }

    /// Returns the number of the line of a place that is not before the last one.
    fn number_at(&mut self, place: usize) -> u32 {
        let (counted, number) = self.counted;
        let breaks = memchr::memchr_iter(b'\n', &self.text.as_bytes()[counted..place]).count();
        self.counted = (place, number + breaks as u32);
        self.counted.1
    }
}

impl Iterator for MatchedLines<'_> {
    type Item = MatchedLine;

    fn next(&mut self) -> Option<MatchedLine> {
        let first = self.matches.next()?;
        let bytes = self.text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..first.start]).map_or(0, |at| at + 1);
        let first_end = line_end(bytes, first.start);
        let number = self.number_at(first.start);
        let mut matches = vec![first];
        while let Some(next) = self.matches.next_if(|next| next.start <= first_end) {
            matches.push(next);
        }
        let last_byte = matches.last().map_or(start, |last| last.end.saturating_sub(1).max(last.start));
        let last_number = self.number_at(last_byte);
        Some(MatchedLine { number, last_number, bytes: start..line_end(bytes, last_byte), matches })
    }
}

/// Returns the end of the line of a place, before its line break.
fn line_end(bytes: &[u8], place: usize) -> usize {
    let end = memchr::memchr(b'\n', &bytes[place..]).map_or(bytes.len(), |length| place + length);
    if end > place && bytes[end - 1] == b'\r' { end - 1 } else { end }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use recall_core::Case;

    use crate::lexical::exact::Pattern;

    fn lines(literal: &str, text: &str) -> Vec<(u32, u32, String, usize)> {
        let pattern = Pattern::literal(literal, Case::Sensitive).unwrap();
        let line = |line: crate::lexical::exact::MatchedLine| {
            (line.number, line.last_number, text[line.bytes].to_owned(), line.matches.len())
        };
        pattern.lines(text).map(line).collect()
    }

    #[test]
    fn matches_are_grouped_by_line() {
        let text = "one a a\r\nno\na\n\nlast a";
        let expected = [(1, 1, "one a a", 2), (3, 3, "a", 1), (5, 5, "last a", 2)];
        assert_eq!(lines("a", "bcd"), []);
        let expected: Vec<_> = expected.into_iter().map(|(a, b, line, count)| (a, b, line.to_owned(), count)).collect();
        assert_eq!(lines("a", text), expected);
    }

    #[test]
    fn a_match_of_several_lines_has_all_of_them() {
        assert_eq!(lines("b\nc", "a b\nc d\ne"), [(1, 2, "a b\nc d".to_owned(), 1)]);
        assert_eq!(lines("b\n", "a b\nc"), [(1, 1, "a b".to_owned(), 1)]);
        assert_eq!(lines("\n\n", "a\n\nb"), [(1, 2, "a\n".to_owned(), 1)]);
    }

    proptest! {
        #[test]
        fn the_lines_are_those_that_contain_the_literal(text in "[ab\n]{0,80}", literal in "[ab]{1,3}") {
            let numbers: Vec<u32> = lines(&literal, &text).into_iter().map(|line| line.0).collect();
            let expected = text.split('\n').zip(1..).filter(|(line, _)| line.contains(&literal));
            let expected: Vec<u32> = expected.map(|(_, number)| number).collect();
            prop_assert_eq!(numbers, expected);
        }
    }
}
