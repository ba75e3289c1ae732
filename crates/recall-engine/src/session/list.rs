//! The list of a project's sessions.

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{ListSessions, Scope, Session, SessionState, Timestamp};

use crate::Engine;
use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::session_log::masking::masked_text;
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
    /// # Errors
    /// The folders cannot be read.
    pub fn list_sessions(&self, origin: &Origin, request: &ListSessions) -> Result<SessionListing, SessionError> {
        let ListSessions { state, offset, limit } = *request;
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let now = self.clock.now();
        let asked = Self::sessions_of(&store, now)?
            .into_iter()
            .filter(|session| state.is_none_or(|state| session.state == state));
        let mut page: Vec<Session> = asked.skip(offset as usize).take(limit as usize + 1).collect();
        let has_more = page.len() > limit as usize;
        page.truncate(limit as usize);
        store.ledger.refresh(now)?;
        for session in &mut page {
            session.memories = store.ledger.session_memories(&session.id);
            let added = session.memories.first().and_then(|id| store.ledger.memory(*id));
            session.title = session.title.take().or_else(|| added.map(|memory| memory.title.to_string()));
            let tasks = session.tasks.iter_mut().map(|task| &mut task.text);
            for text in session.goal.iter_mut().chain(&mut session.title).chain(&mut session.summary).chain(tasks) {
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
