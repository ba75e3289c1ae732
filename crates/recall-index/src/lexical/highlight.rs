//! Highlighting of the words of a text that match a query.

use std::ops::Range;

use recall_core::Understood;
use recall_text::Normalized;

use crate::lexical::query_term_matcher::QueryTermMatcher;
use crate::lexical::words;

/// Finds the matches of one query in texts. Create one per query.
pub struct Highlighter {
    matcher: QueryTermMatcher,
}

impl Highlighter {
    /// Prepares for a query.
    pub fn new(understood: &Understood) -> Self {
        Self { matcher: QueryTermMatcher::new(&understood.text) }
    }

    /// Returns the byte ranges of the words, or parts of identifiers, that match the query.
    ///
    /// The ranges ascend, do not overlap and lie on character boundaries. Words match as in the index: in any case and
    /// Unicode form, by their stems. In a script without spaces, matches that share a letter are one range.
    pub fn ranges(&mut self, text: &str) -> Vec<Range<usize>> {
        let normalized = Normalized::new(text);
        let text = normalized.as_str();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        words::split(text, |word| {
            // Words are slices of the text.
            let start = word.text().as_ptr() as usize - text.as_ptr() as usize;
            let found = normalized.original(start..start + word.text().len());
            match ranges.last_mut().filter(|last| found.start < last.end) {
                // A part of an identifier is inside it; only pairs of letters reach further.
                Some(last) if word.is_unspaced() && found.end > last.end => {
                    if self.matcher.index_of(word).is_some() {
                        last.end = found.end;
                    }
                }
                None if self.matcher.index_of(word).is_some() => ranges.push(found),
                Some(_) | None => {}
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
        check("GROSSE", "Die Gro\u{308}ße ändern", &["Gro\u{308}ße"]);
        check("full width", "ｆｕｌｌ－ｗｉｄｔｈ！", &["ｆｕｌｌ", "ｗｉｄｔｈ"]);
        check("", "text", &[]);
    }

    #[test]
    fn a_word_inside_a_sentence_without_spaces_is_marked_whole() {
        check("人工介入", "退款失败时，需要人工介入处理。", &["人工介入"]);
        check("領収書", "購入後に領収書再発行を申請できる", &["領収書"]);
        check("คืนเงิน", "ระบบจะคืนเงินให้ลูกค้า", &["คืนเงิน"]);
        check("결제", "결제를 취소한 뒤 결제가 끝난다", &["결제", "결제"]);
        check("税", "税率と消費税", &["税", "税"]);
        check("ﾃﾞｰﾀ", "データベース", &["データ"]);
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
