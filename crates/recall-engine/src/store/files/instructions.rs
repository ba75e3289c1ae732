//! What a store knows of its files with instructions for agents: the last check of what they name, and which are committed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::Generation;
use recall_os::FileStamp;
use recall_os::git::Repository;
use recall_text::{DocPath, agent_file_patterns};

use crate::doubt::AdoptedReport;
use crate::git::Git;

/// The state of the files that a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckedAt {
    /// The generations of the stores, by their roots.
    pub(crate) generations: Vec<(PathBuf, Generation)>,
    /// The commit that is checked out.
    pub(crate) commit: Option<String>,
}

/// The last report, and the committed files.
#[derive(Debug, Default)]
pub(crate) struct InstructionCheck {
    report: Mutex<Option<(CheckedAt, Arc<AdoptedReport>)>>,
    /// The state whose check is running.
    running: Mutex<Option<CheckedAt>>,
    committed: Mutex<Option<(Option<FileStamp>, BTreeSet<DocPath>)>>,
}

impl InstructionCheck {
    /// Returns the report about this state, if it is the last one.
    pub(crate) fn report_at(&self, at: &CheckedAt) -> Option<Arc<AdoptedReport>> {
        let report = self.report.lock();
        report.as_ref().filter(|(known, _)| known == at).map(|(_, report)| Arc::clone(report))
    }

    /// Returns the last report, whatever state it is about.
    pub(crate) fn last_report(&self) -> Option<Arc<AdoptedReport>> {
        self.report.lock().as_ref().map(|(_, report)| Arc::clone(report))
    }

    pub(crate) fn keep(&self, at: CheckedAt, report: Arc<AdoptedReport>) {
        *self.report.lock() = Some((at, report));
    }

    /// Takes the turn to check this state; `false` if a check is running.
    pub(crate) fn begin(&self, at: &CheckedAt) -> bool {
        let mut running = self.running.lock();
        let is_free = running.is_none();
        if is_free {
            *running = Some(at.clone());
        }
        is_free
    }

    /// Gives the turn back.
    pub(crate) fn end(&self) {
        *self.running.lock() = None;
    }

    /// Returns whether the index of the repository with that root has the file. Git runs once for each state of its index.
    pub(crate) fn is_committed(&self, root: &Path, path: &DocPath) -> bool {
        let stamp = Repository::find(root).and_then(|repository| FileStamp::read(&repository.git_dir.join("index")));
        if stamp.is_none() {
            return false;
        }
        let mut committed = self.committed.lock();
        if committed.as_ref().is_none_or(|(known, _)| *known != stamp) {
            let patterns = agent_file_patterns();
            let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
            *committed = Some((stamp, Git::at(root).tracked_paths(&patterns).unwrap_or_default()));
        }
        committed.as_ref().is_some_and(|(_, paths)| paths.contains(path))
    }
}
