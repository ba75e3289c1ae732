//! The start and the end of a session, with its memories and its summary, which may be brought into the project.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{
    DocumentKey, EndReason, EndSession, EventDetails, Metadata, MetadataValue, Provenance, Scope, Session,
    SessionEvent, SessionEventType, SessionState, StartSession, Timestamp,
};
use recall_journal::Day;
use recall_text::{DocPath, error_chain};

use super::history::{self, Keeping, Material, Substance, summary_of};
use crate::Engine;
use crate::git::Git;
use crate::indexing::refresh_documents;
use crate::mask::Masking;
use crate::memory::{AddReport, MemoryNote, anchors};
use crate::origin::Origin;
use crate::session::log::session_of;
use crate::session::trace::write_traces;
use crate::session_log::masking::mask_details;
use crate::session_log::{GENERATED, REASON, SUMMARY_PATH, SessionError, SessionFold};
use crate::store::{Store, where_of};

/// What the end of a session left.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedSession {
    /// The whole id, also if the request has its beginning.
    pub id: String,
    /// The path of its summary; `None` if there is no summary.
    pub summary_path: Option<DocPath>,
    /// Where the summary is.
    pub keeping: Keeping,
    /// The results of adding the memories, in the order of the request.
    pub memories: Vec<AddReport>,
    /// Notes about the request, such as masked secrets.
    pub notes: Vec<MemoryNote>,
}

impl Engine {
    /// Ends a session. Its end and its summary, a document of the project, are on disk when this returns.
    ///
    /// If the request has no summary, one is generated from the session's events, the memories that were added in it, and the
    /// commits of its time. Recovery of an abandoned session does the same. The summary becomes a file of the project if the
    /// settings say so; else it stays in the data home.
    ///
    /// # Errors
    /// The session is unknown and the request adds nothing to it, or a write fails. In that case some memories may already be
    /// stored; ending the session again is safe.
    pub fn end_session(&self, origin: &Origin, request: &EndSession) -> Result<EndedSession, SessionError> {
        let EndSession { summary, memories, reason, provenance } = request;
        let id = session_of(provenance)?;
        // The summary is made of the events, and the last searches may still be in the queue.
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let now = self.clock.now();
        // A session that is not known may be ended with a summary.
        let known = Self::find_session(&store, now, id)?;
        let id = known.as_deref().unwrap_or(id);
        let provenance = &Provenance { session: Some(id.to_owned()), ..provenance.clone() };
        store.ledger.refresh(now)?;
        let events = store.sessions.read(id)?.unwrap_or_default();
        let fold = SessionFold::fold(id, &events).map(|fold| fold.at(now));
        if fold.is_none() && summary.is_none() && memories.is_empty() {
            return Err(SessionError::NotFound { id: id.to_owned() });
        }
        let memories = memories.iter().map(|memory| self.add_memory(origin, memory)).collect::<Result<Vec<_>, _>>()?;
        let here = where_of(&store, provenance);
        let session = fold.unwrap_or_else(|| Session::new(id, now, &here));
        let mut masking = Masking::default();
        // An abandoned session did nothing after its last event.
        let until = if *reason == EndReason::Recovered { session.last } else { now };
        let of_session = store.ledger.session_memories(id);
        let substance = Substance::judge(&events, of_session.len(), summary.as_deref());
        let text = if let Some(given) = summary {
            Some(masking.mask(given))
        } else {
            summary_of(material(&store, &session, &events, until)).map(|made| masking.mask(&made))
        };
        let keeping = substance.keeping(store.settings.share());
        let (path, keeping) = match text.as_deref() {
            Some(text) => {
                let goal = session.goal.as_deref().map(|goal| masking.mask(goal));
                let session = Session { goal, ended: Some(until), ..session };
                let (path, keeping) = history::write(&store, &session, text, keeping)?;
                (Some(path), keeping)
            }
            None => (None, keeping),
        };
        let author = if summary.is_some() { SummaryAuthor::Client } else { SummaryAuthor::Recall };
        let end_event = end_event(text.unwrap_or_default(), author, *reason, path.as_ref());
        let event = (store.ledger.event_id(None, now), now, mask_details(end_event, &mut masking));
        // Last: without this event the session stays open, and ending it again is safe.
        store.sessions.write(id, &here, vec![event])?;
        if *reason != EndReason::Compact {
            self.live.forget(id);
        }
        if let Some(path) = &path {
            index_summary(&store, path, now);
        }
        let mut notes: Vec<MemoryNote> = anchors::for_masking(&masking).into_iter().collect();
        if store.settings.traces() {
            notes.extend(write_traces(&store, id, &events, now));
        }
        Ok(EndedSession { id: id.to_owned(), summary_path: path, keeping, memories, notes })
    }
}

/// Collects what the summary of a session is made of.
pub(super) fn material<'a>(
    store: &Store,
    session: &'a Session,
    events: &'a [SessionEvent],
    until: Timestamp,
) -> Material<'a> {
    let commits = Git::at(&store.root).commits_between(session.started, until.max(session.started));
    let memories = store.ledger.session_memories(&session.id).into_iter().filter_map(|id| store.ledger.memory(id));
    Material { session, events, commits, memories: memories.collect() }
}

