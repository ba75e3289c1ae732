//! The latest commits of branches, read from git once for each commit that a branch points to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::git::{FileCommit, Git, Head};

/// The most folders whose commits are kept. With 200 commits each they take about 100 kB.
const MOST_FOLDERS: usize = 16;

/// The latest commits of folders, the folder that was asked for last at the end.
#[derive(Debug, Default)]
pub(crate) struct RecentCommits {
    known: Mutex<Vec<KnownCommits>>,
}

#[derive(Debug)]
struct KnownCommits {
    root: PathBuf,
    /// The number of commits that were read at most.
    most: usize,
    /// The commit that was the last one.
    head: String,
    commits: Arc<[FileCommit]>,
}

impl RecentCommits {
    /// Returns what [`Git::file_commits`] returns. git is run only if the folder's last commit is another one than the last time, or is
    /// not found without it; a failed run is repeated.
    pub(crate) fn read(&self, root: &Path, most: usize) -> Arc<[FileCommit]> {
        let read = || Git::at(root).file_commits(most);
        match Head::read_from(root).commit {
            Some(head) => self.find_or_read(root, most, &head, read),
            None => read().into(),
        }
    }

    fn find_or_read(
        &self,
        root: &Path,
        most: usize,
        head: &str,
        read: impl FnOnce() -> Vec<FileCommit>,
    ) -> Arc<[FileCommit]> {
        if let Some(commits) = self.find(root, most, head) {
            return commits;
        }
        let commits: Arc<[FileCommit]> = read().into();
        if !commits.is_empty() {
            let mut known = self.known.lock();
            known.retain(|known| known.root != root || known.most != most);
            if known.len() == MOST_FOLDERS {
                known.remove(0);
            }
            let (root, head) = (root.to_owned(), head.to_owned());
            known.push(KnownCommits { root, most, head, commits: Arc::clone(&commits) });
        }
        commits
    }

    fn find(&self, root: &Path, most: usize, head: &str) -> Option<Arc<[FileCommit]>> {
        let mut known = self.known.lock();
        let is_same = |known: &KnownCommits| known.root == root && known.most == most && known.head == head;
        let at = known.iter().position(is_same)?;
        let last = known.remove(at);
        let commits = Arc::clone(&last.commits);
        known.push(last);
        Some(commits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits(subject: &str) -> Vec<FileCommit> {
        vec![FileCommit { id: String::new(), day: String::new(), subject: subject.to_owned(), files: Vec::new() }]
    }

    #[test]
    fn commits_are_read_once_for_each_head() {
        let recent = RecentCommits::default();
        let ask = |most, head, read: Vec<FileCommit>| recent.find_or_read(Path::new("/a"), most, head, || read);
        assert!(ask(9, "1", Vec::new()).is_empty());
        assert_eq!(ask(9, "1", commits("one"))[0].subject, "one", "a run without an answer is repeated");
        assert_eq!(ask(9, "1", commits("two"))[0].subject, "one", "git is not asked again");
        assert_eq!(ask(1, "1", commits("few"))[0].subject, "few", "another number is another question");
        assert_eq!(ask(9, "2", commits("two"))[0].subject, "two");
        assert_eq!(ask(9, "1", commits("back"))[0].subject, "back");
    }

    #[test]
    fn few_folders_are_kept_those_that_were_asked_for_last() {
        let recent = RecentCommits::default();
        let ask = |root: usize, read| recent.find_or_read(&PathBuf::from(root.to_string()), 9, "1", || commits(read));
        for root in 0..MOST_FOLDERS {
            ask(root, "first");
        }
        ask(0, "unread");
        ask(MOST_FOLDERS, "first");
        assert_eq!(ask(0, "again")[0].subject, "first");
        assert_eq!(ask(1, "again")[0].subject, "again");
        assert_eq!(recent.known.lock().len(), MOST_FOLDERS);
    }
}
