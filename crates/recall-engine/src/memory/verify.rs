//! Verification of memories against the files, and confirmation by the user of memories and of profiles.
//!
//! A memory is anchored to files and symbols as they were when it was written or last confirmed. A check compares and writes nothing.
//! A confirmation is an event with anchors to the current files; whether it counts as the user's own depends on who asks (ADR 18).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{
    Event, EventBody, ItemId, Memory, MemoryChange, MemoryId, MemoryView, OpposedMemory, Ownership, Timestamp,
    UseCounts, VerifyMemories, VerifyMode,
};
use recall_os::Folder;
use recall_text::{PROJECT_FOLDER, Vocabulary};

use super::anchor_change::{AnchorChange, changes_of};
use super::anchors::{Anchored, ComparedWith};
use super::similar::{SimilarMemory, similar_memories};
use crate::Engine;
use crate::adopted::adopted_report;
use crate::doubt::AdoptedReport;
use crate::engine::MountedStore;
use crate::error::{MemoryError, StoreError};
use crate::git::Head;
use crate::indexing::refresh_documents;
use crate::ledger::{JudgedMemory, Vouching};
use crate::mask::memory as masked;
use crate::memory::MemoryNote;
use crate::origin::Origin;
use crate::store::{self, Store};

/// The result of verifying memories.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerifyReport {
    /// The memories, in the order of the request; by id if the request names none.
    pub memories: Vec<MemoryView>,
    /// What changed in the files of the memories that no longer hold, if the request asked for it.
    pub changes: BTreeMap<MemoryId, Vec<AnchorChange>>,
    /// The check of the instructions and memories in files; `None` if the request names memories.
    pub adopted: Option<Arc<AdoptedReport>>,
    /// Notes for the caller.
    pub notes: Vec<MemoryNote>,
}

impl VerifyReport {
    /// Returns the number of memories with broken anchors.
    pub fn broken(&self) -> u64 {
        self.memories.iter().filter(|recalled| recalled.verification.state.is_broken()).count() as u64
    }
}

impl Engine {
    /// Compares memories with the current files; or confirms them, and anchors them to the current files.
    ///
    /// # Errors
    /// A memory is not known, in which case nothing is written; or the journal cannot be written.
    pub fn verify_memories(&self, origin: &Origin, request: &VerifyMemories) -> Result<VerifyReport, MemoryError> {
        let now = self.clock.now();
        let stores = self.fresh_stores(origin, request.scope)?.stores;
        if stores.is_empty() {
            return Err(MemoryError::NoStore { scope: request.scope });
        }
        for store in &stores {
            store.ledger.refresh(now)?;
        }
        if request.mode == VerifyMode::ConfirmProfile {
            self.confirm_profiles(&stores, request)?;
            return Ok(VerifyReport::default());
        }
        let asked: Vec<(&MountedStore, MemoryId)> = if request.mode == VerifyMode::ConfirmAll {
            stores
                .iter()
                .flat_map(|store| store.ledger.unconfirmed_memories().into_iter().map(move |id| (store, id)))
                .collect()
        } else if request.ids.is_empty() {
            let all = stores.iter().flat_map(|store| store.ledger.ids().into_iter().map(move |id| (store, id)));
            all.collect()
        } else {
            let holder = |id: &MemoryId| {
                let holder = stores.iter().find(|store| store.ledger.memory(*id).is_some());
                holder.map(|store| (store, *id)).ok_or_else(|| MemoryError::NotFound { id: id.to_string() })
            };
            request.ids.iter().map(holder).collect::<Result<_, _>>()?
        };
        let checks_files = request.ids.is_empty() && request.mode == VerifyMode::Check;
        let adopted = if checks_files { Some(adopted_report(&stores)?) } else { None };
        let mut report = VerifyReport { adopted, ..VerifyReport::default() };
        for store in &stores {
            let here: Vec<_> =
                asked.iter().filter(|(of, _)| Arc::ptr_eq(&of.store, &store.store)).map(|&(_, id)| id).collect();
            bring_up_anchors(store, &here, now)?;
        }
        for (store, id) in asked {
            if matches!(request.mode, VerifyMode::Confirm | VerifyMode::ConfirmAll) {
                report.notes.extend(confirm(store, id, request, now)?);
            }
            let Some(mut recalled) = recall_memory(store, id, now)? else { continue };
            if request.with_changes && !recalled.verification.broken.is_empty() {
                report.changes.insert(id, changes_of(store, &recalled.verification.broken));
            }
            store.mount.show_memory(&mut recalled);
            report.memories.push(recalled);
        }
        Ok(report)
    }

    /// Stores that this user confirms the current profiles of the stores. Does nothing if an agent asks.
    fn confirm_profiles(&self, stores: &[MountedStore], request: &VerifyMemories) -> Result<(), MemoryError> {
        if request.provenance.agent.is_some() {
            return Ok(());
        }
        for store in stores {
            let Some(text) = profile_of(&store.root) else { continue };
            self.registry.own.confirm_profile(&text).map_err(|source| MemoryError::Confirm { source })?;
        }
        Ok(())
    }

    /// Returns a memory and the first store that holds it, starting with the project's.
    pub(super) fn find_memory(
        &self,
        origin: &Origin,
        id: MemoryId,
    ) -> Result<(Arc<Store>, recall_core::Memory), MemoryError> {
        let now = self.clock.now();
        for store in self.stores(origin, recall_core::Scope::All)? {
            store.ledger.refresh(now)?;
            // A promoted memory is held by the wider store.
            if let Some(memory) = store.ledger.memory(id).filter(|memory| memory.promoted.is_none()) {
                return Ok((store.store, memory));
            }
        }
        Err(MemoryError::NotFound { id: id.to_string() })
    }
}