/// Indexes a summary now, so that the next search finds it even if it skips the scan of the files.
pub(super) fn index_summary(store: &Arc<Store>, path: &DocPath, now: Timestamp) {
    if store.awaits_first_index() {
        return;
    }
    if let Err(error) = refresh_documents(store, &BTreeSet::from([DocumentKey::File(path.clone())]), now, Duration::MAX)
    {
        let reason = error_chain(&error);
        tracing::warn!(%path, reason, "a summary is not indexed yet; the next search does");
    }
}

/// Who wrote the summary of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SummaryAuthor {
    Client,
    /// This program, from the events.
    Recall,
}

/// Returns the event that ends a session.
pub(crate) fn end_event(
    summary: String,
    author: SummaryAuthor,
    reason: EndReason,
    path: Option<&DocPath>,
) -> EventDetails {
    let text = |text: &str| MetadataValue::Text(text.to_owned());
    let mut metadata = Metadata::from([(REASON.to_owned(), text(reason.as_str()))]);
    if let Some(path) = path {
        metadata.insert(SUMMARY_PATH.to_owned(), text(path.as_str()));
    }
    if author == SummaryAuthor::Recall {
        metadata.insert(GENERATED.to_owned(), MetadataValue::Bool(true));
    }
    EventDetails { metadata, ..EventDetails::new(SessionEventType::SessionEnd, summary) }
}

/// A session that goes on, and the earlier ones that nobody ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedSession {
    /// The id, which the client sends with each request.
    pub id: String,
    /// The time of its first event.
    pub started: Timestamp,
    /// The latest abandoned session of the project that has events.
    pub recoverable: Option<String>,
}

impl Engine {
    /// Starts a session, which is on disk when this returns. An open session is unchanged, except that it gets a goal if it had
    /// none. An ended session is reopened.
    ///
    /// # Errors
    /// The file of its events cannot be read or written.
    pub fn start_session(&self, origin: &Origin, request: &StartSession) -> Result<StartedSession, SessionError> {
        let store = self.memory_store(origin, Scope::Project)?;
        store.index.embeddings().prepare();
        let now = self.clock.now();
        let mut provenance = where_of(&store, &request.provenance);
        let id = provenance.session.get_or_insert_with(|| {
            let chance = store.ledger.event_id(None, now).to_string();
            format!("{}-{}", Day::from_timestamp(now), &chance[..8])
        });
        let id = id.clone();
        self.recorder.flush();
        let known =
            store.sessions.read(&id)?.and_then(|events| SessionFold::fold(&id, &events)).map(|fold| fold.at(now));
        let has_news = known
            .as_ref()
            .is_none_or(|known| known.state == SessionState::Ended || (request.goal.is_some() && known.goal.is_none()));
        if has_news {
            let details = EventDetails::new(SessionEventType::SessionStart, request.goal.clone().unwrap_or_default());
            let details = mask_details(details, &mut Masking::default());
            let event = store.ledger.event_id(None, now);
            store.sessions.write(&id, &provenance, vec![(event, now, details)])?;
        }
        let recoverable = Self::sessions_of(&store, now)?
            .into_iter()
            .find(|session| session.state == SessionState::Abandoned && session.events > 0 && session.id != id);
        let started = known.map_or(now, |known| known.started);
        Ok(StartedSession { id, started, recoverable: recoverable.map(|session| session.id) })
    }
}

/// A session whose summary is in the project.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptSession {
    /// The whole id, also if the request has its beginning.
    pub id: String,
    /// The path of the summary below the root.
    pub summary_path: DocPath,
    /// Notes about the request, such as masked secrets.
    pub notes: Vec<MemoryNote>,
}

impl Engine {
    /// Writes the summary of a session, which may be named by the beginning of its id, into the project, whatever the settings say. A session that goes on gets a summary of what
    /// it did so far, and the later one replaces it.
    ///
    /// # Errors
    /// The session is unknown, it did nothing, or the file cannot be written.
    pub fn keep_session(&self, origin: &Origin, id: &str) -> Result<KeptSession, SessionError> {
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let now = self.clock.now();
        store.ledger.refresh(now)?;
        let unknown = || SessionError::NotFound { id: id.to_owned() };
        let id = Self::find_session(&store, now, id)?.ok_or_else(unknown)?;
        let known = Self::sessions_of(&store, now)?.into_iter().find(|session| session.id == id);
        let session = known.ok_or_else(unknown)?;
        let events = store.sessions.read(&session.id)?.unwrap_or_default();
        let memories = store.ledger.session_memories(&session.id).len();
        if Substance::judge(&events, memories, session.summary.as_deref()) == Substance::Trivial {
            return Err(SessionError::Trivial { id: session.id });
        }
        let until = session.ended.unwrap_or(session.last);
        let text = match &session.summary {
            Some(summary) => Some(summary.clone()),
            None => summary_of(material(&store, &session, &events, until)),
        };
        let text = text.ok_or_else(|| SessionError::Trivial { id: session.id.clone() })?;
        let mut masking = Masking::default();
        let text = masking.mask(&text);
        let goal = session.goal.as_deref().map(|goal| masking.mask(goal));
        let session = Session { goal, ..session };
        let (summary_path, _) = history::write(&store, &session, &text, Keeping::Shared)?;
        index_summary(&store, &summary_path, now);
        let notes = anchors::for_masking(&masking).into_iter().collect();
        Ok(KeptSession { id: session.id, summary_path, notes })
    }
}
