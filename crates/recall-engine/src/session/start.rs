//! The start of a session.

use recall_core::{EventDetails, Scope, SessionEventType, SessionState, StartSession, Timestamp};
use recall_journal::Day;

use crate::Engine;
use crate::mask::Masking;
use crate::origin::Origin;
use crate::session_log::masking::mask_details;
use crate::session_log::{SessionError, SessionFold};
use crate::store::provenance::where_of;

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
