//! Members of types that a question names by both names: "method `read` of `Reader`".
//!
//! The index has the definition as `Reader.read`. By words, the type itself and whatever has the name of the member come first.

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

/// Returns the definitions of the members of types that a query names, with their documents.
///
/// # Errors
/// The index cannot be read.
pub(super) fn find_members(
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
    }
    Ok(found)
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
