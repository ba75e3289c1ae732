//! The memories about files: the files that a request names, their memories, and how these are introduced to a reader.

use std::collections::BTreeSet;
use std::path::Path;

use recall_core::{AnchorState, Citation, Memory, MemoryId, MemoryType, MemoryView, Ownership, Timestamp};
use recall_text::quote::inline;
use recall_text::{DocPath, path_spellings};
use recall_watch::StatOutcome;

use super::verify::{bring_up_anchors, recalled_as_hit};
use crate::engine::MountedStore;
use crate::error::{MemoryError, StoreError};
use crate::origin::{self, Origin};
use crate::store::Store;

/// Returns at most `most` memories in force that name one of the files or are anchored to it, those first that matter most to someone
/// who changes a file, by their type, with the paths that the client sees. Those in `known` are left out, and the others are added to it.
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
    let mut about = memories_in_force_about(store, files, known);
    about.sort_by_key(|memory| (weight(memory.id.memory_type), memory.id));
    let ids: Vec<MemoryId> = about.iter().map(|memory| memory.id).take(most).collect();
    recall_for_client(store, &ids, now)
}

/// Returns all memories in force that name one of the files or are anchored to it, in the order of their ids. Those in `known` are left out,
/// and the others are added to it.
pub(crate) fn memories_in_force_about(
    store: &MountedStore,
    files: &BTreeSet<DocPath>,
    known: &mut BTreeSet<MemoryId>,
) -> Vec<Memory> {
    let inner: BTreeSet<DocPath> = files.iter().filter_map(|path| store.mount.inner_path(path)).collect();
    let mut about = store.ledger.in_force_about(&inner);
    about.retain(|memory| known.insert(memory.id));
    about
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

/// Describes the origin of a memory and whether it holds.
pub(crate) fn words_of(recalled: &MemoryView) -> String {
    let state = state_of(recalled);
    match recalled.ownership {
        Ownership::Own => format!("own, {state}"),
        Ownership::Confirmed => format!("confirmed by you, {state}"),
        Ownership::Repository => {
            let by = recalled.added_by.as_ref();
            let added = by.map(|by| format!(", added by {} in {}", inline(&by.author), inline(&by.commit)));
            // An author who knows the files can make any text match them, so a match proves nothing here.
            let state = if recalled.verification.state.is_broken() { format!(", {state}") } else { String::new() };
            format!("from the repository{}, unconfirmed{state}", added.unwrap_or_default())
        }
    }
}

/// Describes whether a memory holds.
pub(crate) fn state_of(recalled: &MemoryView) -> &'static str {
    match recalled.verification.state {
        AnchorState::Verified if !recalled.verification.moved.is_empty() => "its files were moved and are as they were",
        AnchorState::Verified => "its files are as they were",
        AnchorState::Changed => "its files changed since: check it",
        AnchorState::Gone => "its files are gone: check it",
        AnchorState::Unchecked => "not checked",
        AnchorState::Unanchored => "tied to no file",
    }
}

/// Returns the sort weight of a memory type for someone who changes a file; the most relevant type first.
pub(crate) fn weight(memory_type: MemoryType) -> u8 {
    match memory_type {
        MemoryType::Decision => 0,
        MemoryType::Failure => 1,
        MemoryType::Lesson => 2,
        MemoryType::Pattern => 3,
        MemoryType::Context => 4,
        MemoryType::Note => 5,
    }
}

/// Returns the paths below the store's root of files that a client names, in any form. Sorted, without duplicates.
///
/// # Errors
/// One of them is outside of the root.
pub(crate) fn resolve_files(store: &Store, origin: &Origin, named: &[String]) -> Result<Vec<DocPath>, MemoryError> {
    let mut paths = named.iter().map(|named| one(store, origin, named)).collect::<Result<Vec<_>, _>>()?;
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

fn one(store: &Store, origin: &Origin, named: &str) -> Result<DocPath, MemoryError> {
    let documents = Citation::readings(named).map(|reading| reading.document);
    let candidates: Vec<DocPath> =
        documents.flat_map(|document| origin::paths_below(&store.root, origin, document)).collect();
    // An existing file wins; the client's directory is tried first.
    let is_there = |path: &&DocPath| store.files.stat(path) != StatOutcome::Gone;
    let path = candidates.iter().find(is_there).or(candidates.first());
    path.cloned().map_or_else(|| outside(store, origin, named), Ok)
}

fn outside(store: &Store, origin: &Origin, named: &str) -> Result<DocPath, MemoryError> {
    let resolved =
        recall_watch::root::resolve_inside(&store.root, &origin.absolute(Path::new(&*path_spellings(named)[0])));
    resolved.map_err(|source| MemoryError::Outside { path: named.to_owned(), source })
}
