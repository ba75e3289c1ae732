//! What role does a file play in its project, by the look of its path and of what it defines?

use crate::words::{self, Word};
use crate::{DocPath, EdgeKind, ParseOutcome, ParsedDocument, SymbolKind};

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
    /// A copy of what other people keep: `vendor/`, `third_party/`.
    Vendored,
    /// Kept for the sake of old callers or old platforms: `compat/`, `legacy.py`, `polyfills.js`.
    Compat,
    /// Imports what others define and hands it on, and defines nothing itself: `__init__.py`, `index.ts`, `mod.rs`.
    ReExport,
}

impl FileKind {
    /// Every kind, in a fixed order.
    pub const ALL: [Self; 8] = [
        Self::Main,
        Self::Test,
        Self::Example,
        Self::Generated,
        Self::Declaration,
        Self::Vendored,
        Self::Compat,
        Self::ReExport,
    ];

    /// Tells the role from the path, as [`FileKind::of`] does, and where that says nothing, from what the parser found.
    pub fn of_parsed(path: &DocPath, parsed: &ParsedDocument) -> Self {
        match Self::of(path) {
            Self::Main if only_re_exports(parsed) => Self::ReExport,
            kind => kind,
        }
    }

    /// Tells the role from the names on the path, by the conventions of the common languages' tools; of several, the first of:
    /// declaration, test, example, generated, vendored, compat. So a vendored test is a test.
    pub fn of(path: &DocPath) -> Self {
        let name = path.file_name();
        let directories = || path.components().rev().skip(1);
        if DECLARATION_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Self::Declaration;
        }
        if directories().any(|part| TEST_DIRECTORIES.contains(&part.to_ascii_lowercase().as_str()))
            || is_test_name(name)
        {
            return Self::Test;
        }
        if directories().any(|part| EXAMPLE_DIRECTORIES.contains(&part.to_ascii_lowercase().as_str())) {
            return Self::Example;
        }
        if is_generated_name(name) {
            return Self::Generated;
        }
        if directories().any(|part| VENDOR_DIRECTORIES.contains(&part.to_ascii_lowercase().as_str())) {
            return Self::Vendored;
        }
        let stem = name.split('.').next().unwrap_or_default();
        if directories().chain([stem]).any(is_compat_name) { Self::Compat } else { Self::Main }
    }

    /// The kind's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Test => "test",
            Self::Example => "example",
            Self::Generated => "generated",
            Self::Declaration => "declaration",
            Self::Vendored => "vendored",
            Self::Compat => "compat",
            Self::ReExport => "re_export",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Where package managers and people put copies of other projects; see also GitHub Linguist's `vendor.yml`.
const VENDOR_DIRECTORIES: &[&str] = &[
    "vendor",
    "vendors",
    "vendored",
    "_vendor",
    "_vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "3rd_party",
    "node_modules",
    "bower_components",
    "carthage",
    "pods",
];

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

/// `compat`, `_compat`, `py3_compat`, `LegacyStore`: a name one of whose words says that it is there for what is old.
fn is_compat_name(name: &str) -> bool {
    let mut says = false;
    words::split(name, |word| {
        let (Word::Plain(word) | Word::Compound(word) | Word::Part(word)) = word;
        says |= COMPAT_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    });
    says
}

const COMPAT_WORDS: &[&str] =
    &["compat", "compatibility", "legacy", "deprecated", "polyfill", "polyfills", "backport", "backports"];

/// Whether a text imports something, calls and refers to nothing, and defines nothing but modules and names between double
/// underscores, such as Python's `__all__`.
fn only_re_exports(parsed: &ParsedDocument) -> bool {
    let is = |kind| move |edge: &crate::Edge| edge.kind == kind;
    parsed.outcome == ParseOutcome::Parsed
        && parsed.edges.iter().any(is(EdgeKind::Imports))
        && !parsed.edges.iter().any(is(EdgeKind::References))
        && parsed.symbols.iter().all(|symbol| {
            symbol.kind == SymbolKind::Module || symbol.name.starts_with("__") && symbol.name.ends_with("__")
        })
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
            ("vendor/github.com/a/b.go", FileKind::Vendored),
            ("third_party/zlib/inflate.c", FileKind::Vendored),
            ("third_party/zlib/test/inflate.c", FileKind::Test),
            ("src/vendor.rs", FileKind::Main),
            ("src/requests/compat.py", FileKind::Compat),
            ("src/py3_compat.py", FileKind::Compat),
            ("src/LegacyStore.java", FileKind::Compat),
            ("src/compat/events.ts", FileKind::Compat),
            ("src/compatible.rs", FileKind::Main),
            ("src/store/mod.rs", FileKind::Main),
        ] {
            assert_eq!(FileKind::of(&DocPath::new(path).expect("plain")), expected, "{path}");
        }
    }
}
