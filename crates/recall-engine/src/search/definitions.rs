//! The definition of the name that a question is about and nothing else: "where is `ROUTING_RESULTS` declared", "what does `read_all` do".
//!
//! The type `RoutingResults` has the same words as `ROUTING_RESULTS`. The one that is spelled as in the question is meant.

use recall_core::{ChunkRow, DocumentRow, QueryClass, Understood};
use recall_index::lexical::Searcher;

use crate::error::StoreError;
use crate::store::Store;

/// The most words of such a question.
const MOST_WORDS: usize = 12;

/// The most definitions of a name that are put first.
const MOST_DEFINITIONS: usize = 5;

/// Returns the definitions of the name that a query is about, as it is written. Empty if the query has several names or words for anything else,
/// and if more than [`MOST_DEFINITIONS`] things are called so.
///
/// # Errors
/// The index cannot be read.
pub(super) fn find_definitions(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let is_question = understood.report.is_none();
    let Some(name) = asked_name(understood).or_else(|| full_name(understood)).filter(|_| is_question) else {
        return Ok(Vec::new());
    };
    // A package is not in the scopes of what it contains.
    for name in [Some(name), last_name(name)].into_iter().flatten() {
        let defined =
            searcher.defining(name, MOST_DEFINITIONS + 1).map_err(|source| store.index.search_error(source))?;
        if !defined.is_empty() {
            let is_one_name = defined.len() <= MOST_DEFINITIONS;
            return Ok(defined.into_iter().filter(|_| is_one_name).map(|one| (one.document, one.chunk)).collect());
        }
    }
    Ok(Vec::new())
}

/// What separates a package from the names in it.
const SEPARATORS: [char; 2] = ['.', '\\'];

/// Returns a query that is nothing but the full name of a type: `shop.Cart`, `Shop\Cart`.
fn full_name(understood: &Understood) -> Option<&str> {
    let name = understood.text.trim();
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$') || SEPARATORS.contains(&c);
    (understood.phrases.is_empty() && name.chars().all(is_of_name))
        .then_some(name)
        .filter(|name| last_name(name).is_some())
}

/// Returns the last part of the full name of a type.
fn last_name(name: &str) -> Option<&str> {
    let (package, last) = name.rsplit_once(SEPARATORS)?;
    (!package.is_empty() && last.starts_with(char::is_uppercase) && last.chars().all(char::is_alphanumeric))
        .then_some(last)
}

/// The fewest characters of the beginning of a name.
const MIN_BEGINNING_CHARS: usize = 5;

/// The most definitions of names that begin alike.
const MOST_BEGUN: usize = 8;

/// Returns the definitions of the names that begin with the word that a query is. Empty if something is called so or a text has the word, and if
/// more than [`MOST_BEGUN`] names begin so.
///
/// # Errors
/// The index cannot be read.
pub(super) fn find_begun(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let failed = |source| store.index.search_error(source);
    let word = understood.text.trim();
    let is_name = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_alone = understood.class == QueryClass::Symbol && understood.phrases.is_empty() && is_name(word);
    if !is_alone || word.chars().count() < MIN_BEGINNING_CHARS || searcher.knows(word).map_err(failed)? {
        return Ok(Vec::new());
    }
    let begun = searcher.defining_beginning_with(word, MOST_BEGUN + 1).map_err(failed)?;
    let are_few = begun.len() <= MOST_BEGUN;
    Ok(begun.into_iter().filter(|_| are_few).map(|one| (one.document, one.chunk)).collect())
}

/// Returns the name that a query is about and nothing else: a word with the form of a name, one in capitals, or any word if the query says that it
/// is defined.
fn asked_name(understood: &Understood) -> Option<&str> {
    let has_letters = |word: &&str| word.contains(char::is_alphanumeric);
    let words: Vec<&str> = understood.in_english().split_whitespace().filter(has_letters).collect();
    if !(2..=MOST_WORDS).contains(&words.len()) {
        return None;
    }
    let is_among = |word: &str, list: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        list.split(' ').any(|known| known == bare)
    };
    match &understood.identifiers[..] {
        [name] => {
            words.iter().all(|word| word.contains(name.as_str()) || is_among(word, FILLERS)).then_some(name.as_str())
        }
        [] => {
            let mut others = words.iter().filter(|word| !is_among(word, FILLERS));
            let (Some(word), None) = (others.next(), others.next()) else { return None };
            let name = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_in_capitals = name.chars().count() >= MIN_CAPITALS && name.chars().all(char::is_uppercase);
            let says_defined = words.iter().any(|word| is_among(word, DEFINED));
            (is_in_capitals || (says_defined && name.chars().all(char::is_alphanumeric))).then_some(name)
        }
        _ => None,
    }
}

/// The fewest letters of a word in capitals that is a name.
const MIN_CAPITALS: usize = 3;

/// Words that say that something is a definition.
const DEFINED: &str = "declared declares declaration defined defines definition";

/// Words that a question about a definition may have.
const FILLERS: &str = "a an and are assigned at build class code config configuration constant constructor constructors declaration declare \
    declared declares default define defined defines definition describe description do does enum explain field fields find for function get give go has have held hold holds how i \
    implement implementation implemented in initialised initialized interface is it located look macro me mean meaning means member \
    members method methods of on please properties property see set show signature source stand stands struct tell the there this to \
    trait type up value variable what what's where which work works";

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    #[test]
    fn the_full_name_of_a_type_has_its_name() {
        let check = |query: &str, expected: Option<&str>| {
            assert_eq!(full_name(&understand(query)).and_then(last_name), expected, "{query}");
        };
        check("shop.Cart", Some("Cart"));
        check(r"Shop\Cart", Some("Cart"));
        check("shop.cart", None);
        check("Cart", None);
        check("README.MD.txt", None);
        check("shop.Cart price", None);
    }

    #[test]
    fn a_question_may_be_about_a_name_and_nothing_else() {
        let check = |question: &str, expected: Option<&str>| {
            assert_eq!(asked_name(&understand(question)), expected, "{question}");
        };
        check("where is `READ_ALL` declared?", Some("READ_ALL"));
        check("what is the value of READ_ALL", Some("READ_ALL"));
        check("explain how ReadAll works", Some("ReadAll"));
        check("where is VERSION set", Some("VERSION"));
        check("where is carts declared?", Some("carts"));
        check("what is a cart", None);
        check("where are the carts of a shop defined", None);
        check("what are the possible values of ReadMode", None);
        check("constructor of ReadMode", Some("ReadMode"));
        check("READ_ALL", None);
        check("why does ReadAll fail", None);
        check("does ReadAll use READ_ALL", None);
    }
}
