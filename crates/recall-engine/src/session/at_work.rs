//! The sessions that are at work.

use recall_core::{Provenance, Session, SessionState, Timestamp};

use crate::Engine;
use crate::live::{KEPT_NANOS, LiveSession, MOST_FILES, WorkPlace};
use crate::session_log::masking::masked_text;

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

fn with_files(session: Session, place: &WorkPlace, edited: Option<&LiveSession>) -> LiveSession {
    let Session { id, provenance, goal, title, last, .. } = session;
    let Provenance { agent, branch, .. } = provenance;
    let goal = goal.or(title).map(|goal| masked_text(&goal));
    let mut files = edited.map(|edited| edited.files.clone()).unwrap_or_default();
    files.truncate(MOST_FILES);
    let last = edited.map_or(last, |edited| edited.last.max(last));
    LiveSession { id, agent, work_tree: place.work_tree.clone(), branch, goal, last, files }
}
