//! Repeats among the files of agents: people copy one text into the file of each agent.
//!
//! Nearly equal chunks of any files become one hit already. Here a chunk also repeats another one if that has all its statements and
//! more, and a file repeats another one if it differs only in front matter, blanks and the marks of lists.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use recall_core::Document;
use recall_text::DocPath;

use super::is_adopted;
use crate::engine::MountedStore;
use crate::error::StoreError;

/// The most files that are compared.
const MOST_FILES: usize = 300;

/// A line with fewer words, such as a heading, states too little to be recognised.
const FEW_WORDS: usize = 4;

/// What a text states: the hashes of its lines, without the marks of lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statements(BTreeSet<u64>);

impl Statements {
    pub(crate) fn read(text: &str) -> Self {
        let lines = body(text).map(words).filter(|words| words.len() >= FEW_WORDS);
        Self(lines.map(|words| hash_of(&words)).collect())
    }

    /// Returns whether every statement is one of the other text. A text without statements repeats nothing.
    pub(crate) fn repeat(&self, other: &Self) -> bool {
        !self.0.is_empty() && self.0.is_subset(&other.0)
    }
}

/// The files of agents that are listed once, with the other places of their texts.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// By the place of the store and the path there: the other places, as the client sees them.
    places: HashMap<(usize, DocPath), Vec<String>>,
    /// The files that another one stands for.
    repeats: HashSet<(usize, DocPath)>,
}

impl Repeats {
    /// Compares the files of agents that are wanted.
    pub(crate) fn among(stores: &[MountedStore], is_wanted: impl Fn(&Document) -> bool) -> Result<Self, StoreError> {
        let mut found = Self::default();
        let mut first: HashMap<u64, (usize, DocPath)> = HashMap::new();
        for (place, store) in stores.iter().enumerate() {
            let known = store.index.known_documents();
            let paths: BTreeSet<DocPath> = known.file_paths().filter(|path| is_adopted(store, path)).collect();
            for path in paths.into_iter().take(MOST_FILES) {
                let Some((document, text)) = read(store, &path)? else { continue };
                let words: Vec<&str> = body(&text).flat_map(words).collect();
                if words.is_empty() || !is_wanted(&document) {
                    continue;
                }
                match first.get(&hash_of(&words)) {
                    Some(known) => {
                        found.places.entry(known.clone()).or_default().push(store.mount.outer(path.as_str()));
                        found.repeats.insert((place, path));
                    }
                    None => _ = first.insert(hash_of(&words), (place, path)),
                }
            }
        }
        Ok(found)
    }

    /// Returns how many files of each store are repeats.
    pub(crate) fn counts(&self) -> BTreeMap<usize, u64> {
        let mut counts = BTreeMap::new();
        for (store, _) in &self.repeats {
            *counts.entry(*store).or_default() += 1;
        }
        counts
    }

    /// Returns whether another file stands for this one.
    pub(crate) fn has(&self, store: usize, path: &DocPath) -> bool {
        self.repeats.contains(&(store, path.clone()))
    }

    /// Takes the other places of a file's text.
    pub(crate) fn take_places(&mut self, store: usize, path: &DocPath) -> Vec<String> {
        self.places.remove(&(store, path.clone())).unwrap_or_default()
    }
}

fn read(store: &MountedStore, path: &DocPath) -> Result<Option<(Document, String)>, StoreError> {
    store.index.read(|snapshot| {
        let Some(stored) = snapshot.document_at(path)? else { return Ok(None) };
        Ok(snapshot.text(stored.row)?.map(|text| (stored.document, text)))
    })
}

/// Returns the lines of a text after its front matter.
fn body(text: &str) -> impl Iterator<Item = &str> {
    let has_front_matter = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    let end = text.lines().skip(1).position(|line| line.trim_end() == "---").filter(|_| has_front_matter);
    text.lines().skip(end.map_or(0, |end| end + 2))
}

/// Returns the words of a line without the marks before it.
fn words(line: &str) -> Vec<&str> {
    line.trim_start_matches(['-', '*', '+', '#', '>', ' ', '\t']).split_whitespace().collect()
}

fn hash_of(words: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, other: &str, expected: bool) {
        assert_eq!(Statements::read(text).repeat(&Statements::read(other)), expected, "{text:?} in {other:?}");
    }

    #[test]
    fn a_text_repeats_one_that_states_the_same_and_more() {
        let long = "# Rules\n\n- Run `make check` before each commit.\n- Never edit the generated files.\n";
        check("---\nglobs: src/**\n---\n* Run `make check`  before each commit.\n", long, true);
        check("Never edit the generated files.\nKeep functions short and plain.\n", long, false);
        check("# Rules\n", long, false);
        check(long, "- Run `make check` before each commit.\n", false);
        check("", long, false);
    }
}
