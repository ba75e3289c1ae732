//! The changes of a project's past, as evidence of which files a text leads to.
//!
//! A text is compared with the messages of commits. It leads to the files that the commits with the most similar messages changed, as
//! a bug report is located by the reports that were solved before it (Zhou, Zhang, Lo, ICSE 2012). What the files contain does not
//! count here.

use std::collections::HashMap;
use std::hash::Hash;

use recall_index::lexical::terms;
use recall_text::DocPath;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::git::Change;

/// The most files of a change that says something about each of them.
const MOST_FILES: usize = 30;

/// The most similar changes that count.
const MOST_SIMILAR: usize = 40;

/// The number of newer changes after which a change counts half. From 500 to 4,000, the figures differ by less than chance.
const HALF_LIFE: f32 = 2_000.0;

/// The bytes of a message that are read. What follows is logs and lists.
const MESSAGE_BYTES: usize = 3_000;

/// The frequency that a term of the subject counts as; one of the rest of a message counts as half of it.
const SUBJECT: f32 = 1.0;

/// The parameters of BM25, as the lexical index has them.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The usable changes of a project, the newest first. It can be stored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Past {
    paths: Vec<String>,
    /// The distinct terms of the messages, the most frequent first, so that their places have few digits.
    terms: Vec<String>,
    changes: Vec<PastChange>,
}

/// The words of a change's message, as places in [`Past::terms`], and its files, as places in [`Past::paths`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct PastChange(
    /// The terms of the subject.
    Vec<usize>,
    /// The terms of the message that are not in the subject.
    Vec<usize>,
    /// The files.
    Vec<usize>,
);

impl Past {
    /// Returns the changes that say which files their words lead to, with those of their files that `is_indexed`: changes with a
    /// subject, of a few files.
    pub(crate) fn usable(changes: Vec<Change>, is_indexed: impl Fn(&DocPath) -> bool) -> Vec<Change> {
        let mut changes = changes;
        changes.retain_mut(|change| {
            let is_small = change.files.len() <= MOST_FILES;
            change.files.retain(&is_indexed);
            is_small && !change.files.is_empty() && !words(&change.message).0.is_empty()
        });
        changes
    }

    /// Reduces usable changes, the newest first, to their words and their files.
    pub(crate) fn new(changes: &[Change]) -> Self {
        let messages: Vec<_> = changes.iter().map(|change| words(&change.message)).collect();
        let terms = NameNumbers::by_frequency(messages.iter().flat_map(|(subject, body)| subject.iter().chain(body)));
        let paths = NameNumbers::by_frequency(changes.iter().flat_map(|change| &change.files));
        let reduced = changes
            .iter()
            .zip(&messages)
            .map(|(change, (subject, body))| PastChange(terms.all(subject), terms.all(body), paths.all(&change.files)));
        Self { changes: reduced.collect(), paths: paths.into_names(), terms: terms.into_names() }
    }

    /// Returns the number of changes.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns whether every change names terms and files that are there.
    pub(super) fn is_sound(&self) -> bool {
        self.changes.iter().all(|PastChange(subject, body, files)| {
            subject.iter().chain(body).all(|&term| term < self.terms.len())
                && files.iter().all(|&file| file < self.paths.len())
        })
    }
}

/// Distinct names, each with its place in the order of their frequency.
struct NameNumbers<'a, T>(HashMap<&'a T, usize>);

impl<'a, T: Ord + Hash + ToString> NameNumbers<'a, T> {
    fn by_frequency(names: impl Iterator<Item = &'a T>) -> Self {
        let mut counts: HashMap<&T, usize> = HashMap::new();
        for name in names {
            *counts.entry(name).or_default() += 1;
        }
        let mut ordered: Vec<(&T, usize)> = counts.into_iter().collect();
        ordered.sort_unstable_by(|(left, many), (right, more)| more.cmp(many).then(left.cmp(right)));
        Self(ordered.into_iter().enumerate().map(|(place, (name, _))| (name, place)).collect())
    }

    fn all(&self, names: &[T]) -> Vec<usize> {
        names.iter().map(|name| self.0[name]).collect()
    }

    fn into_names(self) -> Vec<String> {
        let mut names: Vec<(usize, &T)> = self.0.into_iter().map(|(name, place)| (place, name)).collect();
        names.sort_unstable_by_key(|(place, _)| *place);
        names.into_iter().map(|(_, name)| name.to_string()).collect()
    }
}

/// Returns the distinct terms of a message's subject, and those of the rest of it. Addresses and trailers (`Signed-off-by: …`) are
/// left out.
fn words(message: &str) -> (Vec<String>, Vec<String>) {
    let message = &message[..message.floor_char_boundary(MESSAGE_BYTES)];
    let (subject, body) = message.trim_start().split_once('\n').unwrap_or((message, ""));
    let body: String = body.lines().filter(|line| !is_trailer(line)).flat_map(without_addresses).collect();
    let subject = terms(&without_addresses(subject).collect::<String>());
    let body = terms(&body).into_iter().filter(|term| !subject.contains(term)).collect();
    (subject, body)
}

fn without_addresses(line: &str) -> impl Iterator<Item = String> {
    line.split_whitespace().filter(|word| !word.contains("://")).map(|word| format!("{word} "))
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| key.contains('-') && !key.contains(char::is_whitespace))
}

/// An index of a project's changes by the terms of their messages.
#[derive(Debug)]
pub(crate) struct Precedents {
    paths: Vec<Box<str>>,
    changes: Vec<Precedent>,
    postings: FxHashMap<Box<str>, Vec<Posting>>,
    mean_length: f32,
}

