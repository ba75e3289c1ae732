//! The definition with the parameters that a question writes down: "fromJson(String, Class)".
//!
//! All overloads have the name, and the words for their types are in many files.

use recall_core::{ChunkRow, DocumentRow, Understood};
use recall_index::lexical::Searcher;

use crate::error::StoreError;
use crate::store::Store;

/// The most words of a question. A longer one is about more than a definition.
const MOST_QUESTION_WORDS: usize = 12;

/// The most definitions of a name that are compared.
const MOST_COMPARED: usize = 300;

/// The most definitions with the parameters that are put first. More of them do not tell which one is meant.
const MOST_FOUND: usize = 5;

/// Returns the definitions with the parameters that a query has behind the name, with their documents. Empty if the query has no parameters,
/// or if no definition has these.
///
/// # Errors
/// An index cannot be read.
pub(super) fn find_overloads(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let asked = asked_overload(understood.wording()).filter(|_| understood.report.is_none());
    let Some(asked) = asked else { return Ok(Vec::new()) };
    let defined = searcher.defining(asked.name, MOST_COMPARED).map_err(|source| store.index.search_error(source))?;
    let mut found: Vec<(usize, DocumentRow, ChunkRow)> = Vec::new();
    for one in defined {
        let fit = store.index.read(|snapshot| {
            let mut best: Option<usize> = None;
            for symbol in snapshot.symbols_in(one.document, one.chunk)? {
                let is_named = symbol.name == asked.last_name();
                let text = if is_named { snapshot.text_in(one.document, symbol.span.bytes)? } else { None };
                let fit = text.and_then(|text| asked.compare(&parameters(&text, &symbol.name)?));
                best = best.into_iter().chain(fit).min();
            }
            Ok(best)
        })?;
        found.extend(fit.map(|fit| (fit, one.document, one.chunk)));
    }
    let best = found.iter().map(|(fit, ..)| *fit).min();
    found.retain(|(fit, ..)| Some(*fit) == best);
    Ok(if found.len() > MOST_FOUND {
        Vec::new()
    } else {
        found.into_iter().map(|(_, row, chunk)| (row, chunk)).collect()
    })
}

/// A name with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AskedOverload<'q> {
    /// The name with its scopes.
    name: &'q str,
    /// The words of each parameter.
    parameters: Vec<Vec<&'q str>>,
}

impl AskedOverload<'_> {
    fn last_name(&self) -> &str {
        self.name.rsplit(|c| !is_of_name(c)).next().unwrap_or(self.name)
    }

    /// Returns how many words of a definition's parameters are not asked for; `None` if it has other parameters.
    fn compare(&self, defined: &[Vec<&str>]) -> Option<usize> {
        let has_all = |(asked, defined): (&Vec<&str>, &Vec<&str>)| asked.iter().all(|word| defined.contains(word));
        let fits = self.parameters.len() == defined.len() && self.parameters.iter().zip(defined).all(has_all);
        let count = |parameters: &[Vec<&str>]| parameters.iter().map(Vec::len).sum::<usize>();
        fits.then(|| count(defined).saturating_sub(count(&self.parameters)))
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the name and the parameters that a question has behind it; `None` if it has none, or values instead.
fn asked_overload(question: &str) -> Option<AskedOverload<'_>> {
    let open = question.find('(')?;
    let close = open + matching_end(&question[open..])?;
    let before = question[..open].trim_end_matches(|c| is_of_name(c) || ".:#".contains(c));
    let name = question[before.len()..open].trim_matches(|c| !is_of_name(c));
    let inside = &question[open + 1..close];
    let is_of_types = |c: char| is_of_name(c) || c.is_whitespace() || ",.<>[]:&*?@'$()-|".contains(c);
    let is_short = question.split_whitespace().count() <= MOST_QUESTION_WORDS;
    // Swift writes a name with the labels of its parameters: `update(name:value:)`.
    let labels = inside.strip_suffix(':').filter(|labels| !labels.contains(','));
    let listed = labels.map_or_else(|| split_parameters(inside), |labels| labels.split(':').collect());
    let parameters: Vec<Vec<&str>> = listed.into_iter().map(words).collect();
    let are_words = !parameters.is_empty() && parameters.iter().all(|parameter| !parameter.is_empty());
    let starts_with_letter = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_short && are_words && starts_with_letter && inside.chars().all(is_of_types))
        .then_some(AskedOverload { name, parameters })
}

