//! The log of the events that this user's recall wrote to the journals of one root, stored in the data home.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use recall_core::{Event, EventId, MemoryId, StoreScope, Timestamp};
use recall_journal::{Day, Journal, LineReader, Storage, event_ids, event_of_line, read_events_of};

use crate::error::MemoryError;
use crate::ledger::Own;
use crate::ledger::own::Returned;
use crate::store_folder::name_of;

/// The own log of a root: a journal of the events that this user's recall appended to the root's journals.
///
/// An event is synced here before it is appended to the project's journal, so that the log has every acknowledged event. An
/// event that is in no journal was removed by another program, or its write failed; [`Returned`] distinguishes the two.
pub(crate) struct OwnLog {
    own: Arc<Own>,
    folder: PathBuf,
    root: PathBuf,
    storage: Arc<dyn Storage>,
    /// Opened by the first event that is written.
    journal: Mutex<Option<Arc<Journal>>>,
    pub(crate) returned: Returned,
    /// Read-locked while an event is written to both, write-locked while both are compared.
    writing: RwLock<()>,
}

impl Own {
    /// Returns the log of a store; `None` for the global store: it is in the data home, so all its events are the user's own.
    pub(crate) fn log(self: &Arc<Self>, scope: StoreScope, root: &Path) -> Option<OwnLog> {
        if scope == StoreScope::Global {
            return None;
        }
        let folder = self.folder.join(name_of_folder(root));
        let storage = (self.journals)(&folder, Path::new(""));
        self.written.lock().logs.entry(folder.clone()).or_insert_with(|| LineReader::new(Arc::clone(&storage)));
        Some(OwnLog::new(Arc::clone(self), folder, root, storage))
    }

    /// Returns the log of a repository for the projects at one place in its work trees. Its name depends on the repository's folder,
    /// which all work trees share.
    pub(crate) fn log_of_repository(self: &Arc<Self>, repository: &Path, place: &Path) -> OwnLog {
        let mut name = name_of_folder(repository);
        if !place.as_os_str().is_empty() {
            name = format!("{name}-{}", name_of(place));
        }
        let folder = self.folder.join(name);
        let storage = (self.journals)(&folder, Path::new(""));
        self.written.lock().logs.entry(folder.clone()).or_insert_with(|| LineReader::new(Arc::clone(&storage)));
        OwnLog::new(Arc::clone(self), folder, repository, storage)
    }
}

impl OwnLog {
    pub(crate) fn new(own: Arc<Own>, folder: PathBuf, root: &Path, storage: Arc<dyn Storage>) -> Self {
        let returned = Returned::new(&folder);
        let (journal, writing) = (Mutex::default(), RwLock::default());
        Self { own, folder, root: root.to_owned(), storage, journal, returned, writing }
    }

    /// Returns the own events of all roots, and the confirmations.
    pub(crate) fn own_state(&self) -> &Own {
        &self.own
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the journals of the log.
    pub(crate) fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Returns a guard to hold while events are written to this log and to the journals.
    pub(crate) fn writing(&self) -> RwLockReadGuard<'_, ()> {
        self.writing.read()
    }

