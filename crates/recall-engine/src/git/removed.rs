//! The commits that removed a text, looked up by threads of their own and kept.
//!
//! `git log -S` compares all versions of all files: a third of a second for 2,000 commits, seconds for 10,000. A search does not wait that
//! long, so the answer of a slow lookup is for the next one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::{Git, Head, WorkTree, answer};

/// The most names that are kept. Each takes some hundred bytes.
const MOST_KEPT: usize = 64;

/// The most lookups that run at once.
const MOST_RUNNING: usize = 2;

/// The commit that removed the last place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovingCommit {
    /// The hash of the commit, as short as git writes it.
    pub commit: String,
    /// The day of the commit: `2026-02-28`.
    pub day: String,
    /// The first line of its message.
    pub subject: String,
}

/// What is known about the removal of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RemovalLookup {
    Removed(RemovingCommit),
    /// The last commit has it, no commit of the branch ever had it, or there is no repository.
    NotRemoved,
    /// git is still looking.
    Running,
    /// git did not find it in time.
    OutOfTime,
}

/// The lookups of names, the one that was asked for last at the end.
#[derive(Debug, Default)]
pub(crate) struct Removals {
    lookups: Mutex<Vec<Lookup>>,
    finished: Condvar,
}

#[derive(Debug)]
struct Lookup {
    root: PathBuf,
    /// The commit that was the last one.
    head: String,
    name: String,
    found: RemovalLookup,
}

impl Lookup {
    fn is_of(&self, root: &Path, head: &str, name: &str) -> bool {
        self.root == root && self.head == head && self.name == name
    }
}

impl Removals {
    /// Returns the commit that removed the last place of a name below a folder, if git says so before the deadline. git looks for at most
    /// `most`.
    pub(crate) fn find(self: &Arc<Self>, root: &Path, name: &str, deadline: Instant, most: Duration) -> RemovalLookup {
        let Some(head) = Head::read_from(root).commit else { return RemovalLookup::NotRemoved };
        let mut lookups = self.lookups.lock();
        if !lookups.iter().any(|one| one.is_of(root, &head, name)) {
            let running = lookups.iter().filter(|one| one.found == RemovalLookup::Running).count();
            if running >= MOST_RUNNING {
                return RemovalLookup::Running;
            }
            if lookups.len() >= MOST_KEPT
                && let Some(oldest) = lookups.iter().position(|one| one.found != RemovalLookup::Running)
            {
                lookups.remove(oldest);
            }
            let (root, head, name) = (root.to_owned(), head.clone(), name.to_owned());
            lookups.push(Lookup { root, head, name, found: RemovalLookup::Running });
            if !self.start(lookups.last().expect("the one just added"), most) {
                lookups.pop();
                return RemovalLookup::OutOfTime;
            }
        }
        loop {
            let Some(known) = lookups.iter().find(|one| one.is_of(root, &head, name)) else {
                return RemovalLookup::Running;
            };
            if known.found != RemovalLookup::Running || self.finished.wait_until(&mut lookups, deadline).timed_out() {
                let known = lookups.iter().find(|one| one.is_of(root, &head, name));
                return known.map_or(RemovalLookup::Running, |one| one.found.clone());
            }
        }
    }

    /// Starts a thread for a lookup, and returns whether there is one. It ends with the command, which is killed after `most`.
    fn start(self: &Arc<Self>, lookup: &Lookup, most: Duration) -> bool {
        let (removals, root) = (Arc::clone(self), lookup.root.clone());
        let (head, name) = (lookup.head.clone(), lookup.name.clone());
        let thread = std::thread::Builder::new().name("git-removals".to_owned());
        let started = thread.spawn(move || removals.look(&root, &head, &name, most));
        if let Err(error) = &started {
            tracing::warn!(%error, "the history of a name is not looked up");
        }
        started.is_ok()
    }

    /// Asks git, and keeps the answer.
    fn look(&self, root: &Path, head: &str, name: &str, most: Duration) {
        let found = Git::at(root).last_removal(name, most);
        let mut lookups = self.lookups.lock();
        if let Some(lookup) = lookups.iter_mut().find(|one| one.is_of(root, head, name)) {
            lookup.found = found;
        }
        self.finished.notify_all();
    }
}

impl Git<'_> {
    /// Returns the last commit of the branch that changed how often a text occurs below the folder: if the last commit does not have it,
    /// the one that removed its last place.
    fn last_removal(self, text: &str, timeout: Duration) -> RemovalLookup {
        let begun = Instant::now();
        let changing = format!("-S{text}");
        // Compared with an empty tree, these are the files that have it. Some may not be indexed.
        let Some(nothing) = self.line(&["hash-object", "-t", "tree", "--stdin"]) else {
            return RemovalLookup::NotRemoved;
        };
        let files = ["diff-tree", "-r", "--name-only", "--no-ext-diff", "--no-textconv", "--no-renames"];
        let trees = [changing.as_str(), &nothing, "HEAD", "--", "."];
        let holders = self.prepare(&[&files[..], &trees].concat(), &[], WorkTree::Own);
        match holders.map(|git| answer(git, Vec::new(), timeout)) {
            Some(Some(holders)) if holders.is_empty() => {}
            Some(None) => return RemovalLookup::OutOfTime,
            Some(Some(_)) | None => return RemovalLookup::NotRemoved,
        }
        let shown = ["log", "--max-count=1", "--no-show-signature", "--no-color", "--format=%h%x09%as%x09%s"];
        let compared = ["--no-ext-diff", "--no-textconv", "--no-renames", &changing, "HEAD", "--", "."];
        let Some(git) = self.prepare(&[&shown[..], &compared].concat(), &[], WorkTree::Own) else {
            return RemovalLookup::NotRemoved;
        };
        let left = timeout.saturating_sub(begun.elapsed());
        let Some(answer) = answer(git, Vec::new(), left) else { return RemovalLookup::OutOfTime };
        let answer = String::from_utf8_lossy(&answer);
        let mut parts = answer.lines().next().unwrap_or_default().splitn(3, '\t').map(str::to_owned);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(commit), Some(day), Some(subject)) => RemovalLookup::Removed(RemovingCommit { commit, day, subject }),
            _ => RemovalLookup::NotRemoved,
        }
    }
}
