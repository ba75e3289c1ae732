//! Taking back what one session, one agent, or everything since a time wrote.
//!
//! Nothing is removed: for each item an event names the events that its fold leaves out (ADR 74). Each rollback is a session of its own,
//! so that it can be taken back itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::{
    Event, EventBody, EventId, ItemId, Memory, MemoryChange, MemoryId, Provenance, RollBack, RollBackMode, Scope,
    StoreScope, TimePoint, Timestamp,
};

use crate::Engine;
use crate::error::MemoryError;
use crate::indexing::index_memories_soon;
use crate::mask::{self, memory as masked};
use crate::moments::resolve;
use crate::origin::Origin;
use crate::store::{Store, where_of};

/// The result of a rollback, or what it would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RollBackReport {
    /// What is taken back, by store and item, the earliest first.
    pub taken_back: Vec<TakenBack>,
    /// What others built on that, and what stays.
    pub dependents: Vec<Dependent>,
    /// The session whose rollback restores everything; `None` if nothing was written.
    pub undo: Option<String>,
}

/// A change that is taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// The memory, document or chunk.
    pub item: ItemId,
    /// The title of a memory, with secrets masked.
    pub title: String,
    /// What was done to it, in words.
    pub how: &'static str,
    /// When.
    pub at: Timestamp,
    /// The scope of its store.
    pub scope: StoreScope,
}

/// Something that was built on a memory whose change is taken back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependent {
    /// The memory that is changed or vanishes.
    pub on: MemoryId,
    /// The memory that stands on it; the same one if somebody else changed it.
    pub id: MemoryId,
    /// Its title, with secrets masked.
    pub title: String,
    /// How it stands on it, in words.
    pub how: &'static str,
}

impl Engine {
    /// Takes back what a session or an agent wrote, or what was written since a time. All conditions must hold.
    ///
    /// # Errors
    /// An agent asks for more than a preview, nothing says what to take back, the time is unknown, or a journal cannot be written. Then
    /// some stores may be done; taking back again does the others.
    pub fn roll_back(&self, origin: &Origin, request: &RollBack) -> Result<RollBackReport, MemoryError> {
        let RollBack { session: _, agent: _, since, scope, mode, provenance } = request;
        if provenance.agent.is_some() && *mode == RollBackMode::Write {
            return Err(MemoryError::NeedsPerson);
        }
        let now = self.clock.now();
        let mut report = RollBackReport::default();
        let stores = self.registry.stores(origin, *scope, &*self.clock)?;
        if stores.is_empty() {
            return Err(MemoryError::NoStore { scope: *scope });
        }
        let since: Option<TimePoint> = match since {
            Some(text) => {
                let project = self.memory_store(origin, Scope::Project)?;
                Some(resolve(project.present_root(), text, now).map_err(MemoryError::Time)?.start)
            }
            None => None,
        };
        for store in &stores {
            store.ledger.refresh(now)?;
            let events = store.ledger.events_in_force(|event| is_wanted(event, request, since.as_ref()));
            let mut items: BTreeMap<ItemId, Vec<Event>> = BTreeMap::new();
            for event in events {
                items.entry(event.item()).or_default().push(event);
            }
            if items.is_empty() {
                continue;
            }
            for (item, events) in &items {
                report.taken_back.extend(events.iter().map(|event| taken_back(store, *item, event)));
            }
            report.dependents.extend(dependents(store, &items));
            if *mode == RollBackMode::Write {
                let undo = report.undo.get_or_insert_with(|| session_of(store.ledger.event_id(None, now)));
                let provenance = Provenance { session: Some(undo.clone()), ..where_of(store, provenance) };
                let reversals: Vec<Event> =
                    items.iter().map(|(item, events)| reversal(store, *item, events, &provenance, now)).collect();
                store.ledger.write(&reversals)?;
                index_memories_soon(store, &self.clock);
            }
        }
        Ok(report)
    }
}

