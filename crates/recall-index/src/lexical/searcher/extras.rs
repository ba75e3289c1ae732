//! What a searcher says about a query besides its hits: facets, which are counts of the matching documents by type, language,
//! directory and tag; and spelling suggestions, names and paths within a small edit distance of a query that names nothing.

use std::collections::BTreeMap;

use recall_core::Understood;
use recall_text::words::unspaced_letters;
use recall_text::{fold_case, normalize_text};
use tantivy::query::{DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy::{TantivyError, Term};
use tantivy_fst::Automaton;

use crate::lexical::entries::Entries;
use crate::lexical::filter::DocFilter;
use crate::lexical::names::{SCOPE, fold_name, written_as_symbol};
use crate::lexical::query_terms::{SpellingSuggestions, TermCache, terms};
use crate::lexical::snapshot::{LexicalSnapshot, Segment};

/// The fewest characters of a word that may be misspelled. Shorter words are near too many names.
const MIN_CHARS: usize = 4;

/// The fewest characters of a word that may contain two edits.
const MIN_CHARS_FOR_TWO_EDITS: usize = 8;

/// The longest word compared, in bytes. Building the automaton of a longer one takes longer than the search.
const MAX_BYTES: usize = 64;

/// The most letters that are missing at the end of a name that was cut off by a slip. More are an abbreviation.
const MAX_MISSING_BYTES: usize = 2;

/// The fewest bytes of a name that was cut off. Shorter words are the beginning of too many.
const MIN_BYTES_CUT_OFF: usize = 5;

/// The most names that begin with a word that are looked at.
const MAX_COMPLETIONS: usize = 64;

/// The most names, and the most paths, that are returned.
pub(crate) const MAX_SUGGESTIONS: usize = 8;

/// Finds the names and paths nearest to a query of one word, or the names nearest to the first unknown name of a question, by edit
/// distance. An edit inserts, removes or replaces a character, or swaps two adjacent ones. Returns those at distance one, or if there are
/// none, at distance two.
///
/// Returns nothing for a known name or path, or a word of some text. The beginning of names is known too, unless a few letters complete
/// it: then these names are suggested, since a name that lacks its end is a slip.
pub(super) fn suggest(
    term_cache: &TermCache<'_>,
    understood: &Understood,
) -> Result<SpellingSuggestions, TantivyError> {
    if let Some(word) = one_word(&understood.text) {
        return near_spellings(term_cache, word);
    }
    for name in understood.identifiers.iter().take(MAX_NAMES).filter_map(|name| one_word(name)) {
        // A word with a scope or a dot may be of another project.
        if name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            let SpellingSuggestions { names, .. } = near_spellings(term_cache, name)?;
            if !names.is_empty() {
                return Ok(SpellingSuggestions { names, paths: Vec::new() });
            }
        }
    }
    Ok(SpellingSuggestions::default())
}

/// The most names of a question that are compared.
const MAX_NAMES: usize = 3;

/// Finds the names and paths nearest to a word.
fn near_spellings(term_cache: &TermCache<'_>, word: &str) -> Result<SpellingSuggestions, TantivyError> {
    let snapshot = term_cache.snapshot;
    let fields = &snapshot.fields;
    // Names are compared as written, in any case.
    let symbol = written_as_symbol(&normalize_text(word)).to_lowercase();
    let last = symbol.rsplit_once(SCOPE).map_or(symbol.as_str(), |(_, last)| last);
    let folded = fold_name(last);
    let completions = snapshot.keys_with_prefix(fields.folded_name, &folded, MAX_COMPLETIONS)?;
    let is_completed = |key: &Vec<u8>| key.len() <= folded.len() + MAX_MISSING_BYTES;
    let is_cut_off = last.len() >= MIN_BYTES_CUT_OFF && completions.iter().any(is_completed);
    if is_known(term_cache, word, is_cut_off)? || (!completions.is_empty() && !is_cut_off) {
        return Ok(SpellingSuggestions::default());
    }
    let path = path_of(word);
    let most_edits = if word.chars().count() < MIN_CHARS_FOR_TWO_EDITS { 1 } else { 2 };
    for edits in 1..=most_edits {
        let names =
            if word.contains(['/', '.']) { Vec::new() } else { within_edits(snapshot, fields.name, last, edits)? };
        let paths = within_edits(snapshot, fields.path_end, &path, edits)?;
        let stems = if names.is_empty() && paths.is_empty() && !word.contains('/') {
            within_edits(snapshot, fields.stem, &path, edits)?
        } else {
            Vec::new()
        };
        let found = SpellingSuggestions { names: [names, stems].concat(), paths };
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(SpellingSuggestions::default())
}

/// The query, if it is a single word worth comparing.
pub(crate) fn one_word(text: &str) -> Option<&str> {
    let word = text.trim().trim_end_matches("()");
    let is_one = !word.contains(char::is_whitespace) && word.len() <= MAX_BYTES;
    (is_one && word.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_CHARS).then_some(word)
}

/// A path in the form of the field of path ends: folded.
pub(crate) fn path_of(word: &str) -> String {
    fold_case(word).trim_start_matches("./").trim_start_matches('/').to_owned()
}

/// Whether the word is a name or path, or a word of some text. A word that a letter or two complete to a name may be the stem of
/// that name, and then the terms of texts do not tell whether it occurs.
pub(super) fn is_known(term_cache: &TermCache<'_>, word: &str, is_cut_off: bool) -> Result<bool, TantivyError> {
    let fields = &term_cache.snapshot.fields;
    let is_there = |field, key: &str| Ok::<_, TantivyError>(term_cache.look_up(field, key.as_bytes())?.chunks > 0);
    let symbol = written_as_symbol(&fold_case(word));
    let last = symbol.rsplit_once(SCOPE).map_or(symbol.as_str(), |(_, last)| last);
    if is_there(fields.folded_name, &fold_name(last))?
        || is_there(fields.path_end, &path_of(word))?
        || is_there(fields.stem, last)?
    {
        return Ok(true);
    }
    if is_cut_off {
        return Ok(false);
    }
    if word.contains(['/', '.']) {
        return Ok(false);
    }
    // The first term of a word is the whole word, unless its script has no spaces.
    let terms = terms(word);
    let whole = if unspaced_letters(word) == 0 { 1 } else { terms.len() };
    for term in terms.iter().take(whole) {
        if !is_there(fields.body, term)? {
            return Ok(false);
        }
    }
    Ok(!terms.is_empty())
}

/// The keys of a field within `edits` edits of a lower-case word, the shortest first.
fn within_edits(snapshot: &LexicalSnapshot, field: Field, word: &str, edits: u8) -> Result<Vec<String>, TantivyError> {
    let mut keys: Vec<String> = Vec::new();
    for segment in &snapshot.segments {
        let query = FuzzyTermQuery::new(Term::from_field_text(field, word), edits, true);
        let mut stream =
            segment.inverted_index(field).terms().search(IgnoringCase(query.automaton()?)).into_stream()?;
        while stream.advance() {
            if let Ok(key) = std::str::from_utf8(stream.key())
                && !keys.iter().any(|known| known == key)
            {
                keys.push(key.to_owned());
            }
        }
    }
    keys.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    keys.truncate(MAX_SUGGESTIONS);
    Ok(keys)
}

/// An automaton that reads keys in lower case. Only ASCII letters are converted.
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

/// The number of leading directory names that form a value. Deeper directories split the documents too finely to narrow
/// a search.
const DIRECTORY_NAMES: usize = 2;

/// The number of documents that contain a word of a query, by value of each facet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// By document type.
    pub types: BTreeMap<String, u64>,
    /// By language, if it was recognised.
    pub languages: BTreeMap<String, u64>,
    /// By directory: the first two components of the path, or `.` for the root.
    pub directories: BTreeMap<String, u64>,
    /// By tag; a document with several tags counts for each.
    pub tags: BTreeMap<String, u64>,
}

