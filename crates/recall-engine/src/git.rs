//! Queries of a project's git history, by running `git`.
//!
//! It only reads, uses no network and runs no other program: hooks, filters, pagers, monitors and signature checks of the
//! repository are ignored. Without `git`, without a repository that belongs to the folder and keeps to itself, or without an answer
//! in time, queries return nothing. No answer names a file outside the folder. A library instead of the program would have its own parser of
//! configuration and its own bugs (ADR 20).

mod blame;
mod head;
mod history;
mod past;
mod recent;
mod removed;
mod revision;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use recall_core::{Contributor, EventId, Timestamp};
use recall_journal::event_ids;
use recall_os::git::{Program, Repository};
use recall_text::{DocPath, PROJECT_FOLDER};

pub use blame::LineCommit;
pub(crate) use blame::{BlamedLine, HASH_CHARS, LineBlame, LineWriter, NotedCommit, cites};
pub(crate) use head::Head;
pub use history::DocumentCommit;
pub(crate) use history::{Change, ChangedLines, FileCommit};
pub(crate) use recent::RecentCommits;
pub use removed::RemovingCommit;
pub(crate) use removed::{RemovalLookup, Removals};
pub(crate) use revision::{Tree, TreeFile};

/// The time limit of a `git` command: a hundred times what it takes in a repository of 100,000 files.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The most bytes that are read of an answer: the names of about 50,000 files.
const ANSWER_BYTES: u64 = 4 * 1024 * 1024;

/// The most commits that are returned.
const MAX_COMMITS: usize = 50;

/// The most filter settings that are turned off.
const MAX_FILTER_SETTINGS: usize = 256;

/// The arguments of comparing commands: only the names of files below the folder.
const DIFF_ARGUMENTS: &[&str] =
    &["--name-only", "--relative", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv"];

/// The names of the main branch, in the order in which they are tried.
const MAIN_BRANCHES: [&str; 5] = ["origin/HEAD", "main", "master", "origin/main", "origin/master"];

/// `git` in a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Git<'a> {
    folder: &'a Path,
}

/// The work tree that git compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkTree {
    /// The files around the folder.
    Own,
    /// The files of the folder that the repository's configuration names.
    AsConfigured,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Its hash, as short as `git` writes it.
    pub(crate) id: String,
    /// The first line of its message.
    pub(crate) subject: String,
}

/// The events in the versions of some journals that git keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptEvents {
    /// Those in a commit: of a branch, a tag, a stash with its untracked files, or the reflog.
    pub(crate) committed: BTreeSet<EventId>,
    /// Those in the index.
    pub(crate) staged: BTreeSet<EventId>,
}

impl KeptEvents {
    /// Returns whether git keeps an event anywhere.
    pub(crate) fn contains(&self, event: EventId) -> bool {
        self.committed.contains(&event) || self.staged.contains(&event)
    }
}

/// The changes since a branch left the main one, including uncommitted files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BranchChanges {
    /// The main branch; `None` if only uncommitted files are listed.
    pub(crate) base: Option<String>,
    /// The files below the folder.
    pub(crate) files: BTreeSet<DocPath>,
}

impl<'a> Git<'a> {
    /// Creates a handle on a folder without running anything.
    pub(crate) fn at(folder: &'a Path) -> Self {
        Self { folder }
    }

    /// Returns the files that differ between the work tree and the commit at which the branch left the main one, without recall's
    /// own; `None` without a repository.
    pub(crate) fn branch_changes(self) -> Option<BranchChanges> {
        if !self.has_its_own_work_tree() {
            return None;
        }
        let staged = self.names(&["diff-index", "--cached", "HEAD"]);
        // Before the first commit every file is new.
        let staged = staged.or_else(|| self.names(&["ls-files", "--cached"]))?;
        let mut changes = BranchChanges { base: None, files: staged };
        changes.files.extend(self.unstaged_paths().unwrap_or_default());
        changes.files.extend(self.names(&["ls-files", "--others", "--exclude-standard"]).unwrap_or_default());
        for base in MAIN_BRANCHES {
            let Some(began) = self.line(&["merge-base", "HEAD", base]) else { continue };
            changes.files.extend(self.names(&["diff-tree", "-r", "--no-renames", &began, "HEAD"]).unwrap_or_default());
            changes.base = Some(base.to_owned());
            break;
        }
        changes.files.retain(|path| !is_own(path));
        Some(changes)
    }

    /// Returns the commits of the current branch between two times, the earliest first; at most the latest fifty.
    pub(crate) fn commits_between(self, from: Timestamp, to: Timestamp) -> Vec<Commit> {
        let seconds = |timestamp: Timestamp| timestamp.0.div_euclid(1_000_000_000);
        let (since, until) = (format!("--since=@{}", seconds(from)), format!("--until=@{}", seconds(to) + 1));
        let mut commits = self.log(&[&since, &until, "HEAD"]);
        commits.reverse();
        commits
    }

