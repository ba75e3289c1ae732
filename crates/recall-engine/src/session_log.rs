//! The event files of a store's sessions, the names of their folders, and the session state that they give.
//!
//! One file for each session, not one for each day as in the journals of memories: a session is read, kept and deleted as a whole,
//! and never merged (ADR 15). The files are in the data home; those that earlier versions began in a project go on there.

mod error;
pub(crate) mod masking;
mod session_fold;
pub(crate) mod story;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use recall_core::{ContentHash, EventDetails, EventId, Provenance, Session, SessionEvent, SessionEventType, Timestamp};
use recall_journal::{EVENTS_FILE, Recorder, Stat};
use recall_os::{Folder, OpenError};
use recall_text::PROJECT_FOLDER;

pub use error::SessionError;
pub(crate) use session_fold::{GENERATED, REASON, SUMMARY_PATH, SessionFold};
pub(crate) use story::{Deed, Story};

/// The folder of sessions within a store.
const FOLDER: &str = "sessions";

/// The most sessions that stay open for writing. Beyond it, all sessions without a pending write are closed.
const MOST_OPEN: usize = 64;

/// How much of the end of a session's file is read for the events that a call repeats: a client repeats a call seconds after the daemon
/// was gone, and events have some hundred bytes.
const REPEATED_BYTES: u64 = 256 * 1024;

/// The most ids of written events that an open session keeps for the same purpose.
const REPEATED_EVENTS: usize = 1024;

/// The sessions of a store, each a folder with a file of events.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// In the project, where earlier versions began sessions. They go on there.
    own: SessionsFolder,
    /// In the data home, where sessions begin.
    away: SessionsFolder,
    open: Mutex<HashMap<String, Arc<Open>>>,
    /// The session of each file when it was last read, with the file's stat at that time.
    fold: Mutex<HashMap<PathBuf, (Stat, SessionFold)>>,
}

/// A folder that holds session folders: a path below a root, opened without following links.
#[derive(Clone, Debug)]
struct SessionsFolder {
    root: PathBuf,
    below: PathBuf,
}

impl SessionsFolder {
    fn folder(&self) -> Result<Folder, OpenError> {
        Folder::open(&self.root)?.folder(&self.below)
    }

    fn recorder(&self, name: &str) -> Recorder {
        Recorder::below(&self.root, self.below.join(name))
    }

    fn has(&self, name: &str) -> bool {
        self.folder().is_ok_and(|folder| folder.has_file(Path::new(name).join(EVENTS_FILE)))
    }
}

/// A session that is open for writing.
#[derive(Debug)]
struct Open {
    recorder: Recorder,
    /// Whether its start is on disk. Locked while that is checked, so that the start is written once.
    has_begun: Mutex<bool>,
    /// The ids of the last events on disk, the oldest first; `None` until they are read.
    written: Mutex<Option<VecDeque<EventId>>>,
}

impl Open {
    /// Locks the ids of the last events on disk, and reads them first if this was not done before.
    fn lock_written(&self) -> Result<MutexGuard<'_, Option<VecDeque<EventId>>>, SessionError> {
        let mut written = self.written.lock();
        if written.is_none() {
            let ids = self.recorder.recent_ids(REPEATED_BYTES);
            let ids = ids.map_err(|source| SessionError::Read { path: self.recorder.path().to_owned(), source })?;
            *written = Some(ids.into());
        }
        Ok(written)
    }

    /// Appends events, which are on disk when this returns.
    fn append(&self, id: &str, events: &[SessionEvent]) -> Result<(), SessionError> {
        self.recorder.append(events).map_err(|source| SessionError::Write { id: id.to_owned(), source })?;
        let mut written = self.written.lock();
        let ids = written.get_or_insert_default();
        ids.extend(events.iter().map(|event| event.id));
        let excess = ids.len().saturating_sub(REPEATED_EVENTS);
        ids.drain(..excess);
        Ok(())
    }
}

/// An event to write: its id, its time and its details.
pub(crate) type EventDraft = (EventId, Timestamp, EventDetails);

