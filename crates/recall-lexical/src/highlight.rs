//! Which words of a text match the query?

use std::ops::Range;

use recall_core::Understood;
use recall_core::words::Word;

use crate::analysis::Analysis;
use crate::query_terms::terms;

/// The byte ranges of the words of a text, or of the parts of its identifiers, that a search for the query finds.
///
/// Ascending, not overlapping, on character boundaries. Words match as in the index: in any case, by their stems.
pub fn highlight(text: &str, understood: &Understood) -> Vec<Range<usize>> {
    let wanted = terms(&understood.text);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    Analysis::default().each(text, |term| {
        if !wanted.iter().any(|known| known == term.indexed) {
            return;
        }
        let (Word::Plain(word) | Word::Part(word) | Word::Compound(word)) = term.word;
        // Words are slices of the text.
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let is_inside_the_last = ranges.last().is_some_and(|last| start < last.end);
        if !is_inside_the_last {
            ranges.push(start..start + word.len());
        }
    });
    ranges
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    fn check(query: &str, text: &str, expected: &[&str]) {
        let marked: Vec<&str> = highlight(text, &understand(query)).into_iter().map(|range| &text[range]).collect();
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
            for range in highlight(&text, &understand(&query)) {
                assert!(range.start >= end && range.start < range.end);
                assert!(text.get(range.clone()).is_some());
                end = range.end;
            }
        }
    }
}
