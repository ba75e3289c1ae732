//! The forms of words: which are written like paths, and which like identifiers.

use crate::language::marks_a_file_in_queries;

/// How sure it is that a word is a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathForm {
    /// A path or a file name.
    Sure,
    /// Two names and a slash between them: a path, or alternatives.
    Possible,
}

/// Returns whether a word is a path or a file name; `None` if it is neither.
///
/// A known file extension, a leading `/`, `./` or `~/`, a trailing slash, a pattern, and more than two components are signs of a
/// path. Prose writes alternatives with one slash: `request/response`, `GET/POST`.
pub fn path_form(word: &str) -> Option<PathForm> {
    if word.contains("//") || word.contains("::") || word.len() < 3 {
        return None;
    }
    let names_a_file = word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && (extension == LOCK_FILE || marks_a_file_in_queries(extension))
    });
    let has_slash = word.trim_matches('/').contains('/');
    let is_plain = |more: &str| word.chars().all(|c| c.is_alphanumeric() || more.contains(c));
    if !has_slash {
        return (names_a_file && is_plain("._-")).then_some(PathForm::Sure);
    }
    if !is_plain("/._-@+$[]()*~") {
        return None;
    }
    let components = word.split('/').filter(|component| !component.is_empty()).count();
    let is_rooted = word.starts_with(['/', '.', '~']) || word.ends_with('/');
    let is_sure = names_a_file || is_rooted || components > 2 || word.contains('*');
    Some(if is_sure { PathForm::Sure } else { PathForm::Possible })
}

/// Whether a word may be a path or a file name.
pub fn looks_like_path(word: &str) -> bool {
    path_form(word).is_some()
}

/// The extension of the files in which package managers pin versions. Their text is in various languages.
const LOCK_FILE: &str = "lock";

/// Whether a word is written like an identifier and unlike an English word.
pub fn looks_like_identifier(word: &str) -> bool {
    let word = word.trim_end_matches("()");
    let Some(first) = word.chars().next() else { return false };
    if !(first.is_alphabetic() || matches!(first, '_' | '$' | '@')) {
        return false;
    }
    if !word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '$' | '@' | '#' | '!' | '?')) {
        return false;
    }
    let inner_capital = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let acronym_word = word.chars().filter(|c| c.is_uppercase()).count() > 1 && word.chars().any(char::is_lowercase);
    word.contains('_')
        || word.contains("::")
        || inner_capital
        || acronym_word
        || matches!(first, '$' | '@')
        || word.split_once('.').is_some_and(|(left, right)| !left.is_empty() && !right.is_empty())
}
