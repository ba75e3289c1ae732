//! Sessions: their events are stored, listed, and reported to the next session.

mod briefing;
mod course;
mod events;
mod notes;
mod sharing;

use std::fs;
use std::path::PathBuf;

use recall_core::{ListEvents, LogEvent, Metadata, Provenance, SessionEvent, SessionEventType};
use recall_engine::Engine;
use recall_text::DocPath;

use crate::support::Sandbox;

/// Returns the provenance of an agent in a session.
fn in_session(id: &str) -> Provenance {
    Provenance { session: Some(id.to_owned()), agent: Some("claude-code".to_owned()), ..Provenance::default() }
}

/// Returns the folder of the store in the data home that has sessions.
fn store_folder(sandbox: &Sandbox) -> PathBuf {
    let stores = fs::read_dir(sandbox.home().join("stores")).expect("there");
    let mut folders = stores.map(|folder| folder.expect("readable").path());
    folders.find(|folder| folder.join("sessions").is_dir()).expect("a store with sessions")
}

/// Returns the text of a summary that is in the data home.
fn private_summary(sandbox: &Sandbox, path: &DocPath) -> String {
    assert!(!sandbox.root().join(path.as_str()).exists(), "it is private");
    fs::read_to_string(store_folder(sandbox).join(path.as_str())).expect("written")
}

/// Returns a minimal event.
fn event(session: &str, event_type: SessionEventType, content: &str) -> LogEvent {
    LogEvent {
        event_type,
        content: content.to_owned(),
        rationale: None,
        resolution: None,
        from_agent: None,
        to_agent: None,
        related_files: Vec::new(),
        metadata: Metadata::new(),
        key: None,
        replacements: Vec::new(),
        provenance: in_session(session),
    }
}

#[track_caller]
fn log(sandbox: &Sandbox, engine: &Engine, event: &LogEvent) {
    engine.log_event(&sandbox.origin(), event).expect("kept");
}

fn all(session: &str) -> ListEvents {
    ListEvents { session: session.to_owned(), types: Vec::new(), offset: 0, limit: 100 }
}

#[track_caller]
fn events_of(sandbox: &Sandbox, engine: &Engine, session: &str) -> Vec<SessionEvent> {
    engine.list_events(&sandbox.origin(), &all(session)).expect("told").events
}

/// Returns the types and texts of events.
fn texts(events: &[SessionEvent]) -> Vec<(SessionEventType, &str)> {
    events.iter().map(|event| (event.details.event_type, event.details.content.as_str())).collect()
}
