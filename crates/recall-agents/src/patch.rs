//! The difference of two texts as one replaced range, which can be undone byte for byte.

use recall_core::ContentHash;
use serde::{Deserialize, Serialize};

/// How a text became another one: a range was replaced. It holds the replaced part only, not the rest of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Patch {
    /// Whether there was no file before.
    pub(crate) created: bool,
    /// The byte offset of the range.
    at: usize,
    /// What was in the range before.
    removed: String,
    /// The length of what is in the range after.
    inserted_bytes: usize,
    /// The hash of the text after.
    after: String,
}

impl Patch {
    /// Compares two texts; `None` for no file.
    pub(crate) fn between(before: Option<&str>, after: &str) -> Self {
        let old = before.unwrap_or_default();
        let at = common_start(old, after);
        let end = common_end(&old[at..], &after[at..]);
        Self {
            created: before.is_none(),
            at,
            removed: old[at..old.len() - end].to_owned(),
            inserted_bytes: after.len() - end - at,
            after: hash(after),
        }
    }

    /// Whether a text is the one after the change.
    pub(crate) fn is_last(&self, text: &str) -> bool {
        self.after == hash(text)
    }

    /// Returns the text before the change; `None` for no file. The text must be the one after the change.
    pub(crate) fn undone(&self, text: &str) -> Option<String> {
        let rest = text.get(self.at + self.inserted_bytes..).unwrap_or_default();
        let start = text.get(..self.at).unwrap_or_default();
        (!self.created).then(|| format!("{start}{}{rest}", self.removed))
    }
}

fn hash(text: &str) -> String {
    ContentHash::hash(text.as_bytes()).to_string()
}

fn common_start(a: &str, b: &str) -> usize {
    let pairs = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    pairs.map(|(char, _)| char.len_utf8()).sum()
}

fn common_end(a: &str, b: &str) -> usize {
    let pairs = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b);
    pairs.map(|(char, _)| char.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_before_is_restored() {
        let texts = ["", "{}", "{\"a\":1}\n", "aaa", "aaaa", "ä", "äö", "öä", "\r\n", "{\n  \"ä\": 1,\n  \"b\": 2\n}"];
        for before in texts {
            for after in texts {
                let patch = Patch::between(Some(before), after);
                assert!(patch.is_last(after));
                assert_eq!(patch.undone(after).as_deref(), Some(before), "{before:?} → {after:?}");
            }
        }
        assert_eq!(Patch::between(None, "x").undone("x"), None);
        assert!(!Patch::between(None, "x").is_last("y"));
    }

    #[test]
    fn only_the_replaced_part_is_kept() {
        let patch = Patch::between(Some("{\"token\":\"secret\"}"), "{\"token\":\"secret\",\"b\":1}");
        assert_eq!(patch.removed, "");
    }
}
