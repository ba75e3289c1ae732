//! Adding a memory.
//!
//! A memory is compared with the known ones before it is written, since agents repeat what they have learned. Two that are added at
//! the same time must see each other: the id is reserved first, then the known memories are compared, and the reservation ends only
//! when the event is in the state.

use std::sync::Arc;

use recall_core::{
    AddMemory, Admission, Cue, Event, EventBody, MemoryChange, MemoryId, MemoryOrigin, NewMemory, Provenance, Repeats,
    Scope, StoreScope, Timestamp, derive_cues,
};
use recall_text::{Relation, Vocabulary, normalize_text};

use super::anchors::Anchored;
use super::similar::{self, MemoryStatements, REPEATS, SimilarMemory, similar_memories};
use crate::Engine;
use crate::error::{IndexError, MemoryError};
use crate::git::Head;
use crate::indexing::index_memories_soon;
use crate::ledger::{InFlight, ReservedId};
use crate::mask::{self, Masking};
use crate::memory::{ItemUse, MemoryNote, about, anchors};
use crate::moments::valid_time;
use crate::origin::Origin;
use crate::store::{self, Store};

/// The result of adding a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct AddReport {
    /// Its id; if it repeats a known memory, the id of that.
    pub id: MemoryId,
    /// The title, with secrets masked.
    pub title: String,
    /// Whether anything was stored.
    pub outcome: AddOutcome,
    /// When it is shown unasked; empty if nothing was stored.
    pub cues: Vec<Cue>,
    /// Similar memories, the most similar first.
    pub similar: Vec<SimilarMemory>,
    /// Notes for the caller.
    pub notes: Vec<MemoryNote>,
}

/// The outcome of adding a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// It is stored as a new memory.
    Added,
    /// It nearly repeats a known memory; nothing was stored.
    Repeats,
    /// It is stored and retires another memory.
    Supersedes,
    /// It is stored as a proposal.
    Proposed,
}

impl Engine {
    /// Adds a memory. It is on disk when this returns; searches find it a moment later.
    ///
    /// Secrets in it are masked first. Nothing is written if it nearly repeats a known memory, unless the request allows that.
    ///
    /// # Errors
    /// The scope does not name a single store, a related file is outside of it, the memory to be retired is not known, or the
    /// journal cannot be written. Then nothing is stored.
    pub fn add_memory(&self, origin: &Origin, request: &AddMemory) -> Result<AddReport, MemoryError> {
        self.add_memory_of(origin, request, self.clock.now())
    }

    /// Adds a memory that came about at a time, or now if that is in the future.
    ///
    /// # Errors
    /// See [`Engine::add_memory`].
    pub fn add_memory_of(
        &self,
        origin: &Origin,
        request: &AddMemory,
        created: Timestamp,
    ) -> Result<AddReport, MemoryError> {
        let store = self.memory_store(origin, request.scope)?;
        let now = self.clock.now();
        let timestamp = created.min(now);
        // A memory that another process or git added since would not count as a repetition otherwise.
        store.ledger.refresh(now)?;
        let provenance = store::complete_provenance(&request.provenance, &Head::read_from(&store.root), &store);
        let policy = store.settings.review();
        let admission = match (&provenance.agent, request.origin) {
            (Some(_), _) => policy.agent,
            (None, Some(MemoryOrigin::Imported)) => policy.import,
            (None, _) => Admission::Accept,
        };
        let commit = provenance.commit.clone();
        let addition = Addition { request, timestamp, provenance, commit: commit.as_deref(), admission };
        let new = match self.prepare_memory(origin, &store, addition)? {
            PreparedMemory::Finished(report) => return Ok(report),
            PreparedMemory::New(new) => new,
        };
        let NewAddition { reserved, event, report } = *new;
        store.ledger.write(&[event])?;
        // Held until the event is in the state: an equal memory that is added at the same time finds it either here or there.
        drop(reserved);
        index_memories_soon(&store, &self.clock);
        self.note_use(origin, &request.provenance, ItemUse::Named(&[&request.title, &request.content]));
        Ok(report)
    }

