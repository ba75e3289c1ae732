//! What role does a file play in its project, by the look of its path and of what it says?

mod code_lines;
mod convention;
mod generated;
mod marks;
mod test_path;

use crate::words::{self, Word};
use crate::{DocPath, EdgeKind, Form, Language, ParseOutcome, ParsedDocument, SymbolKind};
use test_path::TestPath;

/// The role of a file in its project. All but `Main` step back in the ranking unless the query asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// None of the others.
    Main,
    /// A test or benchmark, or what the project's own tests need: fixtures, mocks.
    Test,
    /// An example, demo or sample.
    Example,
    /// Made by a program, by its name or by what its head says.
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

    /// Tells the role from the path, and where that leaves it open, from the text and from what the parser found in it.
    ///
    /// Outside a tree of tests, a file whose name or folder is named as tests are is a test if its text defines tests.
    /// A file that is none of the other kinds is generated if its head says so; prose and notebooks never are, since an API
    /// reference that a tool wrote is worth finding as any other.
    pub fn of_parsed(path: &DocPath, language: Option<&Language>, text: &str, parsed: &ParsedDocument) -> Self {
        let is_test = match TestPath::of(path, language) {
            TestPath::No => false,
            TestPath::Maybe(defines_tests) => defines_tests(text),
            TestPath::Yes => true,
        };
        match by_path(path, is_test) {
            Self::Main if only_re_exports(parsed) => Self::ReExport,
            Self::Main if may_be_generated(language) && generated::says_so(text) => Self::Generated,
            kind => kind,
        }
    }

    /// Tells the role from the names on the path, by the conventions of the language that its extension stands for; of several,
    /// the first of: declaration, test, example, generated, vendored, compat. So a vendored test is a test.
    ///
    /// A file of which only the text could tell whether it is a test counts as one.
    pub fn of(path: &DocPath) -> Self {
        by_path(path, !matches!(TestPath::of(path, None), TestPath::No))
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

/// The role by the path, once it is known whether the file is a test.
fn by_path(path: &DocPath, is_test: bool) -> FileKind {
    let name = path.file_name();
    let directories = || path.components().rev().skip(1);
    let is_below = |known: &[&str]| directories().any(|part| known.contains(&part.to_ascii_lowercase().as_str()));
    let stem = name.split('.').next().unwrap_or_default();
    if DECLARATION_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        FileKind::Declaration
    } else if is_test {
        FileKind::Test
    } else if is_below(EXAMPLE_DIRECTORIES) {
        FileKind::Example
    } else if generated::is_generated_name(name) {
        FileKind::Generated
    } else if is_below(VENDOR_DIRECTORIES) {
        FileKind::Vendored
    } else if directories().chain([stem]).any(is_compat_name) {
        FileKind::Compat
    } else {
        FileKind::Main
    }
}

/// Whether a text in the language may be one that a program wrote.
fn may_be_generated(language: Option<&Language>) -> bool {
    const NOTEBOOK: &str = "jupyter";
    Form::of(language) != Form::Prose && language.is_none_or(|language| language.as_str() != NOTEBOOK)
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

const EXAMPLE_DIRECTORIES: &[&str] =
    &["example", "examples", "demo", "demos", "sample", "samples", "tutorial", "tutorials", "docs_src", "playground"];

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

#[cfg(test)]
mod tests;