/// Writes that a memory holds, with anchors to the current files.
fn confirm(
    store: &Arc<Store>,
    id: MemoryId,
    request: &VerifyMemories,
    now: Timestamp,
) -> Result<Vec<MemoryNote>, MemoryError> {
    let memory = store.ledger.memory(id).ok_or_else(|| MemoryError::NotFound { id: id.to_string() })?;
    let provenance = store::complete_provenance(&request.provenance, &Head::read_from(&store.root), store);
    let mut notes = Vec::new();
    let text = format!("{}\n{}", memory.title, memory.content);
    let anchors =
        Anchored::new(store).anchor(&memory.related_files, &text, provenance.commit.as_deref(), &mut notes)?;
    let vouching = Vouching::from_provenance(&provenance);
    let verified = Event {
        timestamp: store.ledger.moment_after(id, now),
        id: store.ledger.event_id(None, now),
        body: EventBody::Memory { id, change: MemoryChange::Verify { anchors: Some(anchors) } },
        provenance,
    };
    store.ledger.write_about(id, verified, vouching)?;
    Ok(notes)
}

/// Indexes the changed files that memories are anchored to, so that their symbols can be compared.
pub(crate) fn bring_up_anchors(store: &Arc<Store>, ids: &[MemoryId], now: Timestamp) -> Result<(), StoreError> {
    let memories: Vec<_> = ids.iter().filter_map(|id| store.ledger.memory(*id)).collect();
    let changed = Anchored::new(store).changed_files(memories.iter());
    if changed.is_empty() { Ok(()) } else { refresh_documents(store, &changed, now, Duration::MAX) }
}

/// Returns a memory with its verification against the current files; `None` if it is not known.
///
/// A symbol of a file that changed since it was indexed is not compared; see
/// [`bring_up_anchors`].
pub(crate) fn recall_memory(store: &Store, id: MemoryId, now: Timestamp) -> Result<Option<MemoryView>, StoreError> {
    recalled_after(store, store.facts.retrievals().count(ItemId::Memory(id)), ComparedWith::Now, id, now)
}

/// Returns the same without the counts of earlier retrievals and uses, so that repeating a query returns the same bytes.
pub(crate) fn recalled_as_hit(store: &Store, id: MemoryId, now: Timestamp) -> Result<Option<MemoryView>, StoreError> {
    recalled_after(store, UseCounts::default(), ComparedWith::Now, id, now)
}

/// Returns the same for a search, whose settings may leave the comparison with the files out.
pub(crate) fn recalled_by_search(
    store: &Store,
    id: MemoryId,
    now: Timestamp,
) -> Result<Option<MemoryView>, StoreError> {
    let look = if store.settings().freshness.check_on_search { ComparedWith::Now } else { ComparedWith::Nothing };
    recalled_after(store, UseCounts::default(), look, id, now)
}

fn recalled_after(
    store: &Store,
    counts: UseCounts,
    look: ComparedWith,
    id: MemoryId,
    now: Timestamp,
) -> Result<Option<MemoryView>, StoreError> {
    let Some((judged, successor)) = store.ledger.memory_and_successor(id) else { return Ok(None) };
    let JudgedMemory { memory, ownership, foreign } = judged;
    let verification = Anchored::new(store).verification(&memory, look)?;
    let foreign = foreign.filter(|_| ownership == Ownership::Repository);
    let added_by = foreign.and_then(|event| store.facts.contributor(event));
    let freshness = &store.settings().freshness;
    let memory = masked(memory);
    let now = store.time(now);
    let recalled = MemoryView::derive(memory, ownership, verification, successor, counts, freshness, now);
    let contradicts = if recalled.memory.proposed {
        opposed_to_proposal(store, &recalled.memory)?
    } else {
        let opponents = store.oppositions.opponents(id).into_iter();
        let in_force = opponents.filter(|(other, _)| store.ledger.is_in_force(*other));
        let known =
            in_force.filter_map(|(other, judged_by)| Some((store.ledger.memory(other).map(masked)?, judged_by)));
        known
            .map(|(other, judged_by)| OpposedMemory { id: other.id, title: other.title.to_string(), judged_by })
            .collect()
    };
    Ok(Some(MemoryView { added_by, contradicts, ..recalled }))
}

/// Returns the memories that a proposal may contradict. A proposal is in no index and no pair, so it is compared when it is read.
fn opposed_to_proposal(store: &Store, proposal: &Memory) -> Result<Vec<OpposedMemory>, StoreError> {
    let Memory { id, title, content, .. } = proposal;
    let vocabulary = Vocabulary::new(&[title, content]);
    let similar = similar_memories(store, (Some(*id), title, content), &vocabulary)?.into_iter();
    let opposed = similar.filter(SimilarMemory::may_contradict);
    Ok(opposed.map(|SimilarMemory { id, title, judged_by, .. }| OpposedMemory { id, title, judged_by }).collect())
}

/// The file name of a profile: of the user in the global store's root, of a project in its `.recall` folder.
pub(crate) const PROFILE: &str = "profile.md";

/// The most bytes read of a profile. It is part of every briefing, so a long one defeats its purpose.
const PROFILE_BYTES: u64 = 16 * 1024;

/// Returns the profile of the project with that root; `None` if there is none or it cannot be read.
pub(crate) fn profile_of(root: &Path) -> Option<Vec<u8>> {
    read_profile(root, &Path::new(PROJECT_FOLDER).join(PROFILE))
}

/// Reads a profile at a plain path below a root. A link is not followed.
pub(crate) fn read_profile(root: &Path, below: &Path) -> Option<Vec<u8>> {
    Folder::open(root).and_then(|root| root.read(below, PROFILE_BYTES)).ok()
}