    /// Masks, compares and anchors a memory, and reserves its id. Nothing is written.
    ///
    /// Blocks if the caller holds a prepared memory with the same idempotency key.
    pub(crate) fn prepare_memory<'s>(
        &self,
        origin: &Origin,
        store: &'s Store,
        addition: Addition<'_>,
    ) -> Result<PreparedMemory<'s>, MemoryError> {
        let Addition { request, timestamp, provenance, commit, admission } = addition;
        if admission == Admission::Refuse {
            let is_imported = request.origin == Some(MemoryOrigin::Imported);
            return Err(MemoryError::Refused { from: if is_imported { "from other tools" } else { "from agents" } });
        }
        let mut masking = Masking::default();
        let title = masking.mask_title(&request.title, &request.content);
        let content = masking.mask(&request.content);
        let vocabulary = Vocabulary::new(&[&title, &content]);
        if let Some(older) = request.supersedes.filter(|older| store.ledger.memory(*older).is_none()) {
            return Err(MemoryError::NotFound { id: older.to_string() });
        }
        let event = store.ledger.event_id(request.key.as_deref(), timestamp);
        let stated = MemoryStatements::new(&title, &content);
        let is_refused = |similarity| request.repeats == Repeats::Refuse && similarity >= REPEATS;
        let is_repeat = |other: &InFlight, similarity| {
            let relate = || stated.relation(&MemoryStatements::new(&other.title, &other.content), None);
            is_refused(similarity) && relate() != Some(Relation::Contradiction)
        };
        let id = match store.ledger.place(request.memory_type, event, (&title, &content), &vocabulary, is_repeat) {
            Ok(ReservedId::Free(id)) => id,
            Ok(ReservedId::Known(id)) => {
                let outcome = outcome(request, admission);
                return Ok(finished_report(id, title, outcome, Vec::new()));
            }
            Err((id, known, similarity)) => {
                let relation = Some(Relation::Repeat);
                let similar = SimilarMemory { id, title: known.to_string(), similarity, relation, judged_by: None };
                return Ok(finished_report(id, title, AddOutcome::Repeats, vec![similar]));
            }
        };
        // The guard releases the reserved id also on errors.
        let reserved = Reserved { store, id };
        // After the id is reserved: of two similar memories that are added at once, one sees the other either there or here.
        let mut similar = similar_memories(store, (None, &title, &content), &vocabulary)?;
        if store.scope == StoreScope::Project {
            similar.extend(self.similar_beyond(store, origin, (&title, &content, &vocabulary)));
        }
        similar::keep_most_similar(&mut similar);
        similar.retain(|memory| Some(memory.id) != request.supersedes);
        let is_repeated = |known: &&SimilarMemory| is_refused(known.similarity) && !known.may_contradict();
        if let Some(known) = similar.iter().find(is_repeated) {
            return Ok(finished_report(known.id, title, AddOutcome::Repeats, similar));
        }
        if admission == Admission::Propose
            && let Some(known) = repeated_proposal(store, &vocabulary, is_refused)
        {
            return Ok(finished_report(known.id, title, AddOutcome::Repeats, vec![known]));
        }
        let mut notes = Vec::new();
        let related_files = about::resolve_files(store, origin, &request.related_files)?;
        let valid = valid_time(&store.root, &request.valid, self.clock.now())?;
        let text = format!("{title}\n{content}");
        let anchors = Anchored::new(store).anchor(&related_files, &text, commit, &mut notes)?;
        let related_files = masking.mask_paths(related_files);
        let added = NewMemory {
            title: title.as_str().into(),
            content: content.into(),
            tags: sort(masking.mask_all(&request.tags)),
            related_files,
            cues: (!request.cues.is_empty()).then(|| masking.mask_cues(&request.cues)),
            scope: store.scope,
            source: masking.mask_some(request.source.as_deref()),
            origin: request.origin.unwrap_or_else(|| origin_of(&provenance)),
            supersedes: request.supersedes,
            anchors,
            lineage: None,
            valid,
        };
        notes.extend(anchors::for_masking(&masking));
        let contradicted = similar.iter().filter(|known| known.may_contradict());
        notes.extend(contradicted.map(|known| MemoryNote::MayContradict { id: known.id, title: known.title.clone() }));
        let derived = || derive_cues(request.memory_type, &added.title, &added.content);
        let cues = added.cues.clone().unwrap_or_else(derived);
        let change = match admission {
            Admission::Propose => MemoryChange::Propose(Box::new(added)),
            Admission::Accept | Admission::Refuse => MemoryChange::Add(Box::new(added)),
        };
        let body = EventBody::Memory { id, change };
        let event = Event { timestamp, id: event, body, provenance };
        let report = AddReport { id, title, outcome: outcome(request, admission), cues, similar, notes };
        Ok(PreparedMemory::New(Box::new(NewAddition { reserved, event, report })))
    }

    /// Returns similar memories in the other stores that the project sees.
    ///
    /// A store that cannot be read does not make the request fail: searches report it.
    fn similar_beyond(
        &self,
        project: &Store,
        origin: &Origin,
        (title, content, vocabulary): (&str, &str, &Vocabulary),
    ) -> Vec<SimilarMemory> {
        let stores = self.registry.stores(origin, Scope::All, &*self.clock).unwrap_or_else(|error| {
            tracing::warn!(%error, "the other stores of the project were not compared");
            Vec::new()
        });
        let beyond = stores.iter().filter(|store| store.root != project.root);
        let compared = beyond.filter_map(|store| match similar_memories(store, (None, title, content), vocabulary) {
            Ok(similar) => Some(similar),
            Err(error) => {
                tracing::warn!(root = %store.root.display(), %error, "another store of the project was not compared");
                None
            }
        });
        compared.flatten().collect()
    }

    /// Returns the single store that a writing request names; `all` means the project's.
    pub(crate) fn memory_store(&self, origin: &Origin, scope: Scope) -> Result<Arc<Store>, MemoryError> {
        self.single_store(origin, scope).map_err(|error| match error {
            IndexError::Store(error) => MemoryError::Store(error),
            _ => MemoryError::NoStore { scope },
        })
    }
}