    /// Returns the address of the remote `origin`.
    pub(crate) fn remote(self) -> Option<String> {
        // An included file may be that of another repository.
        self.line(&["config", "--no-includes", "--get", "remote.origin.url"])
    }

    /// Returns the name of the branch that is checked out.
    pub(crate) fn branch(self) -> Option<String> {
        self.line(&["symbolic-ref", "--quiet", "--short", "HEAD"])
    }

    /// Returns whether git's work tree is the one around the folder, and not one that `core.worktree` names.
    fn has_its_own_work_tree(self) -> bool {
        let own = self.repository().map(|repository| repository.work_tree);
        let compared = self.run_in(&["rev-parse", "--show-toplevel"], &[], WorkTree::AsConfigured);
        let compared = compared.as_deref().and_then(|line| std::str::from_utf8(line).ok()).map(str::trim_end);
        let compared = compared.and_then(|path| dunce::canonicalize(Path::new(path)).ok());
        own.is_some() && own == compared
    }

    /// Returns who added each event to a journal file, and in which commit, from the history of the current branch; the
    /// earliest commit decides. `None` if git gives no answer.
    pub(crate) fn contributors(self, path: &Path) -> Option<BTreeMap<EventId, Contributor>> {
        let versions = ["log", "--no-follow", "--root", "--no-color", "--full-history", "--format=%x00%h%x09%an"];
        let lines = ["--patch", "--unified=0", "--text", "--no-textconv", "--no-ext-diff", "--no-renames", "--"];
        let history = self.run(&[&versions[..], &lines, &[path.to_str()?]].concat(), &[])?;
        let mut contributors = BTreeMap::new();
        let mut contributor = None;
        for line in history.split(|byte| *byte == b'\n') {
            // A line of the patch cannot begin with NUL, because git prefixes it with its change mark.
            if let Some(header) = line.strip_prefix(b"\0") {
                let header = String::from_utf8_lossy(header);
                contributor = header.split_once('\t').map(|(commit, author)| Contributor::new(author, commit));
            } else if let (Some(contributor), Some(added)) = (&contributor, line.strip_prefix(b"+")) {
                contributors.extend(event_ids(added).map(|event| (event, contributor.clone())));
            }
        }
        Some(contributors)
    }

    /// Returns the path that a file of a commit has in the index if git takes it for renamed since, by the similarity of contents.
    pub(crate) fn renamed_since(self, commit: &str, path: &DocPath) -> Option<DocPath> {
        if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let arguments = ["diff-index", "--cached", "-z", "-M", "--diff-filter=R", "--name-status", "--relative"];
        let output = self.run(&[&arguments[..], &["--no-ext-diff", "--no-textconv", commit]].concat(), &[])?;
        // Each rename is three texts: the similarity, the old and the new path.
        let texts: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let new_path = texts.chunks_exact(3).find(|rename| rename[1] == path.as_str().as_bytes())?[2];
        DocPath::new(std::str::from_utf8(new_path).ok()?).ok()
    }

    /// Returns the ids of the events in every version of the files that git keeps. `None` if git gives no answer.
    pub(crate) fn events_of(self, paths: &[PathBuf]) -> Option<KeptEvents> {
        let paths: Vec<&str> = paths.iter().map(|path| path.to_str()).collect::<Option<_>>()?;
        let versions = ["log", "--all", "--reflog", "--full-history", "--no-follow", "--root", "-m", "--format="];
        let lines = ["--patch", "--unified=0", "--text", "--no-textconv", "--no-ext-diff", "--no-renames", "--"];
        let history = self.run(&[&versions[..], &lines, &paths].concat(), &[])?;
        let committed = event_ids(&history).collect();
        let mut staged = BTreeSet::new();
        for path in paths {
            // A file that is not in the index has no version there.
            let version = self.run(&["cat-file", "blob", &format!(":./{path}")], &[]);
            staged.extend(version.iter().flat_map(|version| event_ids(version)));
        }
        Some(KeptEvents { committed, staged })
    }

    fn log(self, which: &[&str]) -> Vec<Commit> {
        let most = format!("--max-count={MAX_COMMITS}");
        let arguments =
            [&["log", "--no-show-signature", "--no-ext-diff", "--no-color", "--format=%h%x09%s", &most], which]
                .concat();
        let Some(answer) = self.run(&arguments, &[]) else { return Vec::new() };
        let commit = |line: &str| {
            let (id, subject) = line.split_once('\t')?;
            Some(Commit { id: id.to_owned(), subject: subject.to_owned() })
        };
        String::from_utf8_lossy(&answer).lines().filter_map(commit).collect()
    }

