//! The folders in which projects lie as they were at a time.
//!
//! A past is an ordinary root in the data home: the files of a commit, and the journals up to then. So every request reads it as it
//! reads a project, and nothing of the present can come into its answer. Its folder is named by its content.

use std::path::{Path, PathBuf};

use recall_core::{TimePoint, Timestamp};
use serde::{Deserialize, Serialize};

use crate::settings::Places;

/// The description of a past, next to its root.
pub(crate) const DESCRIPTION: &str = "past.json";

/// What a past is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PastRoot {
    /// The root of the project.
    pub(crate) project: PathBuf,
    /// The time as of which it is, in nanoseconds since the epoch.
    pub(crate) at: i64,
    /// The commit whose files it has; `None` if it has memories only.
    pub(crate) commit: Option<String>,
    /// The entries of the commit's tree that are not in it: links, submodules, and files that are too large.
    pub(crate) left_out: u64,
}

impl PastRoot {
    pub(crate) fn new(project: &Path, point: &TimePoint, commit: Option<String>, left_out: u64) -> Self {
        Self { project: project.to_owned(), at: point.at.0, commit, left_out }
    }

    /// Returns what a root is the past of; `None` for a root of the present.
    pub(crate) fn read(root: &Path, places: &Places) -> Option<Self> {
        let folder = root.parent().filter(|folder| folder.parent() == Some(&places.past()))?;
        serde_json::from_slice(&std::fs::read(folder.join(DESCRIPTION)).ok()?).ok()
    }

    pub(crate) fn time(&self) -> Timestamp {
        Timestamp(self.at)
    }
}
