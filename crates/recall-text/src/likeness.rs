//! The likeness of texts and of names: near-duplicates, similarity by words, and suggestions for misspelt names.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::FxHasher;
use strsim::osa_distance;

use crate::words::{self, Word};

/// The Jaccard similarity from which two texts are near-duplicates. A lightly edited copy scores higher: one line of
/// nine may differ, two of twenty. Siblings written after one pattern score lower.
const NEAR: f64 = 0.8;

/// Texts with fewer lines than this are compared by shingles of words: one line that differs would exceed the limit.
const FEW_LINES: usize = 9;

/// The words in a shingle. Single words occur in most texts of a project; five in a row rarely agree by chance.
const RUN_WORDS: usize = 5;

/// The hashes of a text that are compared with those of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// The whole text, trimmed.
    whole: u64,
    /// Each trimmed line that is not blank; ascending, without repetition.
    lines: Vec<u64>,
    /// Each shingle of a text with few lines; ascending, without repetition.
    runs: Vec<u64>,
}

impl Likeness {
    /// Hashes a text, in one pass over it.
    pub fn new(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines = ascending(lines.map(|line| hash_of(&line)).collect());
        let runs = if lines.len() < FEW_LINES { runs(text) } else { Vec::new() };
        Self { whole: hash_of(&text.trim()), lines, runs }
    }

    /// Whether both texts are equal after trimming.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.whole == other.whole
    }

    /// Whether the texts are near-duplicates: at least four fifths of their lines agree, in any order, or of their
    /// shingles if both have few lines.
    pub fn is_near(&self, other: &Self) -> bool {
        let is_short = self.lines.len() < FEW_LINES && other.lines.len() < FEW_LINES;
        self.is_equal(other)
            || if is_short { overlap(&self.runs, &other.runs) } else { overlap(&self.lines, &other.lines) }
    }
}

/// Whether the Jaccard similarity of two ascending lists is at least [`NEAR`].
fn overlap(a: &[u64], b: &[u64]) -> bool {
    let (fewer, more) = (a.len().min(b.len()), a.len().max(b.len()));
    // The lengths alone bound the similarity.
    if fewer == 0 || (fewer as f64) < NEAR * more as f64 {
        return false;
    }
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut both = 0_usize;
    while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => _ = a.next(),
            std::cmp::Ordering::Greater => _ = b.next(),
            std::cmp::Ordering::Equal => {
                both += 1;
                a.next();
                b.next();
            }
        }
    }
    both as f64 >= NEAR * (fewer + more - both) as f64
}

/// The shingles of words and punctuation; a text shorter than a shingle is a single one.
fn runs(text: &str) -> Vec<u64> {
    let words: Vec<u64> = words(text).map(|word| hash_of(&word)).collect();
    if words.len() < RUN_WORDS {
        return if words.is_empty() { Vec::new() } else { vec![hash_of(&words)] };
    }
    ascending(words.windows(RUN_WORDS).map(|run| hash_of(&run)).collect())
}

/// The words of a text, and every other character that is not blank by itself: in code, punctuation matters as much.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}

fn ascending(mut hashes: Vec<u64>) -> Vec<u64> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The words of a text in lower case, without repetition. Identifiers count as one word.
///
/// The words are stored as ascending hashes, so comparing a hundred texts takes as long as reading one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary(Vec<u64>);

