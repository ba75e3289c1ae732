//! Questions about a directory as such, "what is in src/routing" and "explain the directory crates/shop", and the files that explain one.

use std::ops::Range;

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
/// errors handled in src/routing".
///
/// The result may name directories that do not exist. `has_directory` returns whether the project has a directory at a path; it is called for
/// several words that may be one path with blanks.
pub fn asked_directories(question: &str, has_directory: impl Fn(&str) -> bool) -> Vec<NamedDirectory> {
    let words: Vec<&str> = question.split_whitespace().collect();
    if words.len() > MOST_WORDS {
        return Vec::new();
    }
    let question =
        DirectoryQuestion { bare: words.iter().map(|word| without_marks(word).to_lowercase()).collect(), words };
    let count = question.words.len();
    let one_word = (0..count).map(|start| start..start + 1);
    let several = (0..count).flat_map(|start| (start + 2..=count).rev().map(move |end| start..end));
    let mut named: Vec<NamedDirectory> = several
        .filter_map(|place| question.directory_at(place))
        .filter(|directory| has_directory(&directory.path))
        .take(1)
        .collect();
    if named.is_empty() {
        named.extend(one_word.filter_map(|place| question.directory_at(place)));
        named.sort_by_key(|one| !one.path.contains('/'));
    }
    named
}

/// The words of a question that may be about a directory.
struct DirectoryQuestion<'q> {
    words: Vec<&'q str>,
    /// The words in small letters, without quotation marks and punctuation.
    bare: Vec<String>,
}

impl DirectoryQuestion<'_> {
    /// Returns the directory that the words at a place may name; `None` if the other words ask for something else.
    fn directory_at(&self, place: Range<usize>) -> Option<NamedDirectory> {
        let (start, end) = (place.start, place.end);
        let is_one_word = end - start == 1;
        let mut others = (0..start).chain(end..self.words.len());
        if (is_one_word && self.is_kind(start)) || !others.all(|other| self.is_filler(other)) {
            return None;
        }
        let words = self.words[start..end].join(" ").replace("\\ ", " ");
        let path = path_of(&words)?;
        let is_outside = |other: &usize| is_one_word || !place.contains(other);
        let says_kind = (0..self.words.len()).filter(is_outside).any(|other| self.is_kind(other));
        // The parts of a package are joined with points: `com.acme.shop`.
        let says_package = self.bare.iter().any(|word| word == PACKAGE);
        let path = if says_package && !path.contains('/') { path.replace('.', "/") } else { path };
        let is_slashed = without_marks(&words).ends_with(['/', '\\']);
        let before = (0..start).rev().find(|&other| !self.is_among(other, ARTICLES));
        let is_behind_content = before.is_some_and(|other| {
            self.is_among(other, "in inside under within ls")
                || (self.is_among(other, "of") && other > 0 && self.is_among(other - 1, CONTENT))
        });
        let is_next_to_kind =
            before.is_some_and(|other| self.is_kind(other)) || (end < self.words.len() && self.is_kind(end));
        let is_said = is_behind_content || is_next_to_kind || (says_kind && !self.is_filler(start));
        (path.contains('/') || is_slashed || is_said)
            .then_some(NamedDirectory { path, is_certain: says_kind || is_slashed })
    }

    fn is_among(&self, place: usize, list: &str) -> bool {
        list.split(' ').any(|known| known == self.bare[place])
    }

    fn is_kind(&self, place: usize) -> bool {
        self.is_among(place, KINDS)
    }

    fn is_filler(&self, place: usize) -> bool {
        self.bare[place].is_empty() || self.is_kind(place) || self.is_among(place, FILLERS)
    }
}

/// Returns the path that a word may be; `None` if it cannot be one.
fn path_of(word: &str) -> Option<String> {
    let path = without_marks(word).replace('\\', "/");
    let path = path.trim_start_matches("./").trim_matches('/');
    let is_of_path = |c: char| c.is_alphanumeric() || "/._-@+ ()[]$".contains(c);
    (!path.is_empty() && !path.contains("//") && path.chars().all(is_of_path)).then(|| path.to_owned())
}

/// Returns a text without quotation marks around it and the punctuation of a sentence. A pair of parentheses within it stays: `app/(shop)`.
fn without_marks(text: &str) -> &str {
    let text = text.trim_start_matches(QUOTES).trim_end_matches(QUOTES).trim_end_matches(SENTENCE_MARKS);
    let has_pair = !text.starts_with('(') && text.contains('(');
    let text = if has_pair { text } else { text.trim_start_matches('(').trim_end_matches(')') };
    text.trim_start_matches(QUOTES).trim_end_matches(QUOTES).trim_end_matches(SENTENCE_MARKS)
}

const QUOTES: [char; 3] = ['`', '"', '\''];

const SENTENCE_MARKS: [char; 6] = [',', '?', '!', ':', ';', '.'];

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
            let named =
                asked_directories(question, |path| ["docs/my folder", "my folder", "Code (old)"].contains(&path));
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
        check("what is in docs/my folder?", &[("docs/my folder", false)]);
        check("ls docs/my\\ folder/", &[("docs/my folder", true)]);
        check("explain the directory `my folder` please", &[("my folder", true)]);
        check("what is in the folder Code (old)", &[("Code (old)", true)]);
        check("what is in docs/your folder", &[("docs/your", true)]);
    }
}
