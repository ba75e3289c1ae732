//! Logged events of sessions.

use std::fs;

use recall_core::SessionEventType::{Decision, Error, Milestone, Observation, SessionStart};
use recall_core::{ListEvents, LogEvent, MetadataValue};
use recall_engine::{MemoryError, MemoryNote, SessionError};
use recall_text::DocPath;

use super::{all, event, events_of, log, store_folder, texts};
use crate::support::Sandbox;

#[test]
fn an_event_is_on_disk_and_begins_its_session() {
    let sandbox = Sandbox::with(&[("src/a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let decision = LogEvent {
        rationale: Some("One writer is enough.".to_owned()),
        related_files: vec!["src/a.rs".to_owned()],
        ..event("s1", Decision, "We lock the store.")
    };
    log(&sandbox, &engine, &decision);
    drop(engine);
    let told = events_of(&sandbox, &sandbox.engine(), "s1");
    assert_eq!(texts(&told), [(SessionStart, ""), (Decision, "We lock the store.")]);
    let details = &told[1].details;
    assert_eq!(details.rationale.as_deref(), Some("One writer is enough."));
    assert_eq!(details.related_files.iter().map(DocPath::as_str).collect::<Vec<_>>(), ["src/a.rs"]);
    assert_eq!(told[0].provenance.agent.as_deref(), Some("claude-code"));
    assert_eq!(told[0].provenance.project.as_deref(), Some("project"));
}

#[test]
fn a_key_counts_once_and_secrets_do_not_count_at_all() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    let mut refused = event("s1", Error, &format!("The push with {token} was refused."));
    refused.key = Some("k".to_owned());
    refused.metadata.insert("env".to_owned(), MetadataValue::Text(token.clone()));
    for _ in 0..2 {
        let logged = engine.log_event(&sandbox.origin(), &refused).expect("kept");
        assert!(matches!(logged.notes.as_slice(), [MemoryNote::Masked { .. }]), "{logged:?}");
    }
    let told = events_of(&sandbox, &engine, "s1");
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(!format!("{told:?}").contains(&token) && told[1].details.content.contains("[secret: "));
    // Another program wrote it there.
    let file = fs::read_dir(sandbox.home().join("stores")).expect("there").next().expect("one").expect("read").path();
    let file = file.join("sessions/s1/events.jsonl");
    let line = format!(
        "{{\"event\":\"observation\",\"event_id\":\"{}\",\"timestamp\":\"2126-11-20T10:00:00Z\",\"content\":\"{token}\"}}\n",
        "0".repeat(32)
    );
    fs::write(&file, fs::read_to_string(&file).expect("readable") + &line).expect("written");
    let told = events_of(&sandbox, &engine, "s1");
    assert!(told.len() == 3 && !format!("{told:?}").contains(&token));
}

#[test]
fn an_event_that_a_client_repeats_is_one_line_also_for_another_daemon() {
    let sandbox = Sandbox::new();
    let repeated = LogEvent { key: Some("k".to_owned()), ..event("s1", Decision, "We lock the store.") };
    for _ in 0..2 {
        let engine = sandbox.engine();
        for _ in 0..2 {
            log(&sandbox, &engine, &repeated);
        }
    }
    let file = store_folder(&sandbox).join("sessions/s1/events.jsonl");
    assert_eq!(fs::read_to_string(file).expect("readable").matches("We lock the store.").count(), 1);
}

#[test]
fn an_event_that_cannot_be_stored_is_rejected() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    let mut nowhere = event("s1", Decision, "x");
    nowhere.provenance.session = None;
    assert!(matches!(engine.log_event(&sandbox.origin(), &nowhere), Err(SessionError::NoSession)));
    let outside = LogEvent { related_files: vec!["../other".to_owned()], ..event("s1", Decision, "x") };
    let refused = engine.log_event(&sandbox.origin(), &outside);
    assert!(matches!(refused, Err(SessionError::Memory(MemoryError::Outside { .. }))), "{refused:?}");
    assert!(matches!(engine.list_events(&sandbox.origin(), &all("s1")), Err(SessionError::NotFound { .. })));
}

