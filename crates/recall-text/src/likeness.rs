//! Detection of near-duplicate texts.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

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
}
