//! A session as computed from its events.

use recall_core::{MetadataValue, Session, SessionEvent, SessionEventType, SessionState, Timestamp};
use recall_text::DocPath;

use super::story::Story;

/// The time without an event after which a session is abandoned: longer than an afternoon's meeting, shorter than a night.
const ABANDONED_AFTER_NANOS: i64 = 4 * 60 * 60 * 1_000_000_000;

/// Metadata keys of the event that ends a session.
pub(crate) const REASON: &str = "reason";
pub(crate) const SUMMARY_PATH: &str = "summary_path";
pub(crate) const GENERATED: &str = "generated";

/// A session computed from its events. Its memories and its current state are not part of it.
#[derive(Clone, Debug)]
pub(crate) struct SessionFold {
    session: Session,
    has_ended: bool,
}

impl SessionFold {
    /// Computes the session of chronological events; `None` without events.
    pub(crate) fn fold(name: &str, events: &[SessionEvent]) -> Option<Self> {
        let (first, last) = (events.first()?, events.last()?);
        let has_ended = last.details.event_type == SessionEventType::SessionEnd;
        let of_type = |wanted| events.iter().filter(move |event| event.details.event_type == wanted);
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        let mut goals = of_type(SessionEventType::SessionStart).filter_map(|event| some(&event.details.content));
        let ends = || of_type(SessionEventType::SessionEnd);
        let path = |event: &SessionEvent| match event.details.metadata.get(SUMMARY_PATH) {
            Some(MetadataValue::Text(path)) => DocPath::new(path).ok(),
            _ => None,
        };
        let provenance = of_type(SessionEventType::SessionStart).next().unwrap_or(first).provenance.clone();
        let story = Story::tell(events, Vec::new(), &[]);
        let session = Session {
            id: provenance.session.clone().unwrap_or_else(|| name.to_owned()),
            state: SessionState::Open,
            started: first.timestamp,
            ended: has_ended.then_some(last.timestamp),
            last: last.timestamp,
            provenance,
            goal: goals.next_back(),
            title: story.title(),
            tasks: story.tasks().to_vec(),
            summary: ends().filter_map(|event| some(&event.details.content)).next_back(),
            summary_path: ends().filter_map(path).next_back(),
            events: events.iter().filter(|event| !event.details.event_type.is_boundary()).count() as u64,
            memories: Vec::new(),
            parts: Vec::new(),
        };
        Some(Self { session, has_ended })
    }

    /// Wraps a session of which only the summary is on this machine.
    pub(crate) fn from_summary(session: Session) -> Self {
        Self { session, has_ended: true }
    }

    /// Returns the session's id.
    pub(crate) fn id(&self) -> &str {
        &self.session.id
    }

    /// Returns the session with its state at `now`.
    pub(crate) fn at(self, now: Timestamp) -> Session {
        let Self { session, has_ended } = self;
        let is_silent = now.0.saturating_sub(session.last.0) > ABANDONED_AFTER_NANOS;
        let state = match (has_ended, is_silent) {
            (true, _) => SessionState::Ended,
            (false, true) => SessionState::Abandoned,
            (false, false) => SessionState::Open,
        };
        Session { state, ..session }
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{EventDetails, EventId, Provenance};

    use super::*;

    fn events(told: &[(SessionEventType, &str, i64)]) -> Vec<SessionEvent> {
        let event = |(at, &(event_type, content, minute)): (usize, &(SessionEventType, &str, i64))| SessionEvent {
            id: EventId::from_parts(&[&at.to_le_bytes()]),
            timestamp: Timestamp(minute * 60 * 1_000_000_000),
            details: EventDetails::new(event_type, content),
            provenance: Provenance { session: Some("s1".to_owned()), ..Provenance::default() },
        };
        told.iter().enumerate().map(event).collect()
    }

    fn check(told: &[(SessionEventType, &str, i64)], minute: i64, expected: (SessionState, Option<&str>, u64)) {
        let session = SessionFold::fold("s1", &events(told)).expect("some").at(Timestamp(minute * 60 * 1_000_000_000));
        assert_eq!((session.state, session.summary.as_deref(), session.events), expected, "{told:?}");
    }

    #[test]
    fn an_ended_session_is_reopened_by_a_later_event() {
        use SessionEventType::{Decision, SessionEnd, SessionStart};
        let begun = (SessionStart, "goal", 0);
        check(&[begun], 1, (SessionState::Open, None, 0));
        check(&[begun, (Decision, "d", 5)], 6, (SessionState::Open, None, 1));
        check(&[begun, (Decision, "d", 5)], 500, (SessionState::Abandoned, None, 1));
        let ended = [begun, (Decision, "d", 5), (SessionEnd, "done", 6)];
        check(&ended, 500, (SessionState::Ended, Some("done"), 1));
        let resumed = [ended.as_slice(), &[(SessionStart, "", 10)]].concat();
        check(&resumed, 11, (SessionState::Open, Some("done"), 1));
        assert!(SessionFold::fold("s1", &[]).is_none());
    }
}
