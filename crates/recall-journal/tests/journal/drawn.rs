//! Generators of events. Few memories get many events, and timestamps collide.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use recall_core::{
    Amendment, Anchor, ChunkId, ContentHash, Cue, DocumentId, Event, EventBody, EventId, Feedback, ItemId, Lineage,
    MemoryChange, MemoryId, MemoryOrigin, MemoryType, NewBound, NewMemory, Promotion, Provenance, StoreScope,
    TimePoint, Timestamp, ValidTime, ValidTimeChange, Verdict,
};
use recall_journal::{Day, Journal, Storage};
use recall_text::DocPath;

/// 2026-11-20 at noon.
pub(crate) const NOON: i64 = 1_795_176_000 * SECOND;

pub(crate) const SECOND: i64 = 1_000_000_000;

/// A time by which all modification times can be trusted.
pub(crate) const LATER: Timestamp = Timestamp(i64::MAX);

pub(crate) fn memory_id(number: u32) -> MemoryId {
    MemoryId { memory_type: MemoryType::ALL[number as usize % MemoryType::ALL.len()], number }
}

pub(crate) fn new_memory(content: &str) -> NewMemory {
    NewMemory {
        title: "A title".into(),
        content: content.into(),
        tags: vec!["a tag".to_owned()],
        cues: None,
        related_files: vec![DocPath::new("src/lib.rs").expect("a path")],
        scope: StoreScope::Project,
        source: None,
        origin: MemoryOrigin::Human,
        supersedes: None,
        anchors: Vec::new(),
        lineage: None,
        valid: recall_core::ValidTime::default(),
    }
}

/// Builds an event about a memory. The number determines its id and its timestamp.
pub(crate) fn event(number: u64, memory: u32, change: MemoryChange) -> Event {
    Event {
        timestamp: Timestamp(NOON + number as i64),
        id: EventId::from_parts(&[&number.to_le_bytes()]),
        body: EventBody::Memory { id: memory_id(memory), change },
        provenance: Provenance { session: Some("s1".to_owned()), ..Provenance::default() },
    }
}

pub(crate) fn add(number: u64, memory: u32, content: &str) -> Event {
    event(number, memory, MemoryChange::Add(Box::new(new_memory(content))))
}

pub(crate) fn update(number: u64, memory: u32, content: &str) -> Event {
    let amendment = Amendment { content: Some(content.into()), ..Amendment::default() };
    event(number, memory, MemoryChange::Update(Box::new(amendment)))
}

pub(crate) fn delete(number: u64, memory: u32) -> Event {
    event(number, memory, MemoryChange::Delete { reason: None })
}

pub(crate) fn useful(number: u64, memory: u32) -> Event {
    let body = EventBody::Feedback {
        item: ItemId::Memory(memory_id(memory)),
        feedback: Feedback { verdict: Verdict::Useful, note: None },
    };
    Event { body, ..delete(number, memory) }
}

/// Builds an event of every kind in turn, about a handful of memories, over three days.
pub(crate) fn any_kind(number: u64) -> Event {
    let memory = (number / 7 % 5) as u32;
    let event = match number % 7 {
        0 => add(number, memory, &format!("content {number}")),
        1 => update(number, memory, &format!("amended {number}")),
        2 => useful(number, memory),
        3 => event(number, memory, MemoryChange::Verify { anchors: None }),
        4 => event(number, memory, MemoryChange::Promote(Promotion { to: StoreScope::Global, domain: None })),
        5 => delete(number, memory),
        _ => add(number, memory + 10, "another"),
    };
    Event { timestamp: Timestamp(event.timestamp.0 + (number as i64 / 11 % 3) * 86_400 * SECOND), ..event }
}

pub(crate) fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(any_event(), 0..25)
}

/// Generates events of a few memories, a few event ids and a few timestamps.
pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    let moment = prop_oneof![(0..6_i64).prop_map(|step| NOON + step), Just(NOON + 86_400 * SECOND), any::<i64>()];
    let id = prop_oneof![(0..30_u8).prop_map(|byte| EventId([byte; 16])), any::<[u8; 16]>().prop_map(EventId)];
    (moment, id, body(), provenance()).prop_map(|(moment, id, body, provenance)| Event {
        timestamp: Timestamp(moment),
        id,
        body,
        provenance,
    })
}

fn body() -> impl Strategy<Value = EventBody> {
    let id = (0..4_u32).prop_map(memory_id);
    prop_oneof![
        4 => (id, change()).prop_map(|(id, change)| EventBody::Memory { id, change }),
        1 => (item(), feedback()).prop_map(|(item, feedback)| EventBody::Feedback { item, feedback }),
        1 => (item(), prop::collection::vec((0..30_u8).prop_map(|byte| EventId([byte; 16])), 0..4))
            .prop_map(|(item, events)| EventBody::Revert { item, events })
            .boxed(),
    ]
}

fn change() -> impl Strategy<Value = MemoryChange> {
    prop_oneof![
        4 => (added(), prop::bool::weighted(0.25)).prop_map(|(added, is_proposed)| {
            if is_proposed { MemoryChange::Propose(Box::new(added)) } else { MemoryChange::Add(Box::new(added)) }
        }).boxed(),
        1 => Just(MemoryChange::Accept),
        3 => amendment().prop_map(|amendment| MemoryChange::Update(Box::new(amendment))),
        2 => text().prop_map(|reason| MemoryChange::Delete { reason }),
        1 => prop::option::of(anchors()).prop_map(|anchors| MemoryChange::Verify { anchors }),
        1 => (scope(), text()).prop_map(|(to, domain)| MemoryChange::Promote(Promotion { to, domain })),
    ]
}

