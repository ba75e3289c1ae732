//! Reading the journals: all of them, their changes, or only the lines that name certain memories.
//!
//! A full read parses every line, which takes a second for a hundred thousand memories. The first search does not wait for that: it
//! reads the lines that name its hits, and searching bytes for a few ids takes a twentieth of parsing them.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;
use recall_core::{EventId, ItemId, MemoryId, Timestamp};
use recall_journal::{Changes, Memories, ReadError, read_events_of};

use crate::error::MemoryError;
use crate::ledger::journal_reader::JournalReader;
use crate::ledger::state::{LedgerState, all_expected};
use crate::ledger::{Ledger, Since, Suspicion};

/// How long partial reads may replace the first full read, which the first search starts: a hundred thousand lines take a second.
const PARTIAL_READS: Duration = Duration::from_secs(10);

/// Journals up to this size are read fully even if a partial read would do, since that takes ten milliseconds.
const READ_AT_ONCE: u64 = 1 << 20;

impl Ledger {
    /// Reads the changes of the journals. If nothing changed, this costs one `stat` for each day.
    ///
    /// # Errors
    /// The folder cannot be listed. The state of the last read stays.
    pub(crate) fn refresh(&self, now: Timestamp) -> Result<(), MemoryError> {
        let mut follower = self.follower.lock();
        let is_read = self.state.lock().read_at.is_some();
        let changes = if is_read { follower.changes(now) } else { follower.replay(now).map(Changes::Rewritten) };
        let outcome = changes.and_then(|changes| self.take(changes, &mut follower, now));
        self.state.lock().problem = outcome.as_ref().err().map(|error| recall_text::error_chain(error));
        outcome.map_err(|source| MemoryError::ReadJournal { source })
    }

    /// Reads the journals for the first time if they are small enough for that within a search. [`problem`](Self::problem)
    /// reports a failure.
    pub(crate) fn refresh_if_small(&self, now: Timestamp) {
        if self.state.lock().read_at.is_none() && self.bytes().is_ok_and(|bytes| bytes <= READ_AT_ONCE) {
            let _ = self.refresh(now);
        }
    }

    fn bytes(&self) -> std::io::Result<u64> {
        let mut bytes = 0;
        for day in self.storage.days()? {
            bytes += self.storage.stat(day)?.map_or(0, |stat| stat.length);
        }
        Ok(bytes)
    }

    /// Reads the changes of the journals; does nothing if they were never fully read and partial reads still suffice.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh).
    pub(crate) fn refresh_if_needed(&self, now: Timestamp) -> Result<(), MemoryError> {
        let partial_reads_suffice = {
            let state = self.state.lock();
            state.read_at.is_none() && state.first_load.is_none_or(|first| first.elapsed() < PARTIAL_READS)
        };
        if partial_reads_suffice { Ok(()) } else { self.refresh(now) }
    }

    /// Applies the changes of the journals to the state.
    ///
    /// Events that this process wrote are in the state before the journals are read. If git takes them out before the next read,
    /// the journals look as they did at the last one. So after each read every written event must have been returned;
    /// otherwise all journals are read again.
    fn take(&self, mut changes: Changes, follower: &mut JournalReader, now: Timestamp) -> Result<(), ReadError> {
        if let Some(log) = self.log.as_ref().filter(|_| changes != Changes::None) {
            // Another process may have written to the log before it wrote to the journals.
            log.own_state().expire();
        }
        loop {
            let is_whole = matches!(changes, Changes::Rewritten(_));
            let mut state = self.apply_changes(changes);
            if !state.unread.is_empty() {
                // Events that were written and applied since the journals were read. No event is applied while the state is locked.
                match follower.changes(now)? {
                    Changes::None => {}
                    Changes::Added(events) => state.apply_read(events, &self.backlog, &self.admits()),
                    Changes::Rewritten(events) => self.replace(&mut state, events.into_iter().collect()),
                }
            }
            if !state.unread.is_empty() && !is_whole {
                drop(state);
                changes = Changes::Rewritten(follower.replay(now)?);
                continue;
            }
            // After a full read, what was written and is not there was taken out.
            state.unread.clear();
            state.pending = follower.pending();
            state.read_at = Some(now);
            self.backlog.set_known();
            return Ok(());
        }
    }

    /// Applies changes that were read; returns the locked state.
    fn apply_changes(&self, changes: Changes) -> MutexGuard<'_, LedgerState> {
        match changes {
            Changes::None => self.state.lock(),
            Changes::Added(events) => {
                let mut state = self.state.lock();
                state.apply_read(events, &self.backlog, &self.admits());
                state
            }
            Changes::Rewritten(events) => {
                let intact = self.state.lock().read_at;
                self.suspect(Suspicion { since: Since::Always, is_rewritten: true, intact });
                self.note_lost_days();
                let read: HashSet<EventId> = events.iter().map(|event| event.id).collect();
                let memories: Memories = events.into_iter().collect();
                let expected = all_expected(&memories, &self.admits());
                let mut state = self.state.lock();
                state.unread.retain(|id| !read.contains(id));
                state.replace(memories);
                self.backlog.replace(expected);
                state
            }
        }
    }

    /// Replaces the state by what all journals define.
    fn replace(&self, state: &mut LedgerState, memories: Memories) {
        state.unread.clear();
        self.backlog.replace(all_expected(&memories, &self.admits()));
        state.replace(memories);
    }

    /// Reads the lines that name some memories, if the journals were not fully read yet. Each call reads all bytes of the journals
    /// once, so a caller that needs several memories passes all their ids.
    pub(crate) fn load_memories(&self, ids: impl IntoIterator<Item = MemoryId>) {
        let mut asked: BTreeSet<MemoryId> = {
            let state = self.state.lock();
            if state.read_at.is_some() {
                return;
            }
            ids.into_iter().filter(|id| !state.loaded.contains(id)).collect()
        };
        while !asked.is_empty() {
            // The full read reports that the folder cannot be listed.
            let Ok(mut events) = read_events_of(&*self.storage, &asked) else { return };
            let pending = self.repository.as_ref().map_or(Ok(Vec::new()), |repository| repository.events_of(&asked));
            let Ok(pending) = pending else { return };
            events.extend(pending);
            let mut state = self.state.lock();
            if state.read_at.is_some() {
                return;
            }
            state.loaded.extend(&asked);
            state.first_load.get_or_insert_with(Instant::now);
            let mut retiring = BTreeSet::new();
            for event in events {
                // Whether an event retires another memory depends on the events of that memory, so those are read too.
                if let ItemId::Memory(id) = event.item() {
                    retiring.extend(Some(id).filter(|id| !state.loaded.contains(id)));
                }
                state.memories.apply(event);
            }
            asked = retiring;
        }
    }
}
