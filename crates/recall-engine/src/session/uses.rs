//! Where the sessions of a project found, used and rated a memory.
//!
//! The counts of a memory say how often; the events of sessions say where and when. Sessions are looked through from the latest on, so
//! that the page of a memory does not read years of events.

use recall_core::{MemoryId, Metadata, MetadataValue, Scope, SessionEvent, SessionEventType, Timestamp};

use crate::Engine;
use crate::memory::kept_in;
use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::session_log::masking::masked_text;
use crate::session_log::story::text_of;

/// The most sessions that are looked through: those of some weeks.
const MOST_SESSIONS: usize = 100;

/// The most uses that are returned.
const MOST_USES: usize = 50;

/// Where a memory was found, used and rated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedUses {
    /// The uses, the latest first. Of equal ones in a session, the latest.
    pub uses: Vec<RecordedUse>,
    /// The number of sessions that were looked through.
    pub sessions: u32,
    /// Whether earlier sessions were not looked through, or further uses left out.
    pub is_cut: bool,
}

/// One use of a memory by a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedUse {
    /// The id of the session.
    pub session: String,
    /// The name of the session; `None` if it has none.
    pub title: Option<String>,
    /// When it happened.
    pub time: Timestamp,
    /// What happened.
    pub kind: RecordedUseKind,
    /// The query, how the memory was used, or the rating with its occasion.
    pub text: String,
}

/// What a session did with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordedUseKind {
    /// A search had it among its hits.
    Found,
    /// The session opened or named it, or edited its file.
    Used,
    /// The session rated it.
    Rated,
}

impl RecordedUseKind {
    /// Returns the kind's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Used => "used",
            Self::Rated => "rated",
        }
    }
}

impl Engine {
    /// Returns where the latest sessions of a project found, used and rated a memory.
    ///
    /// # Errors
    /// The sessions cannot be read.
    pub fn recorded_uses(&self, origin: &Origin, id: MemoryId) -> Result<RecordedUses, SessionError> {
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let mut sessions = Self::sessions_of(&store, self.clock.now())?;
        sessions.retain(|session| session.events > 0);
        let mut found = RecordedUses { is_cut: sessions.len() > MOST_SESSIONS, ..RecordedUses::default() };
        for session in sessions.into_iter().take(MOST_SESSIONS) {
            found.sessions += 1;
            let events = store.sessions.read(&session.id)?.unwrap_or_default();
            let begins_at = found.uses.len();
            for event in events.iter().rev() {
                let Some((kind, text)) = use_in(event, &id.to_string()) else { continue };
                let text = masked_text(&text);
                if found.uses[begins_at..].iter().all(|known| known.kind != kind || known.text != text) {
                    let title = session.title.as_deref().map(masked_text);
                    let time = event.timestamp;
                    found.uses.push(RecordedUse { session: session.id.clone(), title, time, kind, text });
                }
            }
        }
        found.uses.sort_by_key(|known| std::cmp::Reverse(known.time));
        found.is_cut |= found.uses.len() > MOST_USES;
        found.uses.truncate(MOST_USES);
        Ok(found)
    }
}

/// Returns what an event says that the session did with the item of that id.
fn use_in(event: &SessionEvent, id: &str) -> Option<(RecordedUseKind, String)> {
    let details = &event.details;
    match details.event_type {
        SessionEventType::RetrievalQuery => {
            let is_hit = hits_in(&details.metadata).any(|hit| hit == id);
            is_hit.then(|| (RecordedUseKind::Found, details.content.clone()))
        }
        SessionEventType::RetrievalJudgment if text_of(&details.metadata, "item_id") == Some(id) => {
            if text_of(&details.metadata, "origin") == Some("implicit") {
                let reason = details.content.rsplit_once(" (").map(|(_, reason)| reason.trim_end_matches(')'));
                return Some((RecordedUseKind::Used, reason.unwrap_or_default().to_owned()));
            }
            let verdict = text_of(&details.metadata, "verdict")?.replace('_', " ");
            let note = details.rationale.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
            Some((RecordedUseKind::Rated, format!("{verdict}{note}")))
        }
        SessionEventType::RetrievalJudgment => {
            kept_in(&details.metadata).contains(&id).then(|| (RecordedUseKind::Used, "kept".to_owned()))
        }
        _ => None,
    }
}

fn hits_in(metadata: &Metadata) -> impl Iterator<Item = &str> {
    let hits = match metadata.get("hits") {
        Some(MetadataValue::List(hits)) => hits.as_slice(),
        _ => &[],
    };
    hits.iter().filter_map(|hit| if let MetadataValue::Map(hit) = hit { text_of(hit, "id") } else { None })
}
