//! The use case that brings the summary of a session into the project.

use recall_core::{Scope, Session};
use recall_text::DocPath;

use super::end::{index_summary, material};
use super::history::{self, Keeping};
use super::substance::Substance;
use super::summary::summary_of;
use crate::Engine;
use crate::mask::Masking;
use crate::memory::{MemoryNote, note};
use crate::origin::Origin;
use crate::session_log::SessionError;

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
        let notes = note::for_masking(&masking).into_iter().collect();
        Ok(KeptSession { id: session.id, summary_path, notes })
    }
}
