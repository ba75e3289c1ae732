//! Reading the journals: all of them, their changes, or only the lines that name certain memories.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use recall_core::{ItemId, MemoryId, Timestamp};
use recall_journal::{Changes, Follower, Memories, ReadError, read_events_of};

use crate::error::MemoryError;
use crate::ledger::state::all_expected;
use crate::ledger::{Ledger, Since};

/// How long partial reads may replace the first full read, which the first search starts: a hundred thousand lines take a second.
const PARTIAL_READS: Duration = Duration::from_secs(10);

/// Journals up to this size are read fully even if a partial read would do, since that takes ten milliseconds.
const READ_AT_ONCE: u64 = 1 << 20;

impl Ledger {
    /// Reads the changes of the journals, unless the last read is more recent than `at_most_every`.
    ///
    /// # Errors
    /// The folder cannot be listed. The state of the last read stays.
    pub(crate) fn refresh(&self, now: Timestamp, at_most_every: Duration) -> Result<(), MemoryError> {
        let mut follower = self.follower.lock();
        let refreshed = self.state.lock().refreshed;
        if refreshed.is_some_and(|at| at.elapsed() < at_most_every) {
            return Ok(());
        }
        let changes = match refreshed {
            None => follower.replay(now).map(Changes::Rewritten),
            Some(_) => follower.changes(now),
        };
        let outcome = changes.and_then(|changes| self.take(changes, &mut follower, now));
        self.state.lock().problem = outcome.as_ref().err().map(|error| recall_core::error_chain(error));
        outcome.map_err(|source| MemoryError::ReadJournal { source })
    }

    /// Reads the journals for the first time if they are small enough for that within a search. [`problem`](Self::problem)
    /// reports a failure.
    pub(crate) fn refresh_if_small(&self, now: Timestamp) {
        if self.state.lock().refreshed.is_none() && self.bytes().is_ok_and(|bytes| bytes <= READ_AT_ONCE) {
            let _ = self.refresh(now, Duration::ZERO);
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
            state.refreshed.is_none() && state.first_load.is_none_or(|first| first.elapsed() < PARTIAL_READS)
        };
        if partial_reads_suffice { Ok(()) } else { self.refresh(now, Duration::ZERO) }
    }

    /// Applies the changes of the journals to the state.
    fn take(&self, changes: Changes, follower: &mut Follower, now: Timestamp) -> Result<(), ReadError> {
        if let Some(log) = self.log.as_ref().filter(|_| changes != Changes::None) {
            // Another process may have written to the log before it wrote to the journals.
            log.own().expire();
        }
        let mut state = match changes {
            Changes::None => self.state.lock(),
            Changes::Added(events) => {
                let mut state = self.state.lock();
                state.apply_all(events, &self.backlog);
                state
            }
            Changes::Rewritten(events) => {
                self.suspect(Since::Always);
                let memories: Memories = events.into_iter().collect();
                let expected = all_expected(&memories);
                let mut state = self.state.lock();
                state.replace(memories);
                self.backlog.replace(expected);
                // Events that were written and applied to the old state while the new one was built.
                match follower.changes(now)? {
                    Changes::None => {}
                    Changes::Added(events) => state.apply_all(events, &self.backlog),
                    Changes::Rewritten(events) => {
                        let memories: Memories = events.into_iter().collect();
                        let expected = all_expected(&memories);
                        state.replace(memories);
                        self.backlog.replace(expected);
                    }
                }
                state
            }
        };
        state.refreshed = Some(Instant::now());
        self.backlog.set_known();
        Ok(())
    }

    /// Reads the lines that name some memories, if the journals were not fully read yet. Each call reads all bytes of the journals
    /// once, so a caller that needs several memories passes all their ids.
    pub(crate) fn load_memories(&self, ids: impl IntoIterator<Item = MemoryId>) {
        let mut asked: BTreeSet<MemoryId> = {
            let state = self.state.lock();
            if state.refreshed.is_some() {
                return;
            }
            ids.into_iter().filter(|id| !state.loaded.contains(id)).collect()
        };
        while !asked.is_empty() {
            // The full read reports that the folder cannot be listed.
            let Ok(events) = read_events_of(&*self.storage, &asked) else { return };
            let mut state = self.state.lock();
            if state.refreshed.is_some() {
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
