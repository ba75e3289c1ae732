//! Names and paths that are spelled nearly like the query, for a query that nothing is called by.

use tantivy::TantivyError;
use tantivy::Term;
use tantivy::query::{DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy_fst::Automaton;

use crate::look_ups::LookUps;
use crate::names::{SCOPE, written_as_symbol};
use crate::snapshot::Snapshot;

/// The fewest characters of a word that is taken to be misspelled: shorter words are near too many names.
const FEWEST_CHARS: usize = 4;

/// The fewest characters of a word that may differ in two places.
const FEWEST_CHARS_OF_TWO: usize = 8;

/// The longest word that is compared, in bytes. The automaton of a longer one takes longer than the search.
const MOST_BYTES: usize = 64;

/// The most names and the most paths that are told. More are no help to whoever mistyped one.
const MOST: usize = 8;

/// What is spelled nearly like a query, as it is written in the store: names of definitions, and ends of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NearSpellings {
    /// Names of definitions, without scopes.
    pub names: Vec<String>,
    /// Ends of paths, in lower case.
    pub paths: Vec<String>,
}

impl NearSpellings {
    /// Whether nothing is spelled nearly like the query.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }
}

/// The names and paths nearest to a query of one word, by edit distance: an edit inserts, removes or replaces a character, or
/// exchanges two neighbours. Only the nearest are told: with one edit, or where there are none, with two.
///
/// Nothing is near a query that something is called by, that begins a name, or that a text holds as a word.
pub(super) fn find(look_ups: &LookUps<'_>, text: &str) -> Result<NearSpellings, TantivyError> {
    let Some(word) = one_word(text) else { return Ok(NearSpellings::default()) };
    if is_known(look_ups, word)? {
        return Ok(NearSpellings::default());
    }
    let snapshot = look_ups.snapshot;
    let fields = &snapshot.fields;
    let symbol = written_as_symbol(word).to_lowercase();
    let last = symbol.rsplit_once(SCOPE).map_or(symbol.as_str(), |(_, last)| last);
    let path = path_of(word);
    let most_edits = if word.chars().count() < FEWEST_CHARS_OF_TWO { 1 } else { 2 };
    for edits in 1..=most_edits {
        let names = if word.contains(['/', '.']) { Vec::new() } else { near(snapshot, fields.name, last, edits)? };
        let paths = near(snapshot, fields.path_end, &path, edits)?;
        let stems = if names.is_empty() && paths.is_empty() && !word.contains('/') {
            near(snapshot, fields.stem, &path, edits)?
        } else {
            Vec::new()
        };
        let found = NearSpellings { names: [names, stems].concat(), paths };
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(NearSpellings::default())
}

/// The query, if it is a word that is worth comparing.
fn one_word(text: &str) -> Option<&str> {
    let word = text.trim().trim_end_matches("()");
    let is_one = !word.contains(char::is_whitespace) && word.len() <= MOST_BYTES;
    (is_one && word.chars().filter(|c| c.is_alphanumeric()).count() >= FEWEST_CHARS).then_some(word)
}

/// How the ends of paths are written.
pub(super) fn path_of(word: &str) -> String {
    word.trim_start_matches("./").trim_start_matches('/').to_lowercase()
}

/// Whether something is called so, or begins so, or whether a text holds the word.
fn is_known(look_ups: &LookUps<'_>, word: &str) -> Result<bool, TantivyError> {
    let fields = &look_ups.snapshot.fields;
    let is_there = |field, key: &str| Ok::<_, TantivyError>(look_ups.look_up(field, key.as_bytes())?.chunks > 0);
    let symbol = written_as_symbol(word).to_lowercase();
    let last = symbol.rsplit_once(SCOPE).map_or(symbol.as_str(), |(_, last)| last);
    if is_there(fields.folded_name, last)?
        || is_there(fields.path_end, &path_of(word))?
        || is_there(fields.stem, last)?
        || !look_ups.look_up_from(fields.folded_name, last, 1)?.is_empty()
    {
        return Ok(true);
    }
    // The first term of a word is the whole of it.
    match look_ups.terms.first() {
        Some(whole) if !word.contains(['/', '.']) => is_there(fields.body, whole),
        _ => Ok(false),
    }
}

/// The keys of a field within so many edits of a word in lower case, the shortest first.
fn near(snapshot: &Snapshot, field: Field, word: &str, edits: u8) -> Result<Vec<String>, TantivyError> {
    let mut keys: Vec<String> = Vec::new();
    for segment in &snapshot.segments {
        let query = FuzzyTermQuery::new(Term::from_field_text(field, word), edits, true);
        let mut stream = segment.inverted(field).terms().search(IgnoringCase(query.automaton()?)).into_stream()?;
        while stream.advance() {
            if let Ok(key) = std::str::from_utf8(stream.key())
                && !keys.iter().any(|known| known == key)
            {
                keys.push(key.to_owned());
            }
        }
    }
    keys.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    keys.truncate(MOST);
    Ok(keys)
}

/// Reads keys as if they were written in lower case. Letters beyond ASCII keep their case.
struct IgnoringCase(DfaWrapper);

impl Automaton for IgnoringCase {
    type State = <DfaWrapper as Automaton>::State;

    fn start(&self) -> Self::State {
        self.0.start()
    }

    fn is_match(&self, state: &Self::State) -> bool {
        self.0.is_match(state)
    }

    fn can_match(&self, state: &Self::State) -> bool {
        self.0.can_match(state)
    }

    fn accept(&self, state: &Self::State, byte: u8) -> Self::State {
        self.0.accept(state, byte.to_ascii_lowercase())
    }
}
