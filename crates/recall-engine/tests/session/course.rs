//! The life of a session: its start, end, recovery, and summary.

use std::fs;

use recall_core::SessionEventType::{Decision, Error, SessionEnd, SessionStart};
use recall_core::{
    AddMemory, DocumentType, EndReason, EndSession, ListSessions, MemoryType, Provenance, Repeats, Session,
    SessionState, StartSession,
};
use recall_engine::{EndedSession, Engine, SessionError};

use super::{event, events_of, in_session, log, private_summary, store_folder, texts};
use crate::support::{Sandbox, new_memory};

fn start(sandbox: &Sandbox, engine: &Engine, id: &str, goal: Option<&str>) -> recall_engine::StartedSession {
    let request = StartSession { goal: goal.map(str::to_owned), provenance: in_session(id) };
    engine.start_session(&sandbox.origin(), &request).expect("begun")
}

fn ending(id: &str, summary: Option<&str>) -> EndSession {
    EndSession {
        summary: summary.map(str::to_owned),
        memories: Vec::new(),
        reason: EndReason::End,
        provenance: in_session(id),
    }
}

#[track_caller]
fn end(sandbox: &Sandbox, engine: &Engine, request: &EndSession) -> EndedSession {
    engine.end_session(&sandbox.origin(), request).expect("ended")
}

fn sessions(sandbox: &Sandbox, engine: &Engine) -> Vec<Session> {
    let request = ListSessions { session: None, state: None, with_parts: false, offset: 0, limit: 100 };
    engine.list_sessions(&sandbox.origin(), &request).expect("told").sessions
}

/// Lists the sessions, or the one that is named.
fn list(
    sandbox: &Sandbox,
    engine: &Engine,
    named: Option<&str>,
    with_parts: bool,
) -> Result<Vec<Session>, SessionError> {
    let session = named.map(str::to_owned);
    let request = ListSessions { session, state: None, with_parts, offset: 0, limit: 10 };
    Ok(engine.list_sessions(&sandbox.origin(), &request)?.sessions)
}

fn initialised(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(files);
    fs::create_dir_all(sandbox.root().join(".recall")).expect("made");
    sandbox
}

/// Moves the events of a session into the past.
fn age(sandbox: &Sandbox, id: &str) {
    let file = store_folder(sandbox).join(format!("sessions/{id}/events.jsonl"));
    let text = fs::read_to_string(&file).expect("readable");
    let year = &text[text.find("\"timestamp\":\"").expect("a time") + 13..][..4];
    fs::write(&file, text.replace(&format!("\"timestamp\":\"{year}"), "\"timestamp\":\"2020")).expect("written");
}