    /// Returns the files whose time or size differs from the index. If these are inconclusive, `git` compares contents and
    /// would run the repository's filters on them, so the filters are turned off.
    fn unstaged_paths(self) -> Option<BTreeSet<DocPath>> {
        let filters = self.filter_settings()?;
        let filters: Vec<&str> = filters.iter().map(String::as_str).collect();
        let names = self.run(&[&["diff-files", "-z"], DIFF_ARGUMENTS].concat(), &filters)?;
        Some(paths(&names))
    }

    /// Returns the names of the repository's filter settings, which are to be emptied when contents are compared. `None` if they
    /// cannot be read, or are suspiciously many.
    fn filter_settings(self) -> Option<Vec<String>> {
        let settings = self.run(&["config", "-z", "--name-only", "--list"], &[])?;
        let settings = settings.split(|byte| *byte == 0).map(|name| std::str::from_utf8(name).ok());
        let settings: Vec<&str> = settings.collect::<Option<_>>()?;
        let mut filters: Vec<String> =
            settings.into_iter().filter(|name| name.starts_with("filter.")).map(str::to_owned).collect();
        filters.sort_unstable();
        filters.dedup();
        (filters.len() <= MAX_FILTER_SETTINGS).then_some(filters)
    }

    /// Runs a command and returns the first line of its answer.
    fn line(self, arguments: &[&str]) -> Option<String> {
        let answer = self.run(arguments, &[])?;
        let line = String::from_utf8_lossy(&answer).lines().next()?.trim().to_owned();
        Some(line).filter(|line| !line.is_empty())
    }

    /// Runs a command and returns the files that it lists, below the folder.
    fn names(self, arguments: &[&str]) -> Option<BTreeSet<DocPath>> {
        let (command, rest) = arguments.split_first().expect("a command");
        let shown = if command.starts_with("diff") { DIFF_ARGUMENTS } else { &[] };
        Some(paths(&self.run(&[&[*command, "-z"], shown, rest].concat(), &[])?))
    }

    /// Runs `git` with some settings emptied; `None` if it fails or does not end in time.
    fn run(self, arguments: &[&str], emptied: &[&str]) -> Option<Vec<u8>> {
        self.run_in(arguments, emptied, WorkTree::Own)
    }

    fn run_in(self, arguments: &[&str], emptied: &[&str], work_tree: WorkTree) -> Option<Vec<u8>> {
        answer(self.prepare(arguments, emptied, work_tree)?, Vec::new(), TIMEOUT)
    }

    /// Returns the folder's repository; `None` without one, or if git would read another one there.
    fn repository(self) -> Option<Repository> {
        Repository::find(self.folder).filter(Repository::keeps_to_itself)
    }

    /// Returns a command in the folder's repository; `None` without one, or without git.
    fn prepare(self, arguments: &[&str], emptied: &[&str], work_tree: WorkTree) -> Option<Command> {
        let repository = self.repository()?;
        let mut git: Command = Program::find(&repository.work_tree).ok()?.command();
        Program::without(&mut git, emptied);
        if work_tree == WorkTree::Own {
            git.env("GIT_WORK_TREE", &repository.work_tree);
        }
        git.current_dir(self.folder).args(arguments).stderr(Stdio::null());
        Some(git)
    }
}

/// Runs a command with this input; `None` if it fails or does not end in time.
fn answer(mut git: Command, input: Vec<u8>, timeout: Duration) -> Option<Vec<u8>> {
    if !input.is_empty() {
        git.stdin(Stdio::piped());
    }
    let mut child = git.spawn().ok()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take()?);
    let (read, is_read) = mpsc::channel();
    let reading = std::thread::Builder::new().name("git".to_owned()).spawn(move || {
        // A command that fails does not read its input. Dropping the pipe ends the input.
        let _ = stdin.map(|mut stdin| stdin.write_all(&input));
        let mut answer = Vec::new();
        let outcome = stdout.take(ANSWER_BYTES).read_to_end(&mut answer);
        // The receiver is gone after a timeout.
        let _ = read.send(outcome.map(|_| answer));
    });
    let answer = reading.ok().and_then(|_| is_read.recv_timeout(timeout).ok());
    if answer.is_none() {
        tracing::warn!(command = ?git.get_args().last(), "git did not answer in time");
        // Killing fails if the process has just ended.
        let _ = child.kill();
    }
    let ended = child.wait().ok()?;
    answer?.ok().filter(|_| ended.success())
}

/// Returns whether a file is in a folder of recall's own files, which nobody edits as part of their work.
pub(crate) fn is_own(path: &DocPath) -> bool {
    path.as_str().split('/').any(|name| name == PROJECT_FOLDER)
}

/// Parses NUL-terminated paths. Names that are not UTF-8 are skipped, because no document has one.
fn paths(answer: &[u8]) -> BTreeSet<DocPath> {
    let names = answer.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
    names.filter_map(|name| DocPath::new(name).ok()).collect()
}
