//! Do two texts say nearly the same?

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// Two texts are near from this share on of what both hold, of all that either holds. Copies that were touched up keep more:
/// of nine lines one may differ, of twenty two. Siblings that were written after one pattern keep less.
const NEAR: f64 = 0.8;

/// With fewer lines, a single one that differs is more than a fifth of what two texts hold; runs of words tell finer.
const FEW_LINES: usize = 9;

/// How many words make a run. Single words of a project stand in most of its texts; five in a row seldom agree by chance.
const RUN_WORDS: usize = 5;

/// What is remembered of a text to tell whether another is near it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// Of the whole text, without the blanks around it.
    whole: u64,
    /// Of the lines that are not blank, without the blanks around each; ascending, each once.
    lines: Vec<u64>,
    /// Of the runs of words of a text with few lines; ascending, each once.
    runs: Vec<u64>,
}

impl Likeness {
    /// Reads a text. Costs one pass over it.
    pub fn of(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines = ascending(lines.map(|line| hash_of(&line)).collect());
        let runs = if lines.len() < FEW_LINES { runs(text) } else { Vec::new() };
        Self { whole: hash_of(&text.trim()), lines, runs }
    }

    /// Whether both texts are the same but for the blanks around them.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.whole == other.whole
    }

    /// Whether nearly all of each text stands in the other: four fifths of their lines together, wherever they stand, or of
    /// their runs of words where both have few lines.
    pub fn is_near(&self, other: &Self) -> bool {
        let is_short = self.lines.len() < FEW_LINES && other.lines.len() < FEW_LINES;
        self.is_equal(other)
            || if is_short { overlap(&self.runs, &other.runs) } else { overlap(&self.lines, &other.lines) }
    }
}

/// Whether the share of what both lists hold, of all that either holds (Jaccard's index), is large enough.
fn overlap(a: &[u64], b: &[u64]) -> bool {
    let (fewer, more) = (a.len().min(b.len()), a.len().max(b.len()));
    // What the lengths rule out needs no look at the lists.
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

/// The runs of words and signs; a text that is shorter than a run is one.
fn runs(text: &str) -> Vec<u64> {
    let words: Vec<u64> = words(text).map(|word| hash_of(&word)).collect();
    if words.len() < RUN_WORDS {
        return if words.is_empty() { Vec::new() } else { vec![hash_of(&words)] };
    }
    ascending(words.windows(RUN_WORDS).map(|run| hash_of(&run)).collect())
}

/// The words of a text, and every other sign that is not blank by itself: in code, signs tell as much.
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
        assert_eq!(Likeness::of(a).is_near(&Likeness::of(b)), expected, "{a:?} and {b:?}");
    }

    /// Lines `from` to `to`, each another.
    fn lines(from: u32, to: u32) -> String {
        (from..to).map(|line| format!("let value_{line} = read({line});\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn long_texts_are_near_by_their_lines() {
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
    fn short_texts_are_near_by_their_runs_of_words() {
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
            let (a, b) = (Likeness::of(&a), Likeness::of(&b));
            prop_assert!(a.is_near(&a));
            prop_assert_eq!(a.is_near(&b), b.is_near(&a));
        }
    }
}
