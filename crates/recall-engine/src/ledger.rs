//! The ledger of a store: the events in its journals, held in memory, and the writing of new ones.
//!
//! Memories cannot be derived from anything else, and their journals are part of a project: git merges and replaces them, and anyone
//! who shares the repository can write a line. So the ledger does not assume that a journal is as it left it. The answers are the
//! replay of the journals as they are in the work tree, and of the events that are pending in the repository's log (ADR 8, ADR 50).
//!
//! Who wrote a line cannot be seen from the line. The user's own events are therefore written to a log in the data home first (`own`,
//! ADR 18). Signatures would answer the same question, at the price of keys that are stored, shared and revoked.
//!
//! An event is on disk when [`Ledger::write`] returns. An event that is written twice under one id counts once. What the index lacks
//! of the memories is in the [backlog](IndexBacklog); the ledger itself does not know the index. Begin with `state`, `reading`,
//! `own/log`, `repository_log` and `backlog`.

mod backlog;
mod compared;
mod difference;
mod health;
mod journal_reader;
mod judged;
mod own;
mod reading;
mod repository_log;
mod state;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex, MutexGuard, RwLockReadGuard};
use recall_core::{
    Admission, Event, EventId, ForeignKind, ItemId, Memory, MemoryId, MemoryOrigin, MemoryType, TimePoint, Timestamp,
};
use recall_journal::{Day, Journal, Storage};
use recall_os::write_git_files;
use recall_text::{DocPath, Vocabulary};

use crate::error::MemoryError;

pub(crate) use difference::Difference;
pub(crate) use judged::{JudgedInputs, JudgedMemory};
pub(crate) use own::log::{Since, Suspicion};
pub(crate) use own::{Own, OwnLog, Vouching};
pub(crate) use repository_log::RepositoryLog;

use backlog::IndexBacklog;
use journal_reader::JournalReader;
use repository_log::PendingPart;
use state::{CuesOfAll, LedgerState, ratings};
pub(crate) use state::{InFlight, Ratings, document_of, parsed_of, text_of};

/// A store's journals and the memories that they define.
///
/// The journals are read when all memories are needed for the first time. The memories are held in memory; the [backlog](IndexBacklog)
/// has the hashes of the documents that the index should have. Until the first read is done, single memories are found by reading only the lines
/// that name them.
pub(crate) struct Ledger {
    root: PathBuf,
    /// The folder of the journals, for messages.
    folder: PathBuf,
    storage: Arc<dyn Storage>,
    /// The log of the events that this user's recall wrote to these journals; `None` if every event is the user's own.
    log: Option<OwnLog>,
    /// The memories of its repository that are in no journal yet; `None` without a repository.
    repository: Option<Arc<RepositoryLog>>,
    /// What the journals may lack of the log; `None` if nothing changed since the last comparison.
    suspicion: Mutex<Option<Suspicion>>,
    /// The days of the log that were seen without a journal since the last comparison. Their files may have been created again.
    lost_days: Mutex<BTreeSet<Day>>,
    /// The memories whose additions this process put back.
    put_back: Mutex<BTreeSet<MemoryId>>,
    /// Whether a thread is comparing the journals with the log.
    is_comparing: AtomicBool,
    /// Opened by the first event that is written.
    journal: Mutex<Option<Arc<Journal>>>,
    /// Locked while the journals are read. Locked before `state`, which other threads can use meanwhile.
    follower: Mutex<JournalReader>,
    state: Mutex<LedgerState>,
    /// Signalled when a reserved id is released.
    released: Condvar,
    /// Held from the check of an amendment's precondition until the amendment is written. Locked before everything else.
    amending: Mutex<()>,
    /// What the index lacks of the memories. Locked after `state`.
    backlog: IndexBacklog,
    /// What happens to memories that came with the repository. Held for no other lock.
    clones: Mutex<Admission>,
    /// Makes the ids of this process's events differ from those of other processes.
    seed: u64,
    events: AtomicU64,
}

/// The id of a new memory.
pub(crate) enum ReservedId {
    /// A free id, reserved for it.
    Free(MemoryId),
    /// The client sent the same event before: the id of its memory.
    Known(MemoryId),
}

