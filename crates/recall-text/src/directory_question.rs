//! Questions about a directory as such, "what is in src/routing" and "explain the directory crates/shop", and the files that explain one.

use crate::DocPath;
use crate::onboarding::is_named;

/// A word of a question that may be the name or the path of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedDirectory {
    /// The path with `/` between its components, and none at its ends.
    pub path: String,
    /// Whether the question says that it is a directory, by a word such as *folder* or a slash at its end.
    pub is_certain: bool,
}

/// Returns the directories that a question may be about, the likeliest first. Empty if it has words for anything else, such as "where are
/// errors handled in src/routing". Only the project tells whether there is such a directory.
pub fn asked_directories(question: &str) -> Vec<NamedDirectory> {
    let words: Vec<&str> = question.split_whitespace().collect();
    if words.len() > MOST_WORDS {
        return Vec::new();
    }
    let bare: Vec<String> = words.iter().map(|word| without_marks(word).to_lowercase()).collect();
    let is_among = |place: usize, list: &str| list.split(' ').any(|known| known == bare[place]);
    let is_kind = |place: usize| is_among(place, KINDS);
    let says_kind = (0..words.len()).any(is_kind);
    let says_package = (0..words.len()).any(|place| is_among(place, PACKAGE));
    let is_filler = |place: usize| bare[place].is_empty() || is_kind(place) || is_among(place, FILLERS);
    let mut named = Vec::new();
    for (place, word) in words.iter().enumerate().filter(|(place, _)| !is_kind(*place)) {
        let is_rest_said = (0..words.len()).all(|other| other == place || is_filler(other));
        let Some(path) = path_of(word).filter(|_| is_rest_said) else { continue };
        // The parts of a package are joined with points: `com.acme.shop`.
        let path = if says_package && !path.contains('/') { path.replace('.', "/") } else { path };
        let is_slashed = without_marks(word).ends_with(['/', '\\']);
        let before = (0..place).rev().find(|&other| !is_among(other, ARTICLES));
        let is_behind_content = before.is_some_and(|other| {
            is_among(other, "in inside under within ls")
                || (is_among(other, "of") && other > 0 && is_among(other - 1, CONTENT))
        });
        let is_next_to_kind = before.is_some_and(is_kind) || (place + 1 < words.len() && is_kind(place + 1));
        let is_said = is_behind_content || is_next_to_kind || (says_kind && !is_filler(place));
        if path.contains('/') || is_slashed || is_said {
            named.push(NamedDirectory { path, is_certain: says_kind || is_slashed });
        }
    }
    named.sort_by_key(|one| !one.path.contains('/'));
    named
}

/// Returns the path that a word may be; `None` if it cannot be one.
fn path_of(word: &str) -> Option<String> {
    let path = without_marks(word).replace('\\', "/");
    let path = path.trim_start_matches("./").trim_matches('/');
    let is_of_path = |c: char| c.is_alphanumeric() || "/._-@+ ()[]$".contains(c);
    (!path.is_empty() && !path.contains("//") && path.chars().all(is_of_path)).then(|| path.to_owned())
}

/// Returns a word without quotation marks and the punctuation of a sentence.
fn without_marks(word: &str) -> &str {
    word.trim_start_matches(['`', '"', '\'', '(', ','])
        .trim_end_matches(['`', '"', '\'', ')', ',', '?', '!', ':', ';', '.'])
}

/// The most words of such a question.
const MOST_WORDS: usize = 12;

/// Words for a directory.
const KINDS: &str = "directory directories dir folder folders subfolder subdirectory package crate";

/// The word of [`KINDS`] for a directory whose name is that of a module.
const PACKAGE: &str = "package";

/// Words before *of* that ask for what is in something.
const CONTENT: &str = "contents content files";

/// Words that may stand before a name.
const ARTICLES: &str = "the a an our this";

/// Words that a question about a directory may have.
const FILLERS: &str = "a about all an and are available browse can code contain contained contains content contents describe do does everything \
    explain explore file files find for good give has have here hold holds i in inside is it its kind know list lives located look ls me \
    of on open organised organized overview please purpose responsible role show source sources stored stuff structure summarise \
    summarize summary tell that the there they things this to under us used what what's where which with within you";

/// The names of the files that explain their directory, the most telling first.
const EXPLAINING: &str = "readme.md readme.rst readme readme.* mod.rs lib.rs __init__.py package-info.java package.html doc.go index.* _index.* \
    module-info.java main.*";

/// Returns the rank of a file among those that explain its directory, by its name, the smaller the better; `None` if its name says nothing
/// about the directory.
pub fn directory_rank(path: &DocPath) -> Option<usize> {
    let name = path.file_name().to_lowercase();
    EXPLAINING.split_whitespace().position(|known| is_named(&name, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_explain_their_directory() {
        let rank = |path: &str| directory_rank(&DocPath::new(path).expect("plain"));
        assert!(rank("src/README.md") < rank("src/mod.rs"));
        assert!(rank("src/cart/__init__.py").is_some() && rank("a/index.ts").is_some());
        assert_eq!((rank("src/cart.rs"), rank("src/indexes.rs")), (None, None));
    }

    #[test]
    fn a_question_about_a_directory_names_it() {
        let check = |question: &str, expected: &[(&str, bool)]| {
            let named = asked_directories(question);
            let named: Vec<(&str, bool)> = named.iter().map(|one| (one.path.as_str(), one.is_certain)).collect();
            assert_eq!(named, expected, "{question}");
        };
        check("what is in src/routing?", &[("src/routing", false)]);
        check("files in `shop/cart/`", &[("shop/cart", true)]);
        check("what does the folder shop/cart hold", &[("shop/cart", true)]);
        check("explain the directory crates\\shop", &[("crates/shop", true)]);
        check("what is the cart folder for", &[("cart", true)]);
        check("what is in src", &[("src", false)]);
        check("src/routing", &[("src/routing", false)]);
        check("src/", &[("src", true)]);
        check("what dir directory src/routing", &[("src/routing", true)]);
        check("where are errors handled in src/routing", &[]);
        check("where is the cart", &[]);
        check("what is a cart", &[]);
        check("list carts", &[]);
        check("contents of carts", &[("carts", false)]);
        check("explain the package com.acme.shop", &[("com/acme/shop", true)]);
        check("explain the code folder", &[("code", true)]);
        check("how are carts priced", &[]);
    }
}
