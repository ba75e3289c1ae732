//! Problems of the journals and of the files that configure git for them.

use recall_text::PROJECT_FOLDER;

use recall_os::{Folder, GIT_FILES, OpenError, missing_lines, write_git_files};

use crate::finding::Problem;
use crate::ledger::Ledger;
use crate::warning::UnreadLines;

/// The most lines of journals that are reported one by one.
const MOST_LINES: usize = 1000;

/// The most bytes read of a file for git.
const GIT_FILE_BYTES: u64 = 1024 * 1024;

impl Ledger {
    /// Returns the lines that could not be read as they are, and the memories with missing or conflicting events.
    pub(crate) fn line_problems(&self) -> Vec<Problem> {
        let follower = self.follower.lock();
        let state = self.state.lock();
        let line = |fault: &recall_journal::Fault| Problem::JournalLine {
            path: self.folder.join(fault.day.path()),
            line: fault.line,
            reason: fault.kind.to_string(),
            is_loss: fault.kind.is_loss(),
        };
        let lines = follower.faults().take(MOST_LINES).map(line);
        // A pending change of a memory that another branch has says nothing here.
        let orphans = state.memories.orphans().filter(|id| !state.pending.contains_key(id));
        let orphans = orphans.map(|id| Problem::Orphan { id });
        let rivals = state.memories.collisions().map(|id| Problem::Rivals { id });
        lines.chain(orphans).chain(rivals).collect()
    }

    /// Returns the lines that cannot be read and may have been events; `None` if there are none.
    pub(crate) fn unread_lines(&self) -> Option<UnreadLines> {
        let follower = self.follower.lock();
        let mut losses = follower.faults().filter(|fault| fault.kind.is_loss());
        let first = losses.next()?;
        // The last fault may stand for several that were only counted.
        let count = |fault: &recall_journal::Fault| match fault.kind {
            recall_journal::FaultKind::More { count } => count,
            _ => 1,
        };
        let (file, line, reason) = (self.folder.join(first.day.path()), first.line, first.kind.to_string());
        Some(UnreadLines { file, line, reason, count: count(first) + losses.map(count).sum::<u64>() })
    }

    /// Returns whether the journals hold any bytes.
    pub(crate) fn has_journals(&self) -> bool {
        self.follower.lock().bytes() > 0
    }

    /// Returns the lines that the files for git next to the journals lack.
    pub(crate) fn missing_git_lines(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let folder = Folder::open(&self.root).and_then(|root| root.folder(PROJECT_FOLDER));
        for (name, lines) in GIT_FILES {
            let path = self.folder.join(name);
            let known = folder.as_ref().ok().and_then(|folder| folder.read(name, GIT_FILE_BYTES).ok());
            // A file that cannot be read counts as empty, as it does for git.
            let known = String::from_utf8_lossy(&known.unwrap_or_default()).into_owned();
            let missing = lines.iter().copied().filter(|line| missing_lines(&known, &[*line]).is_some());
            problems.extend(missing.map(|line| Problem::GitLine { path: path.clone(), line }));
        }
        problems
    }

    /// Returns whether one of the files for git is missing, as after `git clean`.
    pub(super) fn lacks_git_files(&self) -> bool {
        GIT_FILES.iter().any(|(name, _)| std::fs::symlink_metadata(self.folder.join(name)).is_err())
    }

    /// Adds the missing lines to the files for git.
    pub(crate) fn write_git_files(&self) -> Result<(), OpenError> {
        write_git_files(&self.root).map(drop)
    }
}
