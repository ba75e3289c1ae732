//! The flight recorder: the notes that requests leave for it, and the background recording of them as events of a
//! session.
//!
//! A request queues a note and does not wait. One thread writes the notes in batches. If the queue is full, new notes are
//! dropped and counted, and the count is written to the session itself.
//!
//! A search answers in milliseconds and a sync takes several, so waiting for the disk would cost more than the search. Losing a note
//! costs little: what matters is written by [`Sessions`](crate::session_log::Sessions) directly and acknowledged (ADR 15).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError};
use parking_lot::Mutex;
use recall_core::{
    ChunkId, Clock, EventDetails, Feedback, Filters, ItemId, MemoryId, Metadata, MetadataValue, PathFilter, Provenance,
    SearchRequest, SessionEventType, Timestamp, Verdict,
};

use crate::mask::Masking;
use crate::origin::Origin;
use crate::session_log::masking::mask_details;
use crate::session_log::{EventDraft, SessionError};
use crate::store::{Registry, where_of};

/// The capacity of the queue: what a thousand searches a second leave during a slow write.
const QUEUE_CAPACITY: usize = 1024;

/// How long notes are collected before a write. At most five syncs a second leave the disk to memories that are written at the
/// same time. A kill loses at most the notes of this period.
const BATCH_DELAY: Duration = Duration::from_millis(200);

/// The most notes of one write.
const BATCH_SIZE: usize = 256;

/// The time limit of a flush. A disk that takes longer is broken.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// The most sessions whose dropped notes are counted separately. The notes of further ones count in the total only.
const MAX_COUNTED_SESSIONS: usize = 1024;

/// Counts of notes since the engine was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecorderCounts {
    /// Notes that are synced.
    pub written: u64,
    /// Dropped, because the queue was full.
    pub dropped: u64,
    /// Not written, because the write failed.
    pub failed: u64,
}

/// Queues notes for the thread that writes them.
pub(crate) struct FlightRecorder {
    shared: Arc<SharedRecorder>,
    /// Created with the first note, together with the writer thread. `None` if the thread cannot be started.
    sender: OnceLock<Option<Sender<Message>>>,
}

struct SharedRecorder {
    registry: Arc<Registry>,
    clock: Arc<dyn Clock>,
    written: AtomicU64,
    dropped: AtomicU64,
    failed: AtomicU64,
    /// For each session, the number of dropped notes that are not reported yet.
    unreported: Mutex<HashMap<SessionKey, u64>>,
}

/// The project and session of a note.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SessionKey {
    origin: Origin,
    session: String,
}

/// A message to the writer thread.
enum Message {
    Write(Box<QueuedNote>),
    /// Write at once, then answer on this channel.
    Flush(Sender<()>),
}

/// A note with its origin and time.
struct QueuedNote {
    origin: Origin,
    provenance: Provenance,
    timestamp: Timestamp,
    note: Note,
}

impl FlightRecorder {
    /// Creates a recorder. The thread starts with the first note.
    pub(crate) fn new(registry: Arc<Registry>, clock: Arc<dyn Clock>) -> Self {
        let shared = SharedRecorder {
            registry,
            clock,
            written: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            unreported: Mutex::default(),
        };
        Self { shared: Arc::new(shared), sender: OnceLock::new() }
    }

    /// Queues a note of a session; never blocks. Without a session it does nothing.
    pub(crate) fn note(&self, origin: &Origin, provenance: &Provenance, note: impl FnOnce() -> Note) {
        if provenance.session.is_none() {
            return;
        }
        let timestamp = self.shared.clock.now();
        let (origin, provenance) = (origin.clone(), provenance.clone());
        let noted = Box::new(QueuedNote { origin, provenance, timestamp, note: note() });
        let refused = match self.sender() {
            Some(sender) => match sender.try_send(Message::Write(noted)) {
                Ok(()) => return,
                Err(TrySendError::Full(message) | TrySendError::Disconnected(message)) => message,
            },
            None => Message::Write(noted),
        };
        if let Message::Write(noted) = refused {
            self.shared.drop_note(&noted);
        }
    }

    /// Waits until all notes queued so far are on disk or have failed, or until the time limit.
    pub(crate) fn flush(&self) {
        let Some(Some(sender)) = self.sender.get() else { return };
        let (done, is_done) = crossbeam_channel::bounded(1);
        let deadline = Instant::now() + FLUSH_TIMEOUT;
        if sender.send_deadline(Message::Flush(done), deadline).is_err() || is_done.recv_deadline(deadline).is_err() {
            tracing::warn!("the flight recorder did not write in time");
        }
    }

    /// Returns the counts of notes.
    pub(crate) fn counts(&self) -> RecorderCounts {
        RecorderCounts {
            written: self.shared.written.load(Ordering::Relaxed),
            dropped: self.shared.dropped.load(Ordering::Relaxed),
            failed: self.shared.failed.load(Ordering::Relaxed),
        }
    }

