//! Relevance labels: the files of a commit that its message describes.

use recall_text::{DocPath, FileKind, is_code_extension};

/// Returns the code files that a commit modifies, sorted; `None` if the message describes none of them.
///
/// A commit that adds more code files than it modifies describes the added ones.
pub(super) fn relevant(changes: &[(u8, String)]) -> Option<Vec<String>> {
    let of = |letter| changes.iter().filter(move |change| change.0 == letter && is_code(&change.1));
    let mut relevant: Vec<String> = of(b'M').map(|(_, path)| path.clone()).collect();
    relevant.sort_unstable();
    (!relevant.is_empty() && of(b'A').count() <= relevant.len()).then_some(relevant)
}

/// Returns the test files that a commit modifies, recognised by path; sorted.
pub(super) fn tests(changes: &[(u8, String)]) -> Vec<String> {
    let is_test = |change: &&(u8, String)| change.0 == b'M' && source_kind(&change.1) == Some(FileKind::Test);
    let mut tests: Vec<String> = changes.iter().filter(is_test).map(|(_, path)| path.clone()).collect();
    tests.sort_unstable();
    tests
}

/// Whether a path is a source file of the project itself: not a test, not generated, not vendored. A file that may be a
/// test by its path counts as one, since its text is not read.
fn is_code(path: &str) -> bool {
    let left_out = [FileKind::Test, FileKind::Generated, FileKind::Vendored];
    source_kind(path).is_some_and(|kind| !left_out.contains(&kind))
}

/// Returns the kind of a source file by its path; `None` for other files, and for build output and minified code.
fn source_kind(path: &str) -> Option<FileKind> {
    let path = DocPath::new(path).ok()?;
    // Prose, data, markup and configuration are often changed together with the code that a message describes, and
    // would be false labels.
    let has_extension = path.extension().is_some_and(is_code_extension);
    let is_foreign = |folder: &str| folder.starts_with('.') || FOREIGN_FOLDERS.contains(&folder);
    let name = path.file_name();
    let is_source = has_extension
        && !path.components().rev().skip(1).any(is_foreign)
        && !COMPRESSED.iter().any(|ending| name.ends_with(ending))
        && !BOOKKEEPING.contains(&name);
    is_source.then(|| FileKind::from_path(&path))
}

/// Folders of build output and third-party files, in addition to those of vendored code.
const FOREIGN_FOLDERS: &[&str] = &["external", "dist", "generated", "__generated__"];

/// Endings of minified and bundled files.
const COMPRESSED: &[&str] = &[".min.js", ".min.mjs", ".min.cjs", "-min.js", ".bundle.js", ".chunk.js"];

/// Files that hold a version or a list of packages and change with every release.
const BOOKKEEPING: &[&str] = &[
    "version.go",
    "version.rb",
    "version.py",
    "_version.py",
    "__version__.py",
    "__about__.py",
    "_version.ts",
    "version.ts",
    "version.js",
    "Version.cs",
    "AssemblyInfo.cs",
    "package.js",
    "setup.py",
    "mix.exs",
    "Package.swift",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "flake.nix",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(changes: &str, expected: &str) {
        let changes: Vec<_> =
            changes.split_whitespace().map(|change| (change.as_bytes()[0], change[2..].to_owned())).collect();
        assert_eq!(relevant(&changes).unwrap_or_default().join(" "), expected);
    }

    #[test]
    fn changed_code_files_are_relevant() {
        check("M:src/b.rs M:src/a.rs", "src/a.rs src/b.rs");
        check("M:README.md M:src/a.rs M:Cargo.lock M:Cargo.toml M:CHANGELOG.md", "src/a.rs");
        check("M:src/a.py D:src/b.py T:src/c.py", "src/a.py");
    }

    #[test]
    fn tests_are_listed_separately() {
        check("M:src/a.go M:src/a_test.go", "src/a.go");
        check("M:tests/a.rs", "");
        let changes = [(b'M', "src/a_test.go"), (b'M', "src/a.go"), (b'A', "src/b_test.go"), (b'M', "dist/c_test.go")];
        assert_eq!(tests(&changes.map(|(letter, path)| (letter, path.to_owned()))), ["src/a_test.go"]);
    }

    #[test]
    fn files_from_elsewhere_are_not_labels() {
        check("M:vendor/a/b.go M:web/node_modules/x/y.js M:.github/scripts/a.sh", "");
        check("M:api/v1/api.pb.go M:static/app.min.js M:lib/version.rb", "");
        check("M:a//b.rs M:../c.rs", "");
    }

    #[test]
    fn a_commit_about_new_files_has_no_answer_in_its_parent() {
        check("A:src/new.rs A:src/newer.rs M:src/lib.rs", "");
        check("A:src/new.rs M:src/lib.rs", "src/lib.rs");
        check("A:src/new.rs", "");
    }
}
