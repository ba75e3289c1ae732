//! Spelling suggestions from a store that knows names only by their numbers.
//!
//! A dictionary of all names would be another table on each server, with rights of its own. Instead every spelling that is one edit from
//! the query is made here, some hundreds, and the store is asked once which of their numbers it has. Two edits would be a hundred
//! thousand. Numbers collide, so a spelling counts only if a document that the store returns has the name.

use std::collections::BTreeSet;

use recall_core::Understood;
use recall_text::{fold_case, normalize_text, normalized_path};
use rustc_hash::FxHashMap;

use super::chunk_analysis::{KeyField, field_key, key, term_number};
use super::{PortableDocument, PortableQuery, Statistics, Suggested};
use crate::lexical::names::{SCOPE, each_end, ends, fold_name, folded_ends, written_as_symbol};
use crate::lexical::query_terms::SpellingSuggestions;
use crate::lexical::searcher::{MAX_SUGGESTIONS, one_word, path_of};

/// The characters that a missing or wrong one may be, besides those of the word.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789_";

/// The spellings near to a query of one word, if the store has neither such a name or path nor the word.
#[derive(Clone, Debug, Default)]
pub struct NearSpellings {
    /// Folded; those of a path if the query has a `/` or a `.`.
    spellings: Vec<String>,
    is_path: bool,
}

impl NearSpellings {
    /// Makes the spellings. The statistics have the keys of the query. There are none if the query is not one word, or is known.
    pub fn new(understood: &Understood, statistics: &Statistics) -> Self {
        let Some(word) = one_word(&understood.text) else { return Self::default() };
        let symbol = written_as_symbol(&normalize_text(word));
        let symbol = fold_case(&symbol);
        let last = symbol.rsplit_once(SCOPE).map_or(&*symbol, |(_, last)| last);
        let path = path_of(word);
        let is_path = word.contains(['/', '.']);
        let mut known =
            vec![key(KeyField::Name, &fold_name(last)), key(KeyField::FileName, last), key(KeyField::PathEnd, &path)];
        if !is_path {
            let terms = crate::lexical::query_terms::terms(word);
            known.extend(terms.first().map(|term| field_key(KeyField::Body, term_number(term))));
        }
        if known.iter().any(|key| statistics.count(*key) > 0) {
            return Self::default();
        }
        Self { spellings: one_edit_away(if is_path { &path } else { last }), is_path }
    }

    /// The keys to ask a store for; none if nothing is to be asked.
    pub fn keys(&self) -> Vec<u32> {
        self.spellings.iter().flat_map(|spelling| self.keys_of(spelling)).collect()
    }

    fn keys_of(&self, spelling: &str) -> Vec<u32> {
        if self.is_path {
            return vec![key(KeyField::PathEnd, spelling)];
        }
        vec![key(KeyField::Name, &fold_name(spelling)), key(KeyField::FileName, spelling)]
    }
}

impl PortableQuery {
    /// Adds the spellings that a store has, by the counts of their keys, to what the query names.
    pub fn suggest(&mut self, near: &NearSpellings, counts: &FxHashMap<u32, u64>) {
        let has = |spelling: &String| near.keys_of(spelling).iter().any(|key| counts.contains_key(key));
        let mut spellings: Vec<String> = near.spellings.iter().filter(|spelling| has(spelling)).cloned().collect();
        spellings.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        spellings.truncate(MAX_SUGGESTIONS);
        self.suggested = Suggested { spellings, is_path: near.is_path };
    }

    /// The keys of the definitions with suggested names.
    pub(super) fn suggested_names(&self) -> impl Iterator<Item = (u32, f32)> {
        let Suggested { spellings, is_path } = &self.suggested;
        let names = if *is_path { &[][..] } else { spellings };
        names.iter().map(|spelling| (key(KeyField::Name, &fold_name(spelling)), 1.0))
    }

    /// The keys of the documents with suggested paths and file names.
    pub(super) fn suggested_paths(&self) -> impl Iterator<Item = (u32, f32)> {
        let Suggested { spellings, is_path } = &self.suggested;
        let field = if *is_path { KeyField::PathEnd } else { KeyField::FileName };
        spellings.iter().map(move |spelling| (key(field, spelling), 1.0))
    }