#[test]
fn a_session_is_named_by_a_beginning_that_fits_no_other() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    for session in ["38c4b499-aa01", "38c4b499-ab02", "06f251a7-c930", "06f2"] {
        log(&sandbox, &engine, &event(session, Decision, session));
    }
    let found = |text: &str| engine.list_events(&sandbox.origin(), &all(text)).map(|listing| listing.events[1].clone());
    let session = |text: &str| found(text).expect("known").details.content;
    assert_eq!(session("38c4b499-ab"), "38c4b499-ab02");
    assert_eq!((session("06f251"), session("06f2")), ("06f251a7-c930".to_owned(), "06f2".to_owned()));
    let candidates = ["38c4b499-ab02", "38c4b499-aa01"].map(str::to_owned).to_vec();
    let ambiguous = found("38c4");
    assert!(
        matches!(&ambiguous, Err(SessionError::Ambiguous { candidates: told, .. }) if *told == candidates),
        "{ambiguous:?}"
    );
    for unknown in ["38c", "38d4", ""] {
        assert!(matches!(found(unknown), Err(SessionError::NotFound { .. })), "{unknown}");
    }
    let kept = engine.keep_session(&sandbox.origin(), "06f251").expect("kept");
    assert_eq!(kept.id, "06f251a7-c930");
}

#[test]
fn events_are_listed_by_type_and_by_page() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    for n in 0..7 {
        let event_type = if n % 2 == 0 { Milestone } else { Observation };
        log(&sandbox, &engine, &event("s1", event_type, &format!("{n}")));
    }
    log(&sandbox, &engine, &event("s2", Milestone, "another session's"));
    let page = |offset| {
        let asked = ListEvents { types: vec![Milestone], offset, limit: 3, ..all("s1") };
        let listing = engine.list_events(&sandbox.origin(), &asked).expect("told");
        let texts: Vec<String> = listing.events.into_iter().map(|event| event.details.content).collect();
        (texts.join(" "), listing.next_offset)
    };
    assert_eq!(page(0), ("0 2 4".to_owned(), Some(3)));
    assert_eq!(page(3), ("6".to_owned(), None));
    assert_eq!(page(9), (String::new(), None));
}

#[test]
fn events_are_in_the_data_home_but_those_of_a_session_that_began_in_the_project() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    log(&sandbox, &engine, &event("s1", Decision, "before"));
    assert!(!sandbox.root().join(".recall").exists());
    let before = store_folder(&sandbox).join("sessions/s1");
    let inside = sandbox.root().join(".recall/sessions/s0");
    fs::create_dir_all(&inside).expect("made");
    let text = fs::read_to_string(before.join("events.jsonl")).expect("readable");
    fs::write(inside.join("events.jsonl"), text.replace("\"s1\"", "\"s0\"")).expect("written");
    log(&sandbox, &engine, &event("s0", Decision, "goes on"));
    assert_eq!(events_of(&sandbox, &engine, "s0").len(), 3);
    log(&sandbox, &engine, &event("s2", Decision, "new"));
    assert!(store_folder(&sandbox).join("sessions/s2/events.jsonl").is_file());
    let names = fs::read_dir(sandbox.root().join(".recall/sessions")).expect("there");
    assert_eq!(names.count(), 1, "nothing begins in the project");
}

#[cfg(unix)]
#[test]
fn a_link_in_a_repository_is_not_followed() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.home().join("elsewhere");
    fs::create_dir_all(sandbox.root().join(".recall")).expect("made");
    fs::create_dir(&elsewhere).expect("made");
    std::os::unix::fs::symlink(&elsewhere, sandbox.root().join(".recall/sessions")).expect("linked");
    let engine = sandbox.engine();
    log(&sandbox, &engine, &event("s1", Decision, "x"));
    assert_eq!(events_of(&sandbox, &engine, "s1").len(), 2, "they are in the data home");
    fs::remove_file(sandbox.root().join(".recall/sessions")).expect("a link");
    fs::create_dir(sandbox.root().join(".recall/sessions")).expect("made");
    std::os::unix::fs::symlink(&elsewhere, sandbox.root().join(".recall/sessions/s2")).expect("linked");
    log(&sandbox, &engine, &event("s2", Decision, "x"));
    assert!(store_folder(&sandbox).join("sessions/s2/events.jsonl").is_file());
    assert_eq!(fs::read_dir(&elsewhere).expect("there").count(), 0);
}