    /// Waits for the writers in this process, and returns a guard that keeps others from writing.
    pub(crate) fn nobody_writes(&self) -> RwLockWriteGuard<'_, ()> {
        self.writing.write()
    }

    /// Appends events and syncs them. They count as the user's own.
    ///
    /// # Errors
    /// The log cannot be written. Then none of them counts as the user's own.
    pub(crate) fn append(&self, events: &[Event]) -> Result<(), MemoryError> {
        let failed = |source| MemoryError::Write { folder: self.folder.clone(), source };
        self.journal()?.append_all(events).map_err(failed)?;
        self.own.add(events);
        Ok(())
    }

    fn journal(&self) -> Result<Arc<Journal>, MemoryError> {
        let mut journal = self.journal.lock();
        if let Some(journal) = journal.as_ref() {
            return Ok(Arc::clone(journal));
        }
        let opened = Journal::open(Arc::clone(&self.storage))
            .map_err(|source| MemoryError::OpenJournal { folder: self.folder.clone(), source })?;
        self.name_root();
        Ok(Arc::clone(journal.insert(Arc::new(opened))))
    }

    /// Writes the root's path next to the log, for people who inspect the data home. The program does not read it.
    fn name_root(&self) {
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(self.folder.join("root"), format!("{}\n", self.root.display())));
        if let Err(error) = written {
            tracing::debug!(folder = %self.folder.display(), %error, "the root of a log is not named");
        }
    }

    /// Returns the events of this log that are in none of the journals of a folder, in the order of their days and ids. An event
    /// whose id is there with other content was edited, and is not missing.
    ///
    /// # Errors
    /// The log or a journal cannot be read.
    pub(crate) fn missing(&self, since: Since, journals: &Arc<dyn Storage>) -> std::io::Result<Vec<Event>> {
        let is_recent = |day: Day| match since {
            Since::Always => true,
            Since::Day(first) => day >= first,
        };
        let mut known: HashSet<EventId> = HashSet::new();
        LineReader::since(Arc::clone(journals), &is_recent).read(0, &mut |_, line| known.extend(event_ids(line)))?;
        let settled = self.returned.settled_events()?;
        let mut missing: BTreeMap<(Day, EventId), Event> = BTreeMap::new();
        LineReader::since(Arc::clone(&self.storage), &is_recent).read(0, &mut |day, line| {
            let is_missing = event_ids(line).next().is_some_and(|id| !known.contains(&id) && !settled.contains(&id));
            if let Some(event) = is_missing.then(|| event_of_line(line, day)).flatten() {
                missing.insert((day, event.id), event);
            }
        })?;
        if missing.is_empty() || since == Since::Always {
            return Ok(missing.into_values().collect());
        }
        // A person may have moved a line to an earlier day.
        let absent = Self::absent(&missing.keys().map(|(_, id)| *id).collect(), journals)?;
        Ok(missing.into_values().filter(|event| absent.contains(&event.id)).collect())
    }

    /// Returns the events about some memories.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn events_of(&self, memories: &BTreeSet<MemoryId>) -> Result<Vec<Event>, MemoryError> {
        read_events_of(&*self.storage, memories).map_err(|source| MemoryError::ReadJournal { source })
    }

    /// Returns whether it has any day.
    pub(crate) fn is_begun(&self) -> bool {
        self.storage.days().is_ok_and(|days| !days.is_empty())
    }

    /// Returns the days of some events of this log.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn days_of(&self, ids: &BTreeSet<EventId>) -> std::io::Result<BTreeSet<Day>> {
        let mut days = BTreeSet::new();
        if !ids.is_empty() {
            LineReader::new(Arc::clone(&self.storage)).read(0, &mut |day, line| {
                days.extend(event_ids(line).any(|id| ids.contains(&id)).then_some(day));
            })?;
        }
        Ok(days)
    }

    /// Returns which of some events are in none of the journals of a folder.
    ///
    /// # Errors
    /// A journal cannot be read.
    pub(crate) fn absent(ids: &BTreeSet<EventId>, journals: &Arc<dyn Storage>) -> std::io::Result<BTreeSet<EventId>> {
        let mut absent = ids.clone();
        LineReader::new(Arc::clone(journals)).read(0, &mut |_, line| {
            for id in event_ids(line) {
                absent.remove(&id);
            }
        })?;
        Ok(absent)
    }
}

/// Returns the name of the log's folder for a root, from its path, inode and creation time. A folder that was deleted and created
/// again, as for another clone, has another log, so that no event is put back into a project that it never belonged to.
fn name_of_folder(root: &Path) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("recall root folder");
    if let Ok(metadata) = std::fs::metadata(root) {
        #[cfg(unix)]
        hasher.update(&std::os::unix::fs::MetadataExt::ino(&metadata).to_le_bytes());
        let created = metadata.created().map(recall_core::Timestamp::from).unwrap_or_default();
        hasher.update(&created.0.to_le_bytes());
    }
    let identity = hasher.finalize().to_hex();
    format!("{}-{}", name_of(root), &identity[..8])
}

/// The first day of a comparison of the journals with the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Since {
    /// The first day of all.
    Always,
    Day(Day),
}

/// A suspicion that the journals lack events of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspicion {
    /// The first day that may lack events.
    pub(crate) since: Since,
    /// Whether a journal was read that had been rewritten.
    pub(crate) is_rewritten: bool,
    /// A moment before that at which the journals were as they had been read; `None` if no such moment is known.
    pub(crate) intact: Option<Timestamp>,
}

impl Suspicion {
    /// The suspicion against every day.
    pub(crate) const ALWAYS: Self = Self { since: Since::Always, is_rewritten: true, intact: None };

    /// Returns the suspicion that covers both: the earlier day, and the earlier moment of those that a journal was rewritten after.
    pub(crate) fn or(self, other: Self) -> Self {
        let intact = match (self.is_rewritten, other.is_rewritten) {
            (true, true) => self.intact.min(other.intact),
            (true, false) => self.intact,
            (false, _) => other.intact,
        };
        let is_rewritten = self.is_rewritten || other.is_rewritten;
        Self { since: self.since.min(other.since), is_rewritten, intact }
    }
}