/// Counts the documents of a snapshot that pass the filters and contain a term in any scored field.
///
/// Costs one pass over the postings of the terms, and of every type, language, tag and path.
pub(super) fn count_facets(
    snapshot: &LexicalSnapshot,
    doc_filters: &[DocFilter<'_>],
    understood: &Understood,
) -> Result<Facets, TantivyError> {
    let fields = &snapshot.fields;
    let terms = terms(&understood.text);
    let mut facets = Facets::default();
    for (segment, doc_filter) in snapshot.segments.iter().zip(doc_filters) {
        let mut matched = Entries::none(segment.entries());
        for term in &terms {
            for field in [fields.body, fields.symbol, fields.path, fields.comment, fields.tag_words] {
                segment.each_with(field, term.as_bytes(), |entry| {
                    if doc_filter.passes(entry) {
                        matched.insert(entry);
                    }
                })?;
            }
        }
        let documents = first_of_each(segment, &matched);
        if documents.len() == 0 {
            continue;
        }
        by_key(segment, fields.document_type, &documents, &mut facets.types)?;
        by_key(segment, fields.language, &documents, &mut facets.languages)?;
        by_key(segment, fields.tag, &documents, &mut facets.tags)?;
        for (path, info) in segment.paths_with_prefix(fields.path_raw, "")? {
            let count = segment.count_in(fields.path_raw, info, &documents)?;
            if count > 0 {
                *facets.directories.entry(directory(path)).or_default() += count;
            }
        }
    }
    Ok(facets)
}

/// The first matching entry of each document. All entries of a document are adjacent in one segment.
fn first_of_each(segment: &Segment, matched: &Entries) -> Entries {
    let mut first_entries = Entries::none(segment.entries());
    let mut last = None;
    for entry in matched.iter() {
        let document = Some(segment.document_row(entry));
        if document != last {
            first_entries.insert(entry);
            last = document;
        }
    }
    first_entries
}

/// Counts the documents with each key of a field.
fn by_key(
    segment: &Segment,
    field: Field,
    documents: &Entries,
    counts: &mut BTreeMap<String, u64>,
) -> Result<(), TantivyError> {
    let mut keys = segment.inverted_index(field).terms().stream()?;
    while keys.advance() {
        let count = segment.count_in(field, keys.value(), documents)?;
        if count > 0 {
            *counts.entry(String::from_utf8_lossy(keys.key()).into_owned()).or_default() += count;
        }
    }
    Ok(())
}

fn directory(path: &str) -> String {
    let names: Vec<&str> = path.split('/').collect();
    match &names[..names.len() - 1] {
        [] => ".".to_owned(),
        above => above[..above.len().min(DIRECTORY_NAMES)].join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::directory;

    #[test]
    fn a_directory_is_its_first_two_components() {
        for (path, expected) in [
            ("README.md", "."),
            ("src/lib.rs", "src"),
            ("crates/core/lib.rs", "crates/core"),
            ("crates/core/src/deep/lib.rs", "crates/core"),
        ] {
            assert_eq!(directory(path), expected, "{path}");
        }
    }
}
