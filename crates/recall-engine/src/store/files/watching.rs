//! The watch on a store's files and journals.

use std::collections::BTreeSet;
use std::time::Duration;

use recall_core::Timestamp;
use recall_text::{PROJECT_FOLDER, error_chain};
use recall_watch::{Changes, Part};

use super::Files;
use crate::ledger::Ledger;

impl Files {
    /// Returns what may have changed since files and journals were last read, waiting at most `patience` for the system.
    pub(crate) fn changes(&self, patience: Duration) -> Changes {
        self.watch.as_ref().map_or(Changes::Unknown, |watch| watch.changes(patience))
    }

    /// Returns why its changes are not watched; `None` if they are.
    pub(crate) fn reason_unwatched(&self) -> Option<String> {
        match &self.watch {
            Some(watch) => watch.problem(),
            None => Some("this process does not watch files".to_owned()),
        }
    }

    /// Records that files and journals are about to be read.
    pub(crate) fn mark_read_started(&self) {
        if let Some(watch) = &self.watch {
            watch.begin_scan(Part::Files);
            watch.begin_scan(Part::Journals);
        }
    }

    /// Records that reading them failed.
    pub(crate) fn mark_read_failed(&self) {
        if let Some(watch) = &self.watch {
            watch.abort_scan(Part::Files);
            watch.abort_scan(Part::Journals);
        }
    }

    /// Watches the directories that a scan depended on, given below the root.
    pub(crate) fn follow_directories(&self, directories: &[String]) {
        let Some(watch) = &self.watch else { return };
        let place = |directory: &String| {
            if directory.is_empty() { self.root.clone() } else { self.root.join(directory) }
        };
        let before = watch.problem();
        watch.follow(Part::Files, &directories.iter().map(place).collect());
        if let Some(reason) = watch.problem().filter(|reason| before.as_ref() != Some(reason)) {
            tracing::warn!(root = %self.root.display(), reason, "changes are not watched; files are scanned before each search");
        }
    }

    /// Watches the directories of the journals.
    pub(crate) fn follow_journals(&self, ledger: &Ledger) {
        let Some(watch) = &self.watch else { return };
        let folder = self.kept_in().join(PROJECT_FOLDER);
        let days = ledger.days().unwrap_or_default();
        let days = days.into_iter().map(|day| folder.join(day.to_string()));
        let directories: BTreeSet<_> =
            days.chain(Some(folder.clone())).filter(|directory| directory.is_dir()).collect();
        watch.follow(Part::Journals, &directories);
    }

    /// Reads what changed in the journals since the last read.
    pub(crate) fn refresh_journals(&self, ledger: &Ledger, now: Timestamp) {
        if let Some(watch) = &self.watch {
            watch.begin_scan(Part::Journals);
        }
        if let Err(error) = ledger.refresh(now) {
            let reason = error_chain(&error);
            tracing::warn!(root = %self.root.display(), reason, "the journals were not read");
            if let Some(watch) = &self.watch {
                watch.abort_scan(Part::Journals);
            }
        }
        self.follow_journals(ledger);
    }
}
