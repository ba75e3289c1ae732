//! The files of a store: what there is below its root and in its folder, which of that is indexed, and what changed.

mod imported;
mod reading;
mod scans;
mod selection;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use recall_chunk::CodeParser;
use recall_core::{Generation, Timestamp};
use recall_os::git::{Repository, UserConfig};
use recall_os::{FileStamp, Folder, OpenError};
use recall_text::{DocPath, PROJECT_FOLDER, agent_file_patterns, error_chain};
use recall_watch::{Changes, GitFacts, Part, Watch};

use super::ordered::{OrderedMutex, Rank};
use crate::doubt::AdoptedReport;
use crate::error::StoreError;
use crate::git::Git;
use crate::home_memory::HomeMemory;
use crate::ledger::Ledger;
pub(crate) use imported::{Imported, ImportedDocument, ImportedWriter};
pub(crate) use reading::SUMMARIES;
pub(crate) use scans::{
    Check, DirtyFiles, DirtySnapshot, IngestOutcome, Phase, RuledOut, RunKind, ScanState, Scans, WorkExtent,
};
pub(crate) use selection::{Added, Decision, Selection, UnreadLine};

use imported::ImportedCell;

/// The files of a store.
pub(crate) struct Files {
    root: PathBuf,
    /// The folder of the store, which holds what cannot be in the root.
    folder: PathBuf,
    /// Whether the root is the memory of another program, where nothing is written.
    is_adopted: bool,
    /// The files of agents in the user's home that concern the store; `None` if none can.
    home: Option<HomeMemory>,
    /// The decisions of a person about files.
    selection: OrderedMutex<Arc<Selection>>,
    /// The documents that were imported without their files.
    imported: ImportedCell,
    /// Where the user's configuration of git is.
    user_git: UserConfig,
    /// What git says about the files; `None` until the first scan.
    git: ArcSwapOption<GitFacts>,
    /// The watch on the files and journals; `None` if this process does not watch files.
    watch: Option<Watch>,
    dirty: DirtyFiles,
    scans: Scans,
    /// The check of the files with instructions for agents.
    instructions: InstructionCheck,
    /// Parses source code outside of this process.
    code_parser: Option<Arc<dyn CodeParser>>,
}

/// The foreign things that the files of a store are read with.
pub(super) struct FileReaders {
    pub(super) user_git: UserConfig,
    pub(super) watch: Option<Watch>,
    pub(super) code_parser: Option<Arc<dyn CodeParser>>,
    pub(super) home: Option<HomeMemory>,
}

impl Files {
    /// Reads which files were added, removed and imported. What cannot be read of the imported ones is passed to `unread`.
    pub(super) fn open(
        root: &Path,
        folder: &Path,
        is_adopted: bool,
        readers: FileReaders,
        unread: impl FnMut(String),
    ) -> Self {
        let FileReaders { user_git, watch, code_parser, home } = readers;
        let dirty = DirtyFiles::default();
        if let Some(at) = read_compared(folder) {
            dirty.note_comparison(at);
        }
        Self {
            root: root.to_owned(),
            folder: folder.to_owned(),
            is_adopted,
            home,
            selection: OrderedMutex::new(
                Rank::Selection,
                Arc::new(Selection::load(kept_in(root, folder, is_adopted), folder)),
            ),
            imported: ImportedCell::new(Imported::load(folder, unread)),
            user_git,
            git: ArcSwapOption::empty(),
            watch,
            dirty,
            scans: Scans::default(),
            instructions: InstructionCheck::default(),
            code_parser,
        }
    }

    /// Returns whether the root is the memory of another program, where nothing is written.
    pub(crate) fn are_adopted(&self) -> bool {
        self.is_adopted
    }

    /// Returns the folder below which journals, sessions and the selection are.
    pub(super) fn kept_in(&self) -> &Path {
        kept_in(&self.root, &self.folder, self.is_adopted)
    }

    /// Returns the decisions about files, as of now.
    pub(crate) fn selection(&self) -> Arc<Selection> {
        Arc::clone(&self.selection.lock())
    }

    /// Stores a decision about a file. It is on disk before this returns.
    pub(crate) fn decide(&self, path: DocPath, decision: Decision) -> Result<(), StoreError> {
        self.change_selection(|selection| selection.decide(path, decision))
    }

    /// Deletes the decision about a path, so that only the rules apply. Returns whether there was one.
    pub(crate) fn forget_decision(&self, path: &DocPath) -> Result<bool, StoreError> {
        self.change_selection(|selection| selection.forget(path))
    }

    fn change_selection<T>(
        &self,
        change: impl FnOnce(&mut Selection) -> Result<T, OpenError>,
    ) -> Result<T, StoreError> {
        let mut selection = self.selection.lock();
        change(Arc::make_mut(&mut selection)).map_err(StoreError::Selection)
    }

    /// Reads the decisions about files again.
    pub(super) fn reload_selection(&self) {
        // The lock is held while the file is read, so that no decision is written in between.
        let mut selection = self.selection.lock();
        *selection = Arc::new(Selection::load(self.kept_in(), &self.folder));
    }

    /// Returns the stamps of the files that may hold decisions; `None` for a missing file.
    pub(super) fn selection_stamps(&self) -> [Option<FileStamp>; 2] {
        selection_stamps(self.kept_in(), &self.folder)
    }

    /// Returns the files that the next scan reads or rewrites although their stat is unchanged.
    pub(crate) fn dirty(&self) -> &DirtyFiles {
        &self.dirty
    }

    /// Notes that the index is that of the files, by a scan that began at this moment. It is kept for the next process too, but not
    /// more often than is worth a write: an earlier moment only means that more files are hashed.
    pub(crate) fn note_compared(&self, at: Timestamp) {
        let before = self.dirty.note_comparison(at);
        let minutes = |at: Timestamp| at.0.div_euclid(60_000_000_000);
        if before.map(minutes) == Some(minutes(at)) {
            return;
        }
        let kept = Folder::open(&self.folder).and_then(|folder| folder.replace(COMPARED, at.0.to_string().as_bytes()));
        if let Err(error) = kept {
            tracing::debug!(root = %self.root.display(), %error, "the next process does not know what was compared");
        }
    }

    /// Returns the state of the scans.
    pub(crate) fn scans(&self) -> &Scans {
        &self.scans
    }

    /// Returns the check of the files with instructions for agents.
    pub(crate) fn instructions(&self) -> &InstructionCheck {
        &self.instructions
    }

    /// Returns what parses source code outside of this process.
    pub(crate) fn code_parser(&self) -> Option<&Arc<dyn CodeParser>> {
        self.code_parser.as_ref()
    }
}

/// The file with the moment of the last comparison, in nanoseconds.
const COMPARED: &str = "compared";

/// Returns the moment that a process before noted; `None` if there is none.
fn read_compared(folder: &Path) -> Option<Timestamp> {
    let text = Folder::open(folder).ok()?.read(COMPARED, 32).ok()?;
    std::str::from_utf8(&text).ok()?.parse().ok().map(Timestamp)
}

/// Returns the stamps of the files that may hold decisions; `None` for a missing file.
pub(super) fn selection_stamps(kept_in: &Path, folder: &Path) -> [Option<FileStamp>; 2] {
    selection::files(kept_in, folder).map(|path| FileStamp::read(&path))
}

/// Returns the folder below which the journals, the sessions and the selection of a store are.
pub(super) fn kept_in<'a>(root: &'a Path, folder: &'a Path, is_adopted: bool) -> &'a Path {
    if is_adopted { folder } else { root }
}

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
