//! The terms, names and paths of a query, and a cache of their lookups.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use recall_core::{QueryClass, Understood};
use recall_text::words::{is_stop_word, letters};
use recall_text::{normalize_text, normalized_path};
use tantivy::TantivyError;
use tantivy::schema::Field;

use crate::lexical::analysis::Analysis;
use crate::lexical::names::{self, MAX_NAME_BYTES, MIN_PREFIX_BYTES, fold_name, written_as_symbol};
use crate::lexical::snapshot::{LexicalSnapshot, TermPostings};
use crate::lexical::words::{self, Word};

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

/// Returns the distinct terms of a text as the index has them, in order, at most `MAX_TERMS`. Stop words are left out unless there
/// are no other words.
pub fn terms(text: &str) -> Vec<String> {
    let (telling, stop_words) = split_terms(Analysis::for_queries(), text, MAX_TERMS);
    if telling.is_empty() { stop_words } else { telling }
}

/// The fewest bytes of a term that tells what a text is about. `s` and `t` are left of `it's` and `don't`.
const MIN_TELLING_BYTES: usize = 3;

/// Returns all distinct terms of a text as the index has them, in order, without stop words and without single letters and pairs of
/// ASCII.
pub fn telling_terms(text: &str) -> Vec<String> {
    let (mut telling, _) = split_terms(Analysis::for_text(), text, usize::MAX);
    telling.retain(|term| term.len() >= MIN_TELLING_BYTES);
    telling
}

/// Returns the first distinct terms of a text that are not stop words, and the first that are.
fn split_terms(mut analysis: Analysis, text: &str, most: usize) -> (Vec<String>, Vec<String>) {
    let mut telling = Distinct::default();
    let mut stop_words = Distinct::default();
    analysis.each(text, |term| {
        if !term.word.is_asked_for() {
            return;
        }
        let is_stop_word = !matches!(term.word, Word::Compound(_)) && is_stop_word(term.folded);
        if is_stop_word { stop_words.push(term.indexed, most) } else { telling.push(term.indexed, most) }
    });
    (telling.list, stop_words.list)
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
        push(written_as_symbol(&normalize_text(identifier)));
    }
    for phrase in &understood.phrases {
        push(normalize_text(phrase).into_owned());
    }
    if understood.class == QueryClass::Symbol {
        for word in understood.text.split_whitespace() {
            push(written_as_symbol(&normalize_text(word)));
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
    let text = normalized_path(text);
    let path = text.trim().trim_start_matches("./").trim_start_matches('/');
    let may_be = path.split_whitespace().count() <= 3 && path.len() <= MAX_PATH_BYTES && !path.is_empty();
    may_be.then(|| path.to_owned())
}

/// Which terms of a query only join its words, given which of its terms occur in the index.
///
/// A pair of letters that occurs nowhere, between two pairs that do occur, spans the end of one word and the beginning of
/// the next. It says nothing about what the query asks for. `terms` are in the order of [`terms`].
pub(crate) fn spanning(terms: &[String], occurs: impl Fn(usize) -> bool) -> Vec<bool> {
    let continues = |before: usize, after: usize| {
        let (Some(before), Some(after)) = (terms.get(before), terms.get(after)) else { return false };
        is_pair(before) && is_pair(after) && letters(before).last() == letters(after).next()
    };
    let spans = |at: usize| {
        let has_neighbours = at > 0 && continues(at - 1, at) && continues(at, at + 1);
        has_neighbours && !occurs(at) && occurs(at - 1) && occurs(at + 1)
    };
    (0..terms.len()).map(spans).collect()
}

fn is_pair(term: &str) -> bool {
    let mut is_pair = false;
    if !term.is_ascii() {
        words::split(term, |word| is_pair |= matches!(word, Word::Pair(pair) if pair.len() == term.len()));
    }
    is_pair
}

#[derive(Default)]
struct Distinct {
    list: Vec<String>,
    seen: HashSet<String>,
}

impl Distinct {
    fn push(&mut self, term: &str, most: usize) {
        if self.list.len() < most && !self.seen.contains(term) {
            self.seen.insert(term.to_owned());
            self.list.push(term.to_owned());
        }
    }
}

/// The terms of a query and their postings in one snapshot. The retrievers and the evidence use mostly the same terms,
/// so each term is looked up once per field.
pub(crate) struct TermCache<'a> {
    pub(crate) snapshot: &'a LexicalSnapshot,
    /// The query's terms; see [`terms`].
    pub(crate) terms: Vec<String>,
    /// The names that the query may mean; see [`names()`].
    pub(crate) names: Vec<String>,
    /// Spelling suggestions, searched if nothing has the query's name.
    pub(crate) suggestions: SpellingSuggestions,
    /// The query as the key of a phrase.
    pub(crate) phrase: Option<String>,
    /// The query as a path, if it can be one as a whole.
    pub(crate) path: Option<String>,
    /// The paths of the files that answer by their name, the most telling first.
    pub(crate) telling_paths: Vec<String>,
    cached: RefCell<Vec<(Field, FieldCache)>>,
}

/// The lookups of one field, by term.
type FieldCache = HashMap<Box<[u8]>, Rc<TermPostings>>;

impl<'a> TermCache<'a> {
    /// Prepares for a query.
    pub(crate) fn for_query(snapshot: &'a LexicalSnapshot, understood: &Understood) -> Self {
        let (terms, names) = (terms(&understood.text), names(understood));
        let phrase = names::phrase_key(understood.wording());
        let path = path(understood);
        Self {
            snapshot,
            terms,
            names,
            suggestions: SpellingSuggestions::default(),
            phrase,
            path,
            telling_paths: understood.telling_paths.clone(),
            cached: RefCell::default(),
        }
    }