impl Sessions {
    /// Creates the sessions of a store from its root and its folder in the data home, without reading anything.
    pub(crate) fn new(root: &Path, store_folder: &Path) -> Self {
        let own = SessionsFolder { root: root.to_owned(), below: Path::new(PROJECT_FOLDER).join(FOLDER) };
        let away = SessionsFolder { root: store_folder.to_owned(), below: FOLDER.into() };
        Self { own, away, open: Mutex::default(), fold: Mutex::default() }
    }

    /// Writes events of a session, which are on disk when this returns. The first events start the session. An event that is among the
    /// last ones of the file already is not written again: its client repeats a call.
    ///
    /// # Errors
    /// None of the events counts as written.
    pub(crate) fn write(&self, id: &str, provenance: &Provenance, drafts: Vec<EventDraft>) -> Result<(), SessionError> {
        let open = self.open(id)?;
        let event = |(id, timestamp, details)| SessionEvent { id, timestamp, details, provenance: provenance.clone() };
        let mut events: Vec<_> = drafts.into_iter().map(event).collect();
        let written = open.lock_written()?;
        events.retain(|event| !written.as_ref().is_some_and(|ids| ids.contains(&event.id)));
        drop(written);
        if events.is_empty() {
            return Ok(());
        }
        let mut has_begun = open.has_begun.lock();
        let is_first = !*has_begun && {
            let stat = open.recorder.stat();
            stat.map_err(|source| SessionError::Read { path: open.recorder.path().to_owned(), source })?.is_none()
        };
        let begins = |event: &SessionEvent| event.details.event_type == SessionEventType::SessionStart;
        if is_first && let Some(first) = events.first().filter(|first| !begins(first)) {
            // The session was not started explicitly, so a start event is added.
            let id = EventId::from_parts(&[b"begins", &first.id.0]);
            let details = EventDetails::new(SessionEventType::SessionStart, "");
            events.insert(0, SessionEvent { id, timestamp: first.timestamp, details, provenance: provenance.clone() });
        }
        if is_first {
            open.append(id, &events)?;
            *has_begun = true;
            return Ok(());
        }
        *has_begun = true;
        // Without the lock, concurrent writers share a sync.
        drop(has_begun);
        open.append(id, &events)
    }

    /// Returns all sessions, in no particular order. A file is read again only if its stat has changed.
    pub(crate) fn all(&self) -> Result<Vec<SessionFold>, SessionError> {
        let mut all = Vec::new();
        for place in [&self.own, &self.away] {
            let folder = match place.folder() {
                // A project may contain anything at this path. A link or a file is not a session of this user.
                Err(OpenError::Missing { .. } | OpenError::Link { .. } | OpenError::NotAFolder { .. }) => continue,
                folder => folder.map_err(SessionError::Folder)?,
            };
            let names = folder.names();
            let names = names.map_err(|source| SessionError::Read { path: folder.path().to_owned(), source })?;
            for name in names.iter().filter_map(|name| name.to_str()) {
                all.extend(self.fold(place, name));
            }
        }
        Ok(all)
    }

    /// Returns the session of a file; `None` if it cannot be read, which is logged.
    fn fold(&self, place: &SessionsFolder, name: &str) -> Option<SessionFold> {
        let recorder = place.recorder(name);
        let stat = recorder.stat().ok().flatten()?;
        if let Some((_, fold)) = self.fold.lock().get(recorder.path()).filter(|(known, _)| *known == stat) {
            return Some(fold.clone());
        }
        let recording = match recorder.read() {
            Ok(recording) => recording,
            Err(error) => {
                tracing::warn!(path = %recorder.path().display(), %error, "the events of a session cannot be read");
                return None;
            }
        };
        let fold = SessionFold::fold(name, &in_order(recording.events))?;
        self.fold.lock().insert(recorder.path().to_owned(), (recording.stat?, fold.clone()));
        Some(fold)
    }

    /// Returns a session with its state at `now`; `None` if it is unknown or cannot be read, which is logged.
    pub(crate) fn session(&self, id: &str, now: Timestamp) -> Option<Session> {
        let name = folder_name_of(id);
        let place = [&self.own, &self.away].into_iter().find(|place| place.has(&name))?;
        Some(self.fold(place, &name)?.at(now))
    }

