//! The stats of the files of a store's configuration.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::settings::StoreSettings;
use crate::store::selection;

/// The identity, size and time of a file, without following a link; the default if it does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FileStat {
    identity: Option<(u64, u64)>,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileStat {
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

impl FileStat {
    /// Returns the stats of the files of the settings and of the selection, in this order.
    pub(super) fn of_all(settings: &StoreSettings, root: &Path, store_folder: &Path) -> Vec<Self> {
        let selection = selection::files(root, store_folder);
        settings.files.iter().chain(&selection).map(|path| Self::of(path)).collect()
    }
}
