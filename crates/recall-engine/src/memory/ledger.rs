//! What do a store's journals say, and how does more get into them?

mod compared;
mod derived;
mod health;
mod judged;
mod reading;

use derived::FIRST_BEHIND;
pub(super) use derived::{Difference, Unindexed};
pub(crate) use judged::{JudgedGrounds, JudgedMemory};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use recall_core::{
    ContentHash, Event, EventBody, EventId, ItemId, Memory, MemoryChange, MemoryId, MemoryType, Timestamp, Vocabulary,
};
use recall_folder::write_git_files;
use recall_journal::{Applied, Day, Follower, Journal, Memories, Storage};

use super::own::OwnLog;
use super::put_back::Since;
use super::rated::Ratings;
use crate::error::MemoryError;

/// A store's journals, open, and what they say.
///
/// They are read when somebody first asks for all that they say; until then they cost nothing. What they say is held in memory:
/// the memories, and of each one which document the index should have. While they are read for the first time, a few memories
/// are told after a glance at the lines that name them.
pub(crate) struct Ledger {
    root: PathBuf,
    /// Where the journals are, to be told to people.
    folder: PathBuf,
    storage: Arc<dyn Storage>,
    /// What this user's recall wrote to these journals; `None` where everything is the user's own.
    pub(crate) log: Option<OwnLog>,
    /// Since which day the journals may differ from the log; `None` if nothing changed since they were compared.
    suspicion: Mutex<Option<Since>>,
    /// Whether a thread compares.
    is_comparing: AtomicBool,
    /// Opened by the first event that is written.
    journal: Mutex<Option<Arc<Journal>>>,
    /// Held by whoever reads; taken before the state, which stays free for others meanwhile.
    follower: Mutex<Follower>,
    state: Mutex<State>,
    /// What was being added was added, or what was to be indexed was.
    changed: Condvar,
    /// Somebody waits for what is to be indexed.
    awaited: Condvar,
    /// Tells the events of this process from those of all others.
    seed: u64,
    events: AtomicU64,
    /// Whether a thread brings documents into the index.
    is_indexing: AtomicBool,
}

struct State {
    /// Before all journals were read, what was glanced at.
    memories: Memories,
    /// Of which memories that is all that there is, and since when some were.
    glanced: BTreeSet<MemoryId>,
    first_glance: Option<Instant>,
    /// Of every memory in force the hash of its document.
    wanted: HashMap<MemoryId, ContentHash>,
    /// Memories whose documents the index may not have as they are, numbered in the order in which that came about.
    behind: BTreeMap<MemoryId, u64>,
    /// The number that the next one is given.
    next_behind: u64,
    /// How many wait for some of them.
    waiting: usize,
    /// The words of some of them, by the document that each should have: whoever adds compares with all.
    unindexed: HashMap<MemoryId, (ContentHash, Unindexed)>,
    /// Whether every document of the index is to be compared, since lines were changed or taken away.
    everything_behind: bool,
    /// What is being written at this moment.
    in_flight: BTreeMap<MemoryId, InFlight>,
    /// When the journals were last looked at; `None` before they were read.
    looked: Option<Instant>,
    /// Why they could not be read the last time.
    problem: Option<String>,
    /// What feedback says of files; none since something was said.
    ratings: Option<Arc<Ratings>>,
}

/// A memory that is being written.
struct InFlight {
    event: EventId,
    title: Arc<str>,
    vocabulary: Vocabulary,
}

/// Where a new memory goes.
pub(super) enum Place {
    /// Under this id, which is held for it.
    Free(MemoryId),
    /// The event is known: the client sent it before.
    Known(MemoryId),
}