    /// Returns the events of a session in chronological order; `None` if the session is unknown.
    pub(crate) fn read(&self, id: &str) -> Result<Option<Vec<SessionEvent>>, SessionError> {
        let name = folder_name_of(id);
        let Some(place) = [&self.own, &self.away].into_iter().find(|place| place.has(&name)) else { return Ok(None) };
        let recorder = place.recorder(&name);
        let recording = recorder.read();
        let recording = recording.map_err(|source| SessionError::Read { path: recorder.path().to_owned(), source })?;
        for fault in &recording.faults {
            let (line, reason) = (fault.line, &fault.reason);
            tracing::warn!(path = %recorder.path().display(), line, reason, "an event of a session cannot be read");
        }
        Ok(Some(in_order(recording.events)))
    }

    fn open(&self, id: &str) -> Result<Arc<Open>, SessionError> {
        let name = folder_name_of(id);
        let mut open = self.open.lock();
        if let Some(known) = open.get(&name) {
            return Ok(Arc::clone(known));
        }
        if open.len() >= MOST_OPEN {
            open.retain(|_, session| Arc::strong_count(session) > 1);
        }
        let recorder = self.place_of(&name)?.recorder(&name);
        let session = Arc::new(Open { recorder, has_begun: Mutex::new(false), written: Mutex::default() });
        open.insert(name, Arc::clone(&session));
        Ok(session)
    }

    /// Returns the place of a session's folder, or the place to create it in.
    fn place_of(&self, name: &str) -> Result<&SessionsFolder, SessionError> {
        if let Some(known) = [&self.own, &self.away].into_iter().find(|place| place.has(name)) {
            return Ok(known);
        }
        match self.away.folder() {
            Ok(_) | Err(OpenError::Missing { .. }) => Ok(&self.away),
            Err(error) => Err(SessionError::Folder(error)),
        }
    }
}

/// Sorts events by time. Notes of the flight recorder are written a moment after they happened.
fn in_order(mut events: Vec<SessionEvent>) -> Vec<SessionEvent> {
    events.sort_by_key(|event| event.timestamp);
    events
}

/// The longest id that is used as a folder name unchanged. Ids of agents are half as long.
const NAME_BYTES: usize = 80;

/// The most characters that are kept of any other id: enough to recognise it.
const SHOWN_CHARS: usize = 40;

/// Names that are devices on Windows, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns the folder name of a session: its id if that is a portable file name, else the portable characters of it and a hash
/// that makes it unique.
pub(crate) fn folder_name_of(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    let begins_well = id.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let stem = id.split('.').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = begins_well && id.len() <= NAME_BYTES && id.chars().all(is_plain) && !id.ends_with('.');
    if is_name && !DEVICES.contains(&stem) {
        return id.to_owned();
    }
    let shown: String =
        id.chars().map(|c| c.to_ascii_lowercase()).filter(|c| is_plain(*c) && *c != '.').take(SHOWN_CHARS).collect();
    let hash = ContentHash::hash(id.as_bytes()).short();
    format!("s-{shown}-{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_a_name_names_its_folder() {
        for id in ["session-7", "0b9f3a52-1d7e-4b59-9a53-2f0c7a1f6f3e", "a.b_c"] {
            assert_eq!(folder_name_of(id), id);
        }
    }

    #[test]
    fn no_id_leads_anywhere_else_or_to_the_folder_of_another() {
        let ids = ["../x", "/etc", "", ".", "..", ".hidden", "A", "a/b", "a b", "nul", "com1.txt", "x.", "ä", "a\0b"];
        let mut names: Vec<String> = ids.iter().map(|id| folder_name_of(id)).collect();
        for name in &names {
            assert!(name.starts_with("s-") && !name.contains(['/', '\\', '\0', ' ']) && name.len() < 80, "{name}");
        }
        names.push(folder_name_of(&"x".repeat(1000)));
        names.push(folder_name_of("a"));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ids.len() + 2);
    }
}
