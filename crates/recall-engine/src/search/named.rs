//! Definitions that a question names in its own way: a member of a type by both names, as in "method `read` of `Reader`", and a name by its
//! words, as in "the read frame function".
//!
//! The index has these definitions as `Reader.read` and `read_frame`. By words, the type itself and whatever has the words of the name
//! come first.

use recall_core::{Case, ChunkRow, DocumentRow, Understood};
use recall_index::lexical::Searcher;
use recall_index::lexical::exact::Pattern;
use recall_text::words::{Piece, is_stop_word, pieces, runs};
use recall_text::{FileKind, looks_like_identifier};

use super::prior::is_in_tests;
use crate::error::StoreError;
use crate::occurrences::chunks_with;
use crate::store::Store;

/// The most words of a question. A longer one is about more than a member.
const MOST_QUESTION_WORDS: usize = 12;

/// The most members of a question that are looked up.
const MOST_MEMBERS: usize = 16;

/// The most words from a member to its type: "the `read` method of the class `Reader`".
const MOST_WORDS_AWAY: usize = 6;

/// The most names of a query that are looked up.
const MOST_NAMES: usize = 3;

/// The most definitions of a member that are put first.
const MOST_DEFINITIONS: usize = 5;

/// The most bytes of texts that are read for a word. One that needs more counts as an ordinary word.
const MOST_READ_BYTES: usize = 4 << 20;

/// The definitions that a query names.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Those that the query asks for.
    pub(super) first: Vec<(DocumentRow, ChunkRow)>,
    /// Members of types whose two names the query has, next to other words. Where the file of one is an answer, it is the passage.
    pub(super) passages: Vec<(DocumentRow, ChunkRow)>,
}

/// Returns the definitions of the members of types, and of the names in words, that a query names, with their documents.
///
/// # Errors
/// The index cannot be read.
pub(super) fn find_named(store: &Store, searcher: &Searcher, understood: &Understood) -> Result<Named, StoreError> {
    let mut named = Named::default();
    if understood.report.is_none() {
        for member in members(understood.wording(), understood.original.is_none()) {
            let defined = searcher.defining(&member.name, MOST_DEFINITIONS);
            let defined = defined.map_err(|source| store.index.search_error(source))?;
            let places = if member.is_asked_for { &mut named.first } else { &mut named.passages };
            places.extend(defined.into_iter().map(|one| (one.document, one.chunk)));
        }
        if named.first.is_empty() {
            named.first = find_joined_differently(store, searcher, understood)?;
        }
        if named.first.is_empty() {
            named.first = find_name_in_words(store, searcher, understood.in_english())?;
        }
    }
    Ok(named)
}

/// Returns the definitions of the first name of a query that something is called if its words are joined in another way: `parse_tokens` for
/// "what does parseTokens do" and "where is parsetokens defined". Empty if something is called as one of the names is written, or a text has it:
/// the question is about that.
fn find_joined_differently(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let failed = |source| store.index.search_error(source);
    if !understood.phrases.is_empty() || understood.text.split_whitespace().count() > MOST_QUESTION_WORDS {
        return Ok(Vec::new());
    }
    let names: Vec<&String> = understood.identifiers.iter().take(MOST_NAMES).collect();
    for name in &names {
        let is_written = !searcher.defining(name, 1).map_err(failed)?.is_empty()
            || !searcher.mentioning(name, 1).map_err(failed)?.is_empty();
        if is_written {
            return Ok(Vec::new());
        }
    }
    let words = understood.text.split(|c: char| !c.is_alphanumeric()).filter(|word| may_be_joined(word));
    for name in names.into_iter().map(String::as_str).chain(words) {
        let defined = searcher.defining_however_written(name, MOST_DEFINITIONS + 1).map_err(failed)?;
        let is_one_name = (1..=MOST_DEFINITIONS).contains(&defined.len());
        if is_one_name && (!may_be_joined(name) || is_in_no_text(store, name)?) {
            return Ok(defined.into_iter().map(|one| (one.document, one.chunk)).collect());
        }
    }
    Ok(Vec::new())
}

