//! The settings and the selection of an open store, which a person may change at any time.

use std::sync::Arc;

use recall_chunk::ChunkLimits;

use super::Store;
use super::file_stat::FileStat;
use crate::store::Selection;

/// Whether the configuration of a store was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// Not changed.
    Same,
    /// Changed and read again. Which files are indexed, and how, may differ.
    Changed,
}

impl Store {
    /// Reads the settings and the selection again if the stats of their files have changed. Costs one `stat` per file.
    pub(crate) fn follow_configuration(&self) -> Configuration {
        let before = self.settings();
        // The stats are taken before the files are read, so that a write in between is noticed the next time.
        let stats = FileStat::of_all(&before, &self.root, &self.folder.path);
        let mut configured = self.configured.lock();
        if *configured == stats {
            return Configuration::Same;
        }
        *configured = stats;
        let settings = (self.settings_source)(&self.root);
        let cuts = |limits| ChunkLimits::from(limits);
        if settings.types != before.types || cuts(&settings.limits) != cuts(&before.limits) {
            self.attention.rewrite_everything();
        }
        self.settings.store(Arc::new(settings));
        // The lock is held while the file is read, so that no decision is written in between.
        let mut selection = self.selection.lock();
        *selection = Selection::load(&self.root, &self.folder.path);
        tracing::info!(root = %self.root.display(), "the configuration was changed and is read again");
        Configuration::Changed
    }
}
