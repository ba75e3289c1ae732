//! Checkouts of git repositories, and questions that their histories ask: a commit's message, answered by the lines that it changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::statistics::Random;
use super::words;
use crate::programs;

/// How many commits of a history are looked at, from the newest.
const COMMITS: &str = "3000";

/// A commit that changes more files or places than these is about more than its message says.
const MOST_FILES: usize = 3;
const MOST_PLACES: usize = 8;

/// The endings of files of code, for programs that do not know them.
pub(crate) const CODE: &[&str] = &[
    "bash", "c", "cc", "clj", "cpp", "cs", "cxx", "dart", "ex", "exs", "go", "h", "hpp", "hs", "java", "jl", "js",
    "jsx", "kt", "kts", "lua", "m", "mjs", "ml", "mm", "php", "pl", "ps1", "py", "r", "rb", "rs", "scala", "sh", "sql",
    "swift", "ts", "tsx", "vue", "zig",
];

/// A place that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: String,
    /// The lines from 1, inclusive; none if any line of the file answers.
    pub(crate) lines: Option<(usize, usize)>,
}

/// A question with its answers, in a tree.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) text: String,
    /// The commit in whose tree it is asked; empty if its repository is not checked out.
    pub(crate) commit: String,
    pub(crate) places: Vec<Place>,
}

impl Question {
    /// Returns the files that answer, each once.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = self.places.iter().map(|place| place.path.clone()).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// How many trees that cannot be laid are tried. A file that a snapshot leaves out is in most commits.
const MOST_INCOMPLETE: usize = 5;

/// A clone whose work tree goes from commit to commit.
pub(crate) struct Checkout {
    pub(crate) root: PathBuf,
}

impl Checkout {
    /// Clones a repository; its objects stay where they are.
    pub(crate) fn clone(source: &Path, root: PathBuf) -> Result<Self, String> {
        if root.exists() {
            fs::remove_dir_all(&root).map_err(|error| format!("cannot delete {}: {error}", root.display()))?;
        }
        let mut command = git(Path::new("."));
        command.args(["clone", "--quiet", "--shared", "--no-checkout"]).arg(source).arg(&root);
        programs::run_quietly(&mut command)?;
        Ok(Self { root })
    }

    /// Returns at most `limit` questions of a history, drawn by a seed: each is a commit without merges that changes one to three files of
    /// code, tests not counted, in at most eight places, and is asked in the tree before it.
    pub(crate) fn draw(&self, name: &str, limit: usize, seed: u64) -> Result<Vec<Question>, String> {
        let log =
            read_git(&self.root, &["log", "--no-merges", "--format=%H%x1f%P%x1f%s%x1f%b%x1e", "-n", COMMITS, "HEAD"])?;
        let mut commits: Vec<&str> = log.split('\u{1e}').map(str::trim).filter(|commit| !commit.is_empty()).collect();
        Random::new(seed).shuffle(&mut commits);
        Ok(self.complete(commits.into_iter().filter_map(|commit| self.question(name, commit)), limit))
    }

    /// Returns the question that a commit makes.
    fn question(&self, name: &str, commit: &str) -> Option<Question> {
        let fields: Vec<&str> = commit.split('\u{1f}').collect();
        let [hash, parent, subject, body] = fields[..] else { return None };
        if parent.is_empty() || !says_something(subject) {
            return None;
        }
        let changes = ["diff", "--unified=0", "--no-renames", "--no-ext-diff", "--diff-filter=M", parent, hash];
        let places = changed_places(&read_git(&self.root, &changes).ok()?);
        let (text, id) = (message(subject, body), format!("{name}/{}", &hash[..10]));
        let question = Question { id, text, commit: parent.to_owned(), places };
        let is_small = (1..=MOST_PLACES).contains(&question.places.len()) && question.files().len() <= MOST_FILES;
        is_small.then_some(question)
    }

    /// Returns the first `limit` questions whose trees can be laid. A tree of which the clone lacks objects is passed over: snapshots leave
    /// out large files. After [`MOST_INCOMPLETE`] of them no further one is tried.
    pub(crate) fn complete(&self, questions: impl IntoIterator<Item = Question>, limit: usize) -> Vec<Question> {
        let (mut complete, mut incomplete) = (Vec::new(), 0);
        for question in questions {
            if complete.len() == limit || incomplete == MOST_INCOMPLETE {
                break;
            }
            if self.switch(&question.commit).is_ok() {
                complete.push(question);
            } else {
                incomplete += 1;
            }
        }
        complete
    }

    /// Makes the work tree that of a commit.
    pub(crate) fn switch(&self, commit: &str) -> Result<(), String> {
        programs::run_quietly(git(&self.root).args(["checkout", "--quiet", "--force", "--detach", commit]))?;
        programs::run_quietly(git(&self.root).args(["clean", "-xffdq"]))
    }
}

/// Returns git in a folder. What is asked of a repository that belongs to somebody else is read only.
pub(crate) fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "safe.directory=*", "-c", "core.quotePath=off", "-c", "advice.detachedHead=false"])
        .current_dir(root);
    command
}

