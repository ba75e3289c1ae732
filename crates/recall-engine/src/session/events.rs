//! The list of a session's events.

use recall_core::{ListEvents, Scope, SessionEvent};

use crate::Engine;
use crate::mask::Masking;
use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::session_log::masking::mask_details;

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
