//! The memories of a repository that are in no journal of its work trees yet.
//!
//! A linked work tree is thrown away when its task is done, and nothing untracked may be in it then. So what is saved there goes to a
//! log of the repository in the data home, which every work tree reads next to its own journals, until a person hands it over
//! to the journals of one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use recall_core::{Event, EventId, ItemId, MemoryId, StoreScope, Timestamp};
use recall_journal::{Changes, Follower, ReadError, Stat, read_events_of};
use recall_os::Folder;
use recall_os::git::Repository;

use crate::error::MemoryError;
use crate::ledger::own::{Own, OwnLog};

/// The most bytes that are read of the configuration of a repository.
const CONFIG_BYTES: u64 = 1024 * 1024;

/// The log of a root's repository.
pub(crate) struct RepositoryLog {
    log: OwnLog,
    /// Whether the root is in a linked work tree.
    is_linked: bool,
}

/// What of a memory is pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingPart {
    /// Its addition.
    Whole,
    Changes,
}

/// The memories with pending events.
pub(crate) type Pending = Arc<BTreeMap<MemoryId, PendingPart>>;

impl RepositoryLog {
    /// Returns the log of the repository around a project's root; `None` without a repository. Other stores are not thrown away.
    pub(crate) fn find(own: &Arc<Own>, scope: StoreScope, root: &std::path::Path) -> Option<Self> {
        // The folder around a bare repository has no branch; its work trees have stores of their own.
        let repository = Repository::find(root).filter(|found| scope == StoreScope::Project && !is_bare(found))?;
        let place = dunce::canonicalize(root).ok()?;
        let log = own.log_of_repository(&repository.common_dir, place.strip_prefix(&repository.work_tree).ok()?);
        let Repository { work_tree, git_dir, common_dir } = repository;
        // A linked work tree has a folder of its own in the repository, which may be bare and have any name.
        Some(Self { log, is_linked: git_dir != common_dir && !common_dir.starts_with(&work_tree) })
    }

    /// Returns whether everything that is saved in the root's work tree is pending.
    pub(crate) fn is_linked(&self) -> bool {
        self.is_linked
    }

    /// Returns whether anything was ever pending.
    pub(crate) fn is_begun(&self) -> bool {
        self.log.is_begun()
    }

    /// Appends events and syncs them. They count as the user's own.
    ///
    /// # Errors
    /// The log cannot be written.
    pub(crate) fn append(&self, events: &[Event]) -> Result<(), MemoryError> {
        self.log.append(events)
    }

    /// Returns the pending events about some memories.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn events_of(&self, memories: &BTreeSet<MemoryId>) -> Result<Vec<Event>, ReadError> {
        let handed_over = self.handed_over();
        let events = read_events_of(&**self.log.storage(), memories)?;
        Ok(events.into_iter().filter(|event| !handed_over.contains(&event.id)).collect())
    }

    /// Returns all pending events.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn events(self: &Arc<Self>, now: Timestamp) -> Result<Vec<Event>, ReadError> {
        PendingReader::new(Arc::clone(self)).replay(now)
    }

    /// Records that events are in a journal of a work tree.
    ///
    /// # Errors
    /// The record cannot be written. Then they stay pending too, which does no harm.
    pub(crate) fn record_handed_over(&self, events: &BTreeSet<EventId>) -> io::Result<()> {
        self.log.returned.record_handed_over(events)
    }

    /// Returns the events that are not pending any more. If that cannot be read, an event that was handed over counts twice, which
    /// changes nothing where it is.
    fn handed_over(&self) -> BTreeSet<EventId> {
        self.log.returned.settled_events().unwrap_or_else(|error| {
            tracing::warn!(folder = %self.log.folder().display(), %error, "it is not known which events were handed over");
            BTreeSet::new()
        })
    }
}

/// Returns whether the folder is around a bare repository, and not a work tree.
fn is_bare(repository: &Repository) -> bool {
    let Repository { git_dir, common_dir, .. } = repository;
    let is_set = |config: &str| config.lines().any(|line| line.replace(' ', "").trim() == "bare=true");
    let config = || Folder::open(git_dir)?.read("config", CONFIG_BYTES);
    git_dir == common_dir && config().is_ok_and(|config| is_set(&String::from_utf8_lossy(&config)))
}

/// A reader of the pending events, which remembers how far it has read.
pub(super) struct PendingReader {
    log: Arc<RepositoryLog>,
    follower: Follower,
    handed_over: BTreeSet<EventId>,
    /// The metadata of the record of what was handed over, from before it was read.
    stat: Option<Stat>,
    memories: Pending,
}

impl PendingReader {
    pub(super) fn new(log: Arc<RepositoryLog>) -> Self {
        let follower = Follower::new(Arc::clone(log.log.storage()));
        Self { log, follower, handed_over: BTreeSet::new(), stat: None, memories: Pending::default() }
    }

    /// Returns the memories with pending events, as of the last read.
    pub(super) fn memories(&self) -> Pending {
        Arc::clone(&self.memories)
    }

    pub(super) fn replay(&mut self, now: Timestamp) -> Result<Vec<Event>, ReadError> {
        self.stat = self.log.log.returned.stat();
        self.handed_over = self.log.handed_over();
        self.memories = Pending::default();
        let events = self.follower.replay(now)?;
        Ok(self.pending(events))
    }

    pub(super) fn changes(&mut self, now: Timestamp) -> Result<Changes, ReadError> {
        if self.log.log.returned.stat() != self.stat {
            return self.replay(now).map(Changes::Rewritten);
        }
        Ok(match self.follower.changes(now)? {
            Changes::None => Changes::None,
            Changes::Added(events) => Changes::Added(self.pending(events)),
            Changes::Rewritten(_) => Changes::Rewritten(self.replay(now)?),
        })
    }

    /// Keeps the pending ones of some events, and notes their memories.
    fn pending(&mut self, mut events: Vec<Event>) -> Vec<Event> {
        events.retain(|event| !self.handed_over.contains(&event.id));
        if !events.is_empty() {
            note(Arc::make_mut(&mut self.memories), &events);
        }
        events
    }
}

pub(super) fn note(memories: &mut BTreeMap<MemoryId, PendingPart>, events: &[Event]) {
    for event in events {
        let ItemId::Memory(id) = event.item() else { continue };
        let is_addition = event.new_memory().is_some();
        let part = memories.entry(id).or_insert(PendingPart::Changes);
        if is_addition {
            *part = PendingPart::Whole;
        }
    }
}
