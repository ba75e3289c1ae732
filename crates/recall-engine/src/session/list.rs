//! The sessions of a project: their list, those that are at work, and the one that an id names.

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{ListSessions, Provenance, Scope, Session, SessionPart, SessionState, Timestamp};

use crate::Engine;
use crate::git::{Commit, Git};
use crate::live::{KEPT_NANOS, LiveSession, MOST_FILES, WorkPlace};
use crate::origin::Origin;
use crate::session_log::masking::masked_text;
use crate::session_log::{SessionError, Story};
use crate::store::Store;

/// A page of a project's sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionListing {
    /// The sessions, the latest first.
    pub sessions: Vec<Session>,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
}

impl Engine {
    /// Returns the sessions of a project: those of this machine from their events, those of others from their summaries.
    ///
    /// A session of another machine has no parts, and the commits that no hook saw are told of a session only that the request names.
    ///
    /// # Errors
    /// The folders cannot be read, or the session that the request names is unknown.
    pub fn list_sessions(&self, origin: &Origin, request: &ListSessions) -> Result<SessionListing, SessionError> {
        let ListSessions { session: named, state, with_parts, offset, limit } = request;
        let (offset, limit) = (*offset, *limit);
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let now = self.clock.now();
        let unknown = |id: &String| SessionError::NotFound { id: id.clone() };
        let named = named.as_ref().map(|id| Self::find_session(&store, now, id)?.ok_or_else(|| unknown(id)));
        let named = named.transpose()?;
        let asked = Self::sessions_of(&store, now)?
            .into_iter()
            .filter(|session| named.as_ref().is_none_or(|id| session.id == *id))
            .filter(|session| state.is_none_or(|state| session.state == state));
        let mut page: Vec<Session> = asked.skip(offset as usize).take(limit as usize + 1).collect();
        let has_more = page.len() > limit as usize;
        page.truncate(limit as usize);
        store.ledger.refresh(now)?;
        for session in &mut page {
            session.memories = store.ledger.session_memories(&session.id);
            let added = session.memories.first().and_then(|id| store.ledger.memory(*id));
            session.title = session.title.take().or_else(|| added.map(|memory| memory.title.to_string()));
            if *with_parts {
                let until = session.ended.unwrap_or(now).max(session.started);
                let commits = match &named {
                    Some(_) => Git::at(&store.root).commits_between(session.started, until),
                    None => Vec::new(),
                };
                session.parts = parts_of(&store, session, commits)?;
            }
            let tasks = session.tasks.iter_mut().map(|task| &mut task.text);
            let entries = session.parts.iter_mut().flat_map(|part| &mut part.entries);
            let entries = entries.flat_map(|entry| std::iter::once(&mut entry.text).chain(&mut entry.item));
            let texts = session.goal.iter_mut().chain(&mut session.title).chain(&mut session.summary);
            for text in texts.chain(tasks).chain(entries) {
                *text = masked_text(text);
            }
        }
        Ok(SessionListing { sessions: page, next_offset: has_more.then(|| offset.saturating_add(limit)) })
    }

    /// Returns the number of open sessions in the open stores. A store whose sessions cannot be read counts as 0.
    pub fn count_open_sessions(&self) -> usize {
        let now = self.clock.now();
        let goes_on = |session: &Session| session.state == SessionState::Open;
        let of_store = |store: &Arc<Store>| {
            Self::sessions_of(store, now).map_or(0, |sessions| sessions.iter().filter(|one| goes_on(one)).count())
        };
        self.registry.open_stores().iter().map(of_store).sum()
    }

