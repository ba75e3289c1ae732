//! Reading a root's journals together with the pending events of its repository.

use std::sync::Arc;

use recall_core::{Event, Timestamp};
use recall_journal::{Changes, Fault, Follower, ReadError, Storage};

use super::repository_log::{Pending, PendingReader, RepositoryLog};

/// A reader of all events that count in a work tree.
pub(crate) struct JournalReader {
    journals: Follower,
    pending: Option<PendingReader>,
    /// Whether changes of the journals were read but not returned, because the pending events could not be read.
    is_behind: bool,
}

impl JournalReader {
    /// Creates a reader. Nothing is read yet.
    pub(crate) fn new(journals: Arc<dyn Storage>, repository: Option<&Arc<RepositoryLog>>) -> Self {
        let pending = repository.map(|log| PendingReader::new(Arc::clone(log)));
        Self { journals: Follower::new(journals), pending, is_behind: false }
    }

    /// Reads everything from the beginning.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub(crate) fn replay(&mut self, now: Timestamp) -> Result<Vec<Event>, ReadError> {
        let mut events = self.journals.replay(now)?;
        if let Some(pending) = &mut self.pending {
            events.extend(pending.replay(now)?);
        }
        self.is_behind = false;
        Ok(events)
    }

    /// Returns what changed since the last read.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub(crate) fn changes(&mut self, now: Timestamp) -> Result<Changes, ReadError> {
        if self.is_behind {
            return self.replay(now).map(Changes::Rewritten);
        }
        let journals = self.journals.changes(now)?;
        self.is_behind = true;
        let pending = self.pending.as_mut().map_or(Ok(Changes::None), |pending| pending.changes(now))?;
        self.is_behind = false;
        Ok(match (journals, pending) {
            (Changes::Rewritten(_), _) | (_, Changes::Rewritten(_)) => Changes::Rewritten(self.replay(now)?),
            (Changes::Added(mut events), Changes::Added(more)) => {
                events.extend(more);
                Changes::Added(events)
            }
            (Changes::None, changes) | (changes, Changes::None) => changes,
        })
    }

    /// Returns the parts of the journals that could not be read.
    pub(crate) fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.journals.faults()
    }

    /// Returns the total size of the journals in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.journals.bytes()
    }

    /// Returns the memories with pending events, as of the last read.
    pub(crate) fn pending(&self) -> Pending {
        self.pending.as_ref().map(PendingReader::memories).unwrap_or_default()
    }
}