    fn sender(&self) -> Option<&Sender<Message>> {
        let make = || {
            let (sender, receiver) = crossbeam_channel::bounded(QUEUE_CAPACITY);
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

impl SharedRecorder {
    /// Writes notes until every sender is dropped.
    fn run(&self, messages: &Receiver<Message>) {
        while let Ok(first) = messages.recv() {
            let deadline = Instant::now() + BATCH_DELAY;
            let (mut batch, mut waiting) = (Vec::new(), Vec::new());
            let mut next = Some(first);
            while let Some(message) = next.take() {
                match message {
                    Message::Write(noted) => batch.push(*noted),
                    Message::Flush(done) => waiting.push(done),
                }
                if batch.len() < BATCH_SIZE {
                    // With a flush pending, take only what is already queued.
                    next = if waiting.is_empty() {
                        messages.recv_deadline(deadline).ok()
                    } else {
                        messages.try_recv().ok()
                    };
                }
            }
            self.write(batch);
            self.report_drops();
            for done in waiting {
                // The receiver is gone if the flush has timed out.
                let _ = done.send(());
            }
        }
    }

    /// Writes a batch, with one write for each session.
    fn write(&self, batch: Vec<QueuedNote>) {
        let mut sessions: HashMap<SessionKey, Vec<QueuedNote>> = HashMap::new();
        for noted in batch {
            sessions.entry(session_key(&noted)).or_default().push(noted);
        }
        for (session_key, notes) in sessions {
            let count = notes.len() as u64;
            match self.write_session(&session_key, notes) {
                Ok(()) => _ = self.written.fetch_add(count, Ordering::Relaxed),
                Err(error) => {
                    self.failed.fetch_add(count, Ordering::Relaxed);
                    let reason = recall_text::error_chain(&error);
                    tracing::warn!(count, reason, "events of a session are not recorded");
                }
            }
        }
    }

    fn write_session(&self, session_key: &SessionKey, notes: Vec<QueuedNote>) -> Result<(), SessionError> {
        let store = self.registry.project(&session_key.origin, &*self.clock)?;
        let Some(provenance) = notes.first().map(|noted| where_of(&store, &noted.provenance)) else { return Ok(()) };
        let mut masking = Masking::default();
        let draft = |noted: QueuedNote, masking: &mut Masking| -> EventDraft {
            let id = store.ledger.event_id(None, noted.timestamp);
            (id, noted.timestamp, mask_details(noted.note.details(), masking))
        };
        let drafts: Vec<EventDraft> = notes.into_iter().map(|noted| draft(noted, &mut masking)).collect();
        store.sessions.write(&session_key.session, &provenance, drafts)
    }

    /// Counts a dropped note.
    fn drop_note(&self, noted: &QueuedNote) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        let mut unreported = self.unreported.lock();
        let is_full = unreported.len() >= MAX_COUNTED_SESSIONS;
        match unreported.entry(session_key(noted)) {
            Entry::Occupied(mut known) => *known.get_mut() += 1,
            Entry::Vacant(_) if is_full => {}
            Entry::Vacant(new) => _ = new.insert(1),
        }
    }

    /// Writes the number of dropped notes to their sessions.
    fn report_drops(&self) {
        let unreported = std::mem::take(&mut *self.unreported.lock());
        for (session_key, count) in unreported {
            let Ok(store) = self.registry.project(&session_key.origin, &*self.clock) else { continue };
            let timestamp = self.clock.now();
            let content = format!("{count} events of this session were not recorded: too many came at once");
            let metadata = Metadata::from([("dropped".to_owned(), MetadataValue::Number(count as f64))]);
            let details = EventDetails { metadata, ..EventDetails::new(SessionEventType::Observation, content) };
            let provenance = Provenance { session: Some(session_key.session.clone()), ..Provenance::default() };
            let draft = (store.ledger.event_id(None, timestamp), timestamp, details);
            if let Err(error) = store.sessions.write(&session_key.session, &provenance, vec![draft]) {
                let reason = recall_text::error_chain(&error);
                tracing::warn!(count, reason, "events of a session were dropped, and that is not recorded");
            }
        }
    }
}

fn session_key(noted: &QueuedNote) -> SessionKey {
    SessionKey { origin: noted.origin.clone(), session: noted.provenance.session.clone().unwrap_or_default() }
}

/// A note of a request. It is created while the client waits, so it only copies.
pub(crate) enum Note {
    Search(Box<SearchNote>),
    Judgment {
        item: ItemId,
        feedback: Feedback,
    },
    /// The session used a hit. The reason is in words.
    Use {
        item: ItemId,
        reason: &'static str,
    },
}

/// A search and its hits.
pub(crate) struct SearchNote {
    pub(crate) request: SearchRequest,
    pub(crate) class: &'static str,
    pub(crate) confidence: Option<f64>,
    pub(crate) generation: u64,
    pub(crate) hits: Vec<HitNote>,
}

pub(crate) struct HitNote {
    pub(crate) chunk: ChunkId,
    pub(crate) memory: Option<MemoryId>,
    pub(crate) path: String,
    pub(crate) score: f64,
}

impl Note {
    /// Converts the note to the details of an event.
    pub(crate) fn details(self) -> EventDetails {
        match self {
            Self::Search(note) => note.details(),
            Self::Judgment { item, feedback } => judgment(item, feedback),
            Self::Use { item, reason } => implicit_judgment(item, reason),
        }
    }
}

impl SearchNote {
    fn details(self) -> EventDetails {
        let Self { request, class, confidence, generation, hits } = self;
        let SearchRequest { query, scope, filters, limit, offset, .. } = request;
        let Filters { types, languages, paths, tags, since, before, mount: _ } = filters;
        let mut metadata = Metadata::from([
            ("scope".to_owned(), text(&scope)),
            ("class".to_owned(), text(class)),
            ("limit".to_owned(), number(limit)),
            ("generation".to_owned(), MetadataValue::Number(generation as f64)),
            ("hits".to_owned(), MetadataValue::List(hits.into_iter().map(HitNote::value).collect())),
        ]);
        let mut filter = |name: &str, values: Vec<MetadataValue>| {
            if !values.is_empty() {
                metadata.insert(name.to_owned(), MetadataValue::List(values));
            }
        };
        filter("types", types.into_iter().map(|kind| text(kind.as_str())).collect());
        filter("languages", languages.into_iter().map(|language| text(&language)).collect());
        filter("paths", paths.into_iter().map(|PathFilter(pattern)| MetadataValue::Text(pattern)).collect());
        filter("tags", tags.into_iter().map(MetadataValue::Text).collect());
        filter("since", since.into_iter().map(MetadataValue::Text).collect());
        filter("before", before.into_iter().map(MetadataValue::Text).collect());
        if offset > 0 {
            metadata.insert("offset".to_owned(), number(offset));
        }
        if let Some(confidence) = confidence {
            metadata.insert("confidence".to_owned(), MetadataValue::Number(round(confidence)));
        }
        EventDetails { metadata, ..EventDetails::new(SessionEventType::RetrievalQuery, query) }
    }
}

impl HitNote {
    fn value(self) -> MetadataValue {
        let Self { chunk, memory, path, score } = self;
        // Feedback on a chunk of a memory goes to the memory, so its id is recorded.
        let id = memory.map_or_else(|| chunk.to_string(), |id| id.to_string());
        let mut hit = Metadata::from([
            ("id".to_owned(), MetadataValue::Text(id)),
            ("score".to_owned(), MetadataValue::Number(round(score))),
        ]);
        if memory.is_none() {
            hit.insert("path".to_owned(), MetadataValue::Text(path));
        }
        MetadataValue::Map(hit)
    }
}

fn judgment(item: ItemId, feedback: Feedback) -> EventDetails {
    let Feedback { verdict, note } = feedback;
    let (verdict, repeats) = match verdict {
        Verdict::Useful => ("useful", None),
        Verdict::NotUseful => ("not_useful", None),
        Verdict::Outdated => ("outdated", None),
        Verdict::Duplicate { of } => ("duplicate", Some(of)),
    };
    let mut metadata = Metadata::from([("item_id".to_owned(), text(&item)), ("verdict".to_owned(), text(verdict))]);
    if let Some(of) = repeats {
        metadata.insert("duplicate_of".to_owned(), text(&of));
    }
    let content = format!("{item}: {verdict}");
    EventDetails { rationale: note, metadata, ..EventDetails::new(SessionEventType::RetrievalJudgment, content) }
}

/// Returns the judgment that a use implies, with the origin that tells it from a rating.
fn implicit_judgment(item: ItemId, reason: &str) -> EventDetails {
    let metadata = Metadata::from([
        ("item_id".to_owned(), text(&item)),
        ("verdict".to_owned(), text("useful")),
        ("origin".to_owned(), text("implicit")),
    ]);
    let content = format!("{item}: useful ({reason})");
    EventDetails { metadata, ..EventDetails::new(SessionEventType::RetrievalJudgment, content) }
}

fn text(value: &(impl ToString + ?Sized)) -> MetadataValue {
    MetadataValue::Text(value.to_string())
}

fn number(value: u32) -> MetadataValue {
    MetadataValue::Number(f64::from(value))
}

/// Rounds a score to four decimals, which distinguish any scores that matter.
fn round(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
