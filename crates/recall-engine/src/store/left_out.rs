//! The files of a store that are not indexed, by reason.

use super::Store;
use crate::error::StoreError;
use crate::warning::LeftOutGroup;

impl Store {
    /// Counts its files that are not indexed by reason, the most frequent first. Nested repositories are not counted: they have
    /// stores of their own.
    pub(crate) fn left_out_groups(&self) -> Result<Vec<LeftOutGroup>, StoreError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general over the snapshot's lifetime"
        )]
        let groups = self.read(|snapshot| snapshot.failure_groups())?;
        let group = |(reason, files): (String, u64)| {
            let may_hide_text = recall_watch::may_hide_text(&reason);
            LeftOutGroup { reason, files, may_hide_text }
        };
        Ok(groups.into_iter().map(group).collect())
    }
}