    /// Prepares for lookups without a query.
    pub(crate) fn without_query(snapshot: &'a LexicalSnapshot) -> Self {
        let (terms, names, suggestions) = (Vec::new(), Vec::new(), SpellingSuggestions::default());
        Self {
            snapshot,
            terms,
            names,
            suggestions,
            phrase: None,
            path: None,
            telling_paths: Vec::new(),
            cached: RefCell::default(),
        }
    }

    /// [`LexicalSnapshot::look_up`], cached.
    pub(crate) fn look_up(&self, field: Field, term: &[u8]) -> Result<Rc<TermPostings>, TantivyError> {
        let mut cached = self.cached.borrow_mut();
        let place = cached.iter().position(|(of, _)| *of == field).unwrap_or_else(|| {
            cached.push((field, FieldCache::new()));
            cached.len() - 1
        });
        let of_field = &mut cached[place].1;
        if let Some(found) = of_field.get(term) {
            return Ok(Rc::clone(found));
        }
        let found = Rc::new(self.snapshot.look_up(field, term)?);
        of_field.insert(term.into(), Rc::clone(&found));
        Ok(found)
    }

    /// The field that has the names that begin with this one, and their prefix in it; `None` if the name is too short.
    pub(crate) fn prefix_of_names(&self, name: &str) -> Option<(Field, String)> {
        let fields = &self.snapshot.fields;
        let (field, prefix) = if names::is_cut_at_a_word(name) {
            (fields.name, name.to_owned())
        } else {
            (fields.folded_name, fold_name(name))
        };
        (prefix.len() >= MIN_PREFIX_BYTES).then_some((field, prefix))
    }

    /// [`look_up`](Self::look_up) for each of [`LexicalSnapshot::keys_with_prefix`].
    pub(crate) fn look_up_prefix(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<Rc<TermPostings>>, TantivyError> {
        self.snapshot.keys_with_prefix(field, prefix, limit)?.iter().map(|key| self.look_up(field, key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use recall_core::understand;
    use recall_text::words::Piece;

    use super::*;

    #[test]
    fn stop_words_are_left_out_unless_nothing_remains() {
        for (text, expected) in [
            ("how are the sessions stored", "session store"),
            ("what is this", "what is this"),
            ("open open OPEN", "open"),
            ("to_string", "to_string string"),
            ("退款 API", "退款 api"),
            ("锁超时", "锁超 超时"),
            ("锁", "锁"),
            ("Café", "café cafe"),
            ("thé", "thé"),
            ("", ""),
            ("(((", ""),
        ] {
            assert_eq!(terms(text).join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn an_unknown_pair_between_known_pairs_spans_two_words() {
        let check = |query: &str, unknown: &[&str], expected: &[&str]| {
            let terms = terms(query);
            let spanning = spanning(&terms, |at| !unknown.contains(&terms[at].as_str()));
            let found: Vec<&str> =
                terms.iter().zip(spanning).filter(|(_, spans)| *spans).map(|(term, _)| term.as_str()).collect();
            assert_eq!(found, expected, "{query}");
        };
        check("退款怎么办", &["款怎"], &["款怎"]);
        check("退款怎么办", &["款怎", "怎么"], &[]);
        check("退款", &["退款"], &[]);
        check("珊瑚协议", &["珊瑚", "瑚协"], &[]);
        check("open 退款 file", &["退款"], &[]);
        check("open closed file", &["closed"], &[]);
    }

    fn indexed(text: &str) -> HashSet<String> {
        let mut indexed = HashSet::new();
        Analysis::for_documents().each(text, |term| {
            indexed.insert(term.indexed.to_owned());
        });
        indexed
    }

    proptest::proptest! {
        #[test]
        fn a_part_of_a_text_that_is_a_word_has_only_terms_of_the_text(
            text in "([a-zA-Z_]{0,6}|[äéßёςω]{1,4}|e\u{301}|[一-倐あ-ぐ]{1,8}|[\u{e01}-\u{e4e}]{1,8}|[가-갠]{1,5}|[\u{1780}-\u{17d2}]{1,8}|[ 、ｱ-ﾟＡ-Ｅ]){0,8}",
            (from, length) in (0_usize..12, 1_usize..6),
        ) {
            let known = indexed(&text);
            let text = normalize_text(&text);
            for piece in recall_text::words::runs(&text).flat_map(recall_text::words::pieces) {
                let word = match piece {
                    Piece::Spaced(word) => word.to_owned(),
                    Piece::Unspaced(run) => letters(run).skip(from).take(length).collect(),
                };
                for term in terms(&word) {
                    proptest::prop_assert!(known.contains(&term), "{term} of {word} in {text}");
                }
            }
        }
    }

    #[test]
    fn a_long_query_has_its_first_terms() {
        let text: String = (0..1000).fold(String::new(), |text, number| text + &format!("w{number} "));
        let terms = terms(&text);
        assert_eq!((terms.len(), terms[63].as_str()), (64, "w63"));
    }

    #[test]
    fn telling_terms_are_all_terms_without_stop_words() {
        assert_eq!(
            telling_terms("How are the `retry_policies` stored?").join(" "),
            "retry_policies retri polici store"
        );
        assert_eq!(telling_terms("what is this, it's v1"), [""; 0]);
        assert_eq!(telling_terms("锁超时"), ["锁超", "超时"]);
        let long: String = (100..1100).fold(String::new(), |text, number| text + &format!("w{number} "));
        assert_eq!(telling_terms(&long).len(), 1000);
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
