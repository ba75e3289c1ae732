//! The journals of memories and of sessions: any bytes as a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use recall_core::{
    Amendment, Anchor, ContentHash, Event, EventBody, EventDetails, EventId, Feedback, ItemId, MemoryChange, MemoryId,
    MemoryOrigin, MemoryType, MetadataValue, NewMemory, Promotion, Provenance, SessionEvent, SessionEventType,
    StoreScope, Timestamp, Verdict,
};
use recall_journal::{
    Changes, Day, EVENTS_FILE, Follower, Journal, LineHash, Memories, Recorder, event_ids, event_of_line,
};
use recall_testkit::ModelDisk;
use recall_text::DocPath;

/// 2026-11-20 at noon.
const NOON: Timestamp = Timestamp(1_795_176_000_000_000_000);

/// A time by which all modification times can be trusted.
const LATER: Timestamp = Timestamp(i64::MAX);

/// Reads bytes as the memory journal of a day.
///
/// # Panics
/// If an event reads differently after it is written, or if the bytes hide an event that another line holds.
pub fn journal(bytes: &[u8]) {
    let day = Day::from_timestamp(NOON);
    let disk = disk_of(bytes);
    let mut follower = Follower::new(Arc::new(disk.clone()));
    let events = follower.replay(LATER).expect("a list of days");
    assert!(follower.faults().all(|fault| !fault.to_string().is_empty()));
    assert_eq!(follower.changes(LATER).expect("a list of days"), Changes::None, "nothing was written");
    event_ids(bytes).for_each(drop);
    events.iter().cloned().collect::<Memories>().collisions().for_each(drop);
    for event in &events {
        let (line, written) = write(event);
        assert_eq!(event_of_line(&line, written).as_ref(), Some(event), "{}", String::from_utf8_lossy(&line));
        assert_eq!(LineHash::from_event(event), LineHash::from_line(&line));
    }
    let (first, last) = (removal(1), removal(2));
    let around = [&write(&first).0[..], bytes, b"\n", &write(&last).0].concat();
    let expected: Vec<Event> = [&[first], &*events_of_lines(bytes, day), std::slice::from_ref(&last)].concat();
    let found = Follower::new(Arc::new(disk_of(&around))).replay(LATER).expect("a list of days");
    assert_eq!(found, expected, "a line hides another");
    let journal = Journal::open(Arc::new(disk.clone())).expect("a journal");
    journal.append(&last).expect("appended");
    let kept = Follower::new(Arc::new(disk)).replay(LATER).expect("a list of days");
    assert_eq!(kept, [events, vec![last]].concat(), "an append hides events, or is hidden");
}

/// The events of all lines of a text, each line read alone.
fn events_of_lines(bytes: &[u8], day: Day) -> Vec<Event> {
    let alone = |line: &[u8]| {
        let disk = ModelDisk::new("/alone");
        disk.replace(day, &[line, b"\n"].concat());
        Follower::new(Arc::new(disk)).replay(LATER).expect("a list of days")
    };
    bytes.split(|byte| *byte == b'\n').flat_map(alone).collect()
}

fn disk_of(bytes: &[u8]) -> ModelDisk {
    let disk = ModelDisk::new("/journals");
    disk.replace(Day::from_timestamp(NOON), bytes);
    disk
}

/// The line of an event and the day whose file has it.
fn write(event: &Event) -> (Vec<u8>, Day) {
    let disk = ModelDisk::new("/written");
    let journal = Journal::open(Arc::new(disk.clone())).expect("an empty journal");
    journal.append(event).expect("an event that was read can be written");
    let (day, line) = disk.image().pop_first().expect("a file");
    (line, day)
}

fn removal(number: u8) -> Event {
    event(number, MemoryChange::Delete { reason: Some("replaced".to_owned()) })
}

fn event(number: u8, change: MemoryChange) -> Event {
    Event {
        timestamp: Timestamp(NOON.0 + i64::from(number)),
        id: EventId([number; 16]),
        body: EventBody::Memory { id: MemoryId { memory_type: MemoryType::Lesson, number: 7 }, change },
        provenance: Provenance { session: Some("s1".to_owned()), ..Provenance::default() },
    }
}

