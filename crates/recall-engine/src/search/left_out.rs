//! The warning about files that an answer could not see.

use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::warning::{LeftOutGroup, Warning};

/// Returns the warning about the files of the stores that may hold text and are not indexed; `None` if there are none.
///
/// Only an answer that found little asks for it.
pub(super) fn warning(stores: &[MountedStore]) -> Result<Option<Warning>, StoreError> {
    let mut groups: Vec<LeftOutGroup> = Vec::new();
    for store in stores {
        for group in store.index.left_out_groups()?.into_iter().filter(|group| group.may_hide_text) {
            match groups.iter_mut().find(|known| known.reason == group.reason) {
                Some(known) => known.files += group.files,
                None => groups.push(group),
            }
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.files));
    Ok((!groups.is_empty()).then_some(Warning::FilesLeftOut { groups }))
}