#[derive(Debug)]
struct Precedent {
    length: f32,
    /// Places in [`Precedents::paths`].
    files: Box<[usize]>,
}

/// A change whose message has a term.
#[derive(Clone, Copy, Debug)]
struct Posting {
    change: usize,
    frequency: f32,
}

impl Precedents {
    /// Indexes the changes of a past without the `skipped` newest ones.
    pub(crate) fn new(past: &Past, skipped: usize) -> Self {
        let mut postings: FxHashMap<Box<str>, Vec<Posting>> = FxHashMap::default();
        let mut changes = Vec::with_capacity(past.changes.len());
        for PastChange(subject, body, files) in past.changes.iter().skip(skipped) {
            let of_subject = subject.iter().map(|term| (term, SUBJECT));
            let mut length = 0.0;
            for (&term, frequency) in of_subject.chain(body.iter().map(|term| (term, SUBJECT / 2.0))) {
                postings
                    .entry(past.terms[term].as_str().into())
                    .or_default()
                    .push(Posting { change: changes.len(), frequency });
                length += frequency;
            }
            changes.push(Precedent { length, files: files.as_slice().into() });
        }
        let total: f32 = changes.iter().map(|change| change.length).sum();
        let mean_length = (total / changes.len().max(1) as f32).max(1.0);
        Self { paths: past.paths.iter().map(|path| path.as_str().into()).collect(), changes, postings, mean_length }
    }

    /// Returns the files that a text leads to, in no particular order, each with a value above 0. That of the best one is 1.
    ///
    /// A file's value is the sum over the most similar changes that contain it: the square of the similarity, decayed by age, divided
    /// by the square root of the number of files.
    pub(crate) fn files(&self, text: &str) -> Vec<(&str, f32)> {
        let mut values: FxHashMap<usize, f32> = FxHashMap::default();
        for (change, similarity) in self.similar(text) {
            let files = &self.changes[change].files;
            let decay = (-(change as f32) / HALF_LIFE).exp2();
            for &file in files {
                *values.entry(file).or_default() += similarity * similarity * decay / (files.len() as f32).sqrt();
            }
        }
        let best = values.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        values.into_iter().map(|(file, value)| (&*self.paths[file], value / best)).collect()
    }

    /// Returns the changes whose messages are most similar to a text, by BM25.
    fn similar(&self, text: &str) -> Vec<(usize, f32)> {
        let mut scores: FxHashMap<usize, f32> = FxHashMap::default();
        for term in terms(text) {
            let Some(postings) = self.postings.get(term.as_str()) else { continue };
            let (all, with) = (self.changes.len() as f32, postings.len() as f32);
            let weight = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for Posting { change, frequency } in postings {
                let length = self.changes[*change].length / self.mean_length;
                let saturated = frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length));
                *scores.entry(*change).or_default() += weight * saturated;
            }
        }
        let mut similar: Vec<(usize, f32)> = scores.into_iter().collect();
        similar.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        similar.truncate(MOST_SIMILAR);
        similar
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(message: &str, files: &[&str]) -> Change {
        let files = files.iter().map(|path| DocPath::new(path).expect("a path")).collect();
        Change { message: message.to_owned(), files }
    }

    fn best(changes: &[Change], text: &str) -> Option<String> {
        let precedents = Precedents::new(&Past::new(changes), 0);
        let best = precedents.files(text).into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(path, value)| {
            assert!((value - 1.0).abs() < 1e-6, "{value}");
            path.to_owned()
        })
    }

    #[test]
    fn a_text_leads_to_the_files_of_similar_changes() {
        let changes = [
            change("Close idle sessions earlier", &["src/session.rs"]),
            change("Tidy the build", &["build.rs", "src/session.rs"]),
            change("Retry the upload\n\nThe proxy of the sandbox drops it.", &["src/upload.rs"]),
            change("Tidy up", &["src/main.rs"]),
        ];
        assert_eq!(best(&changes, "idle sessions are never closed").as_deref(), Some("src/session.rs"));
        assert_eq!(best(&changes, "a proxy drops what I send").as_deref(), Some("src/upload.rs"));
        assert_eq!(best(&changes, "tidying").as_deref(), Some("src/main.rs"), "a change of one file says more of it");
        assert_eq!(best(&changes, "translation"), None);
    }

    #[test]
    fn files_that_are_not_indexed_and_large_changes_do_not_count() {
        let many: Vec<String> = (0..=MOST_FILES).map(|number| format!("src/{number}.rs")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let useless = [change("Rename the parser", &many), change("Parser", &["gone.rs"]), change("", &["src/a.rs"])];
        let useful = change("Parser", &["gone.rs", "src/a.rs"]);
        let usable = Past::usable([&useless[..], &[useful]].concat(), |path| path.as_str() != "gone.rs");
        assert_eq!(usable, [change("Parser", &["src/a.rs"])]);
    }

    #[test]
    fn trailers_and_addresses_are_no_words() {
        let (subject, body) =
            words("Fix https://example.com/cup the upload\n\nSigned-off-by: Ada <ada@example.com>\nOf tokens: all\n");
        assert_eq!((subject.contains(&"upload".to_owned()), subject.contains(&"cup".to_owned())), (true, false));
        assert_eq!((body.contains(&"ada".to_owned()), body.contains(&"token".to_owned())), (false, true));
    }
}
