//! The comparison of the journals with the log of the user's own events.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::Ordering;

use recall_core::{Event, EventBody, EventId, ItemId, MemoryId};
use recall_journal::{Day, Memories};

use crate::error::MemoryError;
use crate::ledger::own::OwnLog;
use crate::ledger::{Ledger, Since, Suspicion};

impl Ledger {
    /// Records that the journals may lack events of the log.
    pub(crate) fn suspect(&self, new: Suspicion) {
        let mut suspicion = self.suspicion.lock();
        *suspicion = Some(suspicion.map_or(new, |known| known.or(new)));
    }

    /// Returns whether the journals may lack events of the log.
    pub(crate) fn is_suspicious(&self) -> bool {
        self.suspicion.lock().is_some()
    }

    /// Takes the recorded suspicion.
    pub(crate) fn take_suspicion(&self) -> Suspicion {
        self.suspicion.lock().take().unwrap_or(Suspicion::ALWAYS)
    }

    /// Takes the turn to compare; returns whether events may be missing and the turn was free.
    pub(crate) fn begin_comparing(&self) -> bool {
        let Some(log) = &self.log else { return false };
        self.is_suspicious() && log.is_begun() && !self.is_comparing.swap(true, Ordering::SeqCst)
    }

    /// Gives the turn back.
    pub(crate) fn end_comparing(&self) {
        self.is_comparing.store(false, Ordering::SeqCst);
    }

    /// Returns the events of the log that are in no journal.
    pub(crate) fn missing(&self, since: Since) -> io::Result<Vec<Event>> {
        self.log.as_ref().map_or(Ok(Vec::new()), |log| log.missing(since, &self.storage))
    }

    /// Notes the days of the log that have no journal now. Waits for the events that are being written: those of a new day are in the log
    /// before they have a journal.
    pub(super) fn note_lost_days(&self) {
        let Some(log) = &self.log else { return };
        let _alone = log.nobody_writes();
        let days = log.storage().days().unwrap_or_default().into_iter();
        self.lost_days.lock().extend(days.filter(|day| !self.has_journal(*day)));
    }

    /// Forgets which days had no journal, after a comparison.
    pub(crate) fn forget_lost_days(&self) {
        self.lost_days.lock().clear();
    }

    /// Returns whether a day has a journal now and had one whenever the journals were read since the last comparison.
    pub(crate) fn has_kept_journal(&self, day: Day) -> bool {
        self.has_journal(day) && !self.lost_days.lock().contains(&day)
    }

    fn has_journal(&self, day: Day) -> bool {
        self.storage.stat(day).is_ok_and(|stat| stat.is_some())
    }

    /// Returns which of some missing events the present journals have a use for.
    ///
    /// A memory that is not there comes back with its addition, unless this user deleted it. A change of a memory comes back only
    /// if the memory is there: otherwise it would revive a memory that is deleted on this branch, or say nothing.
    pub(crate) fn applicable(&self, missing: Vec<Event>) -> Result<Vec<Event>, MemoryError> {
        let ids: BTreeSet<MemoryId> = missing.iter().filter_map(memory_of).collect();
        self.load_memories(ids.iter().copied());
        let log = self.log.as_ref().map_or(Ok(Vec::new()), |log| log.events_of(&ids))?;
        let logged: Memories = log.into_iter().collect();
        let state = self.state.lock();
        let added: BTreeSet<MemoryId> =
            missing.iter().filter(|event| is_addition(event)).filter_map(memory_of).collect();
        let is_applicable = |event: &Event| match memory_of(event) {
            None => true,
            // What it takes back may be that the memory is there, or that it is not.
            Some(id) if matches!(event.body, EventBody::Revert { .. }) => state.memories.state(id).is_some(),
            Some(id) => match state.memories.memory(id) {
                Some(memory) => memory.deleted.is_none(),
                None => added.contains(&id) && logged.memory(id).is_none_or(|memory| memory.deleted.is_none()),
            },
        };
        Ok(missing.into_iter().filter(is_applicable).collect())
    }

    /// Returns which of some events are in no journal.
    pub(crate) fn absent(&self, ids: &BTreeSet<EventId>) -> io::Result<BTreeSet<EventId>> {
        OwnLog::absent(ids, &self.storage)
    }

    /// Returns whether this process put the addition of a memory back.
    pub(crate) fn has_put_back(&self, id: MemoryId) -> bool {
        self.put_back.lock().contains(&id)
    }

    /// Appends events of the log to the journals again. The caller ensures that no other thread writes.
    pub(crate) fn append_again(&self, events: Vec<Event>) -> Result<(), MemoryError> {
        let journal = self.journal()?;
        self.put_back.lock().extend(events.iter().filter(|event| is_addition(event)).filter_map(memory_of));
        journal.append_all(&events).map_err(|source| MemoryError::Write { folder: self.folder.clone(), source })?;
        self.state.lock().apply_written(events, &self.backlog, &self.admits());
        Ok(())
    }
}

fn memory_of(event: &Event) -> Option<MemoryId> {
    match event.item() {
        ItemId::Memory(id) => Some(id),
        ItemId::Document(_) | ItemId::Chunk(_) => None,
    }
}

fn is_addition(event: &Event) -> bool {
    event.new_memory().is_some()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use recall_core::{StoreScope, Timestamp};
    use recall_journal::{Day, Disk, Storage};
    use recall_text::PROJECT_FOLDER;

    use crate::Places;
    use crate::ledger::tests::addition;
    use crate::ledger::{Ledger, Own};

    #[test]
    fn a_day_that_is_being_written_is_not_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, home) = (folder.path().join("root"), folder.path().join("home"));
        std::fs::create_dir(&root).expect("created");
        let places = Places {
            global_root: home.join("global"),
            stores: home.join("stores"),
            home: None,
            config_home: None,
            agents: BTreeMap::new(),
            allowed_roots: Vec::new(),
            domains: BTreeMap::new(),
        };
        let own = Own::new(
            &places,
            Arc::new(|root: &Path, below: &Path| -> Arc<dyn Storage> { Arc::new(Disk::below(root, below)) }),
        );
        let log = Arc::new(own).log(StoreScope::Project, &root);
        let ledger = Ledger::new(&root, Arc::new(Disk::below(&root, PROJECT_FOLDER)), log, None);
        let now = Timestamp(1_795_000_000_000_000_000);
        let event = addition(&ledger, "N-0123abcd".parse().expect("an id"), now);
        let log = ledger.own_log().expect("a log");
        std::thread::scope(|threads| {
            let writing = log.writing();
            log.append(std::slice::from_ref(&event)).expect("written");
            let noting = threads.spawn(|| ledger.note_lost_days());
            // The thread gets the time to look between the two writes.
            std::thread::sleep(Duration::from_millis(50));
            ledger.journal().expect("a journal").append_all(&[event]).expect("written");
            drop(writing);
            noting.join().expect("noted");
        });
        assert!(ledger.has_kept_journal(Day::from_timestamp(now)));
    }
}