    /// The suggested spelling that a name has, by its place.
    pub(super) fn find_suggestion(&self, defined: &str) -> Option<usize> {
        let Suggested { spellings, is_path } = &self.suggested;
        if spellings.is_empty() || *is_path {
            return None;
        }
        let spellings: Vec<String> = spellings.iter().map(|spelling| fold_name(spelling)).collect();
        folded_ends(defined).iter().find_map(|end| spellings.iter().position(|spelling| spelling == end))
    }

    /// The suggested spelling that a document's path ends with or its file name is, by its place.
    pub(super) fn find_path_suggestion(&self, document: &PortableDocument) -> Option<usize> {
        let Suggested { spellings, is_path } = &self.suggested;
        if spellings.is_empty() {
            return None;
        }
        if *is_path {
            let path = normalized_path(document.path.as_str());
            let path = fold_case(&path);
            return ends(&path, "/").find_map(|end| spellings.iter().position(|spelling| spelling == end));
        }
        let stem = fold_case(document.path.stem());
        spellings.iter().position(|spelling| *spelling == stem)
    }

    /// The suggestions that some documents have, as they write them.
    pub(super) fn suggestions_in(&self, documents: &[PortableDocument]) -> SpellingSuggestions {
        let (mut names, mut others) = (BTreeSet::new(), BTreeSet::new());
        for document in documents {
            for defined in document.chunks.iter().flat_map(|chunk| &chunk.names) {
                if self.find_suggestion(defined).is_some() {
                    let is_near =
                        |end: &str| self.suggested.spellings.iter().any(|near| fold_name(near) == fold_name(end));
                    each_end(defined, |end| {
                        if is_near(end) {
                            names.insert((end.len(), end.to_owned()));
                        }
                    });
                }
            }
            others.extend(self.find_path_suggestion(document).map(|place| {
                let spelling = &self.suggested.spellings[place];
                (spelling.len(), spelling.clone())
            }));
        }
        let texts = |all: BTreeSet<(usize, String)>| -> Vec<String> {
            all.into_iter().map(|(_, text)| text).take(MAX_SUGGESTIONS).collect()
        };
        if self.suggested.is_path {
            return SpellingSuggestions { names: Vec::new(), paths: texts(others) };
        }
        // As in an index, file names are suggested if no definition has such a name.
        let names = if names.is_empty() { others } else { names };
        SpellingSuggestions { names: texts(names), paths: Vec::new() }
    }
}

/// The texts that differ from a word by a character that is inserted, removed or replaced, or by two adjacent ones that are swapped.
fn one_edit_away(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let alphabet: BTreeSet<char> = LETTERS.chars().chain(letters.iter().copied()).collect();
    let mut spellings = BTreeSet::new();
    for place in 0..=letters.len() {
        let (before, after) = letters.split_at(place);
        for &letter in &alphabet {
            spellings.insert(join(before, &[letter], after));
        }
        let Some((_, rest)) = after.split_first() else { continue };
        spellings.insert(join(before, &[], rest));
        for &letter in &alphabet {
            spellings.insert(join(before, &[letter], rest));
        }
        if let [first, second, rest @ ..] = after {
            spellings.insert(join(before, &[*second, *first], rest));
        }
    }
    spellings.remove(word);
    spellings.into_iter().collect()
}

fn join(before: &[char], middle: &[char], after: &[char]) -> String {
    [before, middle, after].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_single_slip_is_one_edit_away() {
        let spellings = one_edit_away("opne");
        for spelling in ["open", "opn", "opene", "op_ne", "opni", "pone", "1opne"] {
            assert!(spellings.iter().any(|known| known == spelling), "{spelling}");
        }
        for spelling in ["opne", "opened", "nope"] {
            assert!(!spellings.iter().any(|known| known == spelling), "{spelling}");
        }
        assert!(one_edit_away(&"x".repeat(64)).len() < 64 * 80, "a request has a bound");
    }
}