    /// Returns all sessions of a store with their state at `now`, the latest first, without their memories.
    pub(crate) fn sessions_of(store: &Arc<Store>, now: Timestamp) -> Result<Vec<Session>, SessionError> {
        let recorded = store.sessions.all()?;
        let known: HashSet<&str> = recorded.iter().map(crate::session_log::SessionFold::id).collect();
        let mut others = super::history::all(&store.root);
        let shared: HashSet<String> = others.iter().map(|fold| fold.id().to_owned()).collect();
        others.extend(super::history::all(&store.folder.path).into_iter().filter(|fold| !shared.contains(fold.id())));
        others.retain(|fold| !known.contains(fold.id()));
        let mut sessions: Vec<Session> = recorded.iter().cloned().chain(others).map(|fold| fold.at(now)).collect();
        sessions.sort_by(|a, b| b.started.cmp(&a.started).then_with(|| a.id.cmp(&b.id)));
        Ok(sessions)
    }
}

impl Engine {
    /// Returns the sessions of the open stores that have not ended, the latest first: who works where.
    pub fn live_sessions(&self) -> Vec<LiveSession> {
        self.flush_recorder();
        let now = self.clock.now();
        let mut live = Vec::new();
        for store in self.registry.open_stores() {
            let sessions = Self::sessions_of(&store, now).unwrap_or_else(|error| {
                tracing::warn!(root = %store.root.display(), %error, "the sessions of a project were not read");
                Vec::new()
            });
            let open = sessions.into_iter().filter(|session| session.state == SessionState::Open);
            let place = WorkPlace::find(&store.root);
            let edits = self.live.find_others(&place, None, Timestamp(now.0 - KEPT_NANOS));
            live.extend(open.map(|session| {
                let edited = edits.iter().find(|edited| edited.id == session.id);
                with_files(session, &place, edited)
            }));
        }
        live.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.id.cmp(&b.id)));
        live.dedup_by(|a, b| a.id == b.id);
        live
    }
}

/// Returns what a session did, by subject. Of a session of another machine only the summary is known.
fn parts_of(store: &Store, session: &Session, commits: Vec<Commit>) -> Result<Vec<SessionPart>, SessionError> {
    let Some(events) = store.sessions.read(&session.id)? else { return Ok(Vec::new()) };
    let memories: Vec<_> = session.memories.iter().filter_map(|id| store.ledger.memory(*id)).collect();
    Ok(Story::tell(&events, commits, &memories).parts())
}

fn with_files(session: Session, place: &WorkPlace, edited: Option<&LiveSession>) -> LiveSession {
    let Session { id, provenance, goal, title, last, .. } = session;
    let Provenance { agent, branch, .. } = provenance;
    let goal = goal.or(title).map(|goal| masked_text(&goal));
    let mut files = edited.map(|edited| edited.files.clone()).unwrap_or_default();
    files.truncate(MOST_FILES);
    let last = edited.map_or(last, |edited| edited.last.max(last));
    LiveSession { id, agent, work_tree: place.work_tree.clone(), branch, goal, last, files }
}

/// The fewest characters of an abbreviated id.
const LEAST_CHARS: usize = 4;

/// The most candidates that an error lists.
const MOST_CANDIDATES: usize = 10;

impl Engine {
    /// Returns the id of the known session that a text names: by its whole id, or by a beginning that fits no other; `None` if
    /// there is none.
    ///
    /// # Errors
    /// The beginning fits several sessions, or the sessions cannot be read.
    pub(crate) fn find_session(store: &Arc<Store>, now: Timestamp, text: &str) -> Result<Option<String>, SessionError> {
        let sessions = Self::sessions_of(store, now)?;
        if sessions.iter().any(|session| session.id == text) {
            return Ok(Some(text.to_owned()));
        }
        if text.chars().count() < LEAST_CHARS {
            return Ok(None);
        }
        let mut fitting: Vec<String> =
            sessions.into_iter().map(|session| session.id).filter(|id| id.starts_with(text)).collect();
        if fitting.len() > 1 {
            fitting.truncate(MOST_CANDIDATES);
            return Err(SessionError::Ambiguous { id: text.to_owned(), candidates: fitting });
        }
        Ok(fitting.pop())
    }
}