impl Ledger {
    /// Creates the ledger of a store from its root, its journals, the user's own log, and that of the repository. Reads nothing.
    pub(crate) fn new(
        root: &Path,
        storage: Arc<dyn Storage>,
        log: Option<OwnLog>,
        repository: Option<RepositoryLog>,
    ) -> Self {
        let repository = repository.map(Arc::new);
        Self {
            root: root.to_owned(),
            folder: storage.folder().to_owned(),
            follower: Mutex::new(JournalReader::new(Arc::clone(&storage), repository.as_ref())),
            storage,
            log,
            repository,
            suspicion: Mutex::new(None),
            lost_days: Mutex::default(),
            put_back: Mutex::default(),
            is_comparing: AtomicBool::new(false),
            journal: Mutex::new(None),
            state: Mutex::default(),
            released: Condvar::new(),
            amending: Mutex::default(),
            backlog: IndexBacklog::default(),
            clones: Mutex::default(),
            seed: RandomState::new().hash_one("recall event"),
            events: AtomicU64::new(0),
        }
    }

    /// Returns the log of the events that this user's recall wrote to these journals; `None` if every event is the user's own.
    pub(crate) fn own_log(&self) -> Option<&OwnLog> {
        self.log.as_ref()
    }

    /// Returns what the index lacks of the memories.
    pub(crate) fn backlog(&self) -> &IndexBacklog {
        &self.backlog
    }