/// The fewest characters of a word that may be the joined words of a name.
const MIN_JOINED_CHARS: usize = 6;

/// Whether a word may be the words of a name, joined and in small letters.
fn may_be_joined(word: &str) -> bool {
    word.chars().count() >= MIN_JOINED_CHARS && word.chars().all(|c| c.is_lowercase() || c.is_numeric())
}

/// Whether no text has a word in this case, as those with an ordinary word do.
fn is_in_no_text(store: &Store, word: &str) -> Result<bool, StoreError> {
    let Ok(pattern) = Pattern::word(word, Case::Sensitive) else { return Ok(false) };
    let found = chunks_with(store, &pattern, 0, MOST_READ_BYTES)?;
    Ok(found.is_some_and(|places| places.is_empty()))
}

/// Returns the only definition whose name has the words of a text and no others. Tests are left out: their names are sentences about the code
/// that is meant.
fn find_name_of_text(
    store: &Store,
    searcher: &Searcher,
    text: &str,
) -> Result<Option<(DocumentRow, ChunkRow)>, StoreError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_plain = |word: &&str| word.chars().all(char::is_alphanumeric);
    if !(2..=MOST_NAME_WORDS).contains(&words.len()) || !words.iter().all(is_plain) {
        return Ok(None);
    }
    let defined = searcher.defining_however_written(&words.concat(), 2);
    let [only] = &defined.map_err(|source| store.index.search_error(source))?[..] else { return Ok(None) };
    let is_test = store.index.read(|snapshot| {
        let stored = snapshot.document_with_run(only.document)?;
        let is_test_file = stored.is_some_and(|(stored, _)| stored.document.file_kind == FileKind::Test);
        Ok(is_test_file || snapshot.chunk_symbol(only.chunk)?.as_deref().is_some_and(is_in_tests))
    })?;
    Ok((!is_test).then_some((only.document, only.chunk)))
}

