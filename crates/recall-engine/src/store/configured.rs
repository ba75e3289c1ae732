//! The settings and the selection of an open store, which a person may change at any time.

use std::path::Path;
use std::sync::Arc;

use recall_chunk::ChunkLimits;
use recall_core::SessionShare;
use recall_os::FileStamp;

use super::Store;
use crate::settings::StoreSettings;
use crate::store::{Selection, selection};

/// Whether the configuration of a store was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// Not changed.
    Same,
    /// Changed and read again. Which files are indexed, and how, may differ.
    Changed,
}

impl Store {
    /// Reads the settings and the selection again if the stamps of their files have changed. Costs one `stat` per file.
    pub(crate) fn follow_configuration(&self) -> Configuration {
        let before = self.settings();
        // The stamps are taken before the files are read, so that a write in between is noticed the next time.
        let kept_in = self.kept_in();
        let stamps = configuration_stamps(&before, kept_in, &self.folder.path);
        let mut configured = self.configured.lock();
        if *configured == stamps {
            return Configuration::Same;
        }
        *configured = stamps;
        let settings = (self.settings_source)(&self.root);
        let cuts = |limits| ChunkLimits::from(limits);
        if settings.types != before.types || cuts(&settings.limits) != cuts(&before.limits) {
            self.dirty.rewrite_everything();
        }
        self.settings.store(Arc::new(settings));
        // The lock is held while the file is read, so that no decision is written in between.
        let mut selection = self.selection.lock();
        *selection = Selection::load(kept_in, &self.folder.path);
        tracing::info!(root = %self.root.display(), "the configuration was changed and is read again");
        Configuration::Changed
    }

    /// Returns which sessions' summaries are shared, as the files of the settings say now. Only an update of the index takes over
    /// changed settings as a whole.
    pub(crate) fn share(&self) -> SessionShare {
        (self.settings_source)(&self.root).share
    }

    /// Returns the folder below which its journals, its sessions and its selection are.
    pub(crate) fn kept_in(&self) -> &Path {
        if self.is_adopted { &self.folder.path } else { &self.root }
    }
}

/// Returns the stamps of the files of the settings and of the selection, in this order; `None` for a missing file.
pub(super) fn configuration_stamps(settings: &StoreSettings, root: &Path, folder: &Path) -> Vec<Option<FileStamp>> {
    let selection = selection::files(root, folder);
    settings.files.iter().chain(&selection).map(|path| FileStamp::read(path)).collect()
}
