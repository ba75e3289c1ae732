//! When are journals read, and how much of them?

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use recall_core::{ItemId, MemoryId, Timestamp};
use recall_journal::{Changes, Follower, Memories, ReadError, read_events_of};

use crate::error::MemoryError;
use crate::ledger::state::all_wanted;
use crate::ledger::{Ledger, Since};

/// For how long glances stand for a reading of everything, which the first search begins: a hundred thousand lines take a second.
const GLANCES: Duration = Duration::from_secs(10);

/// Journals of so many bytes are read as a whole where glances would do: that takes ten milliseconds.
const READ_AT_ONCE: u64 = 1 << 20;

impl Ledger {
    /// Sees what the journals say, unless that was done so short a time ago.
    ///
    /// # Errors
    /// The folder cannot be listed. What was read before is still known.
    pub(crate) fn look(&self, now: Timestamp, at_most_every: Duration) -> Result<(), MemoryError> {
        let mut follower = self.follower.lock();
        let looked = self.state.lock().looked;
        if looked.is_some_and(|looked| looked.elapsed() < at_most_every) {
            return Ok(());
        }
        let changes = match looked {
            None => follower.replay(now).map(Changes::Rewritten),
            Some(_) => follower.changes(now),
        };
        let outcome = changes.and_then(|changes| self.take(changes, &mut follower, now));
        self.state.lock().problem = outcome.as_ref().err().map(|error| recall_core::error_chain(error));
        outcome.map_err(|source| MemoryError::ReadJournal { source })
    }

    /// Reads the journals for the first time where that takes no longer than a search may; what cannot be read is told by
    /// [`problem`](Self::problem).
    pub(crate) fn look_where_short(&self, now: Timestamp) {
        if self.state.lock().looked.is_none() && self.bytes().is_ok_and(|bytes| bytes <= READ_AT_ONCE) {
            let _ = self.look(now, Duration::ZERO);
        }
    }

    fn bytes(&self) -> std::io::Result<u64> {
        let mut bytes = 0;
        for day in self.storage.days()? {
            bytes += self.storage.stat(day)?.map_or(0, |stat| stat.length);
        }
        Ok(bytes)
    }

    /// Sees what changed in the journals; while they are read as a whole for the first time, a glance is as new.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub(crate) fn look_or_glance(&self, now: Timestamp) -> Result<(), MemoryError> {
        let suffices = {
            let state = self.state.lock();
            state.looked.is_none() && state.first_glance.is_none_or(|first| first.elapsed() < GLANCES)
        };
        if suffices { Ok(()) } else { self.look(now, Duration::ZERO) }
    }

    /// Takes over what the journals say beyond what is known.
    fn take(&self, changes: Changes, follower: &mut Follower, now: Timestamp) -> Result<(), ReadError> {
        if let Some(log) = self.log.as_ref().filter(|_| changes != Changes::None) {
            // Another process may have written to the log before it wrote to the journals.
            log.own().look_again();
        }
        let mut state = match changes {
            Changes::None => self.state.lock(),
            Changes::Added(events) => {
                let mut state = self.state.lock();
                state.apply_all(events);
                state
            }
            Changes::Rewritten(events) => {
                self.suspect(Since::Always);
                let memories: Memories = events.into_iter().collect();
                let wanted = all_wanted(&memories);
                let mut state = self.state.lock();
                state.replace(memories, wanted);
                // What was written and told to be known while that was made.
                match follower.changes(now)? {
                    Changes::None => {}
                    Changes::Added(events) => state.apply_all(events),
                    Changes::Rewritten(events) => {
                        let memories: Memories = events.into_iter().collect();
                        let wanted = all_wanted(&memories);
                        state.replace(memories, wanted);
                    }
                }
                state
            }
        };
        state.looked = Some(Instant::now());
        Ok(())
    }

    /// Sees to it that some memories can be told though not all journals were read: by the lines that name them. They cost one
    /// reading of all bytes together, so that whoever needs several names them at once.
    pub(crate) fn glance(&self, ids: impl IntoIterator<Item = MemoryId>) {
        let mut asked: BTreeSet<MemoryId> = {
            let state = self.state.lock();
            if state.looked.is_some() {
                return;
            }
            ids.into_iter().filter(|id| !state.glanced.contains(id)).collect()
        };
        while !asked.is_empty() {
            // That they cannot be listed is told by whoever reads everything.
            let Ok(events) = read_events_of(&*self.storage, &asked) else { return };
            let mut state = self.state.lock();
            if state.looked.is_some() {
                return;
            }
            state.glanced.extend(&asked);
            state.first_glance.get_or_insert_with(Instant::now);
            let mut retiring = BTreeSet::new();
            for event in events {
                // Whether it does retire the other depends on what is said of it.
                if let ItemId::Memory(id) = event.item() {
                    retiring.extend(Some(id).filter(|id| !state.glanced.contains(id)));
                }
                state.memories.apply(event);
            }
            asked = retiring;
        }
    }
}
