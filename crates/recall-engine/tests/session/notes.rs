//! Notes that requests leave in a session automatically.

use std::fs::File;
use std::time::{Duration, Instant};

use recall_core::SessionEventType::{Observation, RetrievalJudgment, RetrievalQuery};
use recall_core::{
    DocumentType, Feedback, Filters, ItemId, Metadata, MetadataValue, Provenance, RateItem, Scope, SearchRequest,
    SessionEvent, Verdict,
};
use recall_engine::Engine;

use super::{event, events_of, in_session, log, store_folder};
use crate::support::Sandbox;

fn search(sandbox: &Sandbox, engine: &Engine, provenance: &Provenance, request: &SearchRequest) {
    let answer = engine.search(&sandbox.origin(), request).expect("an answer");
    engine.note_search(&sandbox.origin(), provenance, request, &answer);
}

fn of<'m>(metadata: &'m Metadata, name: &str) -> &'m MetadataValue {
    metadata.get(name).unwrap_or_else(|| panic!("no {name} in {metadata:?}"))
}

#[test]
fn a_search_in_a_session_is_noted_with_what_it_found() {
    let sandbox = Sandbox::with(&[("a.rs", "fn wombat() {}\n"), ("b.md", "# Wombats\n\nA wombat digs.\n")]);
    let engine = sandbox.engine();
    let filters = Filters { types: vec![DocumentType::Code], ..Filters::default() };
    let request = SearchRequest { filters, ..SearchRequest::new("wombat", Scope::Project, 10) };
    search(&sandbox, &engine, &Provenance::default(), &request);
    search(&sandbox, &engine, &in_session("s1"), &request);
    let told = events_of(&sandbox, &engine, "s1");
    let SessionEvent { details, .. } = &told[1];
    assert_eq!((told.len(), details.event_type, details.content.as_str()), (2, RetrievalQuery, "wombat"));
    let text = |text: &str| MetadataValue::Text(text.to_owned());
    assert_eq!(of(&details.metadata, "types"), &MetadataValue::List(vec![text("code")]));
    let MetadataValue::List(hits) = of(&details.metadata, "hits") else { panic!("{details:?}") };
    let MetadataValue::Map(hit) = &hits[0] else { panic!("{hits:?}") };
    assert_eq!((hits.len(), of(hit, "path")), (1, &text("a.rs")));
    assert!(matches!(of(hit, "score"), MetadataValue::Number(score) if *score > 0.0));

    let MetadataValue::Text(id) = of(hit, "id") else { panic!("{hit:?}") };
    let feedback = Feedback { verdict: Verdict::NotUseful, note: Some("a burrow was meant".to_owned()) };
    let item: ItemId = id.parse().expect("an id");
    let rating = RateItem { item, feedback, provenance: in_session("s1") };
    engine.rate_item(&sandbox.origin(), &rating).expect("kept");
    let told = events_of(&sandbox, &engine, "s1");
    let SessionEvent { details, .. } = &told[2];
    assert_eq!((details.event_type, details.rationale.as_deref()), (RetrievalJudgment, Some("a burrow was meant")));
    assert_eq!(of(&details.metadata, "verdict"), &text("not_useful"));
    assert_eq!(engine.recorder_counts().written, 2);
}

#[test]
fn queued_notes_are_on_disk_when_the_engine_is_closed() {
    let sandbox = Sandbox::with(&[("a.rs", "fn wombat() {}\n")]);
    let engine = sandbox.engine();
    search(&sandbox, &engine, &in_session("s1"), &SearchRequest::new("wombat", Scope::All, 10));
    engine.close();
    drop(engine);
    assert_eq!(events_of(&sandbox, &sandbox.engine(), "s1").len(), 2);
}

#[test]
fn notes_beyond_the_queue_are_dropped_and_reported_without_waiting() {
    let sandbox = Sandbox::with(&[("a.rs", "fn wombat() {}\n")]);
    let engine = sandbox.engine();
    log(&sandbox, &engine, &event("s1", Observation, "first"));
    let request = SearchRequest::new("wombat", Scope::All, 10);
    let answer = engine.search(&sandbox.origin(), &request).expect("an answer");
    let file = File::open(store_folder(&sandbox).join("sessions/s1/events.jsonl")).expect("there");
    // Writers of the file wait for this lock.
    file.lock().expect("locked");
    let (count, began) = (3_000, Instant::now());
    for _ in 0..count {
        engine.note_search(&sandbox.origin(), &in_session("s1"), &request, &answer);
    }
    let took = began.elapsed();
    file.unlock().expect("unlocked");
    assert!(took < Duration::from_secs(3), "a note takes {:?}", took / count);
    let told = engine.list_events(&sandbox.origin(), &super::all("s1")).expect("told");
    assert_eq!(told.events.len(), 100);
    let counts = engine.recorder_counts();
    assert!(counts.dropped > 0 && counts.failed == 0, "{counts:?}");
    assert_eq!(counts.written + counts.dropped, u64::from(count));
    let drops = recall_core::ListEvents { types: vec![Observation], ..super::all("s1") };
    let drops = engine.list_events(&sandbox.origin(), &drops).expect("told").events;
    let of_drops: f64 = drops
        .iter()
        .filter_map(|event| match event.details.metadata.get("dropped") {
            Some(MetadataValue::Number(dropped)) => Some(*dropped),
            _ => None,
        })
        .sum();
    assert_eq!(of_drops as u64, counts.dropped, "{drops:?}");
}
