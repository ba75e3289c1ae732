//! Proximity of the query's terms in a text.
//!
//! The index has no positions, because they would double its size. The positions of terms are read from the texts of
//! the few best candidates instead.

use recall_core::Understood;
use recall_text::normalize_text;

use crate::lexical::query_term_matcher::QueryTermMatcher;
use crate::lexical::words;

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
    use recall_core::understand;

    use super::*;

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
