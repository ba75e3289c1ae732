//! What does a path say about whether its file is a test?

use super::convention::{Content, Convention, TestFolder};
use crate::{DocPath, Language};

/// What a path says.
pub(super) enum TestPath {
    /// It is not the path of a test.
    No,
    /// It may be one: the text is, if the function says so.
    Maybe(fn(&str) -> bool),
    /// It is the path of a test, or of what tests need.
    Yes,
}

impl TestPath {
    /// Looks at the folders and at the name. The language is taken from the extension if it is not given.
    pub(super) fn of(path: &DocPath, language: Option<&Language>) -> Self {
        let convention = Convention::of(path, language);
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

/// Endings that the tools of a language give to tests alone: what ends so is never shipped.
const TEST_ENDINGS: &[&str] = &["_test.go", "_test.exs", ".bats", ".phpt"];

/// Names that a tool gives to what tests need.
const TEST_FILES: &[&str] = &["conftest.py"];

/// Where a file lies.
enum Place {
    /// In a tree of tests: everything there is for them, helpers and fixtures too.
    InTests,
    /// In a folder that is named like one of tests, and may hold what is made for other people's tests.
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

/// Whether a folder holds nothing that is shipped, wherever it lies. `tests` in the plural are tests in every language; what
/// is made for other people's tests is named `test` or `testing`.
fn holds_only_tests(lower: &str) -> bool {
    /// The projects of tests in .NET: `Store.Tests`, `Store.UnitTests`.
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

/// Folders that hold a project's tests unless they lie below shipped sources.
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

/// Folders of tests in some projects, and in others of what is made for testing.
const DOUBTFUL_FOLDERS: &[&str] = &["testing"];

/// Folders of what a project ships.
const SHIPPED_FOLDERS: &[&str] = &["src", "lib", "pkg", "app", "include", "source", "sources", "internal", "cmd"];

/// Whether a folder in `src` is one that Maven and Gradle keep tests in: `src/test`, `src/androidTest`, `src/jvmTest`.
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
