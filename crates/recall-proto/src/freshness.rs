//! Detection of outdated answers.

use crate::v1;

/// The codes of the warnings about outdated answers.
const OUTDATED_CODES: [&str; 5] = ["SCAN_RUNNING", "NOT_COMPARED", "NOT_REFRESHED", "INDEXING", "INDEXING_QUEUED"];

/// Whether a warning states that recent edits may be missing in the answer.
pub fn may_be_outdated(warnings: &[v1::Warning]) -> bool {
    warnings.iter().any(|warning| OUTDATED_CODES.contains(&warning.code.as_str()))
}
