//! Queries mined from a git history, with the files of a commit that its message describes as their answers.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use recall_os::git::Repository;
use recall_text::{DocPath, FileKind, is_code_extension};

use super::error::{GitError, MineError};
use super::git::{self, Commit, Hunk, Lineage, Log};
use super::subject;

/// The history of a git repository.
#[derive(Clone, Debug)]
pub struct History {
    git_dir: PathBuf,
}

/// A query with its relevant files in the tree of a commit's parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinedQuery {
    /// The full id of the commit that the query was derived from.
    pub commit: String,
    /// The id of its parent: the query is asked in this tree.
    pub parent: String,
    /// The subject of the commit message without ticket numbers and prefixes.
    pub text: String,
    /// The rest of the commit message, without the lines that credit people; empty if there is none.
    pub body: String,
    /// The code files that the commit modifies; sorted, at least one.
    pub relevant: Vec<String>,
    /// The test files that the commit modifies, recognised by path; sorted.
    pub tests: Vec<String>,
}

/// The limits of mining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MineLimits {
    /// The maximum number of queries. If there are more, they are sampled evenly.
    pub queries: usize,
    /// The minimum number of queries. If there are fewer, mining fails.
    pub fewest_queries: usize,
    /// The maximum number of commits that are read, from the newest on.
    pub commits: usize,
    /// The maximum number of files that a query's commit modifies. A commit with more files has no single subject.
    pub relevant: usize,
    /// Which commits are read.
    pub lineage: Lineage,
}

impl Default for MineLimits {
    fn default() -> Self {
        Self { queries: 60, fewest_queries: 1, commits: 3000, relevant: 5, lineage: Lineage::FirstParent }
    }
}

