//! The memories about files.

use std::collections::BTreeSet;

use recall_core::{MemoryId, MemoryView, Timestamp};
use recall_text::DocPath;

use super::verify::{bring_up_anchors, recalled_as_hit};
use super::words::weight;
use crate::engine::MountedStore;
use crate::error::StoreError;

/// Returns at most `most` memories in force that name one of the files or are anchored to it, those first that matter most to someone
/// who changes a file, with the paths that the client sees. Those in `known` are left out, and the others are added to it.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn memories_about(
    store: &MountedStore,
    files: &BTreeSet<DocPath>,
    known: &mut BTreeSet<MemoryId>,
    most: usize,
    now: Timestamp,
) -> Result<Vec<MemoryView>, StoreError> {
    let inner: BTreeSet<DocPath> = files.iter().filter_map(|path| store.mount.inner_path(path)).collect();
    let mut about = store.ledger.in_force_about(&inner);
    about.retain(|memory| known.insert(memory.id));
    about.sort_by_key(|memory| (weight(memory.id.memory_type), memory.id));
    let ids: Vec<MemoryId> = about.iter().map(|memory| memory.id).take(most).collect();
    recall_for_client(store, &ids, now)
}

/// Returns memories with their validity now and the paths that the client sees. Those that are not known are left out.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn recall_for_client(
    store: &MountedStore,
    ids: &[MemoryId],
    now: Timestamp,
) -> Result<Vec<MemoryView>, StoreError> {
    bring_up_anchors(store, ids, now)?;
    let mut memories = Vec::with_capacity(ids.len());
    for id in ids {
        let mut recalled = recalled_as_hit(store, *id, now)?;
        if let Some(recalled) = &mut recalled {
            store.mount.show_memory(recalled);
        }
        memories.extend(recalled);
    }
    Ok(memories)
}
