//! Where does a store keep what happens in its sessions, and what do these files say?

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::{Account, EventId, Provenance, SessionEvent, SessionEventType, Timestamp};
use recall_journal::{EVENTS_FILE, Recorder, Stat};

use super::error::SessionError;
use super::folder::name_of;
use super::told::Told;
use crate::memory::write_git_files;

/// The folder of sessions beside the other files of a store.
const FOLDER: &str = "sessions";

/// How many sessions' files are held ready to be written to; then all that nobody writes to are let go.
const MOST_OPEN: usize = 64;

/// The sessions of a store: a folder each, with a file of events.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// `.recall` in the root. Sessions are kept there where it is.
    own: PathBuf,
    /// The store's folder in the data home, for a project that nobody initialised: nothing is written into that.
    away: PathBuf,
    open: Mutex<HashMap<String, Arc<Open>>>,
    /// What the files said when they were last read, and what they looked like.
    told: Mutex<HashMap<PathBuf, (Stat, Told)>>,
}

/// A session that is being written to.
#[derive(Debug)]
struct Open {
    recorder: Recorder,
    /// Whether its beginning is on disk. Held while that is found out, so that it begins once.
    has_begun: Mutex<bool>,
}

/// An event that is to be written: its id, its time, and what it tells.
pub(super) type Draft = (EventId, Timestamp, Account);

impl Sessions {
    /// Takes the root of a store and the folder of its index. Nothing is read.
    pub(crate) fn new(root: &Path, folder: &Path) -> Self {
        Self { own: root.join(".recall"), away: folder.to_owned(), open: Mutex::default(), told: Mutex::default() }
    }

    /// Writes events of a session: they are on disk when this returns. The first ones begin it.
    ///
    /// # Errors
    /// None of them is acknowledged.
    pub(super) fn write(&self, id: &str, provenance: &Provenance, drafts: Vec<Draft>) -> Result<(), SessionError> {
        let open = self.open(id)?;
        let event = |(id, timestamp, account)| SessionEvent { id, timestamp, account, provenance: provenance.clone() };
        let mut events: Vec<_> = drafts.into_iter().map(event).collect();
        let mut has_begun = open.has_begun.lock();
        let is_first = !*has_begun && {
            let stat = open.recorder.stat();
            stat.map_err(|source| SessionError::Read { path: open.recorder.path().to_owned(), source })?.is_none()
        };
        let begins = |event: &SessionEvent| event.account.event_type == SessionEventType::SessionStart;
        if is_first && let Some(first) = events.first().filter(|first| !begins(first)) {
            // Nobody said that it begins, and it has.
            let id = EventId::of(&[b"begins", &first.id.0]);
            let account = Account::new(SessionEventType::SessionStart, "");
            events.insert(0, SessionEvent { id, timestamp: first.timestamp, account, provenance: provenance.clone() });
        }
        let write =
            || open.recorder.append(&events).map_err(|source| SessionError::Write { id: id.to_owned(), source });
        if is_first {
            write()?;
            *has_begun = true;
            return Ok(());
        }
        *has_begun = true;
        // Those who come later share a sync.
        drop(has_begun);
        write()
    }

    /// All sessions, in no order. A file is read anew when it looks otherwise than before.
    pub(super) fn all(&self) -> Result<Vec<Told>, SessionError> {
        let mut all = Vec::new();
        for place in self.places() {
            let entries = match fs::read_dir(&place) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(|source| SessionError::Read { path: place.clone(), source })?,
            };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                all.extend(self.told(&place.join(&name), &name));
            }
        }
        Ok(all)
    }

    /// What a session's file says; a file that cannot be read says nothing, which is logged.
    fn told(&self, folder: &Path, name: &str) -> Option<Told> {
        let recorder = Recorder::new(folder);
        let stat = recorder.stat().ok().flatten()?;
        if let Some((_, told)) = self.told.lock().get(folder).filter(|(known, _)| *known == stat) {
            return Some(told.clone());
        }
        let recording = match recorder.read() {
            Ok(recording) => recording,
            Err(error) => {
                tracing::warn!(path = %recorder.path().display(), %error, "the events of a session cannot be read");
                return None;
            }
        };
        let told = Told::of(name, &in_order(recording.events))?;
        self.told.lock().insert(folder.to_owned(), (recording.stat?, told.clone()));
        Some(told)
    }

    /// The events of a session in the order in which they happened; `None` where there is no such session.
    pub(crate) fn read(&self, id: &str) -> Result<Option<Vec<SessionEvent>>, SessionError> {
        let name = name_of(id);
        let found = self.places().map(|place| place.join(&name)).find(|folder| folder.join(EVENTS_FILE).is_file());
        let Some(folder) = found else { return Ok(None) };
        let recorder = Recorder::new(folder);
        let recording = recorder.read();
        let recording = recording.map_err(|source| SessionError::Read { path: recorder.path().to_owned(), source })?;
        for fault in &recording.faults {
            let (line, reason) = (fault.line, &fault.reason);
            tracing::warn!(path = %recorder.path().display(), line, reason, "an event of a session cannot be read");
        }
        Ok(Some(in_order(recording.events)))
    }

    fn open(&self, id: &str) -> Result<Arc<Open>, SessionError> {
        let name = name_of(id);
        let mut open = self.open.lock();
        if let Some(known) = open.get(&name) {
            return Ok(Arc::clone(known));
        }
        if open.len() >= MOST_OPEN {
            open.retain(|_, session| Arc::strong_count(session) > 1);
        }
        let recorder = Recorder::new(self.place_of(&name)?.join(&name));
        let session = Arc::new(Open { recorder, has_begun: Mutex::new(false) });
        open.insert(name, Arc::clone(&session));
        Ok(session)
    }

    /// The folder in which a session's folder is, or is to be made.
    fn place_of(&self, name: &str) -> Result<PathBuf, SessionError> {
        if let Some(known) = self.places().find(|place| place.join(name).join(EVENTS_FILE).is_file()) {
            return Ok(known);
        }
        let own = self.own.join(FOLDER);
        if self.own.is_dir() {
            // Before anything is in it that git should not see.
            write_git_files(&self.own)?;
            if fs::create_dir_all(&own).is_ok() && is_plain(&own) {
                return Ok(own);
            }
        }
        let away = self.away.join(FOLDER);
        if fs::symlink_metadata(&away).is_ok_and(|there| !there.is_dir()) {
            let source = io::Error::new(io::ErrorKind::NotADirectory, "it is no folder, or a link");
            return Err(SessionError::Read { path: away, source });
        }
        Ok(away)
    }

    /// The folders in which there may be folders of sessions.
    fn places(&self) -> impl Iterator<Item = PathBuf> {
        let own = Some(self.own.join(FOLDER)).filter(|own| is_plain(own));
        let away = Some(self.away.join(FOLDER)).filter(|_| self.away != self.own);
        own.into_iter().chain(away)
    }
}

/// Events in the order in which they happened: what is written beside a request comes a moment later.
fn in_order(mut events: Vec<SessionEvent>) -> Vec<SessionEvent> {
    events.sort_by_key(|event| event.timestamp);
    events
}

/// Whether a folder is one, and no link: what a repository holds must not lead out of it.
fn is_plain(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir())
}
