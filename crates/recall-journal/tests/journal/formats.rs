//! Lines of earlier versions, stored in `tests/fixtures`: every one is read whole, and is the same line when it is written again.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use recall_core::SessionEventType;
use recall_journal::{Day, EVENTS_FILE, Follower, Memories, Recorder, event_of_line};
use recall_testkit::ModelDisk;

use crate::drawn::{LATER, lines};

/// The kinds of events about memories.
const KINDS: &[&str] = &["add", "propose", "accept", "update", "delete", "feedback", "verify", "promote", "revert"];

fn day() -> Day {
    Day::from_name("2026-11-20").expect("a day")
}

/// Returns the stored files whose names begin so, oldest format first.
fn stored(beginning: &str) -> Vec<(PathBuf, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let paths = fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = paths
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning)))
        .map(|path| (path.clone(), fs::read_to_string(path).expect("text")))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no file begins with {beginning}");
    files
}

#[test]
fn a_line_of_an_earlier_version_is_written_again_as_it_was() {
    let mut all = String::new();
    for (path, text) in stored("memories-") {
        for line in text.lines() {
            let event = event_of_line(line.as_bytes(), day()).unwrap_or_else(|| panic!("{}: {line}", path.display()));
            assert_eq!(lines(&[event]), [line], "{}", path.display());
        }
        all += &text;
    }
    for kind in KINDS {
        assert!(all.contains(&format!("{{\"event\":\"{kind}\",")), "no fixture has `{kind}`");
    }
}

#[test]
fn journals_of_every_format_are_read_together_without_a_fault() {
    let model = ModelDisk::new("memory");
    let text: String = stored("memories-").into_iter().map(|(_, text)| text).collect();
    model.replace(day(), text.as_bytes());
    let mut follower = Follower::new(Arc::new(model));
    let events = follower.replay(LATER).expect("readable");
    assert_eq!(follower.faults().next(), None);
    assert_eq!(events.len(), text.lines().count());
    let memories: Memories = events.into_iter().collect();
    let states = memories.iter().map(|memory| {
        let state = if memory.proposed { "proposed" } else { "in force" };
        format!("{} {state}: {}", memory.id, memory.content)
    });
    assert_eq!(
        states.collect::<Vec<_>>(),
        [
            "D-00000001 in force: Retry three times.",
            "D-00000002 in force: Retry for ever.",
            "D-00000021 in force: The old gate is open.",
            "L-00000003 in force: Badgers dig at night.",
            "L-00000011 in force: Run the migration first.",
            "L-00000012 in force: Nothing shows this by itself.",
            // The amendment was reverted.
            "L-00000031 in force: An agent believes this.",
            "L-00000032 proposed: Nobody has looked at this.",
            "N-00000006 in force: Ask before the fence.",
        ]
    );
}

#[test]
fn events_of_sessions_are_written_again_as_they_were() {
    for (path, text) in stored("events-") {
        let place = tempfile::tempdir().expect("a folder");
        fs::write(place.path().join(EVENTS_FILE), &text).expect("written");
        let recording = Recorder::new(place.path()).read().expect("readable");
        assert_eq!(recording.faults, [], "{}", path.display());
        let copy = Recorder::new(place.path().join("copy"));
        copy.append(&recording.events).expect("writable");
        assert_eq!(fs::read_to_string(copy.path()).expect("written"), text, "{}", path.display());
        for kind in SessionEventType::ALL {
            assert!(text.contains(&format!("{{\"event\":\"{}\",", kind.as_str())), "{kind:?}");
        }
    }
}