/// Returns what git writes.
pub(crate) fn read_git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = git(root).args(arguments).output().map_err(|error| format!("cannot start git: {error}"))?;
    if !output.status.success() {
        return Err(format!("`git {}` failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a subject can be a question. Reverts, releases and formatting are about no place.
fn says_something(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    let is_chore = ["revert", "release", "bump", "merge", "format", "typo", "changelog", "version"];
    words::split_question(subject).len() >= 3 && !is_chore.iter().any(|word| lower.contains(word))
}

/// Returns the message without the lines that tools add.
fn message(subject: &str, body: &str) -> String {
    let is_trailer =
        |line: &&str| line.split_once(": ").is_some_and(|(key, _)| key.ends_with("-by") || key.ends_with("-Id"));
    let body: Vec<&str> = body.lines().filter(|line| !is_trailer(line)).collect();
    format!("{subject}\n{}", body.join("\n")).trim().to_owned()
}

/// Returns the lines of the old side of a diff without context, of files of code that are not tests. What is only inserted is
/// the lines on both sides of it.
pub(crate) fn changed_places(diff: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut path = None;
    for line in diff.lines() {
        if let Some(old) = line.strip_prefix("--- ") {
            path = old.strip_prefix("a/").filter(|path| is_code(path) && !is_test(path)).map(str::to_owned);
        } else if let Some((path, lines)) = path.as_ref().zip(old_lines(line)) {
            places.push(Place { path: path.clone(), lines: Some(lines) });
        }
    }
    places
}

/// Reads `@@ -10,3 +10,4 @@`.
fn old_lines(line: &str) -> Option<(usize, usize)> {
    let range = line.strip_prefix("@@ -")?.split(' ').next()?;
    let (first, count) = range.split_once(',').unwrap_or((range, "1"));
    let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
    Some(if count == 0 { (first.max(1), first + 1) } else { (first, first + count - 1) })
}

pub(crate) fn is_code(path: &str) -> bool {
    Path::new(path).extension().and_then(|ending| ending.to_str()).is_some_and(|ending| CODE.contains(&ending))
}

fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    lower
        .split(['/', '.', '_', '-'])
        .any(|part| ["test", "tests", "spec", "specs", "testing", "bench", "benches"].contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_the_old_lines_of_code() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3,2 +3 @@ fn x\n-a\n-b\n+c\n@@ -9,0 +9,2 @@\n+d\n\
                    --- a/tests/b.rs\n+++ b/tests/b.rs\n@@ -1 +1 @@\n-x\n--- a/README.md\n@@ -1 +1 @@\n";
        let place = |lines| Place { path: "src/a.rs".to_owned(), lines: Some(lines) };
        assert_eq!(changed_places(diff), [place((3, 4)), place((9, 10))]);
    }

    #[test]
    fn a_history_asks_in_the_tree_before_the_commit() {
        let place = std::env::temp_dir().join(format!("proof-history-{}", std::process::id()));
        let source = place.join("source");
        fs::create_dir_all(&source).expect("a folder");
        let commit = |text: &str, subject: &str| {
            fs::write(source.join("lock.rs"), text).expect("written");
            let who = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
            for arguments in [&["add", "."][..], &["commit", "--quiet", "-m", subject]] {
                programs::run_quietly(git(&source).args(who).args(arguments)).expect("git works");
            }
        };
        programs::run_quietly(git(&source).args(["init", "--quiet"])).expect("git works");
        fs::write(source.join("large.bin"), "large").expect("written");
        commit("one\ntwo\nthree\n", "begin the waiting lock");
        commit("one\n2\nthree\n", "wait for the holder of locks");
        commit("one\n2\nthree\n// x\n", "Release 1.0 of this library");
        let checkout = Checkout::clone(&source, place.join("clone")).expect("cloned");
        let questions = checkout.draw("own", 9, 1).expect("drawn");
        let [question] = &questions[..] else { panic!("one commit changes code: {questions:?}") };
        assert_eq!(question.text, "wait for the holder of locks");
        assert_eq!(question.places, [Place { path: "lock.rs".to_owned(), lines: Some((2, 2)) }]);
        checkout.switch(&question.commit).expect("switched");
        assert_eq!(fs::read_to_string(checkout.root.join("lock.rs")).expect("there"), "one\ntwo\nthree\n");
        // A snapshot without its large files has no tree to ask in.
        let large = read_git(&source, &["rev-parse", "HEAD:large.bin"]).expect("an object");
        let (folder, name) = large.trim().split_at(2);
        fs::remove_file(source.join(".git/objects").join(folder).join(name)).expect("deleted");
        let checkout = Checkout::clone(&source, place.join("part")).expect("cloned");
        assert!(checkout.draw("own", 9, 1).expect("drawn").is_empty());
        fs::remove_dir_all(&place).expect("deleted");
    }

    #[test]
    fn a_message_loses_its_trailers() {
        assert_eq!(message("Fix it", "It was wrong.\nSigned-off-by: A <a@b>\n"), "Fix it\nIt was wrong.");
        assert!(says_something("lock: wait for the holder"));
        assert!(!says_something("Revert \"wait for the holder\"") && !says_something("fix"));
    }
}