/// Whether an event is to be taken back.
fn is_wanted(event: &Event, request: &RollBack, since: Option<&TimePoint>) -> bool {
    let Provenance { session, agent, commit, .. } = &event.provenance;
    (request.session.is_none() || request.session == *session)
        && (request.agent.is_none() || request.agent == *agent)
        && since.is_none_or(|since| !since.includes(event.timestamp, commit.as_deref()))
}

/// Returns the name of the session that a rollback is.
fn session_of(id: EventId) -> String {
    let mut name = format!("rollback-{id}");
    name.truncate("rollback-".len() + 8);
    name
}

fn reversal(store: &Store, item: ItemId, events: &[Event], provenance: &Provenance, now: Timestamp) -> Event {
    let last = events.iter().map(|event| event.timestamp).max().unwrap_or(now);
    let timestamp = match item {
        ItemId::Memory(id) => store.ledger.moment_after(id, now),
        ItemId::Document(_) | ItemId::Chunk(_) => now.max(Timestamp(last.0.saturating_add(1))),
    };
    let mut events: Vec<EventId> = events.iter().map(|event| event.id).collect();
    events.sort_unstable();
    events.dedup();
    let id = store.ledger.event_id(None, now);
    Event { timestamp, id, body: EventBody::Revert { item, events }, provenance: provenance.clone() }
}

fn taken_back(store: &Store, item: ItemId, event: &Event) -> TakenBack {
    let mut title = match item {
        ItemId::Memory(id) => store.ledger.last_title(id).unwrap_or_default(),
        ItemId::Document(_) | ItemId::Chunk(_) => String::new(),
    };
    mask::text(&mut title);
    TakenBack { item, title, how: how(event), at: event.timestamp, scope: store.scope }
}

/// Returns what an event did, in words.
fn how(event: &Event) -> &'static str {
    match &event.body {
        EventBody::Feedback { .. } => "rated",
        EventBody::Revert { .. } => "taken back",
        EventBody::Memory { change, .. } => match change {
            MemoryChange::Add(_) => "added",
            MemoryChange::Propose(_) => "proposed",
            MemoryChange::Accept => "accepted",
            MemoryChange::Update(_) => "amended",
            MemoryChange::Delete { .. } => "deleted",
            MemoryChange::Verify { .. } => "confirmed",
            MemoryChange::Promote(_) => "promoted",
        },
    }
}

/// Returns what stands on the changes that are taken back: later changes by others, and memories that name or supersede a memory.
fn dependents(store: &Arc<Store>, items: &BTreeMap<ItemId, Vec<Event>>) -> BTreeSet<Dependent> {
    let taken: BTreeSet<EventId> = items.values().flatten().map(|event| event.id).collect();
    let mut first: BTreeMap<MemoryId, Timestamp> = BTreeMap::new();
    for (item, events) in items {
        let says = |event: &&Event| event.new_memory().is_some() || how(event) == "amended";
        if let (ItemId::Memory(id), Some(event)) = (*item, events.iter().find(says)) {
            first.insert(id, event.timestamp);
        }
    }
    let title = |id| store.ledger.record(id).map(masked).map(|memory| memory.title.to_string()).unwrap_or_default();
    let mut found = BTreeSet::new();
    for event in store.ledger.events_in_force(|event| !taken.contains(&event.id)) {
        if let ItemId::Memory(id) = event.item()
            && first.get(&id).is_some_and(|first| event.timestamp > *first)
        {
            found.insert(Dependent { on: id, id, title: title(id), how: how(&event) });
        }
    }
    let stays = |memory: &Memory| !first.contains_key(&memory.id);
    for memory in store.ledger.in_force().into_iter().filter(stays) {
        for &on in first.keys() {
            let how = if memory.supersedes == Some(on) {
                "supersedes it"
            } else if memory.content.contains(&on.to_string()) {
                "cites it"
            } else {
                continue;
            };
            found.insert(Dependent { on, id: memory.id, title: memory.title.to_string(), how });
        }
    }
    found
}
