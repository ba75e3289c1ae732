//! Session recorders: durability, concurrency and damage.

use std::fs;
use std::io::Write as _;
use std::sync::Barrier;

use recall_core::{
    EventDetails, EventId, Metadata, MetadataValue, Provenance, SessionEvent, SessionEventType, Timestamp,
};
use recall_journal::{RecordError, Recorder};
use recall_text::DocPath;

use crate::drawn::{NOON, SECOND};

fn event(number: u64) -> SessionEvent {
    let id = EventId::from_parts(&[b"test", &number.to_le_bytes()]);
    let timestamp = Timestamp(NOON + number as i64 * SECOND);
    let details = EventDetails::new(SessionEventType::Observation, format!("seen {number}"));
    SessionEvent { id, timestamp, details, provenance: Provenance::default() }
}

fn full() -> SessionEvent {
    let list = MetadataValue::List(vec![MetadataValue::Null, MetadataValue::Bool(true), MetadataValue::Number(0.25)]);
    let map = Metadata::from([("k\"ey".to_owned(), list), ("n".to_owned(), MetadataValue::Number(-3.0))]);
    let details = EventDetails {
        event_type: SessionEventType::Error,
        content: "one\ntwo".to_owned(),
        rationale: Some("because".to_owned()),
        resolution: Some("repaired".to_owned()),
        from_agent: Some("coder".to_owned()),
        to_agent: Some("reviewer".to_owned()),
        related_files: vec![DocPath::new("src/lib.rs").expect("a path")],
        metadata: Metadata::from([("map".to_owned(), MetadataValue::Map(map))]),
    };
    let provenance = Provenance { session: Some("s1".to_owned()), ..Provenance::default() };
    SessionEvent { details, provenance, ..event(0) }
}

#[test]
fn every_field_of_an_event_reads_back_from_its_line() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("sessions/s1");
    let recorder = Recorder::new(&folder);
    assert!(recorder.read().expect("nothing is there").events.is_empty());
    recorder.append(&[full()]).expect("writable");
    assert_eq!(
        fs::read_to_string(folder.join("events.jsonl")).expect("written"),
        concat!(
            r#"{"event":"error","event_id":"c31dd59e1941df7f7de47bf1033c57f4","timestamp":"2026-11-20T12:00:00Z","#,
            r#""content":"one\ntwo","rationale":"because","resolution":"repaired","from_agent":"coder","to_agent":"reviewer","#,
            r#""related_files":["src/lib.rs"],"metadata":{"map":{"k\"ey":[null,true,0.25],"n":-3}},"provenance":{"session":"s1"}}"#,
            "\n"
        )
    );
    assert_eq!(recorder.read().expect("readable").events, [full()]);
}

#[test]
fn a_bad_line_is_reported_and_the_others_are_read() {
    let place = tempfile::tempdir().expect("a folder");
    let recorder = Recorder::new(place.path());
    recorder.append(&[event(1)]).expect("writable");
    let mut file = fs::OpenOptions::new().append(true).open(recorder.path()).expect("writable");
    file.write_all(b"\n{\"event\":\"novel\"}\n\xff\xfe\n{\"event\":\"error\"\n").expect("written");
    recorder.append(&[event(2), event(1)]).expect("writable");
    let recording = recorder.read().expect("readable");
    assert_eq!(recording.events, [event(1), event(2)], "an event counts once");
    assert_eq!(recording.faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [3, 4, 5]);
}

#[test]
fn a_torn_last_line_is_cut_and_a_complete_one_gets_a_newline() {
    let check = |end: &str, expected: &[SessionEvent]| {
        let place = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(place.path());
        recorder.append(&[event(1)]).expect("writable");
        let mut file = fs::OpenOptions::new().append(true).open(recorder.path()).expect("writable");
        file.write_all(end.as_bytes()).expect("written");
        let again = Recorder::new(place.path());
        again.append(&[event(9)]).expect("writable");
        let recording = again.read().expect("readable");
        assert_eq!((recording.events.as_slice(), recording.faults.as_slice()), (expected, &[][..]), "{end:?}");
    };
    let place = tempfile::tempdir().expect("a folder");
    let other = Recorder::new(place.path());
    other.append(&[event(5)]).expect("writable");
    let line = fs::read_to_string(other.path()).expect("readable");
    let line = line.trim_end();
    for length in [1, 9, 20, line.len() - 1] {
        check(&line[..length], &[event(1), event(9)]);
    }
    check(line, &[event(1), event(5), event(9)]);
}

#[test]
fn concurrent_appends_are_all_acknowledged() {
    let place = tempfile::tempdir().expect("a folder");
    let recorders = [Recorder::new(place.path()), Recorder::new(place.path())];
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (recorder, barrier) = (&recorders[writer % 2], &barrier);
            scope.spawn(move || {
                barrier.wait();
                for number in 0..20 {
                    recorder.append(&[event(writer as u64 * 100 + number)]).expect("writable");
                }
            });
        }
    });
    let recording = recorders[0].read().expect("readable");
    assert_eq!((recording.events.len(), recording.faults.len()), (160, 0));
}

#[test]
fn a_line_over_the_limit_is_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let recorder = Recorder::new(place.path());
    let mut long = event(1);
    long.details.content = "x".repeat(recall_journal::LINE_BYTES);
    assert!(matches!(recorder.append(&[event(2), long]), Err(RecordError::TooLong { .. })));
    assert_eq!(recorder.read().expect("readable").stat, None);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let place = tempfile::tempdir().expect("a folder");
    let (elsewhere, folder) = (place.path().join("elsewhere"), place.path().join("s"));
    fs::create_dir_all(&folder).expect("made");
    fs::write(&elsewhere, "theirs").expect("written");
    std::os::unix::fs::symlink(&elsewhere, folder.join("events.jsonl")).expect("linked");
    let recorder = Recorder::new(&folder);
    assert!(matches!(recorder.append(&[event(1)]), Err(RecordError::NotWritten { .. })));
    assert_eq!(fs::read_to_string(&elsewhere).expect("readable"), "theirs");
}