fn added() -> impl Strategy<Value = NewMemory> {
    let texts = (shared(), shared(), tags(), paths(), prop::option::of(cues()));
    let rest = (scope(), text(), origin(), prop::option::of((0..4_u32).prop_map(memory_id)), anchors());
    let lineage = prop::option::of((scope(), text()).prop_map(|(scope, name)| Lineage { scope, name }));
    let valid =
        (prop::option::of(point()), prop::option::of(point())).prop_map(|(from, until)| ValidTime { from, until });
    (texts, rest, lineage, valid).prop_map(|((title, content, tags, related_files, cues), rest, lineage, valid)| {
        let (scope, source, origin, supersedes, anchors) = rest;
        NewMemory {
            title,
            content,
            tags,
            related_files,
            cues,
            scope,
            source,
            origin,
            supersedes,
            anchors,
            lineage,
            valid,
        }
    })
}

fn amendment() -> impl Strategy<Value = Amendment> {
    let texts = (prop::option::of(shared()), prop::option::of(shared()), prop::option::of(tags()));
    let lists = (prop::option::of(paths()), prop::option::of(cues()), prop::option::of(anchors()));
    let bound = || prop::option::of(prop_oneof![point().prop_map(NewBound::At), Just(NewBound::Open)]);
    let valid = (bound(), bound()).prop_map(|(from, until)| ValidTimeChange { from, until });
    (texts, lists, valid).prop_map(|((title, content, tags), (related_files, cues, anchors), valid)| Amendment {
        title,
        content,
        tags,
        related_files,
        cues,
        anchors,
        valid,
    })
}

fn point() -> impl Strategy<Value = TimePoint> {
    let commit = prop::option::of("[0-9a-f]{40}");
    ((0..4_i64), commit).prop_map(|(second, commit)| TimePoint { at: Timestamp(NOON + second * 1_000_000_000), commit })
}

fn cues() -> impl Strategy<Value = Vec<Cue>> {
    let known = vec!["command:make test", "date:2026-12-01", "error:E0382: use of \"moved\"", "path:src/*.rs"];
    prop::sample::subsequence(known, 0..=4)
        .prop_map(|cues| cues.into_iter().map(|cue| cue.parse().expect("a cue")).collect())
}

fn feedback() -> impl Strategy<Value = Feedback> {
    let verdict = prop_oneof![
        Just(Verdict::Useful),
        Just(Verdict::NotUseful),
        Just(Verdict::Outdated),
        item().prop_map(|of| Verdict::Duplicate { of })
    ];
    (verdict, text()).prop_map(|(verdict, note)| Feedback { verdict, note })
}

fn item() -> impl Strategy<Value = ItemId> {
    let document = DocumentId::from_path(&DocPath::new("a.rs").expect("a path"));
    prop_oneof![
        (0..4_u32).prop_map(|number| ItemId::Memory(memory_id(number))),
        Just(ItemId::Document(document)),
        (0..2_u32).prop_map(move |ordinal| ItemId::Chunk(ChunkId { document, ordinal })),
    ]
}

fn scope() -> impl Strategy<Value = StoreScope> {
    prop_oneof![Just(StoreScope::Project), Just(StoreScope::Global), Just(StoreScope::Domain)]
}

fn origin() -> impl Strategy<Value = MemoryOrigin> {
    prop::sample::select(MemoryOrigin::ALL.to_vec())
}

fn anchors() -> impl Strategy<Value = Vec<Anchor>> {
    let anchor = (path(), text(), any::<[u8; 32]>(), text());
    let anchor =
        anchor.prop_map(|(path, symbol, hash, commit)| Anchor { path, symbol, hash: ContentHash(hash), commit });
    prop::collection::vec(anchor, 0..2)
}

fn path() -> impl Strategy<Value = DocPath> {
    prop::sample::select(["a", "b/c d", "ü/a.rs", "a/b/c"].map(|path| DocPath::new(path).expect("a path")).to_vec())
}

fn paths() -> impl Strategy<Value = Vec<DocPath>> {
    prop::collection::btree_set(path(), 0..3).prop_map(|paths| paths.into_iter().collect())
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(string(), 0..3).prop_map(|tags| tags.into_iter().collect())
}

fn shared() -> impl Strategy<Value = Arc<str>> {
    string().prop_map(Arc::from)
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(string())
}

/// Generates texts that are hard to escape or to parse.
fn string() -> impl Strategy<Value = String> {
    let texts = [
        "",
        "a",
        "b c",
        "\n",
        "\r\n",
        "ü\u{2028}",
        "\"\\",
        "{\"event\":\"",
        "\0\u{7f}",
        "<<<<<<< a\n",
        "\u{feff}",
        "🦀",
    ];
    prop::sample::select(texts.map(str::to_owned).to_vec())
}

fn provenance() -> impl Strategy<Value = Provenance> {
    (text(), text(), text(), text()).prop_map(|(session, branch, commit, project_path)| Provenance {
        session,
        branch,
        commit,
        project_path,
        ..Provenance::default()
    })
}

/// Returns the files that the journal writes for the events.
pub(crate) fn written(events: &[Event]) -> BTreeMap<Day, Vec<u8>> {
    let storage = recall_testkit::ModelDisk::new("memory");
    let journal = Journal::open(Arc::new(storage.clone())).expect("opens");
    journal.append_all(events).expect("writable");
    storage.days().expect("listed").into_iter().map(|day| (day, storage.content(day).expect("a file"))).collect()
}

/// Returns the lines of the events, as in one file.
pub(crate) fn lines(events: &[Event]) -> Vec<String> {
    let file = |event: &Event| written(std::slice::from_ref(event)).into_values().next().expect("a file");
    let line = |event| String::from_utf8(file(event)).expect("text");
    events.iter().map(|event| line(event).trim_end().to_owned()).collect()
}
