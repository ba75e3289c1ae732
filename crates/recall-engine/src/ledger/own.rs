//! What this user's recall wrote itself, and what this user confirmed.
//!
//! Both are kept in the data home, where no repository can write. This is truth, not derived: without it, a user's own memories
//! look like a stranger's. It holds hashes only in memory; the events themselves are in the [own logs](log::OwnLog), one for
//! each root.

mod confirmed;
mod log;
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
pub(crate) use confirmed::says_of;
pub(crate) use log::OwnLog;
pub(crate) use returned::Returned;

/// What an event of this user means for a memory that came with the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vouching {
    /// It confirms what the memory says from then on.
    Confirms,
    /// A memory that was confirmed before stays so, and no other becomes so. Agents' events mean this: a memory could ask an
    /// agent to confirm it.
    Keeps,
}

impl Vouching {
    /// What an event of somebody means that says that a memory is right.
    pub(crate) fn of(provenance: &Provenance) -> Self {
        if provenance.agent.is_none() { Self::Confirms } else { Self::Keeps }
    }
}

/// How many of the last days of a log may still grow: today, and a day that a clock running ahead began.
const GROWING_DAYS: usize = 2;

/// The own events and the confirmations of one user. Shared by all stores: a memory that is written in one work tree and merged
/// into another is the user's own there too.
pub(crate) struct Own {
    folder: PathBuf,
    journals: Arc<JournalSource>,
    written: Mutex<Written>,
    confirmed: Confirmed,
}

#[derive(Default)]
struct Written {
    logs: BTreeMap<PathBuf, LineReader>,
    hashes: HashSet<LineHash>,
    followed: Option<Instant>,
}

impl Own {
    /// Takes the folder of the logs, which need not exist. Nothing is read.
    pub(crate) fn new(places: &Places, journals: Arc<JournalSource>) -> Self {
        let folder = places.written();
        Self { confirmed: Confirmed::new(&folder), folder, journals, written: Mutex::default() }
    }

    /// Whether this user's recall wrote an event, exactly as it is.
    pub(crate) fn wrote(&self, event: &Event) -> bool {
        let hash = LineHash::of(event);
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

    /// Whether this user confirmed a memory as it is.
    pub(crate) fn confirmed(&self, memory: &Memory) -> bool {
        self.confirmed.holds(says_of(memory))
    }

    /// Keeps that this user confirms memories as they are: on disk when this returns.
    pub(crate) fn confirm(&self, memories: &[Memory]) -> std::io::Result<()> {
        self.confirmed.add(memories.iter().map(says_of))
    }

    /// Whether this user confirmed a project's profile with this text.
    pub(crate) fn confirmed_profile(&self, text: &[u8]) -> bool {
        self.confirmed.holds(confirmed::profile(text))
    }

    /// Keeps that this user confirms a profile with this text: on disk when this returns.
    pub(crate) fn confirm_profile(&self, text: &[u8]) -> std::io::Result<()> {
        self.confirmed.add([confirmed::profile(text)])
    }

    /// Reads the logs again when an event is met next that is in none.
    pub(crate) fn look_again(&self) {
        self.written.lock().followed = None;
    }

    /// Knows events that are about to be written to a log.
    fn add(&self, events: &[Event]) {
        self.written.lock().hashes.extend(events.iter().map(LineHash::of));
    }

    /// Reads what is new in every log. A log that cannot be read leaves its events unknown, which makes them a stranger's.
    fn follow(&self, written: &mut Written) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let folder = entry.path();
            let unread = || LineReader::new((self.journals)(&folder, Path::new("")));
            written.logs.entry(folder.clone()).or_insert_with(unread);
        }
        let Written { logs, hashes, followed } = written;
        for (folder, reader) in logs {
            let outcome = reader.read(GROWING_DAYS, &mut |_, line| {
                hashes.insert(LineHash::of_line(line));
            });
            if let Err(error) = outcome {
                tracing::warn!(folder = %folder.display(), %error, "a log of this user's own memories was not read");
            }
        }
        *followed = Some(Instant::now());
    }
}
