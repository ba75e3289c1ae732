//! The files of a store: what there is below its root and in its folder, which of that is indexed, and what changed.

mod dirty_files;
mod imported;
mod instructions;
mod reading;
mod scans;
mod selection;
mod watching;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use recall_chunk::CodeParser;
use recall_os::git::UserConfig;
use recall_os::{FileStamp, OpenError};
use recall_text::DocPath;
use recall_watch::{GitFacts, Watch};

use super::ordered::{OrderedMutex, Rank};
use crate::error::StoreError;
use crate::home_memory::HomeMemory;

pub(crate) use dirty_files::{Check, DirtyFiles, DirtySnapshot};
pub(crate) use imported::{Imported, ImportedDocument, ImportedWriter};
pub(crate) use instructions::{CheckedAt, InstructionCheck};
pub(crate) use reading::SUMMARIES;
pub(crate) use scans::{IngestOutcome, Phase, RuledOut, ScanState, Scans};
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
            dirty: DirtyFiles::default(),
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

/// Returns the stamps of the files that may hold decisions; `None` for a missing file.
pub(super) fn selection_stamps(kept_in: &Path, folder: &Path) -> [Option<FileStamp>; 2] {
    selection::files(kept_in, folder).map(|path| FileStamp::read(&path))
}

/// Returns the folder below which the journals, the sessions and the selection of a store are.
pub(super) fn kept_in<'a>(root: &'a Path, folder: &'a Path, is_adopted: bool) -> &'a Path {
    if is_adopted { folder } else { root }
}
