//! The comparison of the journals with the log of the user's own events.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::Ordering;

use recall_core::{Event, EventId};

use crate::error::MemoryError;
use crate::ledger::own::OwnLog;
use crate::ledger::{Ledger, Since};

impl Ledger {
    /// Records that the journals may lack events of the log since a day.
    pub(crate) fn suspect(&self, since: Since) {
        let mut suspicion = self.suspicion.lock();
        *suspicion = Some(suspicion.map_or(since, |known| known.min(since)));
    }

    /// Returns whether the journals may lack events of the log.
    pub(crate) fn is_suspicious(&self) -> bool {
        self.suspicion.lock().is_some()
    }

    /// Takes the recorded day since which events may be missing.
    pub(crate) fn take_suspicion(&self) -> Since {
        self.suspicion.lock().take().unwrap_or(Since::Always)
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

    /// Returns which of some events are in no journal.
    pub(crate) fn absent(&self, ids: &BTreeSet<EventId>) -> io::Result<BTreeSet<EventId>> {
        OwnLog::absent(ids, &self.storage)
    }

    /// Appends events of the log to the journals again. The caller ensures that no other thread writes.
    pub(crate) fn append_again(&self, events: Vec<Event>) -> Result<(), MemoryError> {
        let journal = self.journal()?;
        journal.append_all(&events).map_err(|source| MemoryError::Write { folder: self.folder.clone(), source })?;
        self.state.lock().apply_all(events, &self.backlog);
        Ok(())
    }
}
