//! The settings and the selection of an open store, which a person may change at any time.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use recall_chunk::ChunkLimits;

use super::Store;
use crate::selection::{self, Selection};
use crate::settings::StoreSettings;

/// What a file looks like from outside; nothing where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Looks {
    identity: Option<(u64, u64)>,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Looks {
    fn of(path: &Path) -> Self {
        let Ok(metadata) = fs::symlink_metadata(path) else { return Self::default() };
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let identity = (0, 0);
        Self { identity: Some(identity), bytes: metadata.len(), modified: metadata.modified().ok() }
    }
}

impl Looks {
    /// What the files of the settings and those of the selection look like, in this order.
    pub(super) fn of_all(settings: &StoreSettings, root: &Path, store_folder: &Path) -> Vec<Self> {
        let selection = selection::files(root, store_folder);
        settings.files.iter().chain(&selection).map(|path| Self::of(path)).collect()
    }
}

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