    /// Takes the turn to amend a memory: from the check of its precondition until the amendment is written.
    pub(crate) fn begin_amending(&self) -> MutexGuard<'_, ()> {
        self.amending.lock()
    }

    /// Returns why the last read of the journals failed; `None` if it succeeded.
    pub(crate) fn problem(&self) -> Option<String> {
        self.state.lock().problem.clone()
    }

    /// Returns the place and reason of at most `most` lines that cannot be read and may have been events, and the number of all.
    pub(crate) fn faults(&self, most: usize) -> (Vec<(String, String)>, u64) {
        let follower = self.follower.lock();
        let losses: Vec<_> = follower.faults().filter(|fault| fault.kind.is_loss()).collect();
        let place = |fault: &recall_journal::Fault| format!(".recall/{}:{}", fault.day.path().display(), fault.line);
        let shown = losses.iter().take(most).map(|fault| (place(fault), fault.kind.to_string())).collect();
        (shown, losses.len() as u64)
    }

    /// Returns the days that have a journal, in order.
    pub(crate) fn days(&self) -> std::io::Result<Vec<Day>> {
        self.storage.days()
    }

    /// Returns the number of memories in force.
    pub(crate) fn count(&self) -> u64 {
        self.backlog.count_in_force() as u64
    }

    /// Returns whether a memory is in force: neither deleted nor retired nor promoted, nor only proposed.
    pub(crate) fn is_in_force(&self, id: MemoryId) -> bool {
        self.backlog.expected_hash(id).is_some()
    }

    /// Returns the ids of all memories in force, in ascending order.
    pub(crate) fn ids(&self) -> Vec<MemoryId> {
        let mut ids = self.backlog.in_force();
        ids.sort_unstable();
        ids
    }

    /// Returns all memories in force, with secrets masked, in the order of their ids.
    pub(crate) fn in_force(&self) -> Vec<Memory> {
        self.in_force_that(|_| true)
    }

    /// Returns the memories in force that name one of the files or are anchored to it, with secrets masked, in the order of their ids.
    pub(crate) fn in_force_about(&self, files: &BTreeSet<DocPath>) -> Vec<Memory> {
        self.in_force_that(|memory| {
            let mut paths = memory.related_files.iter().chain(memory.anchors.iter().map(|anchor| &anchor.path));
            paths.any(|path| files.contains(path))
        })
    }

    fn in_force_that(&self, is_wanted: impl Fn(&Memory) -> bool) -> Vec<Memory> {
        let state = self.state.lock();
        let is_in_force = |memory: &Memory| self.backlog.expected_hash(memory.id).is_some();
        let wanted = state.memories.iter().filter(|memory| is_in_force(memory) && is_wanted(memory));
        let memories: Vec<Memory> = wanted.collect();
        drop(state);
        // Masking is the dearer part, so it is done for those that are returned.
        memories.into_iter().map(crate::mask::memory).collect()
    }

    /// Returns the cues of all memories that have some. Returns the same `Arc` until a memory changes.
    pub(crate) fn cues(&self) -> CuesOfAll {
        let state = &mut *self.state.lock();
        let memories = state.memories.iter().map(|memory| (memory.id, memory.effective_cues()));
        let with_cues = memories.filter(|(_, cues)| !cues.is_empty());
        Arc::clone(state.cues.get_or_insert_with(|| with_cues.collect()))
    }

    /// Returns the memories in force that had an id in the tool that they were imported from, as their sources say.
    pub(crate) fn imported_as(&self, foreign_id: &str) -> Vec<MemoryId> {
        let state = self.state.lock();
        let had_id = |memory: &Memory| {
            let source = memory.source.as_deref().and_then(|source| source.split_once(' '));
            memory.origin == MemoryOrigin::Imported
                && source.is_some_and(|(kind, id)| id == foreign_id && kind.parse::<ForeignKind>().is_ok())
                && self.backlog.expected_hash(memory.id).is_some()
        };
        state.memories.iter().filter(had_id).map(|memory| memory.id).collect()
    }

    /// Returns the memories that were added in a session, the earliest first, without those that are only proposed.
    pub(crate) fn session_memories(&self, session: &str) -> Vec<MemoryId> {
        let (state, admits) = (self.state.lock(), self.admits());
        let of_it = state.memories.iter().filter(|memory| memory.provenance.session.as_deref() == Some(session));
        let of_it = of_it.filter(|memory| !memory.proposed && admits(&state.memories, memory.id));
        let mut found: Vec<_> = of_it.map(|memory| (memory.created, memory.id)).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns the events that had been recorded by a point in time, the earliest first.
    pub(crate) fn events_by(&self, point: &TimePoint) -> Vec<Event> {
        let state = self.state.lock();
        let is_recorded = |event: &&Event| point.includes(event.timestamp, event.provenance.commit.as_deref());
        let mut events: Vec<Event> = state.memories.events().filter(is_recorded).cloned().collect();
        drop(state);
        events.sort_unstable();
        events
    }

    /// Returns the events that were recorded after a point in time and not taken back, by memory, the earliest first.
    pub(crate) fn events_after(&self, point: &TimePoint) -> BTreeMap<MemoryId, Vec<Event>> {
        let state = self.state.lock();
        let mut after: BTreeMap<MemoryId, Vec<Event>> = BTreeMap::new();
        for event in state.memories.events_in_force() {
            if let ItemId::Memory(id) = event.item()
                && !point.includes(event.timestamp, event.provenance.commit.as_deref())
            {
                after.entry(id).or_default().push(event.clone());
            }
        }
        after
    }

    /// Returns a memory, also a deleted one.
    pub(crate) fn record(&self, id: MemoryId) -> Option<Memory> {
        self.state.lock().memories.memory(id)
    }

    /// Returns the feedback on files. Returns the same `Arc` until new feedback arrives.
    pub(crate) fn file_ratings(&self) -> Arc<Ratings> {
        let state = &mut *self.state.lock();
        let own = |event: &Event| self.wrote_itself(event);
        Arc::clone(state.ratings.get_or_insert_with(|| Arc::new(ratings(&state.memories, &own))))
    }

    /// Returns a timestamp for an event about a memory: `now`, or just after its last event if that is later.
    pub(crate) fn moment_after(&self, id: MemoryId, now: Timestamp) -> Timestamp {
        self.state.lock().memories.moment_after(id, now)
    }

    /// Returns an id for an event: derived from the client's key, or else unique.
    pub(crate) fn event_id(&self, key: Option<&str>, now: Timestamp) -> EventId {
        if let Some(key) = key {
            return EventId::from_parts(&[b"key", key.as_bytes()]);
        }
        let number = self.events.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        EventId::from_parts(&[
            b"chance",
            &self.seed.to_le_bytes(),
            &process.to_le_bytes(),
            &number.to_le_bytes(),
            &now.0.to_le_bytes(),
        ])
    }

    /// Reserves an id for a memory, until it is [released](Self::release).
    ///
    /// `is_repeat` gets each memory that is being written now, and the similarity to it. If it returns true, nothing is reserved, and
    /// the id, the title and the similarity of the most similar such memory are the error. Waits for an event with the same id
    /// that is being written.
    pub(crate) fn place(
        &self,
        memory_type: MemoryType,
        event: EventId,
        (title, content): (&str, &str),
        vocabulary: &Vocabulary,
        is_repeat: impl Fn(&InFlight, f64) -> bool,
    ) -> Result<ReservedId, (MemoryId, Arc<str>, f64)> {
        let mut state = self.state.lock();
        while state.in_flight.values().any(|other| other.event == event) {
            self.released.wait(&mut state);
        }
        for attempt in 0_u32.. {
            let id = MemoryId::from_parts(memory_type, &[&event.0, &attempt.to_le_bytes()]);
            match state.memories.state(id) {
                Some(known) if known.events().any(|known| known.id == event) => return Ok(ReservedId::Known(id)),
                Some(_) => continue,
                None if state.in_flight.contains_key(&id) => continue,
                None => {}
            }
            let near = state.in_flight.iter().map(|(id, other)| (*id, other, other.vocabulary.similarity(vocabulary)));
            let repeated = near.filter(|(_, other, similarity)| is_repeat(other, *similarity));
            if let Some((id, other, similarity)) = repeated.max_by(|a, b| a.2.total_cmp(&b.2)) {
                return Err((id, Arc::clone(&other.title), similarity));
            }
            let held = InFlight { event, title: title.into(), content: content.into(), vocabulary: vocabulary.clone() };
            state.in_flight.insert(id, held);
            return Ok(ReservedId::Free(id));
        }
        unreachable!("four billion attempts meet a free id")
    }

    /// Releases the reserved id of a memory.
    pub(crate) fn release(&self, id: MemoryId) {
        self.state.lock().in_flight.remove(&id);
        self.released.notify_all();
    }

    /// Writes events where they belong, syncs them, and applies them to the state.
    ///
    /// In a linked work tree, and for a memory that is pending, that is the log of the repository; otherwise the user's own log
    /// and the journals.
    ///
    /// # Errors
    /// A log or a journal cannot be written. Then none of the events is acknowledged.
    pub(crate) fn write(&self, events: &[Event]) -> Result<(), MemoryError> {
        let (pending, others): (Vec<&Event>, Vec<&Event>) = {
            let state = self.state.lock();
            let is_linked = self.repository.as_ref().is_some_and(|repository| repository.is_linked());
            events.iter().partition(|event| is_linked || is_of_pending(event, &state))
        };
        let copied = |events: &[&Event]| -> Vec<Event> { events.iter().copied().cloned().collect() };
        let _writing = if others.is_empty() { None } else { self.write_to_journals(&copied(&others))? };
        let pending = copied(&pending);
        if let Some(repository) = self.repository.as_ref().filter(|_| !pending.is_empty()) {
            repository.append(&pending)?;
        }
        let mut state = self.state.lock();
        if !pending.is_empty() {
            repository_log::note(Arc::make_mut(&mut state.pending), &pending);
        }
        state.apply_written(events.to_vec(), &self.backlog, &self.admits());
        Ok(())
    }

    /// Appends events to the user's own log and to the journals. Returns a guard to hold until they are applied.
    fn write_to_journals(&self, events: &[Event]) -> Result<Option<RwLockReadGuard<'_, ()>>, MemoryError> {
        let journal = self.journal()?;
        let failed = |source| MemoryError::Write { folder: self.folder.clone(), source };
        let Some(log) = &self.log else {
            journal.append_all(events).map_err(failed)?;
            return Ok(None);
        };
        let writing = log.writing();
        // The log comes before the journal, so that every acknowledged event is in the log, and every event that this
        // process writes to the journal is known as the user's own.
        log.append(events)?;
        let ids = || events.iter().map(|event| event.id);
        journal.append_all(events).inspect_err(|_| log.returned.refuse(ids())).map_err(failed)?;
        log.returned.keep(ids());
        for event in events {
            let since = Since::Day(Day::from_timestamp(event.timestamp));
            self.suspect(Suspicion { since, is_rewritten: false, intact: None });
        }
        Ok(Some(writing))
    }

    /// Returns whether the repository has a log, so that another work tree may have changed what counts here.
    pub(crate) fn shares_log(&self) -> bool {
        self.repository.as_ref().is_some_and(|repository| repository.is_begun())
    }

    /// Returns the memories that are known here and have lines in no journal yet.
    pub(crate) fn pending(&self) -> Vec<MemoryId> {
        let state = self.state.lock();
        let is_known = |id: &MemoryId| state.memories.memory(*id).is_some();
        state.pending.keys().copied().filter(is_known).collect()
    }

    /// Hands the pending events of the repository over to the journals of this work tree.
    ///
    /// # Errors
    /// A log or a journal cannot be read or written. What was written before then counts twice, which changes nothing.
    pub(crate) fn hand_over(&self, now: Timestamp) -> Result<(), MemoryError> {
        let Some(repository) = &self.repository else { return Ok(()) };
        let events = repository.events(now).map_err(|source| MemoryError::ReadJournal { source })?;
        let ids: BTreeSet<EventId> = events.iter().map(|event| event.id).collect();
        let absent = self.absent(&ids).map_err(|source| MemoryError::HandOver { source })?;
        let missing: Vec<Event> = events.into_iter().filter(|event| absent.contains(&event.id)).collect();
        if !missing.is_empty() {
            self.write_to_journals(&missing)?;
        }
        repository.record_handed_over(&ids).map_err(|source| MemoryError::HandOver { source })?;
        self.refresh(now)
    }

    /// Returns the journal. Opens it at the first call, and creates its files for git if they are missing.
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
            tracing::warn!(folder = %self.folder.display(), %repair, "the end of a journal was repaired");
        }
        Ok(Arc::clone(journal.insert(Arc::new(opened))))
    }
}