#[test]
fn a_summary_is_a_document_that_the_next_search_finds() {
    let sandbox = initialised(&[("src/a.rs", "fn a() {}\n"), ("zoo.md", "# Zoo\n\nNo platypus.\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "zoo");
    let started = start(&sandbox, &engine, "s1", Some("Teach the platypus to swim"));
    assert_eq!((started.id.as_str(), started.recoverable), ("s1", None));
    assert_eq!(start(&sandbox, &engine, "s1", None).started, started.started, "to begin it again changes nothing");
    let memory = AddMemory {
        repeats: Repeats::Refuse,
        provenance: in_session("s1"),
        ..new_memory(MemoryType::Lesson, "Platypuses swim", "They always could.")
    };
    let request =
        EndSession { memories: vec![memory], ..ending("s1", Some("The platypus swims the monotreme crawl.")) };
    let EndedSession { id, summary_path, memories, .. } = end(&sandbox, &engine, &request);
    let path = summary_path.expect("kept");
    assert!(id == "s1" && path.as_str().starts_with(".recall/history/") && path.as_str().ends_with("-s1.md"), "{path}");
    let text = private_summary(&sandbox, &path);
    assert!(text.contains("\nsession: \"s1\"\n") && text.contains("\n# Teach the platypus to swim\n"), "{text}");
    let hits = sandbox.search(&engine, "monotreme crawl").hits;
    assert_eq!(
        (hits[0].document.path.as_str(), hits[0].document.document_type),
        (path.as_str(), DocumentType::Session)
    );
    let [session] = sessions(&sandbox, &engine).try_into().expect("one");
    assert_eq!((session.state, session.memories), (SessionState::Ended, vec![memories[0].id]));
    assert_eq!(session.summary.as_deref(), Some("The platypus swims the monotreme crawl."));
    assert_eq!(texts(&events_of(&sandbox, &engine, "s1")).len(), 2);

    // Without its events there is the summary and nothing else.
    fs::remove_dir_all(store_folder(&sandbox).join("sessions/s1")).expect("removed");
    let [session] = sessions(&sandbox, &sandbox.engine()).try_into().expect("one");
    assert_eq!((session.id.as_str(), session.state, session.events), ("s1", SessionState::Ended, 0));
    assert_eq!(session.goal.as_deref(), Some("Teach the platypus to swim"));
}

#[test]
fn an_interrupted_session_is_recovered_from_its_events() {
    let sandbox = initialised(&[("src/a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    log(&sandbox, &engine, &event("s1", Decision, "The store is locked by a file."));
    log(&sandbox, &engine, &event("s1", Error, "The lock was stale after a crash."));
    drop(engine);
    age(&sandbox, "s1");
    let engine = sandbox.engine();
    let started = start(&sandbox, &engine, "s2", None);
    assert_eq!(started.recoverable.as_deref(), Some("s1"));
    let abandoned =
        ListSessions { session: None, state: Some(SessionState::Abandoned), with_parts: false, offset: 0, limit: 10 };
    let listed = engine.list_sessions(&sandbox.origin(), &abandoned).expect("told").sessions;
    assert_eq!(listed.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["s1"]);

    let recovered = EndSession { reason: EndReason::Recovered, ..ending("s1", None) };
    let path = end(&sandbox, &engine, &recovered).summary_path.expect("kept");
    let text = private_summary(&sandbox, &path);
    assert!(path.as_str().contains("/2020-"), "it happened then: {path}");
    for part in [
        "# The store is locked by a file.\n",
        "## Decided\n\n- The store is locked by a file.",
        "## Tried and failed\n\n- The lock was stale after a crash.",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(start(&sandbox, &engine, "s3", None).recoverable, None);
    let told = events_of(&sandbox, &engine, "s1");
    assert_eq!(
        (told.first().map(|e| e.details.event_type), told.last().map(|e| e.details.event_type)),
        (Some(SessionStart), Some(SessionEnd))
    );
}

#[test]
fn a_session_without_content_leaves_no_summary_and_an_unknown_one_cannot_end() {
    let sandbox = initialised(&[("src/a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    start(&sandbox, &engine, "s1", None);
    assert_eq!(engine.count_open_sessions(), 1);
    assert_eq!(end(&sandbox, &engine, &ending("s1", None)).summary_path, None);
    assert_eq!(engine.count_open_sessions(), 0);
    assert!(!store_folder(&sandbox).join(".recall").exists());
    let unknown = engine.end_session(&sandbox.origin(), &ending("s9", None));
    assert!(matches!(unknown, Err(SessionError::NotFound { .. })), "{unknown:?}");
    let away = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = away.engine();
    log(&away, &engine, &event("s1", Decision, "x"));
    assert!(end(&away, &engine, &ending("s1", None)).summary_path.is_some());
    assert_eq!(sessions(&away, &engine)[0].summary.as_deref().map(|text| text.contains("- x")), Some(true));
    assert!(end(&away, &engine, &ending("s1", Some("Mine."))).summary_path.is_some());
    assert!(!away.root().join(".recall").exists(), "nobody asked for a file in this project");
}

#[test]
fn a_session_that_goes_on_replaces_its_summary() {
    let sandbox = initialised(&[("src/a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let first = end(&sandbox, &engine, &EndSession { reason: EndReason::Compact, ..ending("s1", Some("Half.")) });
    start(&sandbox, &engine, "s1", None);
    assert_eq!(sessions(&sandbox, &engine)[0].state, SessionState::Open);
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    let second = end(&sandbox, &engine, &ending("s1", Some(&format!("All, with {token}."))));
    assert_eq!(first.summary_path, second.summary_path);
    let text = private_summary(&sandbox, &second.summary_path.expect("kept"));
    assert!(text.contains("All, with [secret: ") && !text.contains("Half.") && !second.notes.is_empty(), "{text}");
    assert!(!format!("{:?}", events_of(&sandbox, &engine, "s1")).contains(&token));
}

#[test]
fn sessions_are_listed_by_page_and_only_those_of_the_project() {
    let sandbox = initialised(&[("src/a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    for n in 0..5 {
        start(&sandbox, &engine, &format!("s{n}"), None);
    }
    let page = |offset| {
        let request =
            ListSessions { session: None, state: Some(SessionState::Open), with_parts: false, offset, limit: 3 };
        let listing = engine.list_sessions(&sandbox.origin(), &request).expect("told");
        let ids: Vec<String> = listing.sessions.into_iter().map(|session| session.id).collect();
        (ids.join(" "), listing.next_offset)
    };
    assert_eq!(page(0), ("s4 s3 s2".to_owned(), Some(3)));
    assert_eq!(page(3), ("s1 s0".to_owned(), None));
    let made = engine
        .start_session(&sandbox.origin(), &StartSession { goal: None, provenance: Provenance::default() })
        .expect("begun");
    assert!(sessions(&sandbox, &engine).iter().any(|session| session.id == made.id), "{made:?}");
}

#[test]
fn a_session_that_is_named_tells_what_it_did_by_subject() {
    let sandbox = initialised(&[("src/a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    start(&sandbox, &engine, "swim-1", Some("Teach the platypus to swim"));
    start(&sandbox, &engine, "swim-2", None);
    let memory = AddMemory {
        repeats: Repeats::Refuse,
        provenance: in_session("swim-1"),
        ..new_memory(MemoryType::Lesson, "Platypuses swim", "They always could.")
    };
    let id = engine.add_memory(&sandbox.origin(), &memory).expect("added").id;
    log(&sandbox, &engine, &event("swim-1", Error, "`make pool` failed"));
    let [named] = list(&sandbox, &engine, Some("swim-1"), true).expect("told").try_into().expect("one");
    let lines: Vec<_> = named
        .parts
        .iter()
        .flat_map(|part| {
            part.entries.iter().map(|entry| (part.kind.as_str(), entry.text.as_str(), entry.item.as_deref()))
        })
        .collect();
    let (line, id) = (format!("{id} Platypuses swim"), id.to_string());
    assert_eq!(lines, [("decided", line.as_str(), Some(id.as_str())), ("failed", "`make pool` failed.", None)]);
    let all = list(&sandbox, &engine, None, true).expect("told");
    assert_eq!(all.iter().map(|session| session.parts.len()).sum::<usize>(), 2);
    assert!(list(&sandbox, &engine, None, false).expect("told").iter().all(|session| session.parts.is_empty()));
    assert!(matches!(list(&sandbox, &engine, Some("swim-3"), true), Err(SessionError::NotFound { .. })));
    assert!(matches!(list(&sandbox, &engine, Some("swim"), true), Err(SessionError::Ambiguous { .. })));
}
