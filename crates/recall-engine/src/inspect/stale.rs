//! Stale memories and files, and why they are stale.

use std::ops::ControlFlow;

use recall_core::{
    Anchor, AnchorState, Document, DocumentId, Freshness, MemoryStatus, MemoryView, Timestamp, age_days,
};

use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::memory::{bring_up_anchors, recall_memory};

/// Why an item is stale.
#[derive(Clone, Debug, PartialEq)]
pub enum StaleReason {
    /// It was neither changed nor confirmed for so many days, which are not fewer than the limit of its type.
    Age {
        /// The days since it was changed or confirmed.
        days: u64,
        /// The days from which its type counts as stale.
        limit: u32,
    },
    /// It was rated outdated, and neither amended nor confirmed since.
    Outdated,
    /// At least half of its anchors no longer hold: these.
    Anchors(Vec<(Anchor, AnchorState)>),
}

/// Returns why a memory is stale; nothing if it is current.
pub(super) fn memory_reasons(view: &MemoryView, freshness: &Freshness, now: Timestamp) -> Vec<StaleReason> {
    if view.status == MemoryStatus::Current {
        return Vec::new();
    }
    let memory = &view.memory;
    let since = view.verification.verified.map_or(memory.updated, |verified| verified.max(memory.updated));
    let limit = freshness.memory_limits(memory.id.memory_type).stale_days;
    let age =
        limit.filter(|_| view.staleness >= 1.0).map(|limit| StaleReason::Age { days: age_days(since, now), limit });
    let is_outdated = memory.feedback.last_outdated.is_some_and(|outdated| outdated > since);
    let broken = Some(view.verification.broken.clone()).filter(|broken| !broken.is_empty());
    let all = [is_outdated.then_some(StaleReason::Outdated), broken.map(StaleReason::Anchors), age];
    all.into_iter().flatten().collect()
}

/// Returns why a file is stale.
pub(super) fn file_reason(file: &Document, freshness: &Freshness, now: Timestamp) -> Option<StaleReason> {
    let limit = freshness.file_limit(file.document_type).filter(|_| file.memory.is_none())?;
    let days = age_days(file.modified, now);
    (days >= u64::from(limit)).then_some(StaleReason::Age { days, limit })
}

/// Returns the stale memories and files of a store, in no particular order.
pub(super) fn stale(store: &MountedStore, now: Timestamp) -> Result<Vec<DocumentId>, StoreError> {
    let memories = store.ledger.ids();
    bring_up_anchors(store, &memories, now)?;
    let mut found = Vec::new();
    for id in memories {
        let view = recall_memory(store, id, now)?;
        if view.is_some_and(|view| view.status != MemoryStatus::Current) {
            found.push(DocumentId::from_path(&id.to_path()));
        }
    }
    let settings = store.settings();
    if settings.freshness.stale_after_days.is_empty() {
        return Ok(found);
    }
    store.index.read(|snapshot| {
        snapshot.each_document(None, |stored, _| {
            found.extend(file_reason(&stored.document, &settings.freshness, now).map(|_| stored.document.id));
            Ok(ControlFlow::Continue(()))
        })
    })?;
    Ok(found)
}
