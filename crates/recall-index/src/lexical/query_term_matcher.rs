//! Matching of a text's words against the terms of a query: their highlighting, and their proximity.
//!
//! The index has no positions, because they would double its size. The positions of terms are read from the texts of
//! the few best candidates instead.

use std::ops::Range;

use recall_core::Understood;
use recall_text::{Normalized, normalize_text};

use crate::lexical::analysis::Analysis;
use crate::lexical::query_terms::terms;
use crate::lexical::words::{self, Word};

/// The terms of a query, matched against the words of texts. Create one per query.
pub(crate) struct QueryTermMatcher {
    terms: Vec<String>,
    /// For each first byte of a term, a set of possible second bytes, by their last five bits.
    beginnings: [u32; 128],
    analysis: Analysis,
}

/// Stems of at least this length keep the first two letters of their words, because English stemming rewrites endings.
/// Only short words change earlier (`dying` becomes `die`).
const MIN_STABLE_PREFIX_LEN: usize = 4;

impl QueryTermMatcher {
    /// Prepares for a query.
    pub(crate) fn new(query: &str) -> Self {
        let terms = terms(query);
        let mut beginnings = [0; 128];
        for term in &terms {
            let mut bytes = term.bytes();
            if let Some(seconds) = bytes.next().and_then(|first| beginnings.get_mut(usize::from(first))) {
                *seconds |= match bytes.next() {
                    Some(second) if second.is_ascii() && term.len() >= MIN_STABLE_PREFIX_LEN => bit(second),
                    _ => u32::MAX,
                };
            }
        }
        Self { terms, beginnings, analysis: Analysis::for_queries() }
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The index of the term that a word of a normalized text matches.
    ///
    /// A word whose first letters differ from those of every term is not stemmed. This holds for nineteen of twenty
    /// words.
    pub(crate) fn index_of(&mut self, word: Word<'_>) -> Option<usize> {
        if !self.may_match(word.text().as_bytes()) {
            return None;
        }
        let Self { terms, analysis, .. } = self;
        let mut place = None;
        analysis.each_of(word, |term| {
            place = place.or_else(|| terms.iter().position(|known| known == term.indexed));
        });
        place
    }

    fn may_match(&self, written: &[u8]) -> bool {
        let Some(first) = written.first() else { return false };
        // The folded form of letters beyond ASCII may begin with any byte.
        let Some(&seconds) = self.beginnings.get(usize::from(first.to_ascii_lowercase())) else { return true };
        match written.get(1) {
            Some(second) if second.is_ascii() => seconds & bit(second.to_ascii_lowercase()) != 0,
            _ => seconds != 0,
        }
    }
}

fn bit(byte: u8) -> u32 {
    1 << (byte & 31)
}

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

/// The proximity of the query's terms in a text. All values are from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Closeness {
    /// The share of adjacent query terms that follow each other in the text, with at most one word between them.
    pub pairs: f32,
    /// The mean of 1 / distance over adjacent query terms, in either order.
    pub near: f32,
    /// The earliness of the terms: the mean of 1 / (1 + words before the first occurrence / 10).
    pub lead: f32,
}

/// Computes [`Closeness`] for the texts of one query. Create one per query.
pub struct ClosenessReader {
    matcher: QueryTermMatcher,
    /// The positions of each term, in words from the start of the text.
    positions: Vec<Vec<u32>>,
}

/// The most positions kept per term. The first ones show what a text is about.
const MAX_POSITIONS: usize = 32;

/// The largest distance from the first term of a pair to the second.
const MAX_PAIR_DISTANCE: u32 = 2;

/// The number of words after which the earliness is half.
const LEAD_WORDS: f32 = 10.0;

impl ClosenessReader {
    /// Prepares for a query.
    pub fn new(understood: &Understood) -> Self {
        let matcher = QueryTermMatcher::new(&understood.text);
        let positions = vec![Vec::new(); matcher.len()];
        Self { matcher, positions }
    }