/// Reports about a memory that is not added, because it is known.
fn finished_report<'s>(
    id: MemoryId,
    title: String,
    outcome: AddOutcome,
    similar: Vec<SimilarMemory>,
) -> PreparedMemory<'s> {
    PreparedMemory::Finished(AddReport { id, title, outcome, cues: Vec::new(), similar, notes: Vec::new() })
}

/// A memory to add, with its time and its author.
pub(crate) struct Addition<'a> {
    pub(crate) request: &'a AddMemory,
    pub(crate) timestamp: Timestamp,
    /// Who added it, with secrets masked.
    pub(crate) provenance: Provenance,
    /// The commit that is checked out, for its anchors.
    pub(crate) commit: Option<&'a str>,
    /// What happens to memories from there.
    pub(crate) admission: Admission,
}

/// A memory that was compared with the known ones.
pub(crate) enum PreparedMemory<'s> {
    /// Nothing is to be written: it is known, or repeats a known one.
    Finished(AddReport),
    New(Box<NewAddition<'s>>),
}

/// A new memory that is not written yet.
pub(crate) struct NewAddition<'s> {
    /// Keeps its id reserved.
    pub(crate) reserved: Reserved<'s>,
    /// The event to write.
    pub(crate) event: Event,
    /// The report once it is written.
    pub(crate) report: AddReport,
}

/// The reserved id of a memory that is being added.
pub(crate) struct Reserved<'a> {
    store: &'a Store,
    id: MemoryId,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.store.ledger.release(self.id);
    }
}

fn outcome(request: &AddMemory, admission: Admission) -> AddOutcome {
    match request.supersedes {
        _ if admission == Admission::Propose => AddOutcome::Proposed,
        Some(_) => AddOutcome::Supersedes,
        None => AddOutcome::Added,
    }
}

/// Returns the proposal that says the same. An agent that learns something again would fill the inbox with it.
fn repeated_proposal(store: &Store, vocabulary: &Vocabulary, is_repeat: impl Fn(f64) -> bool) -> Option<SimilarMemory> {
    let proposals = store.ledger.proposals().into_iter().filter_map(|id| store.ledger.memory(id)).map(mask::memory);
    let similar = proposals.map(|memory| SimilarMemory {
        id: memory.id,
        similarity: vocabulary.similarity(&Vocabulary::new(&[&memory.title, &memory.content])),
        title: memory.title.to_string(),
        relation: Some(Relation::Repeat),
        judged_by: None,
    });
    similar.filter(|known| is_repeat(known.similarity)).max_by(|a, b| a.similarity.total_cmp(&b.similarity))
}

/// Returns the default origin of a memory: written by a person, or observed by an agent.
fn origin_of(provenance: &Provenance) -> MemoryOrigin {
    if provenance.agent.is_none() { MemoryOrigin::Human } else { MemoryOrigin::Observed }
}

/// Sorts tags and removes blank ones and duplicates. Their Unicode form does not count.
pub(super) fn sort(mut tags: Vec<String>) -> Vec<String> {
    for tag in &mut tags {
        *tag = normalize_text(tag).into_owned();
    }
    tags.retain(|tag| !tag.trim().is_empty());
    tags.sort_unstable();
    tags.dedup();
    tags
}
