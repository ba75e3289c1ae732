//! The events that this user's recall wrote, and the memories that this user confirmed.
//!
//! Both are stored in the data home, where no repository can write. They cannot be derived from anything else: without them, a
//! user's own memories look like a stranger's. Only hashes are held in memory; the events are in the
//! [own logs](log::OwnLog), one for each root.

mod confirmed;
pub(super) mod log;
mod returned;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use recall_core::{Event, Memory, Provenance};
use recall_journal::{LineHash, LineReader};

use crate::ledger::own::confirmed::{Confirmed, FOLLOW_EVERY};
use crate::settings::{JournalSource, Places};
pub(crate) use confirmed::content_hash;
pub(crate) use log::OwnLog;
pub(crate) use returned::Returned;

/// How an event of this user affects the confirmation of a memory that came with the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vouching {
    /// It confirms the memory with its content after the event.
    Confirms,
    /// It leaves a confirmed memory confirmed and an unconfirmed one unconfirmed. Agents' events do this, since the text of a
    /// memory could ask an agent to confirm it.
    Keeps,
}

impl Vouching {
    /// Returns the effect of an event that approves a memory: it confirms the memory unless an agent sent it.
    pub(crate) fn from_provenance(provenance: &Provenance) -> Self {
        if provenance.agent.is_none() { Self::Confirms } else { Self::Keeps }
    }
}

/// The number of last days of a log that may still grow: today, and a day that a fast clock began early.
const GROWING_DAYS: usize = 2;

/// The own events and the confirmations of one user. Shared by all stores: a memory that is written in one work tree and merged
/// into another is the user's own there too.
pub(crate) struct Own {
    folder: PathBuf,
    journals: Arc<JournalSource>,
    written: Mutex<WrittenEvents>,
    confirmed: Confirmed,
}

#[derive(Default)]
struct WrittenEvents {
    logs: BTreeMap<PathBuf, LineReader>,
    hashes: HashSet<LineHash>,
    followed: Option<Instant>,
}

impl Own {
    /// Takes the folder of the logs, which need not exist. Reads nothing.
    pub(crate) fn new(places: &Places, journals: Arc<JournalSource>) -> Self {
        let folder = places.written_logs();
        Self { confirmed: Confirmed::new(&folder), folder, journals, written: Mutex::default() }
    }

    /// Returns whether this user's recall wrote an event, with exactly this content.
    pub(crate) fn wrote(&self, event: &Event) -> bool {
        let hash = LineHash::from_event(event);
        let mut written = self.written.lock();
        if written.hashes.contains(&hash) {
            return true;
        }
        if written.followed.is_some_and(|followed| followed.elapsed() < FOLLOW_EVERY) {
            return false;
        }
        self.follow(&mut written);
        written.hashes.contains(&hash)
    }

    /// Returns whether this user confirmed a memory with its current content.
    pub(crate) fn has_confirmed(&self, memory: &Memory) -> bool {
        self.confirmed.holds(content_hash(memory))
    }

    /// Stores that this user confirms memories with their current content. It is synced before this returns.
    pub(crate) fn confirm(&self, memories: &[Memory]) -> std::io::Result<()> {
        self.confirmed.add(memories.iter().map(content_hash))
    }

    /// Returns whether this user confirmed a project's profile with this text.
    pub(crate) fn confirmed_profile(&self, text: &[u8]) -> bool {
        self.confirmed.holds(confirmed::profile(text))
    }

    /// Stores that this user confirms a profile with this text. It is synced before this returns.
    pub(crate) fn confirm_profile(&self, text: &[u8]) -> std::io::Result<()> {
        self.confirmed.add([confirmed::profile(text)])
    }

    /// Makes the next lookup of an unknown event read the logs again.
    pub(crate) fn expire(&self) {
        self.written.lock().followed = None;
    }

    /// Adds the hashes of events that were written to a log.
    fn add(&self, events: &[Event]) {
        self.written.lock().hashes.extend(events.iter().map(LineHash::from_event));
    }

    /// Reads what is new in every log. The events of a log that cannot be read stay unknown, and count as a stranger's.
    fn follow(&self, written: &mut WrittenEvents) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let folder = entry.path();
            let unread = || LineReader::new((self.journals)(&folder, Path::new("")));
            written.logs.entry(folder.clone()).or_insert_with(unread);
        }
        let WrittenEvents { logs, hashes, followed } = written;
        for (folder, reader) in logs {
            let outcome = reader.read(GROWING_DAYS, &mut |_, line| {
                hashes.insert(LineHash::from_line(line));
            });
            if let Err(error) = outcome {
                tracing::warn!(folder = %folder.display(), %error, "a log of this user's own memories was not read");
            }
        }
        *followed = Some(Instant::now());
    }
}
