//! Why a file of a store is not indexed.

use recall_index::catalog::FailureKind;
use recall_text::DocPath;
use recall_watch::{Explanation, LeftOut, LeftOutRule, SkipReason};

use crate::error::StoreError;
use crate::indexing::freshness::rules;
use crate::store::Store;

/// A file that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutFile {
    /// Its path below the root of its store.
    pub path: String,
    /// Why: a clause to follow its path.
    pub reason: String,
}

/// Returns why a file that exists is not indexed; `None` if there is no such file, or it is to be indexed.
///
/// What reading it showed is in the catalog. What a rule leaves out is not recorded, so the rules are asked again, at the
/// cost of listing the directories above the file.
pub(crate) fn explain_left_out(store: &Store, path: &DocPath) -> Result<Option<LeftOutFile>, StoreError> {
    let recorded = store.index.read(|snapshot| snapshot.failure_at(path.as_str()))?;
    if let Some(recorded) = recorded.filter(|recorded| recorded.kind != FailureKind::Repository) {
        return Ok(Some(LeftOutFile { path: recorded.path, reason: recorded.reason }));
    }
    let explanation = recall_watch::explain(&store.root, &rules(&store.files, &store.settings()), path)
        .map_err(|source| StoreError::Scan { root: store.root.clone(), source })?;
    let reason = match explanation {
        Explanation::Included
        | Explanation::NoFile
        | Explanation::LeftOut(LeftOut { rule: LeftOutRule::Internal, .. })
        // Another store holds what is in it.
        | Explanation::Skipped { reason: SkipReason::Repository, .. } => return Ok(None),
        Explanation::LeftOut(LeftOut { path: of, rule, .. }) if of == path.as_str() => rule.to_string(),
        Explanation::LeftOut(LeftOut { path: of, rule, .. }) => format!("in `{of}`, {rule}"),
        Explanation::Skipped { path: of, reason } if of == path.as_str() => reason.to_string(),
        Explanation::Skipped { path: of, reason } => format!("in `{of}`, {reason}"),
    };
    Ok(Some(LeftOutFile { path: path.as_str().to_owned(), reason }))
}
