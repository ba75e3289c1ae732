//! What do a store's journals say, and how does more get into them?

mod compared;
mod derived;
mod document;
mod health;
mod judged;
mod own;
mod ratings;
mod reading;
mod since;
mod state;

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};
use recall_core::{Event, EventId, Memory, MemoryId, MemoryType, Timestamp, Vocabulary};
use recall_folder::write_git_files;
use recall_journal::{Day, Follower, Journal, Storage};

use crate::error::MemoryError;

pub(crate) use derived::Difference;
pub(crate) use document::{document_of, parsed_of, text_of};
pub(crate) use judged::{JudgedInputs, JudgedMemory};
pub(crate) use own::{Own, OwnLog, Vouching};
pub(crate) use ratings::Ratings;
pub(crate) use since::Since;

use ratings::ratings;
use state::{InFlight, State};

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

/// Where a new memory goes.
pub(crate) enum Place {
    /// Under this id, which is held for it.
    Free(MemoryId),
    /// The event is known: the client sent it before.
    Known(MemoryId),
}

impl Ledger {
    /// Takes the root of a store, its journals, and the log of what this user's recall wrote there. Nothing is read.
    pub(crate) fn new(root: &Path, storage: Arc<dyn Storage>, log: Option<OwnLog>) -> Self {
        Self {
            root: root.to_owned(),
            folder: storage.folder().to_owned(),
            follower: Mutex::new(Follower::new(Arc::clone(&storage))),
            storage,
            log,
            suspicion: Mutex::new(None),
            is_comparing: AtomicBool::new(false),
            journal: Mutex::new(None),
            state: Mutex::default(),
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
    pub(crate) fn is_in_force(&self, id: MemoryId) -> bool {
        self.state.lock().wanted.contains_key(&id)
    }

    /// The ids of all memories in force, in their order.
    pub(crate) fn ids(&self) -> Vec<MemoryId> {
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
    pub(crate) fn file_ratings(&self) -> Arc<Ratings> {
        let state = &mut *self.state.lock();
        let own = |event: &Event| self.wrote_itself(event);
        Arc::clone(state.ratings.get_or_insert_with(|| Arc::new(ratings(&state.memories, &own))))
    }

    /// The moment that an event about a memory has to bear.
    pub(crate) fn moment_after(&self, id: MemoryId, now: Timestamp) -> Timestamp {
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
    pub(crate) fn place(
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
    pub(crate) fn begin_indexing(&self) -> bool {
        !self.is_indexing.swap(true, Ordering::SeqCst)
    }

    /// Whether somebody has the turn.
    pub(crate) fn is_indexing(&self) -> bool {
        self.is_indexing.load(Ordering::SeqCst)
    }

    /// Gives the turn back.
    pub(crate) fn end_indexing(&self) {
        self.is_indexing.store(false, Ordering::SeqCst);
    }

    /// Gives up the place of a memory.
    pub(crate) fn release(&self, id: MemoryId) {
        self.state.lock().in_flight.remove(&id);
        self.changed.notify_all();
    }

    /// Writes events: they are on disk when this returns, in this user's own log too, and known.
    ///
    /// # Errors
    /// None of them is acknowledged.
    pub(crate) fn write(&self, events: &[Event]) -> Result<(), MemoryError> {
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

    /// The journal, opened when it is written to for the first time, and its files for git, which may have been deleted.
    fn journal(&self) -> Result<Arc<Journal>, MemoryError> {
        let mut journal = self.journal.lock();
        if let Some(journal) = journal.as_ref() {
            if self.lacks_git_files() {
                write_git_files(&self.root).map_err(MemoryError::GitFile)?;
            }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use recall_core::{EventBody, MemoryChange, MemoryOrigin, NewMemory, PROJECT_FOLDER, Provenance, StoreScope};

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