impl History {
    /// Finds the repository of a path: a bare repository, a git directory, a work tree, or a folder below one.
    ///
    /// # Errors
    /// `git` is not installed, or the path is not in a repository that `git` trusts.
    pub fn open(path: &Path) -> Result<Self, MineError> {
        let project = Repository::find(path).map_or_else(|| path.to_owned(), |repository| repository.work_tree);
        let mut git = git::command(&project)?;
        if path.join("HEAD").is_file() && path.join("objects").is_dir() {
            git.arg("--git-dir").arg(path);
        } else {
            git.arg("-C").arg(path);
        }
        git.args(["rev-parse", "--absolute-git-dir"]);
        match git::output(git, "rev-parse", path) {
            Ok(git_dir) => Ok(Self { git_dir: PathBuf::from(git_dir) }),
            Err(GitError::Failed { message, .. }) => Err(MineError::NotARepository { path: path.to_owned(), message }),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the absolute path of the git directory.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Reads queries from the history of `HEAD`, newest first.
    ///
    /// A commit becomes a query if its subject has at least three content words, and if it modifies one to
    /// [`relevant`](MineLimits::relevant) code files, without tests, generated and vendored files. It may not add more
    /// code files than it modifies, because the added ones are not in the parent. Of several commits with the same
    /// subject the newest counts. The same history gives the same queries.
    ///
    /// Consecutive trees differ least: check out the parents in the reverse of this order.
    ///
    /// # Errors
    /// There is no commit, too few commits become queries, or `git` fails.
    pub fn commits(&self, limits: &MineLimits) -> Result<Vec<MinedQuery>, MineError> {
        if !self.has_commit()? {
            return Err(MineError::NoCommit { git_dir: self.git_dir.clone() });
        }
        let mut log = Log::start(&self.git_dir, limits.lineage, limits.commits)?;
        let (mut queries, mut texts, mut looked_at) = (Vec::new(), HashSet::new(), 0);
        while let Some(commit) = log.commit()? {
            looked_at += 1;
            queries.extend(query(commit, limits.relevant).filter(|query| texts.insert(query.text.to_lowercase())));
        }
        log.finish()?;
        let (found, needed) = (queries.len(), limits.fewest_queries.min(limits.queries));
        if found >= needed {
            return Ok(sample(queries, limits.queries));
        }
        let git_dir = self.git_dir.clone();
        Err(if self.is_shallow()? {
            MineError::Shallow { git_dir, found, needed, looked_at }
        } else {
            MineError::TooFew { git_dir, found, needed, looked_at }
        })
    }

    /// Reads the commits of `HEAD` with their whole messages, newest first, at most `most`. Merges are left out.
    ///
    /// # Errors
    /// `git` fails.
    pub fn messages(&self, lineage: Lineage, most: usize) -> Result<Vec<Commit>, MineError> {
        let mut log = Log::start(&self.git_dir, lineage, most)?;
        let mut commits = Vec::new();
        while let Some(commit) = log.commit()? {
            commits.push(commit);
        }
        log.finish()?;
        Ok(commits)
    }

    /// Returns the parts of a file that a commit changes, in their order.
    ///
    /// # Errors
    /// The commit does not exist, or `git` fails.
    pub fn hunks(&self, commit: &str, path: &str) -> Result<Vec<Hunk>, MineError> {
        let mut git = git::in_repository(&self.git_dir)?;
        git.args([
            "-c",
            "log.showSignature=false",
            "show",
            "--format=",
            "--unified=3",
            "--no-renames",
            "--no-ext-diff",
        ])
        .args(["--no-textconv", "--no-color"])
        // With this suffix the argument can only be a commit, not an option.
        .arg(format!("{commit}^{{commit}}"))
        .arg("--")
        .arg(format!(":(literal){path}"));
        Ok(Hunk::read_all(&git::output(git, "show", &self.git_dir)?))
    }

    fn has_commit(&self) -> Result<bool, GitError> {
        let mut git = git::in_repository(&self.git_dir)?;
        git.args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        match git::output(git, "rev-parse", &self.git_dir) {
            Ok(_) => Ok(true),
            Err(GitError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn is_shallow(&self) -> Result<bool, GitError> {
        let mut git = git::in_repository(&self.git_dir)?;
        git.args(["rev-parse", "--is-shallow-repository"]);
        Ok(git::output(git, "rev-parse", &self.git_dir)? == "true")
    }
}

/// Converts a commit to a query, if it qualifies.
fn query(commit: Commit, most_relevant: usize) -> Option<MinedQuery> {
    let Commit { id, parents, subject, body, changes } = commit;
    let parent = parents.split(' ').next().filter(|parent| !parent.is_empty())?.to_owned();
    let relevant = relevant_files(&changes).filter(|relevant| relevant.len() <= most_relevant)?;
    Some(MinedQuery {
        commit: id,
        parent,
        text: subject::query_text(&subject)?,
        body: without_credits(&body),
        relevant,
        tests: tests(&changes),
    })
}

/// Returns a message without lines such as `Signed-off-by: …`.
pub fn without_credits(body: &str) -> String {
    let is_credit = |line: &&str| line.split_once(": ").is_some_and(|(name, _)| name.to_lowercase().ends_with("-by"));
    let lines: Vec<&str> = body.lines().filter(|line| !is_credit(line)).collect();
    lines.join("\n").trim().to_owned()
}

/// Samples at most `most` items, evenly spaced and in order.
fn sample<T>(list: Vec<T>, most: usize) -> Vec<T> {
    let length = list.len();
    if length <= most {
        return list;
    }
    let mut places = (0..most).map(|taken| taken * length / most).peekable();
    list.into_iter().enumerate().filter(|(place, _)| places.next_if_eq(place).is_some()).map(|(_, item)| item).collect()
}

/// Returns the code files that a commit modifies, sorted; `None` if the message describes none of them.
///
/// A commit that adds more code files than it modifies describes the added ones.
pub(super) fn relevant_files(changes: &[(u8, String)]) -> Option<Vec<String>> {
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

/// Returns the code files that a commit changes in that way, by its status letter; sorted, tests left out.
pub fn code_files(commit: &Commit, letters: &[u8]) -> Vec<String> {
    let wanted = commit.changes.iter().filter(|change| letters.contains(&change.0) && is_code(&change.1));
    let mut files: Vec<String> = wanted.map(|change| change.1.clone()).collect();
    files.sort_unstable();
    files
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

    #[test]
    fn a_body_has_no_credits() {
        let body = "The lock was held.\n\nSo it waited: for ever.\nSigned-off-by: A <a@b>\nCo-authored-by: B\n";
        assert_eq!(without_credits(body), "The lock was held.\n\nSo it waited: for ever.");
    }

    #[test]
    fn a_sample_is_spread_evenly() {
        for (length, most, expected) in [
            (3, 5, &[0, 1, 2][..]),
            (5, 5, &[0, 1, 2, 3, 4]),
            (10, 5, &[0, 2, 4, 6, 8]),
            (7, 3, &[0, 2, 4]),
            (4, 0, &[]),
        ] {
            assert_eq!(sample((0..length).collect(), most), expected, "{most} of {length}");
        }
        for length in 0..200 {
            for most in 0..60 {
                assert_eq!(sample(vec![(); length], most).len(), length.min(most), "{most} of {length}");
            }
        }
    }

    #[track_caller]
    fn check(changes: &str, expected: &str) {
        let changes: Vec<_> =
            changes.split_whitespace().map(|change| (change.as_bytes()[0], change[2..].to_owned())).collect();
        assert_eq!(relevant_files(&changes).unwrap_or_default().join(" "), expected);
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
