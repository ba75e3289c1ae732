//! How is written down what happens in a session without anybody saying so, and without anybody waiting for it?
//!
//! A request leaves a note and goes on. One thread writes the notes down, those of a moment at once. Where notes come faster
//! than they are written, the latest are dropped, counted, and told in the session itself.

mod note;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError};
use parking_lot::Mutex;
use recall_core::{Clock, EventDetails, Metadata, MetadataValue, Provenance, SessionEventType, Timestamp};

use crate::mask::Masking;
use crate::origin::Origin;
use crate::session_log::masking::masked;
use crate::session_log::{Draft, SessionError};
use crate::store::Registry;
use crate::store::provenance::where_of;

pub(crate) use note::{HitNote, Note, SearchNote};

/// How many notes wait at most: what a thousand searches a second leave within the time of a slow write.
const NOTES_WAITING: usize = 1024;

/// How long notes are gathered before they are written: at most five syncs a second, so that whoever keeps a memory at the same
/// time hardly waits for the disk. A kill loses no more than that.
const GATHERING: Duration = Duration::from_millis(200);

/// How many notes are written at once at most.
const BATCH: usize = 256;

/// How long somebody waits for the notes to be written. A disk that takes longer is broken.
const FLUSH_PATIENCE: Duration = Duration::from_secs(5);

/// How many sessions' dropped notes are counted apart; further ones are counted in the sum alone.
const SESSIONS_COUNTED: usize = 1024;

/// What became of notes since the engine was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecorderCounts {
    /// On disk.
    pub written: u64,
    /// Dropped, since too many waited.
    pub dropped: u64,
    /// Not written, since the disk or the project refused.
    pub failed: u64,
}

/// Takes notes, and has them written.
pub(crate) struct FlightRecorder {
    shared: Arc<Shared>,
    /// Made with the first note, with the thread that reads it.
    sender: OnceLock<Option<Sender<Order>>>,
}

struct Shared {
    registry: Arc<Registry>,
    clock: Arc<dyn Clock>,
    written: AtomicU64,
    dropped: AtomicU64,
    failed: AtomicU64,
    /// Of each session how many of its notes were dropped and not told of yet.
    untold: Mutex<HashMap<Whose, u64>>,
}

/// Whose note it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Whose {
    origin: Origin,
    session: String,
}

/// What the thread is told.
enum Order {
    Write(Box<Noted>),
    /// To write at once, and to say when that is done.
    Flush(Sender<()>),
}

/// A note with its circumstances.
struct Noted {
    origin: Origin,
    provenance: Provenance,
    timestamp: Timestamp,
    note: Note,
}

impl FlightRecorder {
    /// Writes nothing yet.
    pub(crate) fn new(registry: Arc<Registry>, clock: Arc<dyn Clock>) -> Self {
        let shared = Shared {
            registry,
            clock,
            written: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            untold: Mutex::default(),
        };
        Self { shared: Arc::new(shared), sender: OnceLock::new() }
    }

    /// Takes a note of a session; never waits. Outside of a session there is nothing to be noted.
    pub(crate) fn note(&self, origin: &Origin, provenance: &Provenance, note: impl FnOnce() -> Note) {
        if provenance.session.is_none() {
            return;
        }
        let timestamp = self.shared.clock.now();
        let (origin, provenance) = (origin.clone(), provenance.clone());
        let noted = Box::new(Noted { origin, provenance, timestamp, note: note() });
        let refused = match self.sender() {
            Some(sender) => match sender.try_send(Order::Write(noted)) {
                Ok(()) => return,
                Err(TrySendError::Full(order) | TrySendError::Disconnected(order)) => order,
            },
            None => Order::Write(noted),
        };
        if let Order::Write(noted) = refused {
            self.shared.drop_note(&noted);
        }
    }

    /// Waits until all notes that were taken before are on disk, or were given up.
    pub(crate) fn flush(&self) {
        let Some(Some(sender)) = self.sender.get() else { return };
        let (done, is_done) = crossbeam_channel::bounded(1);
        let deadline = Instant::now() + FLUSH_PATIENCE;
        if sender.send_deadline(Order::Flush(done), deadline).is_err() || is_done.recv_deadline(deadline).is_err() {
            tracing::warn!("the flight recorder did not write in time");
        }
    }

    /// What became of the notes.
    pub(crate) fn counts(&self) -> RecorderCounts {
        RecorderCounts {
            written: self.shared.written.load(Ordering::Relaxed),
            dropped: self.shared.dropped.load(Ordering::Relaxed),
            failed: self.shared.failed.load(Ordering::Relaxed),
        }
    }

