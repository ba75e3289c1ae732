//! Highlighting of the words of a text that match a query.

use std::ops::Range;

use recall_core::Understood;
use recall_core::words::{self, Word};

use crate::query_term_matcher::QueryTermMatcher;

/// Finds the matches of one query in texts. Create one per query.
pub struct Highlighter {
    matcher: QueryTermMatcher,
}

impl Highlighter {
    /// Prepares for a query.
    pub fn new(understood: &Understood) -> Self {
        Self { matcher: QueryTermMatcher::of(&understood.text) }
    }

    /// Returns the byte ranges of the words, or parts of identifiers, that match the query.
    ///
    /// The ranges ascend, do not overlap and lie on character boundaries. Words match as in the index: in any case, by
    /// their stems.
    pub fn ranges(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        words::split(text, |word| {
            let (Word::Plain(written) | Word::Part(written) | Word::Compound(written)) = word;
            // Words are slices of the text.
            let start = written.as_ptr() as usize - text.as_ptr() as usize;
            let is_inside_the_last = ranges.last().is_some_and(|last| start < last.end);
            if !is_inside_the_last && self.matcher.index_of(word).is_some() {
                ranges.push(start..start + written.len());
            }
        });
        ranges
    }
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    fn check(query: &str, text: &str, expected: &[&str]) {
        let marked: Vec<&str> =
            Highlighter::new(&understand(query)).ranges(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(marked, expected, "{query} in {text}");
    }

    #[test]
    fn words_are_marked_as_the_index_matches_them() {
        check(
            "stored sessions",
            "A Session is stored; storing the session.",
            &["Session", "stored", "storing", "session"],
        );
        check("parseHeader", "fn parseHeader(header)", &["parseHeader", "header"]);
        check("header", "fn parseHeader()", &["Header"]);
        check("the header", "the header", &["header"]);
        check("größe", "Die Größe ändern", &["Größe"]);
        check("", "text", &[]);
    }

    proptest::proptest! {
        #[test]
        fn ranges_ascend_and_cut_no_character(text in "\\PC{0,60}", query in "\\PC{0,20}") {
            let mut end = 0;
            for range in Highlighter::new(&understand(&query)).ranges(&text) {
                assert!(range.start >= end && range.start < range.end);
                assert!(text.get(range.clone()).is_some());
                end = range.end;
            }
        }
    }
}