/// Returns whether an event is about a memory whose addition is pending.
fn is_of_pending(event: &Event, state: &LedgerState) -> bool {
    match event.item() {
        ItemId::Memory(id) => state.pending.get(&id) == Some(&PendingPart::Whole),
        ItemId::Document(_) | ItemId::Chunk(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{EventBody, MemoryChange, MemoryOrigin, NewMemory, Provenance, StoreScope};
    use recall_text::PROJECT_FOLDER;

    use super::*;

    pub(super) fn addition(ledger: &Ledger, id: MemoryId, now: Timestamp) -> Event {
        let added = NewMemory {
            title: "t".into(),
            content: "c".into(),
            tags: Vec::new(),
            related_files: Vec::new(),
            cues: None,
            scope: StoreScope::Project,
            source: None,
            origin: MemoryOrigin::Human,
            supersedes: None,
            anchors: Vec::new(),
            lineage: None,
            valid: recall_core::ValidTime::default(),
        };
        let body = EventBody::Memory { id, change: MemoryChange::Add(Box::new(added)) };
        Event { timestamp: now, id: ledger.event_id(None, now), body, provenance: Provenance::default() }
    }

    #[test]
    fn an_id_in_use_is_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        let (ledger, now) = (
            Ledger::new(
                folder.path(),
                Arc::new(recall_journal::Disk::below(folder.path(), PROJECT_FOLDER)),
                None,
                None,
            ),
            Timestamp(1_795_000_000_000_000_000),
        );
        ledger.refresh(now).expect("nothing is there");
        let place = || {
            let event = ledger.event_id(Some("key"), now);
            match ledger.place(MemoryType::Note, event, ("t", "c"), &Vocabulary::default(), |_, _| false) {
                Ok(ReservedId::Free(id)) => id,
                _ => panic!("the event is new"),
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
            ledger.place(MemoryType::Note, ledger.event_id(None, now), ("t", "c"), &Vocabulary::new(&["t"]), |_, _| true),
            Err((id, _, _)) if id == second
        ));
    }
}
