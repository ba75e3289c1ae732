//! The summaries of sessions that stay in the data home.
//!
//! They are in the store's folder, at the path that they would have in the project, and are read like files of the project until a
//! file with that path appears there.

use std::path::Path;

use recall_core::DocPath;
use recall_os::Folder;
use recall_watch::{FoundFile, StatOutcome};

use super::Files;

/// The folder of summaries, below the root of a project and below the folder of a store.
pub(crate) const SUMMARIES: &str = ".recall/history";

/// The most private summaries that are indexed, the latest by name: one session a working day for four years.
const MOST_SUMMARIES: usize = 1000;

impl Files {
    /// Returns the private summaries as a scan finds files.
    pub(crate) fn private_summaries(&self) -> Vec<FoundFile> {
        let folder = Folder::open(&self.folder).and_then(|folder| folder.folder(SUMMARIES));
        let names = folder.ok().and_then(|folder| folder.names().ok()).unwrap_or_default();
        let mut paths: Vec<DocPath> = names
            .iter()
            .filter_map(|name| name.to_str())
            .filter(|name| {
                !name.starts_with('.') && Path::new(name).extension().is_some_and(|extension| extension == "md")
            })
            .filter_map(|name| DocPath::new(&format!("{SUMMARIES}/{name}")).ok())
            .collect();
        paths.sort_unstable_by(|a, b| b.cmp(a));
        paths.truncate(MOST_SUMMARIES);
        let found = |path: DocPath| match recall_watch::stat(&self.folder, &path) {
            StatOutcome::File { size_bytes, modified } => Some(FoundFile { path, size_bytes, modified }),
            _ => None,
        };
        paths.into_iter().filter_map(found).collect()
    }
}

/// Returns whether a path is that of a summary.
pub(crate) fn is_summary(path: &DocPath) -> bool {
    path.as_str().strip_prefix(SUMMARIES).is_some_and(|name| name.starts_with('/'))
}
