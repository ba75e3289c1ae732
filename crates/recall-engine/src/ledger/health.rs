//! What is wrong with what the journals say, and with what git knows of them?

use recall_core::{GIT_FILES, PROJECT_FOLDER, missing_lines};

use recall_folder::{Folder, OpenError, write_git_files};

use crate::finding::Problem;
use crate::known::Known;
use crate::ledger::Ledger;
use crate::warning::UnreadLines;

/// The most lines of journals that are told one by one.
const LINES_TOLD: usize = 1000;

/// How much of a file for git is read.
const GIT_FILE_BYTES: u64 = 1024 * 1024;

impl Ledger {
    /// What of the journals could not be read as it stands, and which memories are not whole.
    pub(crate) fn line_problems(&self) -> Vec<Problem> {
        let follower = self.follower.lock();
        let state = self.state.lock();
        let line = |fault: &recall_journal::Fault| Problem::JournalLine {
            path: self.folder.join(fault.day.path()),
            line: fault.line,
            reason: fault.kind.to_string(),
            is_loss: fault.kind.is_loss(),
        };
        let lines = follower.faults().take(LINES_TOLD).map(line);
        let orphans = state.memories.orphans().map(|id| Problem::Orphan { id });
        let rivals = state.memories.collisions().map(|id| Problem::Rivals { id });
        lines.chain(orphans).chain(rivals).collect()
    }

    /// What of the journals cannot be read and may have been events; `None` if nothing is.
    pub(crate) fn unread_lines(&self) -> Option<UnreadLines> {
        let follower = self.follower.lock();
        let mut losses = follower.faults().filter(|fault| fault.kind.is_loss());
        let first = losses.next()?;
        // Of the faults that are not kept one by one there is one that counts them.
        let count = |fault: &recall_journal::Fault| match fault.kind {
            recall_journal::FaultKind::More { count } => count,
            _ => 1,
        };
        let (file, line, reason) = (self.folder.join(first.day.path()), first.line, first.kind.to_string());
        Some(UnreadLines { file, line, reason, count: count(first) + losses.map(count).sum::<u64>() })
    }

    /// Whether anything was ever remembered here.
    pub(crate) fn has_journals(&self) -> bool {
        self.follower.lock().bytes() > 0
    }

    /// The lines that the files for git beside the journals lack.
    pub(crate) fn missing_git_lines(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let folder = Folder::open(&self.root).and_then(|root| root.folder(PROJECT_FOLDER));
        for (name, lines) in GIT_FILES {
            let path = self.folder.join(name);
            let known = folder.as_ref().ok().and_then(|folder| folder.read(name, GIT_FILE_BYTES).ok());
            // A file that cannot be read says nothing to git either.
            let known = String::from_utf8_lossy(&known.unwrap_or_default()).into_owned();
            let missing = lines.iter().copied().filter(|line| missing_lines(&known, &[*line]).is_some());
            problems.extend(missing.map(|line| Problem::GitLine { path: path.clone(), line }));
        }
        problems
    }

    /// Whether one of the files for git is not there, as after `git clean`.
    pub(super) fn lacks_git_files(&self) -> bool {
        GIT_FILES.iter().any(|(name, _)| std::fs::symlink_metadata(self.folder.join(name)).is_err())
    }

    /// Writes what git has to know of the folder, unless it is there.
    pub(crate) fn write_git_files(&self) -> Result<(), OpenError> {
        write_git_files(&self.root).map(drop)
    }

    /// How many documents of memories the index lacks, or has too many, or has as they are not.
    pub(crate) fn count_behind(&self, known: &Known) -> u64 {
        let state = self.state.lock();
        if state.looked.is_none() {
            return 0;
        }
        let has = |id: &recall_core::MemoryId| known.memories.hash(*id);
        let missing = state.wanted.iter().filter(|(id, hash)| has(id) != Some(**hash)).count();
        let surplus = known.memories.ids().filter(|id| !state.wanted.contains_key(id)).count();
        (missing + surplus) as u64
    }
}
