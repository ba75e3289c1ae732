//! Lines written by other programs.

use std::sync::Arc;

use recall_core::{Memory, MemoryOrigin, MemoryType, Timestamp};
use recall_journal::{Day, Follower, Memories};

use crate::drawn::{LATER, NOON, SECOND};
use recall_testkit::ModelDisk;

fn read(lines: &[&str]) -> Vec<Memory> {
    let model = ModelDisk::new("memory");
    let day = Day::from_name("2026-11-20").expect("a day");
    model.replace(day, lines.join("\n").as_bytes());
    let mut follower = Follower::new(Arc::new(model));
    let memories: Memories = follower.replay(LATER).expect("readable").into_iter().collect();
    assert_eq!(follower.faults().next(), None);
    memories.iter().collect()
}

#[test]
fn a_simple_line_is_a_memory() {
    let line =
        r#"{"type":"lesson","source":"claude","content":"\n# Retries\nBack off.","timestamp":"2026-11-20T12:00:01Z"}"#;
    let [memory] = <[Memory; 1]>::try_from(read(&[line])).expect("one");
    assert_eq!(memory.id.to_string(), "L-0a57b5e3");
    assert_eq!((&*memory.title, &*memory.content), ("Retries", "\n# Retries\nBack off."));
    assert_eq!((memory.origin, memory.source.as_deref()), (MemoryOrigin::Imported, Some("claude")));
    assert_eq!(memory.created, Timestamp(NOON + SECOND));
}

#[test]
fn equal_texts_are_one_memory() {
    let first = r#"{"type":"note","source":"a","content":"Same","timestamp":"2026-11-20T12:00:01Z"}"#;
    let second = r#"{"content":"Same", "timestamp":1795176005, "type":"note", "source":"b", "id": 17}"#;
    let other = r#"{"type":"lesson","content":"Same"}"#;
    let memories = read(&[first, second, first, other, other]);
    assert_eq!(memories.len(), 2);
    let note = memories.iter().find(|memory| memory.id.memory_type == MemoryType::Note).expect("one of the two");
    assert_eq!((note.created, note.updated), (Timestamp(NOON + SECOND), Timestamp(NOON + 5 * SECOND)));
    assert_eq!(note.source.as_deref(), Some("b"));
}

#[test]
fn unknown_or_missing_fields_lose_no_memory() {
    for (line, expected_type, expected_tags, seconds_after_midnight) in [
        (r#"{"content":"x"}"#, MemoryType::Note, vec![], 0),
        (r#"{"type":"gotcha","content":"x","tags":"b, a"}"#, MemoryType::Note, vec!["a", "b", "gotcha"], 0),
        (r#"{"type":"Decision","content":"x","tags":["q"],"source":{"app":1}}"#, MemoryType::Decision, vec!["q"], 0),
        (r#"{"content":"x","scope":"everywhere","origin":"dream","supersedes":"it"}"#, MemoryType::Note, vec![], 0),
        (r#"{"content":"x","timestamp":1795132803500,"id":"e4f1-uuid"}"#, MemoryType::Note, vec![], 3),
        (r#"{"content":"x","timestamp":1795132804.25}"#, MemoryType::Note, vec![], 4),
        (r#"{"content":"x","timestamp":null,"type":null}"#, MemoryType::Note, vec![], 0),
    ] {
        let [memory] = <[Memory; 1]>::try_from(read(&[line])).expect("one");
        assert_eq!((memory.id.memory_type, &*memory.content), (expected_type, "x"), "{line}");
        assert_eq!(memory.tags, expected_tags, "{line}");
        assert_eq!((memory.created.0 - NOON).div_euclid(SECOND) + 43_200, seconds_after_midnight, "{line}");
    }
}
