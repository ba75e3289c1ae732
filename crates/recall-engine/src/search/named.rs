//! Definitions that a question names in its own way: a member of a type by both names, as in "method `read` of `Reader`", and a name by its
//! words, as in "the read frame function".
//!
//! The index has these definitions as `Reader.read` and `read_frame`. By words, the type itself and whatever has the words of the name
//! come first.

use recall_core::{ChunkRow, DocumentRow, Understood};
use recall_index::lexical::Searcher;
use recall_text::looks_like_identifier;
use recall_text::words::is_stop_word;

use crate::error::StoreError;
use crate::store::Store;

/// The most words of a question. A longer one is about more than a member.
const MOST_QUESTION_WORDS: usize = 12;

/// The most members of a question that are looked up.
const MOST_MEMBERS: usize = 3;

/// The most definitions of a member that are put first.
const MOST_DEFINITIONS: usize = 5;

/// Returns the definitions of the members of types, and of the names in words, that a query names, with their documents.
///
/// # Errors
/// The index cannot be read.
pub(super) fn find_named(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let mut found = Vec::new();
    if understood.report.is_none() {
        for member in members(&understood.text) {
            let defined = searcher.defining(&member, MOST_DEFINITIONS);
            let defined = defined.map_err(|source| store.index.search_error(source))?;
            found.extend(defined.into_iter().map(|one| (one.document, one.chunk)));
        }
        if found.is_empty() {
            found = find_name_in_words(store, searcher, &understood.text)?;
        }
    }
    Ok(found)
}

/// Returns the definitions of the longest name that is defined and that a text has in words.
fn find_name_in_words(
    store: &Store,
    searcher: &Searcher,
    text: &str,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    for name in names_in_words(text) {
        let mut found: Vec<(DocumentRow, ChunkRow)> = Vec::new();
        for spelling in [name.join("_"), name.concat()] {
            let defined = searcher.defining_in_any_case(&spelling, MOST_DEFINITIONS + 1);
            let defined = defined.map_err(|source| store.index.search_error(source))?;
            found.extend(defined.into_iter().map(|one| (one.document, one.chunk)));
        }
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

/// What kind of thing a member of a type, and a type, is called.
const MEMBERS: &str = "method methods function field attribute property constructor member";
const TYPES: &str = "class struct type trait interface module enum object the a an";

/// Returns the members of types that a text names, with their scope: `Reader.read` for "method `read` of the class `Reader`", "`read` of
/// `Reader`" and "the `read` method of `Reader`".
fn members(text: &str) -> Vec<String> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c| !is_of_name(c)))
        .filter(|word| !word.is_empty())
        .collect();
    let is_among = |word: &str, set: &str| set.split_whitespace().any(|known| word.eq_ignore_ascii_case(known));
    let is_type = |word: &str| word.starts_with(char::is_uppercase) || looks_like_identifier(word);
    let mut members = Vec::new();
    if words.len() > MOST_QUESTION_WORDS {
        return members;
    }
    for (place, word) in words.iter().enumerate() {
        if !is_among(word, "of in on from") {
            continue;
        }
        let member = words[..place].iter().rev().find(|word| !is_among(word, MEMBERS));
        let owner = words[place + 1..].iter().find(|word| !is_among(word, TYPES));
        if let (Some(member), Some(owner)) = (member, owner.filter(|owner| is_type(owner)))
            && !is_stop_word(member)
        {
            members.push(format!("{owner}.{member}"));
        }
    }
    members.truncate(MOST_MEMBERS);
    members
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
        check("where is class frame reader?", &["where_is", "frame_reader"]);
        check("how are commands added", &[]);
    }

    #[test]
    fn members_of_types_are_read() {
        let check = |text: &str, expected: &[&str]| assert_eq!(members(text), expected, "{text}");
        check("method read of Reader", &["Reader.read"]);
        check("the `read` method of the class `Reader`?", &["Reader.read"]);
        check("where is __init__ in base_reader", &["base_reader.__init__"]);
        check("the end of the file", &[]);
        check("an attribute # in Reader", &[]);
        check("what is in Reader", &[]);
    }
}