/// Returns the definitions of the longest name that is defined and that a text has in words.
fn find_name_in_words(
    store: &Store,
    searcher: &Searcher,
    text: &str,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    if let Some(only) = find_name_of_text(store, searcher, text)? {
        return Ok(vec![only]);
    }
    for name in names_in_words(text) {
        let defined = searcher.defining_however_written(&name.concat(), MOST_DEFINITIONS + 1);
        let defined = defined.map_err(|source| store.index.search_error(source))?;
        let found: Vec<(DocumentRow, ChunkRow)> = defined.into_iter().map(|one| (one.document, one.chunk)).collect();
        if found.len() > MOST_DEFINITIONS {
            // A name with so many definitions does not tell which one is meant.
            return Ok(Vec::new());
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Words for what has a name, next to which a question has the name in words.
const NAMED_KINDS: &str = "function method class struct trait interface enum macro constant type";

/// The most words of a name.
const MOST_NAME_WORDS: usize = 6;

/// Returns the names of several words that a text has before or after a word such as *function*, the longest first.
fn names_in_words(text: &str) -> Vec<Vec<&str>> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let is_plain = |word: &&str| !word.is_empty() && word.chars().all(char::is_alphanumeric);
    let is_kind = |word: &str| NAMED_KINDS.split(' ').any(|kind| word.eq_ignore_ascii_case(kind));
    let mut names = Vec::new();
    if words.len() > MOST_QUESTION_WORDS {
        return names;
    }
    for place in (0..words.len()).filter(|&place| is_kind(words[place])) {
        let before = words[..place].iter().rev().take_while(|word| is_plain(word)).take(MOST_NAME_WORDS).count();
        let after = words[place + 1..].iter().take_while(|word| is_plain(word)).take(MOST_NAME_WORDS).count();
        names.extend((2..=before).map(|count| words[place - count..place].to_vec()));
        names.extend((2..=after).map(|count| words[place + 1..=place + count].to_vec()));
    }
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names
}

/// The words between a member and its type.
const BETWEEN: [&str; 4] = ["of", "in", "on", "from"];

/// A member of a type that a question may name.
struct Member {
    /// With its scope: `Reader.read`.
    name: String,
    /// Whether the question can hardly be about something else, if there is such a member.
    is_asked_for: bool,
}

/// Returns the members of types that a text may name, the nearest words first: `Reader.read` for "method `read` of the class `Reader`", and
/// `Reader.read_all` for "`Reader` の `read_all` はどこ".
///
/// In English a plain word is asked for as a member only next to its type and nothing else, and before a word such as *of*: "does Reader read
/// lines" is about what a reader does. Other languages have many ways to say it, and the words of their questions are rarely those of members.
fn members(text: &str, is_english: bool) -> Vec<Member> {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !word.contains(['/', '\\']))
        .flat_map(runs)
        .flat_map(pieces)
        .filter_map(|piece| match piece {
            Piece::Spaced(word) => Some(word),
            Piece::Unspaced(_) => None,
        })
        .collect();
    // A line of code has its own names.
    if words.len() > MOST_QUESTION_WORDS || text.contains(['(', '{', '=', ';']) {
        return Vec::new();
    }
    let is_type = |word: &str| word.starts_with(char::is_uppercase) || looks_like_identifier(word);
    let mut members: Vec<(usize, Member)> = Vec::new();
    for (place, owner) in words.iter().enumerate().filter(|(_, word)| is_type(word)) {
        for (other, member) in words.iter().enumerate().filter(|&(other, _)| other != place) {
            let is_asked_for = !is_english
                || words.len() == 2
                || looks_like_identifier(member)
                || words[other..].iter().take(place.saturating_sub(other)).any(|word| BETWEEN.contains(word));
            let distance = other.abs_diff(place);
            if distance <= MOST_WORDS_AWAY && !is_stop_word(member) && member != owner {
                members.push((distance, Member { name: format!("{owner}.{member}"), is_asked_for }));
            }
        }
    }
    members.sort_by_key(|(distance, _)| *distance);
    members.into_iter().map(|(_, member)| member).take(MOST_MEMBERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_words_are_next_to_a_word_for_what_they_name() {
        let check = |text: &str, expected: &[&str]| {
            let names: Vec<String> = names_in_words(text).into_iter().map(|name| name.join("_")).collect();
            assert_eq!(names, expected, "{text}");
        };
        check("the add command function", &["the_add_command", "add_command"]);
        check(
            "where is class frame reader in it?",
            &["frame_reader_in_it", "frame_reader_in", "where_is", "frame_reader"],
        );
        check("add command", &[]);
        check("how are commands added", &[]);
    }

    #[test]
    fn members_of_types_are_read_in_any_language() {
        let is_asked_for = |text: &str, name: &str| {
            members(text, text.is_ascii()).iter().find(|known| known.name == name).map(|known| known.is_asked_for)
        };
        for (text, member) in [
            ("method read of Reader", "Reader.read"),
            ("the `read` method of the class `Reader`?", "Reader.read"),
            ("where is __init__ in base_reader", "base_reader.__init__"),
            ("why does Reader fail in read_all", "Reader.read_all"),
            ("Reader read", "Reader.read"),
            ("Readerのread_allはどこ", "Reader.read_all"),
            ("Reader 的 read 方法在哪里", "Reader.read"),
            ("où est la méthode read de Reader", "Reader.read"),
            ("где метод read класса Reader", "Reader.read"),
        ] {
            assert_eq!(is_asked_for(text, member), Some(true), "{text}");
        }
        assert_eq!(is_asked_for("does Reader read lines", "Reader.read"), Some(false), "what a reader does");
        assert_eq!(is_asked_for("what is in Reader", "Reader.is"), None, "a stop word");
        assert!(members("the end of the file", true).is_empty(), "no type");
    }
}