impl Ledger {
    /// Takes the root of a store, its journals, and the log of what this user's recall wrote there. Nothing is read.
    pub(crate) fn new(root: &Path, storage: Arc<dyn Storage>, log: Option<OwnLog>) -> Self {
        let state = State {
            memories: Memories::default(),
            glanced: BTreeSet::new(),
            first_glance: None,
            wanted: HashMap::new(),
            behind: BTreeMap::new(),
            next_behind: FIRST_BEHIND,
            waiting: 0,
            unindexed: HashMap::new(),
            everything_behind: false,
            in_flight: BTreeMap::new(),
            looked: None,
            problem: None,
            ratings: None,
        };
        Self {
            root: root.to_owned(),
            folder: storage.folder().to_owned(),
            follower: Mutex::new(Follower::new(Arc::clone(&storage))),
            storage,
            log,
            suspicion: Mutex::new(None),
            is_comparing: AtomicBool::new(false),
            journal: Mutex::new(None),
            state: Mutex::new(state),
            changed: Condvar::new(),
            awaited: Condvar::new(),
            seed: RandomState::new().hash_one("recall event"),
            events: AtomicU64::new(0),
            is_indexing: AtomicBool::new(false),
        }
    }

    /// Why the journals could not be read the last time.
    pub(crate) fn problem(&self) -> Option<String> {
        self.state.lock().problem.clone()
    }

    /// What of the journals could not be read as it stands, in words, and how much of it may have been events.
    pub(crate) fn faults(&self, most: usize) -> (Vec<(String, String)>, u64) {
        let follower = self.follower.lock();
        let losses: Vec<_> = follower.faults().filter(|fault| fault.kind.is_loss()).collect();
        let place = |fault: &recall_journal::Fault| format!(".recall/{}:{}", fault.day.path().display(), fault.line);
        let told = losses.iter().take(most).map(|fault| (place(fault), fault.kind.to_string())).collect();
        (told, losses.len() as u64)
    }

    /// The days that have a journal, in order.
    pub(crate) fn days(&self) -> std::io::Result<Vec<Day>> {
        self.storage.days()
    }

    /// How many memories are in force.
    pub(crate) fn count(&self) -> u64 {
        self.state.lock().wanted.len() as u64
    }

    /// Whether a memory is in force: neither deleted nor retired nor promoted.
    pub(super) fn is_in_force(&self, id: MemoryId) -> bool {
        self.state.lock().wanted.contains_key(&id)
    }

