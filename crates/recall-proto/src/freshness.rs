//! Whether an answer may be behind the files.

use crate::v1;

/// The codes of the warnings that say so.
const BEHIND: [&str; 5] = ["SCAN_RUNNING", "NOT_COMPARED", "NOT_REFRESHED", "INDEXING", "INDEXING_QUEUED"];

/// Whether a warning says that edits made before the answer may be missing in it.
pub fn is_behind(warnings: &[v1::Warning]) -> bool {
    warnings.iter().any(|warning| BEHIND.contains(&warning.code.as_str()))
}
