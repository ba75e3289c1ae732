//! The definitions of an operator: `operator==`, "where is operator []= defined", `operator fun invoke`.
//!
//! Marks are no words, so the index has no name for most operators, and *operator* alone is in many texts. The texts are searched for the forms
//! in which languages define one.

use recall_core::{Case, ChunkRow, DocumentRow, Understood};
use recall_index::lexical::exact::Pattern;

use crate::error::StoreError;
use crate::occurrences::chunks_with;
use crate::store::Store;

/// The most words of a question about an operator.
const MOST_WORDS: usize = 10;

/// The most characters of an operator with its type: `operator std::chrono::seconds()`.
const MOST_CHARS: usize = 60;

/// The most documents that define an operator. One that more define does not tell which one is meant.
const MOST_DOCUMENTS: usize = 50;

/// The most chunks of a document that are put first.
const MOST_CHUNKS: usize = 3;

/// The most bytes of texts that are read for an operator.
const MOST_READ_BYTES: usize = 16 << 20;

/// Returns the definitions of the operator that a query is about and nothing else, by document. Empty if nothing defines it.
///
/// # Errors
/// The catalog cannot be read.
pub(super) fn find_operators(
    store: &Store,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let asked = asked_operator(understood.in_english()).filter(|_| understood.report.is_none());
    let pattern = asked.and_then(|operator| Pattern::regex(&definition(&operator), Case::Sensitive).ok());
    let Some(pattern) = pattern else { return Ok(Vec::new()) };
    let places = chunks_with(store, &pattern, MOST_DOCUMENTS, MOST_READ_BYTES)?.unwrap_or_default();
    let of_document = |(row, chunks): (i64, Vec<ChunkRow>)| {
        chunks.into_iter().take(MOST_CHUNKS).map(move |chunk| (DocumentRow(row), chunk))
    };
    Ok(places.into_iter().flat_map(of_document).collect())
}

/// Words that a question about an operator may have around it.
const FILLERS: &str = "a are define defined defines definition do does find for how i implement implemented in is it of overload overloaded \
    overloading overloads please show the this what where which work works";

/// Returns the operator that a question is about as it is written behind the word *operator*: `==`, `int(`, `fun invoke`.
fn asked_operator(question: &str) -> Option<String> {
    let words: Vec<&str> = question.split_whitespace().map(|word| word.trim_matches('`')).collect();
    let is_filler = |word: &&str| {
        let bare = word.trim_end_matches(['?', '.', '!']);
        FILLERS.split_whitespace().any(|known| bare.eq_ignore_ascii_case(known))
    };
    let first = words.iter().position(|word| !is_filler(word))?;
    let last = words.iter().rposition(|word| !is_filler(word))?;
    let asked = words[first..=last].join(" ");
    // The question mark of a sentence is not the one of a type.
    let asked = if first > 0 { asked.trim_end_matches('?') } else { &asked };
    let operator = asked.strip_prefix("operator")?.trim_start();
    let is_operator = match operator.strip_prefix("fun ") {
        Some(name) => !name.is_empty() && name.chars().all(is_of_name),
        None => is_marks(operator) || is_conversion(operator),
    };
    // `operators.rs` and `operator_name` are names.
    let is_apart = asked.starts_with("operator ") || operator.starts_with(|c: char| !is_of_name(c) && c != '.');
    let is_short = words.len() <= MOST_WORDS && operator.chars().count() <= MOST_CHARS;
    (is_operator && is_apart && is_short).then(|| operator.to_owned())
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether an operator has nothing but marks.
fn is_marks(operator: &str) -> bool {
    !operator.is_empty() && operator.chars().all(|c| c.is_ascii_punctuation() && !matches!(c, '_' | '.' | '`' | '"'))
}

/// Whether an operator is the conversion to a type or the ending of a literal, as in `int()` and `""_a`.
fn is_conversion(operator: &str) -> bool {
    !operator.contains(char::is_whitespace) && (operator.contains('(') || operator.starts_with("\"\""))
}

/// The expression of what defines an operator: in C++, C# and D, Ruby, Swift and Kotlin.
fn definition(operator: &str) -> String {
    if let Some(name) = operator.strip_prefix("fun ") {
        return format!(r"\boperator[ \t]+(?:[a-z]+[ \t]+)*fun\b[^\n(]*\b{name}\b");
    }
    let escaped = Pattern::escape(operator);
    let call = r"[ \t]*(?:<[^<>()\n]*>)?[ \t]*\(";
    if is_marks(operator) {
        return format!(
            r"\boperator[ \t]*{escaped}{call}|\bdef[ \t]+(?:self\.)?{escaped}(?:[ \t(]|$)|\bfunc[ \t]+{escaped}{call}"
        );
    }
    format!(r"\boperator[ \t]*{escaped}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_may_be_about_an_operator() {
        let check = |question: &str, expected: Option<&str>| {
            assert_eq!(asked_operator(question).as_deref(), expected, "{question}");
        };
        check("operator==", Some("=="));
        check("operator []=", Some("[]="));
        check("where is `operator<<` defined?", Some("<<"));
        check("overloads of operator +", Some("+"));
        check("operator int(Token", Some("int(Token"));
        check("operator ulong?(Token", Some("ulong?(Token"));
        check("operator std::string()", Some("std::string()"));
        check("operator\"\"_a", Some("\"\"_a"));
        check("operator fun invoke", Some("fun invoke"));
        check("operator/", Some("/"));
        check("operator: must be one of (a, b)", None);
        check("operator call", None);
        check("operator", None);
        check("operator_name", None);
        check("operator.rs", None);
        check("operator/config.yaml", None);
        check("why does operator== fail", None);
    }

    #[test]
    fn languages_define_operators_in_their_forms() {
        let check = |operator: &str, line: &str, expected: bool| {
            let pattern = Pattern::regex(&definition(operator), Case::Sensitive).expect("an expression");
            assert_eq!(pattern.matches(line).next().is_some(), expected, "{operator} in {line}");
        };
        check("==", "  friend auto operator==(A lhs, A rhs) -> bool {", true);
        check("==", "public static bool operator ==(A a, A b)", true);
        check("==", "    def ==(other)", true);
        check("==", "  static func == (lhs: A, rhs: A) -> Bool {", true);
        check("==", "a == (b)", false);
        check("=", "A& operator==(const A&)", false);
        check("[]=", "    def []=(key, value)", true);
        check("[]", "    def []=(key, value)", false);
        check("<<", "auto operator<<(int) -> A", true);
        check("<", "auto operator<<(int) -> A", false);
        check("==", "auto operator==<>(A a) -> bool", true);
        check("()", "auto operator()(int) -> A", true);
        check("fun invoke", "    inline operator fun invoke(block: Block): A", true);
        check("fun invoke", "    operator fun invokeAll()", false);
        check("int(Token", "public static explicit operator int(Token value)", true);
    }
}