    /// The ids of all memories in force, in their order.
    pub(super) fn ids(&self) -> Vec<MemoryId> {
        let mut ids: Vec<_> = self.state.lock().wanted.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// All memories in force, without their secrets, in the order of their ids.
    pub(crate) fn in_force(&self) -> Vec<Memory> {
        let state = self.state.lock();
        let in_force = state.memories.iter().filter(|memory| state.wanted.contains_key(&memory.id));
        let memories: Vec<Memory> = in_force.collect();
        drop(state);
        memories.into_iter().map(crate::mask::memory).collect()
    }

    /// The memories that were added in a session, in the order in which that was.
    pub(crate) fn of_session(&self, session: &str) -> Vec<MemoryId> {
        let state = self.state.lock();
        let of_it = state.memories.iter().filter(|memory| memory.provenance.session.as_deref() == Some(session));
        let mut found: Vec<_> = of_it.map(|memory| (memory.created, memory.id)).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// What feedback says of files. The same one until something is said.
    pub(super) fn file_ratings(&self) -> Arc<Ratings> {
        let state = &mut *self.state.lock();
        let own = |event: &Event| self.wrote_itself(event);
        Arc::clone(state.ratings.get_or_insert_with(|| Arc::new(ratings(&state.memories, &own))))
    }

    /// The moment that an event about a memory has to bear.
    pub(super) fn moment_after(&self, id: MemoryId, now: Timestamp) -> Timestamp {
        self.state.lock().memories.moment_after(id, now)
    }

    /// An id for an event: of the client's key, or one that no other has.
    pub(crate) fn event_id(&self, key: Option<&str>, now: Timestamp) -> EventId {
        if let Some(key) = key {
            return EventId::of(&[b"key", key.as_bytes()]);
        }
        let number = self.events.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        EventId::of(&[
            b"chance",
            &self.seed.to_le_bytes(),
            &process.to_le_bytes(),
            &number.to_le_bytes(),
            &now.0.to_le_bytes(),
        ])
    }

    /// Finds a place for a memory, and holds it until the memory was [written](Self::write) or [let go](Self::release).
    ///
    /// `is_repeat` is asked about those that are being written at this moment; where it says yes, nothing is held and the
    /// memory's id is told as an error. A key that is being written is waited for.
    pub(super) fn place(
        &self,
        memory_type: MemoryType,
        event: EventId,
        title: &str,
        vocabulary: &Vocabulary,
        is_repeat: impl Fn(f64) -> bool,
    ) -> Result<Place, (MemoryId, Arc<str>, f64)> {
        let mut state = self.state.lock();
        while state.in_flight.values().any(|other| other.event == event) {
            self.changed.wait(&mut state);
        }
        for attempt in 0_u32.. {
            let id = MemoryId::of(memory_type, &[&event.0, &attempt.to_le_bytes()]);
            match state.memories.state(id) {
                Some(known) if known.events().any(|known| known.id == event) => return Ok(Place::Known(id)),
                Some(_) => continue,
                None if state.in_flight.contains_key(&id) => continue,
                None => {}
            }
            let near = state.in_flight.iter().map(|(id, other)| (*id, other, other.vocabulary.similarity(vocabulary)));
            if let Some((id, other, similarity)) =
                near.max_by(|a, b| a.2.total_cmp(&b.2)).filter(|near| is_repeat(near.2))
            {
                return Err((id, Arc::clone(&other.title), similarity));
            }
            let held = InFlight { event, title: title.into(), vocabulary: vocabulary.clone() };
            state.in_flight.insert(id, held);
            return Ok(Place::Free(id));
        }
        unreachable!("four billion attempts meet a free id")
    }

    /// Takes the turn to bring documents into the index; tells whether it was free.
    pub(super) fn begin_indexing(&self) -> bool {
        !self.is_indexing.swap(true, Ordering::SeqCst)
    }

    /// Gives the turn back.
    pub(super) fn end_indexing(&self) {
        self.is_indexing.store(false, Ordering::SeqCst);
    }

    /// Gives up the place of a memory.
    pub(super) fn release(&self, id: MemoryId) {
        self.state.lock().in_flight.remove(&id);
        self.changed.notify_all();
    }

    /// Writes events: they are on disk when this returns, in this user's own log too, and known.
    ///
    /// # Errors
    /// None of them is acknowledged.
    pub(super) fn write(&self, events: &[Event]) -> Result<(), MemoryError> {
        let journal = self.journal()?;
        let failed = |source| MemoryError::Write { folder: self.folder.clone(), source };
        let _writing = match &self.log {
            None => {
                journal.append_all(events).map_err(failed)?;
                None
            }
            Some(log) => {
                let writing = log.writing();
                // Before the journal: whatever is acknowledged is in the log, and what is in the journal is the user's own.
                log.append(events)?;
                let ids = || events.iter().map(|event| event.id);
                journal.append_all(events).inspect_err(|_| log.returned.refuse(ids())).map_err(failed)?;
                log.returned.keep(ids());
                for event in events {
                    self.suspect(Since::Day(Day::of(event.timestamp)));
                }
                Some(writing)
            }
        };
        let mut state = self.state.lock();
        for event in events {
            state.apply(event.clone());
        }
        Ok(())
    }

    /// The journal, opened and with its files for git when it is written to for the first time.
    fn journal(&self) -> Result<Arc<Journal>, MemoryError> {
        let mut journal = self.journal.lock();
        if let Some(journal) = journal.as_ref() {
            return Ok(Arc::clone(journal));
        }
        let opened = Journal::open(Arc::clone(&self.storage))
            .map_err(|source| MemoryError::OpenJournal { folder: self.folder.clone(), source })?;
        write_git_files(&self.root).map_err(MemoryError::GitFile)?;
        for repair in opened.take_repairs() {
            tracing::warn!(folder = %self.folder.display(), %repair, "the end of a journal was mended");
        }
        Ok(Arc::clone(journal.insert(Arc::new(opened))))
    }
}

impl State {
    fn apply_all(&mut self, events: Vec<Event>) {
        for event in events {
            self.apply(event);
        }
    }

    fn apply(&mut self, event: Event) {
        let added = match &event.body {
            EventBody::Memory { id, change: MemoryChange::Add(added) } => Some((*id, added.supersedes)),
            EventBody::Memory { .. } => None,
            EventBody::Feedback { .. } => {
                self.ratings = None;
                None
            }
        };
        if let (Applied::New(ItemId::Memory(id)), older) =
            (self.memories.apply(event), added.and_then(|(_, supersedes)| supersedes))
        {
            self.derive(id);
            // What was retired by it may be so no longer, or be so from here on.
            let retired = self.memories.memory(id).and_then(|memory| memory.supersedes);
            for older in retired.into_iter().chain(older) {
                self.derive(older);
            }
        }
    }
}

/// What the feedback that counts says of files, the verdicts on their chunks included.
fn ratings(memories: &Memories, counts: &dyn Fn(&Event) -> bool) -> Ratings {
    let mut ratings = Ratings::new();
    for item in memories.rated_items() {
        let document = match item {
            ItemId::Document(document) => document,
            ItemId::Chunk(chunk) => chunk.document,
            ItemId::Memory(_) => continue,
        };
        let said = memories.feedback(item, counts);
        let all = ratings.entry(document).or_default();
        all.useful += said.useful;
        all.not_useful += said.not_useful;
        all.outdated += said.outdated;
        all.duplicate += said.duplicate;
        all.last_outdated = all.last_outdated.max(said.last_outdated);
    }
    ratings
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use recall_core::{MemoryOrigin, NewMemory, PROJECT_FOLDER, Provenance, StoreScope};

    use super::*;

    pub(super) fn addition(ledger: &Ledger, id: MemoryId, now: Timestamp) -> Event {
        let added = NewMemory {
            title: "t".into(),
            content: "c".into(),
            tags: Vec::new(),
            related_files: Vec::new(),
            scope: StoreScope::Project,
            source: None,
            origin: MemoryOrigin::Human,
            supersedes: None,
            anchors: Vec::new(),
            lineage: None,
        };
        let body = EventBody::Memory { id, change: MemoryChange::Add(Box::new(added)) };
        Event { timestamp: now, id: ledger.event_id(None, now), body, provenance: Provenance::default() }
    }

    #[test]
    fn an_id_that_is_taken_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let (ledger, now) = (
            Ledger::new(folder.path(), Arc::new(recall_journal::Disk::below(folder.path(), PROJECT_FOLDER)), None),
            Timestamp(1_795_000_000_000_000_000),
        );
        ledger.look(now, Duration::ZERO).expect("nothing is there");
        let place = || {
            let event = ledger.event_id(Some("key"), now);
            match ledger.place(MemoryType::Note, event, "t", &Vocabulary::default(), |_| false) {
                Ok(Place::Free(id)) => id,
                _ => panic!("nobody wrote it"),
            }
        };
        let first = place();
        ledger.release(first);
        assert_eq!(place(), first, "of equal parts");
        ledger.write(&[addition(&ledger, first, now)]).expect("kept");
        ledger.release(first);
        let second = place();
        assert_ne!(second, first);
        assert!(matches!(
            ledger.place(MemoryType::Note, ledger.event_id(None, now), "t", &Vocabulary::of(&["t"]), |_| true),
            Err((id, _, _)) if id == second
        ));
    }
}