    /// Computes the proximity in one text.
    pub fn read(&mut self, text: &str) -> Closeness {
        self.find(text);
        let terms = self.positions.len().max(1) as f32;
        let lead =
            |positions: &Vec<u32>| positions.first().map_or(0.0, |&first| 1.0 / (1.0 + first as f32 / LEAD_WORDS));
        let lead = self.positions.iter().map(lead).sum::<f32>() / terms;
        let (mut pairs, mut near) = (0.0, 0.0);
        for pair in self.positions.windows(2) {
            let (follows, distance) = distance(&pair[0], &pair[1]);
            pairs += f32::from(u8::from(follows));
            near += distance.map_or(0.0, |distance| 1.0 / distance.max(1) as f32);
        }
        let count = self.positions.len().saturating_sub(1).max(1) as f32;
        Closeness { pairs: pairs / count, near: near / count, lead }
    }

    /// Finds the positions of the terms.
    fn find(&mut self, text: &str) {
        let Self { matcher, positions } = self;
        positions.iter_mut().for_each(Vec::clear);
        let mut at = 0;
        words::split(&normalize_text(text), |word| {
            if let Some(found) = matcher.index_of(word)
                && positions[found].len() < MAX_POSITIONS
            {
                positions[found].push(at);
            }
            at += u32::from(word.advances());
        });
    }
}

/// Whether an element of `b` follows one of `a` within reach, and the smallest distance between them. Both are
/// ascending.
fn distance(a: &[u32], b: &[u32]) -> (bool, Option<u32>) {
    let mut follows = false;
    let mut nearest: Option<u32> = None;
    for &one in a {
        let next = b.partition_point(|&other| other <= one);
        let around = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(|place| b.get(place));
        for &other in around {
            let apart = one.abs_diff(other);
            follows |= other > one && apart <= MAX_PAIR_DISTANCE;
            nearest = Some(nearest.map_or(apart, |known| known.min(apart)));
        }
    }
    (follows, nearest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use recall_core::understand;

    use super::*;

    fn check(query: &str, word: &str) {
        let word = &*recall_text::normalize_text(word);
        let asked = terms(query);
        let mut expected = None;
        Analysis::for_queries().each_of(Word::Plain(word), |term| {
            expected = expected.or_else(|| asked.iter().position(|known| known == term.indexed));
        });
        assert_eq!(QueryTermMatcher::new(query).index_of(Word::Plain(word)), expected, "{word} in {query}");
    }

    #[test]
    fn words_whose_first_letters_change_in_stemming_match() {
        for word in ["dying", "lying", "tying", "skies", "ski", "idly", "gently", "ugly", "early", "only", "singly"] {
            check(word, word);
            check(&format!("other {word} words"), &word.to_uppercase());
        }
        check("die", "dying");
        check("sky", "skies");
        check("Élan", "élan");
        check("großÄrger", "GROSS");
    }

    proptest! {
        #[test]
        fn a_word_matches_itself(word in "[a-zA-Z]{1,12}(ing|ed|ational|iveness|ies|ly|s|ization|biliti|logi)?") {
            check(&word, &word);
        }

        #[test]
        fn a_word_matches_exactly_if_its_term_does(word in "\\PC{1,8}", query in "\\PC{0,20}") {
            check(&query, &word);
        }
    }

    fn read(query: &str, text: &str) -> Closeness {
        ClosenessReader::new(&understand(query)).read(text)
    }

    #[test]
    fn words_that_follow_each_other_are_a_pair() {
        assert_eq!(
            read("retry budget", "The retry budget is small."),
            Closeness { pairs: 1.0, near: 1.0, lead: f32::midpoint(1.0 / 1.1, 1.0 / 1.2) }
        );
        let apart = read("retry budget", "A budget is spent on every single retry.");
        assert!(apart.pairs == 0.0 && apart.near > 0.0 && apart.near < 0.5, "{apart:?}");
        assert_eq!(read("retry budget", "Nothing of it."), Closeness::default());
    }

    #[test]
    fn an_early_word_has_a_higher_lead() {
        let late = "word ".repeat(50) + "budget";
        assert!(read("budget", "Budget of a call").lead > read("budget", &late).lead);
    }

    #[test]
    fn forms_of_a_word_and_parts_of_identifiers_count() {
        assert!((read("retrying requests", "fn retry_request()").pairs - 1.0).abs() < f32::EPSILON);
    }

    proptest::proptest! {
        #[test]
        fn every_value_is_between_zero_and_one(text in "\\PC{0,80}", query in "\\PC{0,30}") {
            let Closeness { pairs, near, lead } = read(&query, &text);
            for share in [pairs, near, lead] {
                assert!((0.0..=1.0).contains(&share));
            }
        }
    }
}

#[cfg(test)]
mod highlight_tests {
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