impl Vocabulary {
    /// Collects the words of several texts.
    pub fn new(texts: &[&str]) -> Self {
        let mut found = Vec::new();
        for text in texts {
            words::split(text, |word| match word {
                Word::Plain(word) | Word::Compound(word) => found.push(hash(&word.to_lowercase())),
                Word::Part(_) => {}
            });
        }
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    /// Returns the Jaccard similarity: 1 for the same words, 0 if none are common or if both texts have no words.
    pub fn similarity(&self, other: &Self) -> f64 {
        let both = common(&self.0, &other.0);
        let either = self.0.len() + other.0.len() - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// Returns the share of its words that another text has, from 0 to 1; 0 if it has no words.
    pub fn share_in(&self, other: &Self) -> f64 {
        if self.0.is_empty() { 0.0 } else { common(&self.0, &other.0) as f64 / self.0.len() as f64 }
    }
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(word.as_bytes());
    hasher.finish()
}

/// The number of values that two ascending lists share.
fn common(mut one: &[u64], mut other: &[u64]) -> usize {
    let mut count = 0;
    while let (Some((first, rest)), Some((second, after))) = (one.split_first(), other.split_first()) {
        count += usize::from(first == second);
        (one, other) = (if first <= second { rest } else { one }, if second <= first { after } else { other });
    }
    count
}

/// Returns the known name nearest to the given one; `None` if none is near.
///
/// A name is near if at most a third of the given characters (at least one) are wrong, missing, superfluous or swapped,
/// or if one name is a prefix of the other.
pub fn nearest<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    near(given, known).first().copied()
}

/// Returns the known names near the given one, as defined at [`nearest`]; nearest first, equally near ones in input
/// order.
pub fn near<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let bound = (given.chars().count() / 3).max(1);
    let distance_to = |name: &'n str| {
        let prefixed = given.len().min(name.len()) > 2 && (name.starts_with(given) || given.starts_with(name));
        (if prefixed { 0 } else { osa_distance(given, name) }, name)
    };
    let mut near: Vec<_> = known.into_iter().map(distance_to).filter(|&(distance, _)| distance <= bound).collect();
    near.sort_by_key(|&(distance, _)| distance);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(a: &str, b: &str, expected: bool) {
        assert_eq!(Likeness::new(a).is_near(&Likeness::new(b)), expected, "{a:?} and {b:?}");
    }

    /// The lines `from` to `to`, all different.
    fn lines(from: u32, to: u32) -> String {
        (from..to).map(|line| format!("let value_{line} = read({line});\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn long_texts_are_compared_by_lines() {
        check(&lines(0, 9), &lines(0, 9), true);
        check(&lines(0, 9), &format!("  {}", lines(0, 9).replace('\n', "\n\n    ")), true);
        check(&lines(0, 9), &lines(1, 10), true);
        check(&lines(0, 9), &lines(2, 11), false);
        check(&lines(0, 20), &lines(2, 22), true);
        check(&lines(0, 20), &lines(3, 23), false);
        check(&lines(0, 8), &lines(0, 10), true);
        check(&lines(0, 8), &lines(0, 11), false);
    }

    #[test]
    fn short_texts_are_compared_by_shingles_of_words() {
        let sum = "fn sum(values: &[u64]) -> u64 {\n    let mut sum = 0;\n    for value in values {\n        \
                   sum += value;\n    }\n    tracing::debug!(sum, \"summed the values that were given\");\n    sum\n}\n";
        check(sum, &sum.replace("debug", "trace"), true);
        check(sum, &sum.replace("value", "number"), false);
        check("fn a() {}", "fn a() {}\n", true);
        check("fn a() {}", "fn b() {}", false);
        check("a", "b", false);
        check("", " \n", true);
        check("", "a", false);
    }

    proptest! {
        #[test]
        fn a_text_is_near_itself_and_nearness_has_no_direction(a in "([ab]{1,3}[ \n]){0,30}", b in "([ab]{1,3}[ \n]){0,30}") {
            let (a, b) = (Likeness::new(&a), Likeness::new(&b));
            prop_assert!(a.is_near(&a));
            prop_assert_eq!(a.is_near(&b), b.is_near(&a));
        }
    }

    #[test]
    fn a_share_is_that_of_the_first_texts_words() {
        let share = |a: &str, b: &str| Vocabulary::new(&[a]).share_in(&Vocabulary::new(&[b]));
        for (a, b, expected) in [("use wal", "we use WAL here", 1.0), ("a b c d", "c", 0.25), ("", "a", 0.0)] {
            assert!((share(a, b) - expected).abs() < 1e-9, "{a} {b}: {}", share(a, b));
        }
    }

    #[test]
    fn similarity_is_the_share_of_common_words() {
        let similarity = |a: &str, b: &str| Vocabulary::new(&[a]).similarity(&Vocabulary::new(&[b]));
        for (a, b, expected) in [
            ("Use WAL mode.", "use wal MODE", 1.0),
            ("use WAL", "use DELETE", 1.0 / 3.0),
            ("open_store", "open store", 0.0),
            ("", "", 0.0),
            ("…", "a", 0.0),
            ("a b c d", "c d e f", 1.0 / 3.0),
            ("wal wal WAL", "wal", 1.0),
        ] {
            assert!((similarity(a, b) - expected).abs() < 1e-9, "{a} {b}: {}", similarity(a, b));
        }
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let known = ["query", "limit", "types", "include_code", "include_memories"];
        for (given, expected) in [
            ("qeury", Some("query")),
            ("querry", Some("query")),
            ("type", Some("types")),
            ("include", Some("include_code")),
            ("q", None),
            ("", None),
            ("k", None),
            ("something_else", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }
}