/// Journals with every kind of event, foreign lines and damage.
///
/// # Panics
/// Never; the seeds are fixed.
pub fn journal_seeds() -> Vec<Vec<u8>> {
    let path = DocPath::new("src/lib.rs").expect("plain");
    let anchor =
        Anchor { path: path.clone(), symbol: Some("open".to_owned()), hash: ContentHash([7; 32]), commit: None };
    let added = NewMemory {
        title: "A title".into(),
        content: "Retry \"twice\".\n\u{2028}é".into(),
        tags: vec!["a tag".to_owned(), "b".to_owned()],
        cues: None,
        related_files: vec![path],
        scope: StoreScope::Project,
        source: Some("review".to_owned()),
        origin: MemoryOrigin::Human,
        supersedes: Some(MemoryId { memory_type: MemoryType::Note, number: 9 }),
        anchors: vec![anchor.clone()],
        lineage: None,
        valid: recall_core::ValidTime::default(),
    };
    let amended = Amendment { content: Some("Thrice.".into()), ..Amendment::default() };
    let item = ItemId::Memory(MemoryId { memory_type: MemoryType::Lesson, number: 7 });
    let of = |verdict| EventBody::Feedback { item, feedback: Feedback { verdict, note: Some("n".to_owned()) } };
    let events = [
        event(3, MemoryChange::Add(Box::new(added))),
        event(4, MemoryChange::Update(Box::new(amended))),
        event(5, MemoryChange::Verify { anchors: Some(vec![anchor]) }),
        event(6, MemoryChange::Promote(Promotion { to: StoreScope::Domain, domain: Some("web".to_owned()) })),
        Event { body: of(Verdict::Duplicate { of: item }), ..removal(7) },
        Event { body: of(Verdict::Outdated), ..removal(8) },
        removal(9),
    ];
    let lines: Vec<Vec<u8>> = events.iter().map(|event| write(event).0).collect();
    let foreign = concat!(
        "{\"type\":\"novel\",\"source\":{\"a\":1},\"content\":\"text\",\"timestamp\":1700000000,\"tags\":\"a, b\"}\r\n",
        "{\"content\":\"text\",\"timestamp\":1700000000000.5} {\"content\":\"second\",\"id\":17}\n",
        "{\"type\":\"lesson\",\"content\":\"x\",\"timestamp\":\"2026-11-20T12:00:00+01:00[Europe/Berlin]\"}\n",
    );
    let conflict = [b"<<<<<<< ours\n", &lines[0][..], b"=======\n", &lines[1], b">>>>>>> theirs\n"].concat();
    let torn = [&lines[0][..60], &lines[1], b"\xff\xfe", &lines[2], b"\0\0\0"].concat();
    [lines.concat(), foreign.into(), [b"\xef\xbb\xbf", &lines[0][..]].concat(), conflict, torn]
        .into_iter()
        .chain(lines)
        .collect()
}

/// Reads bytes as the event file of a session.
///
/// # Panics
/// If an event reads differently after it is written, or if a line hides another.
pub fn session(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let events = record_events(folder.path(), bytes);
    let (first, last) = (milestone(1), milestone(2));
    let ours = |event: &SessionEvent| write_events(folder.path(), std::slice::from_ref(event));
    let around = [&ours(&first)[..], bytes, b"\n", &ours(&last)].concat();
    let found = record_events(folder.path(), &around);
    let found: BTreeMap<EventId, SessionEvent> = found.into_iter().map(|event| (event.id, event)).collect();
    assert!([&first, &last].iter().all(|event| found.contains_key(&event.id)), "a line hides another");
    assert!(events.iter().all(|event| found.contains_key(&event.id)), "a line before hides another");
    let lines = write_events(folder.path(), &events);
    assert_eq!(record_events(folder.path(), &lines), events, "{}", String::from_utf8_lossy(&lines));
}

/// The events in a file with that content.
fn record_events(folder: &std::path::Path, content: &[u8]) -> Vec<SessionEvent> {
    std::fs::write(folder.join(EVENTS_FILE), content).expect("written");
    let recording = Recorder::new(folder).read().expect("readable");
    assert!(recording.faults.iter().all(|fault| !fault.reason.is_empty()));
    recording.events
}

/// The content of a new file with these events.
fn write_events(folder: &std::path::Path, events: &[SessionEvent]) -> Vec<u8> {
    let folder = folder.join("new");
    Recorder::new(&folder).append(events).expect("events that were read can be written");
    let content = std::fs::read(folder.join(EVENTS_FILE)).unwrap_or_default();
    let _ = std::fs::remove_dir_all(folder);
    content
}

fn milestone(number: u8) -> SessionEvent {
    let metadata = [
        ("count".to_owned(), MetadataValue::Number(17.0)),
        ("ratio".to_owned(), MetadataValue::Number(-0.5e-7)),
        ("list".to_owned(), MetadataValue::List(vec![MetadataValue::Null, MetadataValue::Bool(true)])),
    ];
    SessionEvent {
        id: EventId([number; 16]),
        timestamp: Timestamp(NOON.0 + i64::from(number)),
        details: EventDetails {
            event_type: SessionEventType::Milestone,
            content: "The parser is done.".to_owned(),
            rationale: Some("r".to_owned()),
            resolution: None,
            from_agent: None,
            to_agent: Some("other".to_owned()),
            related_files: vec![DocPath::new("src/lib.rs").expect("plain")],
            metadata: metadata.into_iter().collect(),
        },
        provenance: Provenance { branch: Some("main".to_owned()), ..Provenance::default() },
    }
}

/// Event files of sessions: whole, torn and damaged.
///
/// # Panics
/// If the temporary folder cannot be written.
pub fn session_seeds() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = write_events(folder.path(), &[milestone(3)]);
    let three = write_events(folder.path(), &[milestone(3), milestone(4), milestone(5)]);
    let damaged = [&one[..40], b"\n", &one, b"\xff{}\n[1]\n\0\0"].concat();
    vec![one, three, damaged]
}
