//! What are tests called in a language, and what in their text defines them?

use super::marks;
use crate::{DocPath, Language};

/// How the tests of some languages are told from other files.
pub(super) struct Convention {
    /// The languages, as [`LANGUAGES`](crate::LANGUAGES) names them.
    languages: &'static [&'static str],
    /// The extensions of their files, for callers that know a path only.
    extensions: &'static [&'static str],
    /// What tests are called, among other files.
    names: &'static [&'static [Name]],
    /// What a folder `test` is.
    pub(super) folder: TestFolder,
    /// What decides about a file that is named as tests are, or lies in a folder that is.
    pub(super) content: Content,
}

/// A pattern of a file's name without its extension. All but `Word` ignore case.
enum Name {
    Begins(&'static str),
    Ends(&'static str),
    Is(&'static str),
    /// Ends with a capitalised word, and has more before it: `StoreTest`.
    Word(&'static str),
}

/// What a folder `test` is that is not below shipped sources.
pub(super) enum TestFolder {
    /// Where the tests are, in any case of letters.
    Tree,
    /// Where the tests are. `Test` is a namespace: `Monolog/Test`.
    Lowercase,
    /// Where the tests are, if it lies at the root or in `src`; elsewhere a package: `django/test`.
    Package,
    /// Where the tests are, if it lies at the root; elsewhere a module: `src/test.rs`.
    Module,
}

/// What decides about a file that may be a test.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// The file is a test if its text defines tests.
    Decides(fn(&str) -> bool),
    /// The file is not a test: the language's tools take only files of certain names for tests, or the text is prose.
    NeverATest,
    /// The file is a test: nothing is known about its language.
    AlwaysATest,
}

impl Convention {
    /// The convention of a language; without one, of the file's extension.
    pub(super) fn of(path: &DocPath, language: Option<&Language>) -> &'static Self {
        let found = match language {
            Some(language) => CONVENTIONS.iter().find(|known| known.languages.contains(&language.as_str())),
            None => path
                .extension()
                .map(str::to_ascii_lowercase)
                .and_then(|extension| CONVENTIONS.iter().find(|known| known.extensions.contains(&extension.as_str()))),
        };
        found.unwrap_or(&OTHER)
    }

    /// Whether tests of the language are named like that.
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

/// What is known of each language. Go and Elixir take only files of certain names for tests, which
/// [`TestPath`](super::test_path::TestPath) knows.
const CONVENTIONS: &[Convention] = &[
    Convention { languages: &["go"], extensions: &["go"], names: &[], folder: Tree, content: NeverATest },
    Convention { languages: &["elixir"], extensions: &["ex", "exs"], names: &[], folder: Tree, content: NeverATest },
    Convention {
        languages: &["python"],
        extensions: &["py", "pyw", "pyx"],
        names: &[SNAKE],
        folder: Package,
        content: Decides(marks::python),
    },
    Convention {
        languages: &["rust"],
        extensions: &["rs"],
        names: &[SNAKE],
        folder: Module,
        content: Decides(marks::rust),
    },
    Convention {
        languages: &["ruby", "crystal"],
        extensions: &["rb", "rake", "cr"],
        names: &[SNAKE, SPEC],
        folder: Tree,
        content: Decides(marks::ruby),
    },
    Convention {
        languages: &["javascript", "typescript", "tsx", "dart"],
        extensions: &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "dart"],
        names: &[SNAKE, SPEC, INFIX, HYPHEN, CAMEL],
        folder: Tree,
        content: Decides(marks::javascript),
    },
    Convention {
        languages: &["java", "kotlin", "scala", "groovy"],
        extensions: &["java", "kt", "kts", "scala", "sc", "groovy"],
        names: &[CAMEL, SUITE, WHOLE],
        folder: Tree,
        content: Decides(marks::java),
    },
    Convention {
        languages: &["csharp", "fsharp"],
        extensions: &["cs", "csx", "fs", "fsx"],
        names: &[CAMEL, WHOLE],
        folder: Tree,
        content: Decides(marks::csharp),
    },
    Convention {
        languages: &["swift"],
        extensions: &["swift"],
        names: &[CAMEL, WHOLE],
        folder: Tree,
        content: Decides(marks::swift),
    },
    Convention {
        languages: &["php"],
        extensions: &["php"],
        names: &[CAMEL, SNAKE],
        folder: Lowercase,
        content: Decides(marks::php),
    },
    Convention {
        languages: &["c", "cpp", "objc"],
        extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cu", "m", "mm"],
        names: &[SNAKE, &[Ends("_unittest")], CAMEL],
        folder: Tree,
        content: Decides(marks::c),
    },
    Convention {
        languages: &["lua"],
        extensions: &["lua"],
        names: &[SNAKE, SPEC],
        folder: Tree,
        content: Decides(marks::lua),
    },
    Convention {
        languages: &["haskell"],
        extensions: &["hs"],
        names: &[CAMEL, WHOLE],
        folder: Lowercase,
        content: Decides(marks::haskell),
    },
    Convention {
        languages: &["zig"],
        extensions: &["zig"],
        names: &[SNAKE],
        folder: Tree,
        content: Decides(marks::zig),
    },
    Convention {
        languages: &["bash"],
        extensions: &["sh", "bash", "zsh", "ksh"],
        names: &[SNAKE, SPEC],
        folder: Tree,
        content: Decides(marks::shell),
    },
    Convention {
        languages: &["markdown", "rst", "text", "asciidoc", "org", "latex"],
        extensions: &["md", "markdown", "mdx", "rst", "txt", "adoc", "asciidoc", "org", "tex"],
        names: &[],
        folder: Tree,
        content: NeverATest,
    },
];

const OTHER: Convention = Convention {
    languages: &[],
    extensions: &[],
    names: &[SNAKE, SPEC, INFIX, CAMEL],
    folder: Tree,
    content: AlwaysATest,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LANGUAGES;

    #[test]
    fn every_language_and_extension_stands_in_one_row() {
        let languages: Vec<_> = CONVENTIONS.iter().flat_map(|known| known.languages).collect();
        let extensions: Vec<_> = CONVENTIONS.iter().flat_map(|known| known.extensions).collect();
        for (at, language) in languages.iter().enumerate() {
            assert!(LANGUAGES.contains(language), "{language}");
            assert!(!languages[..at].contains(language), "{language} stands in two rows");
        }
        for (at, extension) in extensions.iter().enumerate() {
            assert_eq!(**extension, extension.to_ascii_lowercase());
            assert!(!extensions[..at].contains(extension), "{extension} stands in two rows");
        }
    }
}
