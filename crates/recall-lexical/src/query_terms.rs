//! The terms, names and paths of a query.

use std::collections::HashSet;

use recall_core::words::{Word, is_stop_word};
use recall_core::{QueryClass, Understood};

use crate::analysis::Analysis;
use crate::names::{MAX_NAME_BYTES, written_as_symbol};

/// The most distinct terms of a query. Each costs a lookup in every field. A longer query mostly repeats itself, and
/// its first words tell its subject.
const MAX_TERMS: usize = 64;

/// The most names that a query looks up.
const MAX_NAMES: usize = 16;

/// The longest query that is compared with paths as a whole.
const MAX_PATH_BYTES: usize = 512;

/// Names and paths spelled nearly like a query, as written in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpellingSuggestions {
    /// Names of definitions, without scopes.
    pub names: Vec<String>,
    /// Ends of paths, in lower case.
    pub paths: Vec<String>,
}

impl SpellingSuggestions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }
}

/// The distinct terms of a text, in order. Stop words are left out unless there are no other words.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut telling = Distinct::default();
    let mut stop_words = Distinct::default();
    Analysis::of_queries().each(text, |term| {
        let is_stop_word = !matches!(term.word, Word::Compound(_)) && is_stop_word(term.lower);
        if is_stop_word { stop_words.push(term.indexed) } else { telling.push(term.indexed) }
    });
    if telling.list.is_empty() { stop_words.list } else { telling.list }
}

/// The names that a query may mean, written like symbols: its identifiers and phrases, and all its words if the query
/// is nothing but a name.
pub(crate) fn names(understood: &Understood) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut push = |name: String| {
        if !name.is_empty() && name.len() <= MAX_NAME_BYTES && names.len() < MAX_NAMES && !names.contains(&name) {
            names.push(name);
        }
    };
    for identifier in &understood.identifiers {
        push(written_as_symbol(identifier));
    }
    for phrase in &understood.phrases {
        push(phrase.clone());
    }
    if understood.class == QueryClass::Symbol {
        for word in understood.text.split_whitespace() {
            push(written_as_symbol(word));
        }
    }
    names
}

/// The path that the whole query is, without a leading `./` or `/`. `None` if it cannot be a path.
///
/// File names may contain blanks, but a sentence is not a path.
pub(crate) fn path(understood: &Understood) -> Option<String> {
    let is_alone = understood.paths.len() == 1 && understood.paths[0].len() + 2 >= understood.text.len();
    let text = if is_alone { understood.paths[0].as_str() } else { understood.text.as_str() };
    let path = text.trim().trim_start_matches("./").trim_start_matches('/');
    let may_be = path.split_whitespace().count() <= 3 && path.len() <= MAX_PATH_BYTES && !path.is_empty();
    may_be.then(|| path.to_owned())
}

#[derive(Default)]
struct Distinct {
    list: Vec<String>,
    seen: HashSet<String>,
}

impl Distinct {
    fn push(&mut self, term: &str) {
        if self.list.len() < MAX_TERMS && !self.seen.contains(term) {
            self.seen.insert(term.to_owned());
            self.list.push(term.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    #[test]
    fn stop_words_are_left_out_unless_nothing_remains() {
        for (text, expected) in [
            ("how are the sessions stored", "session store"),
            ("what is this", "what is this"),
            ("open open OPEN", "open"),
            ("to_string", "to_string string"),
            ("", ""),
            ("(((", ""),
        ] {
            assert_eq!(terms(text).join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_query_has_its_first_terms() {
        let text: String = (0..1000).fold(String::new(), |text, number| text + &format!("w{number} "));
        let terms = terms(&text);
        assert_eq!((terms.len(), terms[63].as_str()), (64, "w63"));
    }

    #[test]
    fn names_are_identifiers_phrases_and_lone_words() {
        for (query, expected) in [
            ("where is Store.open() called", "Store::open"),
            ("open", "open"),
            ("how does it open", ""),
            ("\"Getting started\" guide", "Getting started"),
            ("parse_header HttpRequest", "parse_header HttpRequest"),
        ] {
            assert_eq!(names(&understand(query)).join(" "), expected, "{query}");
        }
    }
}
