//! Recognition of test files by their path.

use super::convention::{Content, Convention, TestFolder};
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
