//! The settings and the selection of an open store, which a person may change at any time.

use std::sync::Arc;

use recall_chunk::ChunkLimits;

use super::Store;
use super::looks::Looks;
use crate::store::Selection;

/// Whether the configuration of a store was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// It is what it was.
    Same,
    /// It was read again: what is indexed may be something else.
    Changed,
}

impl Store {
    /// Reads the settings and the selection again if their files look otherwise than before. Costs a look at each file.
    pub(crate) fn follow_configuration(&self) -> Configuration {
        let before = self.settings();
        // Looked at before they are read, so that what is written meanwhile is read the next time.
        let looks = Looks::of_all(&before, &self.root, &self.folder.path);
        let mut configured = self.configured.lock();
        if *configured == looks {
            return Configuration::Same;
        }
        *configured = looks;
        let settings = (self.settings_source)(&self.root);
        let cuts = |limits| ChunkLimits::from(limits);
        if settings.types != before.types || cuts(&settings.limits) != cuts(&before.limits) {
            self.attention.everything_anew();
        }
        self.settings.store(Arc::new(settings));
        // Held while it is read, so that no decision comes in between.
        let mut selection = self.selection.lock();
        *selection = Selection::load(&self.root, &self.folder.path);
        tracing::info!(root = %self.root.display(), "the configuration was changed and is read again");
        Configuration::Changed
    }
}
