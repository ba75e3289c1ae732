//! Logging of session events, and recording of the searches that run in a session.

use recall_core::{
    EventDetails, EventId, ItemId, ListEvents, LogEvent, Provenance, Scope, SearchRequest, SessionEvent,
    SessionEventType, Timestamp,
};

use crate::Engine;
use crate::engine::recorder::{HitNote, Note, SearchNote};
use crate::engine::{RecorderCounts, SessionHit};
use crate::live::is_edit;
use crate::mask::Masking;
use crate::memory::{ItemUse, MemoryNote, about, anchors, kept_in};
use crate::origin::Origin;
use crate::search::Answer;
use crate::session_log::SessionError;
use crate::session_log::masking::mask_details;
use crate::store::definitions::definitions;
use crate::store::where_of;

/// An event that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// The id under which the event counts once.
    pub id: EventId,
    /// When it was written.
    pub timestamp: Timestamp,
    /// Notes about the request, such as masked secrets.
    pub notes: Vec<MemoryNote>,
}

impl Engine {
    /// Writes an event of a session, which is on disk when this returns. The event starts the session if it was not started
    /// before.
    ///
    /// Secrets are masked before anything is stored.
    ///
    /// # Errors
    /// The request does not name a session, a related file lies outside the project, or the write fails.
    pub fn log_event(&self, origin: &Origin, request: &LogEvent) -> Result<LoggedEvent, SessionError> {
        let session = session_of(&request.provenance)?;
        let store = self.memory_store(origin, Scope::Project)?;
        let timestamp = self.clock.now();
        let related_files = about::resolve_files(&store, origin, &request.related_files)?;
        let details = EventDetails {
            event_type: request.event_type,
            content: request.content.clone(),
            rationale: request.rationale.clone(),
            resolution: request.resolution.clone(),
            from_agent: request.from_agent.clone(),
            to_agent: request.to_agent.clone(),
            related_files,
            metadata: request.metadata.clone(),
        };
        let mut masking = Masking::default();
        let details = mask_details(details, &mut masking);
        let id = store.ledger.event_id(request.key.as_deref(), timestamp);
        let provenance = where_of(&store, &request.provenance);
        let edited = match &details.related_files[..] {
            [file] if is_edit(&details) => definitions(&store, file, &request.replacements),
            _ => Vec::new(),
        };
        self.live.note(&store.root, &provenance, &details, &edited, timestamp);
        store.sessions.write(session, &provenance, vec![(id, timestamp, details)])?;
        self.note_uses_of(origin, request);
        Ok(LoggedEvent { id, timestamp, notes: anchors::for_masking(&masking).into_iter().collect() })
    }
}

impl Engine {
    /// Counts the hits that an event names, in its files or its texts. Of a judgment, those that it kept.
    fn note_uses_of(&self, origin: &Origin, request: &LogEvent) {
        let LogEvent { content, rationale, resolution, related_files, metadata, provenance, .. } = request;
        self.note_use(origin, provenance, ItemUse::Files(related_files));
        let texts = if request.event_type == SessionEventType::RetrievalJudgment {
            kept_in(metadata)
        } else {
            [Some(content), rationale.as_ref(), resolution.as_ref()].into_iter().flatten().map(String::as_str).collect()
        };
        self.note_use(origin, provenance, ItemUse::Named(&texts));
    }
}

/// Returns the session that a request names.
pub(super) fn session_of(provenance: &Provenance) -> Result<&str, SessionError> {
    provenance.session.as_deref().filter(|id| !id.trim().is_empty()).ok_or(SessionError::NoSession)
}

/// A page of a session's events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventListing {
    /// The events, in the order in which they were written.
    pub events: Vec<SessionEvent>,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
}

impl Engine {
    /// Returns the events of a session, which may be named by the beginning of its id, including those that the flight recorder queued before this request.
    ///
    /// # Errors
    /// The session is unknown, or its file cannot be read.
    pub fn list_events(&self, origin: &Origin, request: &ListEvents) -> Result<EventListing, SessionError> {
        let ListEvents { session, types, offset, limit } = request;
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let id = Self::find_session(&store, self.clock.now(), session)?;
        let events = id.map(|id| store.sessions.read(&id)).transpose()?.flatten();
        let events = events.ok_or_else(|| SessionError::NotFound { id: session.clone() })?;
        let asked = events.into_iter().filter(|event| types.is_empty() || types.contains(&event.details.event_type));
        let mut page: Vec<SessionEvent> = asked.skip(*offset as usize).take(*limit as usize + 1).collect();
        let has_more = page.len() > *limit as usize;
        page.truncate(*limit as usize);
        // Another program may have written the file, so secrets in it may not be masked.
        let mut masking = Masking::default();
        let mask = |event: SessionEvent| SessionEvent { details: mask_details(event.details, &mut masking), ..event };
        Ok(EventListing {
            events: page.into_iter().map(mask).collect(),
            next_offset: has_more.then(|| offset.saturating_add(*limit)),
        })
    }
}

impl Engine {
    /// Queues a note of a search and its hits if it ran in a session, and keeps the hits until the session uses them. Never blocks.
    pub fn note_search(&self, origin: &Origin, provenance: &Provenance, request: &SearchRequest, answer: &Answer) {
        // What is found of the past is not used in the present.
        if origin.is_past(&self.registry.places) {
            return;
        }
        if let Some(session) = &provenance.session {
            let hits = answer.hits.iter().map(|hit| match &hit.memory {
                Some(recalled) => SessionHit { item: ItemId::Memory(recalled.memory.id), path: String::new() },
                None => {
                    SessionHit { item: ItemId::Document(hit.document.id), path: hit.document.path.as_str().to_owned() }
                }
            });
            self.session_hits.note(session, hits);
        }
        self.recorder.note(origin, provenance, || {
            let hits = answer.hits.iter().map(|hit| HitNote {
                chunk: hit.id,
                memory: hit.memory.as_ref().map(|recalled| recalled.memory.id),
                path: hit.document.path.as_str().to_owned(),
                score: hit.score,
            });
            Note::Search(Box::new(SearchNote {
                request: request.clone(),
                class: answer.class.as_str(),
                confidence: answer.confidence,
                generation: answer.coverage.first().map_or(0, |coverage| coverage.generation.0),
                hits: hits.collect(),
            }))
        });
    }

    /// Returns the counts of notes since the engine was created.
    pub fn recorder_counts(&self) -> RecorderCounts {
        self.recorder.counts()
    }
}