    fn sender(&self) -> Option<&Sender<Order>> {
        let make = || {
            let (sender, receiver) = crossbeam_channel::bounded(NOTES_WAITING);
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("flight-recorder".to_owned());
            match thread.spawn(move || shared.run(&receiver)) {
                Ok(_) => Some(sender),
                Err(error) => {
                    tracing::warn!(%error, "no thread to write the flight recorder");
                    None
                }
            }
        };
        self.sender.get_or_init(make).as_ref()
    }
}

impl Shared {
    /// Writes until nobody is left who takes notes.
    fn run(&self, orders: &Receiver<Order>) {
        while let Ok(first) = orders.recv() {
            let deadline = Instant::now() + GATHERING;
            let (mut batch, mut waiting) = (Vec::new(), Vec::new());
            let mut next = Some(first);
            while let Some(order) = next.take() {
                match order {
                    Order::Write(noted) => batch.push(*noted),
                    Order::Flush(done) => waiting.push(done),
                }
                if batch.len() < BATCH {
                    // Whoever waits gets what is there, and is not let wait for more.
                    next =
                        if waiting.is_empty() { orders.recv_deadline(deadline).ok() } else { orders.try_recv().ok() };
                }
            }
            self.write(batch);
            self.tell_drops();
            for done in waiting {
                // Whoever does not wait any more does not mind.
                let _ = done.send(());
            }
        }
    }

    /// Writes notes, those of a session at once.
    fn write(&self, batch: Vec<Noted>) {
        let mut sessions: HashMap<Whose, Vec<Noted>> = HashMap::new();
        for noted in batch {
            sessions.entry(whose(&noted)).or_default().push(noted);
        }
        for (whose, notes) in sessions {
            let count = notes.len() as u64;
            match self.write_session(&whose, notes) {
                Ok(()) => _ = self.written.fetch_add(count, Ordering::Relaxed),
                Err(error) => {
                    self.failed.fetch_add(count, Ordering::Relaxed);
                    let reason = recall_core::error_chain(&error);
                    tracing::warn!(count, reason, "events of a session are not recorded");
                }
            }
        }
    }

    fn write_session(&self, whose: &Whose, notes: Vec<Noted>) -> Result<(), SessionError> {
        let store = self.registry.project(&whose.origin, &*self.clock)?;
        let Some(provenance) = notes.first().map(|noted| where_of(&store, &noted.provenance)) else { return Ok(()) };
        let mut masking = Masking::default();
        let draft = |noted: Noted, masking: &mut Masking| -> Draft {
            let id = store.ledger.event_id(None, noted.timestamp);
            (id, noted.timestamp, masked(noted.note.details(), masking))
        };
        let drafts: Vec<Draft> = notes.into_iter().map(|noted| draft(noted, &mut masking)).collect();
        store.sessions.write(&whose.session, &provenance, drafts)
    }

    /// Counts a note that is not written.
    fn drop_note(&self, noted: &Noted) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        let mut untold = self.untold.lock();
        let is_full = untold.len() >= SESSIONS_COUNTED;
        match untold.entry(whose(noted)) {
            Entry::Occupied(mut known) => *known.get_mut() += 1,
            Entry::Vacant(_) if is_full => {}
            Entry::Vacant(new) => _ = new.insert(1),
        }
    }

    /// Tells sessions how many of their notes were dropped.
    fn tell_drops(&self) {
        let untold = std::mem::take(&mut *self.untold.lock());
        for (whose, count) in untold {
            let Ok(store) = self.registry.project(&whose.origin, &*self.clock) else { continue };
            let timestamp = self.clock.now();
            let content = format!("{count} events of this session were not recorded: too many came at once");
            let metadata = Metadata::from([("dropped".to_owned(), MetadataValue::Number(count as f64))]);
            let details = EventDetails { metadata, ..EventDetails::new(SessionEventType::Observation, content) };
            let provenance = Provenance { session: Some(whose.session.clone()), ..Provenance::default() };
            let draft = (store.ledger.event_id(None, timestamp), timestamp, details);
            if let Err(error) = store.sessions.write(&whose.session, &provenance, vec![draft]) {
                let reason = recall_core::error_chain(&error);
                tracing::warn!(count, reason, "events of a session were dropped, and that is not recorded");
            }
        }
    }
}

fn whose(noted: &Noted) -> Whose {
    Whose { origin: noted.origin.clone(), session: noted.provenance.session.clone().unwrap_or_default() }
}