/// Returns the words of each parameter in the first definition of a name in a text: what is in parentheses behind it, outside of comments.
/// `None` if there is no such definition.
fn parameters<'t>(text: &'t str, name: &str) -> Option<Vec<Vec<&'t str>>> {
    text.match_indices(name).filter(|&(place, _)| may_be_defined_at(text, place)).find_map(|(place, _)| {
        let rest = &text[place + name.len()..];
        let generics = if rest.starts_with('<') { matching_end(rest)? + 1 } else { 0 };
        let list = rest[generics..].trim_start();
        let inside = list.starts_with('(').then(|| matching_end(list)).flatten().map(|end| &list[1..end])?;
        Some(split_parameters(inside).into_iter().map(words).filter(|parameter| !parameter.is_empty()).collect())
    })
}

/// Whether a place in a text begins a name, and is not in a comment.
fn may_be_defined_at(text: &str, place: usize) -> bool {
    let line = text[..place].rsplit('\n').next().unwrap_or_default().trim_start();
    let is_comment = ["*", "//", "/*", "#", "--"].iter().any(|mark| line.starts_with(mark));
    !is_comment && !text[..place].ends_with(is_of_name)
}

/// Returns the place of the bracket that closes the one with which a text begins.
fn matching_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (place, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            // The `>` of an arrow closes nothing.
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '>' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(place);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

/// Splits a list of parameters at the commas that are in no brackets.
fn split_parameters(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut before, mut parts) = (0_i32, 0, ' ', Vec::new());
    for (place, c) in list.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..place]);
                start = place + 1;
            }
            _ => {}
        }
        before = c;
    }
    parts.push(&list[start..]);
    parts
}

/// Returns the words of a parameter without its default value, and the marks of its type: `double?` is not `double`.
fn words(parameter: &str) -> Vec<&str> {
    let without_default = parameter.split_once('=').map_or(parameter, |(before, _)| before);
    let is_of_word = |c: char| is_of_name(c) || MARKS.contains(c);
    let runs = without_default.split(|c| !is_of_word(c)).filter(|run| !run.is_empty());
    runs.flat_map(|run| run.split_inclusive(|c| MARKS.contains(c))).flat_map(without_mark).collect()
}

/// The marks of types.
const MARKS: &str = "?*&[";

/// Returns a word and the mark at its end apart.
fn without_mark(word: &str) -> impl Iterator<Item = &str> {
    let (name, mark) = word.split_at(word.trim_end_matches(|c| MARKS.contains(c)).len());
    [name, mark].into_iter().filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_parameters_behind_a_name() {
        let check = |question: &str, expected: Option<(&str, &[&[&str]])>| {
            let asked = asked_overload(question);
            let expected = expected.map(|(name, parameters)| AskedOverload {
                name,
                parameters: parameters.iter().map(|words| words.to_vec()).collect(),
            });
            assert_eq!(asked, expected, "{question}");
        };
        check("price(Cart, int)", Some(("price", &[&["Cart"], &["int"]])));
        check("where is Shop.price(Map<String, Cart>) defined", Some(("Shop.price", &[&["Map", "String", "Cart"]])));
        check("定義は？price(Cart)", Some(("price", &[&["Cart"]])));
        check("price(_:cart:)", Some(("price", &[&["_"], &["cart"]])));
        check("price()", None);
        check("price(\"apples\")", None);
        check("a cart (of the shop)", None);
        check("price of a cart", None);
    }

    #[test]
    fn definitions_are_compared_by_their_parameters() {
        let asked = asked_overload("price(Cart, int)").expect("parameters");
        let compare = |text: &str| parameters(text, "price").and_then(|parameters| asked.compare(&parameters));
        assert_eq!(
            compare("/** See {@link price(Cart, int)}. */\n// price(Cart, int)\nint price(Cart c, int n) {}"),
            Some(2)
        );
        assert_eq!(compare("fn price<T>(cart: &Cart, n: int) -> u8 {}"), Some(3));
        assert_eq!(compare("int price(final Cart c, int n = max(1, 2))"), Some(3), "a further word");
        assert_eq!(compare("int price(Cart c)"), None);
        assert_eq!(compare("int price(Map<Cart, int> all)"), None, "one parameter");
        assert_eq!(compare("int price(Carts c, int n)"), None);
        assert_eq!(compare("int repriced(Cart c, int n)"), None);
        let fits = |question: &str, text: &str| {
            let asked = asked_overload(question).expect("parameters");
            parameters(text, "price").and_then(|parameters| asked.compare(&parameters))
        };
        assert_eq!(fits("price(int?)", "int price(int n)"), None, "another type");
        assert_eq!(
            (fits("price(int)", "int price(int? n)"), fits("price(int)", "int price(int n)")),
            (Some(2), Some(1))
        );
    }
}
