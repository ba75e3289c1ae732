//! Recognition of test files by their path, and the naming conventions of tests by language.

use Content::{AlwaysATest, Decides, NeverATest};
use Name::{Begins, Ends, Is, Word};
use TestFolder::{Lowercase, Module, Package, Tree};

use super::marks;
use crate::language::language_of_extension;
use crate::{DocPath, Language};

/// What the path says about a file.
pub(super) enum TestPath {
    /// The file is not a test.
    No,
    /// The file may be a test; the function decides by its text.
    Maybe(fn(&str) -> bool),
    /// The file is a test or supports tests.
    Yes,
}

impl TestPath {
    /// Classifies a path. If the language is not given, it is derived from the extension.
    pub(super) fn classify(path: &DocPath, language: Option<&Language>) -> Self {
        let convention = Convention::for_file(path, language);
        let name = path.file_name();
        let may_be_one = match place(path, convention) {
            Place::InTests => return Self::Yes,
            Place::Doubtful => true,
            Place::Elsewhere => convention.names_a_test(name),
        };
        if TEST_FILES.contains(&name) || TEST_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Self::Yes;
        }
        match convention.content {
            _ if !may_be_one => Self::No,
            Content::NeverATest => Self::No,
            Content::AlwaysATest => Self::Yes,
            Content::Decides(defines_tests) => Self::Maybe(defines_tests),
        }
    }
}

/// Endings that the tools of a language reserve for tests.
const TEST_ENDINGS: &[&str] = &["_test.go", "_test.exs", ".bats", ".phpt"];

/// File names that test tools use for support code.
const TEST_FILES: &[&str] = &["conftest.py"];

/// The location of a file.
enum Place {
    /// In a tree of tests. Helpers and fixtures there belong to the tests.
    InTests,
    /// In a folder with the name of one for tests, which may instead support tests of other projects.
    Doubtful,
    /// Anywhere else.
    Elsewhere,
}

fn place(path: &DocPath, convention: &Convention) -> Place {
    let (mut is_shipped, mut is_doubtful, mut parent) = (false, false, None);
    for folder in path.components().rev().skip(1).collect::<Vec<_>>().into_iter().rev() {
        let lower = folder.to_ascii_lowercase();
        let is_module = matches!(convention.folder, TestFolder::Module);
        let is_source_set = parent == Some("src") && !is_module && is_source_set(folder);
        if is_source_set || holds_only_tests(&lower) {
            return Place::InTests;
        }
        if TEST_FOLDERS.contains(&lower.as_str()) {
            if !is_shipped && (lower != "test" || !is_namespace(folder, parent, convention)) {
                return Place::InTests;
            }
            is_doubtful = true;
        }
        is_doubtful |= DOUBTFUL_FOLDERS.contains(&lower.as_str());
        is_shipped |= SHIPPED_FOLDERS.contains(&lower.as_str());
        parent = Some(folder);
    }
    if is_doubtful { Place::Doubtful } else { Place::Elsewhere }
}

/// Whether a folder holds only tests, wherever it is. The plural `tests` means tests in every language; code that
/// supports tests of other projects is named `test` or `testing`.
fn holds_only_tests(lower: &str) -> bool {
    /// Test projects in .NET: `Store.Tests`, `Store.UnitTests`.
    const PROJECT: &str = "tests";
    TESTS_ANYWHERE.contains(&lower) || lower.rsplit_once('.').is_some_and(|(_, last)| last.ends_with(PROJECT))
}

const TESTS_ANYWHERE: &[&str] = &[
    "tests",
    "__tests__",
    "__mocks__",
    "__fixtures__",
    "__snapshots__",
    "testdata",
    "test_data",
    "test-data",
    "unittests",
    "androidtest",
];

/// Folders of tests unless they are below shipped sources.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "spec",
    "specs",
    "unittest",
    "e2e",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
];

/// Folders that hold tests in some projects, and test support for other projects elsewhere.
const DOUBTFUL_FOLDERS: &[&str] = &["testing"];

/// Folders of shipped code.
const SHIPPED_FOLDERS: &[&str] = &["src", "lib", "pkg", "app", "include", "source", "sources", "internal", "cmd"];

/// Whether a folder in `src` is a Maven or Gradle source set for tests: `src/test`, `src/androidTest`, `src/jvmTest`.
fn is_source_set(folder: &str) -> bool {
    let is_named = folder.ends_with("Test") && folder.starts_with(|c: char| c.is_ascii_lowercase());
    is_named || matches!(folder, "test" | "testFixtures" | "jmh")
}

/// Whether a folder `test` that is not below shipped sources is a namespace, package or module of the language.
fn is_namespace(folder: &str, parent: Option<&str>, convention: &Convention) -> bool {
    match convention.folder {
        TestFolder::Tree => false,
        TestFolder::Lowercase => folder != "test",
        TestFolder::Package | TestFolder::Module => parent.is_some(),
    }
}

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

const WHOLE: &[Name] = &[Is("test"), Is("tests")];

const SNAKE: &[Name] = &[Begins("test_"), Ends("_test"), Ends("_tests"), Is("test"), Is("tests")];

const SPEC: &[Name] = &[Ends("_spec")];

const INFIX: &[Name] = &[Ends(".test"), Ends(".spec")];

const HYPHEN: &[Name] = &[Ends("-test"), Ends("-spec")];

const CAMEL: &[Name] = &[Word("Test"), Word("Tests"), Word("Spec")];

const SUITE: &[Name] = &[Word("Suite")];

/// The conventions by language. Go and Elixir recognise tests by file name alone, which
/// [`TestPath`] handles.
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
