//! Compound words: `Sitzungsverwaltung` is `Sitzung` and `Verwaltung`.

use super::dictionary::{Dictionary, Meaning};

/// The fewest bytes of a part. Shorter ones are mostly endings of longer words.
const MIN_PART_BYTES: usize = 3;

/// The most parts of a word.
const MOST_PARTS: usize = 4;

/// The equivalents of each part of a compound in its folded form. `None` if it cannot be cut into words of the dictionary.
///
/// Longer first parts are tried first. `joints` may stand between two parts; without any the language has no compounds.
pub(super) fn parts<'a>(word: &str, joints: &[&str], dictionary: &'a Dictionary) -> Option<Vec<&'a [&'static str]>> {
    let mut parts = Vec::new();
    (!joints.is_empty() && cut(word, joints, dictionary, &mut parts)).then_some(parts)
}

fn cut<'a>(word: &str, joints: &[&str], dictionary: &'a Dictionary, parts: &mut Vec<&'a [&'static str]>) -> bool {
    if let Some(Meaning::Equivalents(last)) = dictionary.meaning(word).filter(|_| !parts.is_empty()) {
        parts.push(last);
        return true;
    }
    if parts.len() + 1 >= MOST_PARTS {
        return false;
    }
    let ends = word.char_indices().map(|(at, _)| at).rev();
    for end in ends.filter(|&end| end >= MIN_PART_BYTES && word.len() - end >= MIN_PART_BYTES) {
        let (first, rest) = word.split_at(end);
        let bare =
            joints.iter().filter_map(|joint| first.strip_suffix(joint)).filter(|bare| bare.len() >= MIN_PART_BYTES);
        let known = bare.filter_map(|bare| match dictionary.exactly(bare)? {
            Meaning::Equivalents(equivalents) => Some(equivalents),
            Meaning::FunctionWord(_) => None,
        });
        for equivalents in known {
            parts.push(equivalents);
            if cut(rest, joints, dictionary, parts) {
                return true;
            }
            parts.pop();
        }
    }
    false
}
