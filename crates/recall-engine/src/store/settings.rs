//! The settings of an open store, which a person may change at any time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use recall_chunk::ChunkLimits;
use recall_core::{ReviewPolicy, SessionShare};
use recall_os::FileStamp;

use super::files::Files;
use super::ordered::{OrderedMutex, Rank};
use crate::settings::{StoreSettings, StoreSettingsSource, TranscriptSettings};

/// Whether the configuration of a store was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// Not changed.
    Same,
    /// Changed and read again. Which files are indexed, and how, may differ.
    Changed,
}

/// The settings of a store's project, as last read.
pub(crate) struct CurrentSettings {
    root: PathBuf,
    current: ArcSwap<StoreSettings>,
    /// Reads the settings again.
    source: Arc<StoreSettingsSource>,
    /// The stamps of the files that the settings and the selection were read from.
    stamps: OrderedMutex<Vec<Option<FileStamp>>>,
}

impl CurrentSettings {
    /// Takes settings that were just read.
    pub(super) fn new(
        root: &Path,
        settings: StoreSettings,
        source: &Arc<StoreSettingsSource>,
        stamps: Vec<Option<FileStamp>>,
    ) -> Self {
        Self {
            root: root.to_owned(),
            current: ArcSwap::from_pointee(settings),
            source: Arc::clone(source),
            stamps: OrderedMutex::new(Rank::Settings, stamps),
        }
    }

    pub(super) fn current(&self) -> Arc<StoreSettings> {
        self.current.load_full()
    }

    /// Returns which sessions' summaries are shared, as the files of the settings say now. Only an update of the index takes over
    /// changed settings as a whole.
    pub(crate) fn share(&self) -> SessionShare {
        (self.source)(&self.root).share
    }

    /// Returns whether the end of a session notes which lines it wrote, as the files of the settings say now.
    pub(crate) fn traces(&self) -> bool {
        (self.source)(&self.root).traces
    }

    /// Returns what happens to memories that arrive, as the files of the settings say now.
    pub(crate) fn review(&self) -> ReviewPolicy {
        (self.source)(&self.root).review
    }

    /// Returns which transcripts are read, as the files of the settings say now.
    pub(crate) fn transcripts(&self) -> TranscriptSettings {
        (self.source)(&self.root).transcripts
    }

    /// Reads the settings and the selection again if the stamps of their files have changed. Costs one `stat` per file.
    pub(crate) fn follow(&self, files: &Files) -> Configuration {
        let before = self.current();
        // The stamps are taken before the files are read, so that a write in between is noticed the next time.
        let stamps_now = stamps(&before, files.selection_stamps());
        let mut stamps = self.stamps.lock();
        if *stamps == stamps_now {
            return Configuration::Same;
        }
        *stamps = stamps_now;
        let settings = (self.source)(&self.root);
        if !cuts_alike(&settings, &before) {
            files.dirty().rewrite_everything();
        }
        self.current.store(Arc::new(settings));
        files.reload_selection();
        tracing::info!(root = %self.root.display(), "the configuration was changed and is read again");
        Configuration::Changed
    }
}

/// Returns whether files are cut into the same chunks with both settings.
pub(super) fn cuts_alike(one: &StoreSettings, other: &StoreSettings) -> bool {
    one.types == other.types && ChunkLimits::from(&one.limits) == ChunkLimits::from(&other.limits)
}

/// Returns the stamps of the files of the settings and of the selection, in this order; `None` for a missing file.
pub(super) fn stamps(settings: &StoreSettings, selection: [Option<FileStamp>; 2]) -> Vec<Option<FileStamp>> {
    settings.files.iter().map(|path| FileStamp::read(path)).chain(selection).collect()
}
