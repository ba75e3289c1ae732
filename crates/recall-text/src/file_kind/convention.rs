//! Naming conventions of tests by language.

use super::marks;
use crate::language::language_of_extension;
use crate::{DocPath, Language};

/// The conventions by which tests in some languages are recognised.
pub(super) struct Convention {
    languages: &'static [&'static str],
    /// The names of test files.
    names: &'static [&'static [Name]],
    /// The meaning of a folder named `test`.
    pub(super) folder: TestFolder,
    /// How to classify a file with the name or in the folder of a test.
    pub(super) content: Content,
}

/// A pattern for a file name without its extension. All but `Word` ignore case.
enum Name {
    Begins(&'static str),
    Ends(&'static str),
    Is(&'static str),
    /// Ends with a capitalised word after other characters: `StoreTest`.
    Word(&'static str),
}

/// The meaning of a folder named `test` that is not below shipped sources.
pub(super) enum TestFolder {
    /// It holds tests, in any letter case.
    Tree,
    /// It holds tests if it is in lower case. `Test` is a namespace: `Monolog/Test`.
    Lowercase,
    /// It holds tests if it is at the root or in `src`; elsewhere it is a package: `django/test`.
    Package,
    /// It holds tests if it is at the root; elsewhere it is a module: `src/test.rs`.
    Module,
}

/// How to classify a file that may be a test.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// The file is a test if its text defines tests.
    Decides(fn(&str) -> bool),
    /// The file is not a test: the language's tools recognise tests by file name alone, or the text is prose.
    NeverATest,
    /// The file is a test: the language is unknown.
    AlwaysATest,
}

impl Convention {
    /// Returns the convention of a language, or of the file's extension if the language is unknown.
    pub(super) fn for_file(path: &DocPath, language: Option<&Language>) -> &'static Self {
        let name = language.map(Language::as_str).or_else(|| path.extension().and_then(language_of_extension));
        let known = |name| CONVENTIONS.iter().find(|known| known.languages.contains(&name));
        name.and_then(known).unwrap_or(&OTHER)
    }

    /// Whether the file name is that of a test.
    pub(super) fn names_a_test(&self, file_name: &str) -> bool {
        let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
        let lower = stem.to_ascii_lowercase();
        self.names.iter().flat_map(|names| names.iter()).any(|name| match name {
            Name::Begins(beginning) => lower.starts_with(beginning),
            Name::Ends(ending) => lower.ends_with(ending),
            Name::Is(whole) => lower == *whole,
            Name::Word(word) => stem.len() > word.len() && stem.ends_with(word),
        })
    }
}

use Content::{AlwaysATest, Decides, NeverATest};
use Name::{Begins, Ends, Is, Word};
use TestFolder::{Lowercase, Module, Package, Tree};

const WHOLE: &[Name] = &[Is("test"), Is("tests")];
const SNAKE: &[Name] = &[Begins("test_"), Ends("_test"), Ends("_tests"), Is("test"), Is("tests")];
const SPEC: &[Name] = &[Ends("_spec")];
const INFIX: &[Name] = &[Ends(".test"), Ends(".spec")];
const HYPHEN: &[Name] = &[Ends("-test"), Ends("-spec")];
const CAMEL: &[Name] = &[Word("Test"), Word("Tests"), Word("Spec")];
const SUITE: &[Name] = &[Word("Suite")];

/// The conventions by language. Go and Elixir recognise tests by file name alone, which
/// [`TestPath`](super::test_path::TestPath) handles.
const CONVENTIONS: &[Convention] = &[
    Convention { languages: &["go"], names: &[], folder: Tree, content: NeverATest },
    Convention { languages: &["elixir"], names: &[], folder: Tree, content: NeverATest },
    Convention { languages: &["python"], names: &[SNAKE], folder: Package, content: Decides(marks::python) },
    Convention { languages: &["rust"], names: &[SNAKE], folder: Module, content: Decides(marks::rust) },
    Convention { languages: &["ruby", "crystal"], names: &[SNAKE, SPEC], folder: Tree, content: Decides(marks::ruby) },
    Convention {
        languages: &["javascript", "typescript", "tsx", "dart"],
        names: &[SNAKE, SPEC, INFIX, HYPHEN, CAMEL],
        folder: Tree,
        content: Decides(marks::javascript),
    },
    Convention {
        languages: &["java", "kotlin", "scala", "groovy"],
        names: &[CAMEL, SUITE, WHOLE],
        folder: Tree,
        content: Decides(marks::java),
    },
    Convention {
        languages: &["csharp", "fsharp"],
        names: &[CAMEL, WHOLE],
        folder: Tree,
        content: Decides(marks::csharp),
    },
    Convention { languages: &["swift"], names: &[CAMEL, WHOLE], folder: Tree, content: Decides(marks::swift) },
    Convention { languages: &["php"], names: &[CAMEL, SNAKE], folder: Lowercase, content: Decides(marks::php) },
    Convention {
        languages: &["c", "cpp", "objc"],
        names: &[SNAKE, &[Ends("_unittest")], CAMEL],
        folder: Tree,
        content: Decides(marks::c),
    },
    Convention { languages: &["lua"], names: &[SNAKE, SPEC], folder: Tree, content: Decides(marks::lua) },
    Convention { languages: &["haskell"], names: &[CAMEL, WHOLE], folder: Lowercase, content: Decides(marks::haskell) },
    Convention { languages: &["zig"], names: &[SNAKE], folder: Tree, content: Decides(marks::zig) },
    Convention { languages: &["bash"], names: &[SNAKE, SPEC], folder: Tree, content: Decides(marks::shell) },
    Convention {
        languages: &["markdown", "rst", "text", "asciidoc", "org", "latex"],
        names: &[],
        folder: Tree,
        content: NeverATest,
    },
];

const OTHER: Convention =
    Convention { languages: &[], names: &[SNAKE, SPEC, INFIX, CAMEL], folder: Tree, content: AlwaysATest };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_in_one_row() {
        let languages: Vec<_> = CONVENTIONS.iter().flat_map(|known| known.languages).collect();
        for (at, language) in languages.iter().enumerate() {
            assert_eq!(language.parse().as_ref().map(Language::as_str), Ok(**language));
            assert!(!languages[..at].contains(language), "{language} is in two rows");
        }
    }
}
