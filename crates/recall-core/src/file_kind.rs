//! What role does a file play in its project, by the look of its path?

use crate::DocPath;

/// The role of a file in its project. All but `Main` step back in the ranking unless the query asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// None of the others.
    Main,
    /// A test, fixture, mock or benchmark.
    Test,
    /// An example, demo or sample.
    Example,
    /// Made by a program.
    Generated,
    /// A declaration without a body: `.d.ts`, `.pyi`.
    Declaration,
}

impl FileKind {
    /// Every kind, in a fixed order.
    pub const ALL: [Self; 5] = [Self::Main, Self::Test, Self::Example, Self::Generated, Self::Declaration];

    /// Tells the role from the names on the path, by the conventions of the common languages' tools.
    pub fn of(path: &DocPath) -> Self {
        let name = path.file_name();
        if DECLARATION_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Self::Declaration;
        }
        let directories = || path.components().rev().skip(1);
        if directories().any(|part| TEST_DIRECTORIES.contains(&part.to_ascii_lowercase().as_str()))
            || is_test_name(name)
        {
            return Self::Test;
        }
        if directories().any(|part| EXAMPLE_DIRECTORIES.contains(&part.to_ascii_lowercase().as_str())) {
            return Self::Example;
        }
        if is_generated_name(name) { Self::Generated } else { Self::Main }
    }

    /// The kind's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Test => "test",
            Self::Example => "example",
            Self::Generated => "generated",
            Self::Declaration => "declaration",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

const DECLARATION_ENDINGS: &[&str] = &[".d.ts", ".d.mts", ".d.cts", ".pyi"];

const TEST_DIRECTORIES: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "testing",
    "testdata",
    "test_data",
    "__tests__",
    "__mocks__",
    "mocks",
    "fixtures",
    "fixture",
    "e2e",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "androidtest",
    "unittest",
    "unittests",
];

const EXAMPLE_DIRECTORIES: &[&str] =
    &["example", "examples", "demo", "demos", "sample", "samples", "tutorial", "tutorials", "docs_src", "playground"];

/// `test_x.py`, `x_test.go`, `x.test.ts`, `x.spec.js`, `x_spec.rb`, `XTest.java`, `XTests.cs`, `conftest.py`.
fn is_test_name(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let lower = stem.to_ascii_lowercase();
    let endings = ["_test", "_tests", "_spec", ".test", ".spec"];
    lower.starts_with("test_")
        || endings.iter().any(|ending| lower.ends_with(ending))
        || matches!(lower.as_str(), "conftest" | "test" | "tests")
        || (stem.len() > 4 && (stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("Spec")))
}

fn is_generated_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [
        ".pb.go",
        "_pb2.py",
        "_pb2_grpc.py",
        ".g.dart",
        ".freezed.dart",
        ".designer.cs",
        ".generated.ts",
        ".gen.go",
        ".g.cs",
    ]
    .iter()
    .any(|ending| lower.ends_with(ending))
        || lower.contains(".generated.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_told_from_the_path() {
        for (path, expected) in [
            ("src/store.rs", FileKind::Main),
            ("src/latest.rs", FileKind::Main),
            ("tests/store.rs", FileKind::Test),
            ("pkg/store_test.go", FileKind::Test),
            ("src/app.spec.ts", FileKind::Test),
            ("src/main/java/StoreTest.java", FileKind::Test),
            ("examples/hello.py", FileKind::Example),
            ("types/index.d.ts", FileKind::Declaration),
            ("api/v1/api.pb.go", FileKind::Generated),
        ] {
            assert_eq!(FileKind::of(&DocPath::new(path).expect("plain")), expected, "{path}");
        }
    }
}
