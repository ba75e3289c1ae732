//! Appends: durability, concurrency, repairs, links and replaced files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use recall_core::{Event, EventId, Timestamp};
use recall_journal::{AppendError, Day, Disk, Follower, Journal, LINE_BYTES, Memories, RepairKind};

use crate::drawn::{LATER, NOON, SECOND, add, any_kind, lines, memory_id, update};
use recall_testkit::{ConcurrentEdit, ModelDisk};

fn open(folder: &Path) -> Journal {
    Journal::open(Arc::new(Disk::new(folder))).expect("opens")
}

fn replay(folder: &Path) -> Vec<Event> {
    let mut follower = Follower::new(Arc::new(Disk::new(folder)));
    let events = follower.replay(LATER).expect("readable");
    assert_eq!(follower.faults().next(), None);
    events
}

#[test]
fn an_event_is_a_line_in_the_file_of_its_day() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("deep/.recall");
    let journal = open(&folder);
    assert!(!folder.exists(), "opening creates nothing");
    journal.append(&add(0, 0, "one\ntwo")).expect("writable");
    let text = fs::read_to_string(folder.join("2026-11-20/memories.jsonl")).expect("written");
    assert_eq!(
        text,
        concat!(
            r#"{"event":"add","event_id":"591c92a6573787c2d4eae5bcb016fa62","id":"D-00000000","type":"decision","#,
            r#""title":"A title","content":"one\ntwo","tags":["a tag"],"related_files":["src/lib.rs"],"scope":"project","#,
            r#""origin":"human","timestamp":"2026-11-20T12:00:00Z","provenance":{"session":"s1"}}"#,
            "\n"
        )
    );
    assert_eq!(replay(&folder), [add(0, 0, "one\ntwo")]);
}

#[test]
fn every_kind_of_event_reads_back_as_it_was_written() {
    let place = tempfile::tempdir().expect("a folder");
    let events: Vec<_> = (0..70).map(any_kind).collect();
    open(place.path()).append_all(&events).expect("writable");
    let by_day = |events: Vec<Event>| {
        let mut events: Vec<_> =
            events.into_iter().map(|event| (Day::from_timestamp(event.timestamp), event.id)).collect();
        events.sort_by_key(|(day, _)| *day);
        events
    };
    let read = replay(place.path());
    assert_eq!(by_day(read.clone()), by_day(events.clone()));
    assert_eq!(read.into_iter().collect::<Memories>(), events.into_iter().collect());
}

#[test]
fn threads_and_journals_append_at_once() {
    let place = tempfile::tempdir().expect("a folder");
    let journals: Vec<_> = (0..3).map(|_| open(place.path())).collect();
    std::thread::scope(|scope| {
        for thread in 0..12_u64 {
            let journal = &journals[thread as usize % journals.len()];
            scope.spawn(move || {
                for number in 0..20 {
                    journal.append(&any_kind(thread * 1000 + number)).expect("writable");
                }
            });
        }
    });
    let ids: BTreeSet<EventId> = replay(place.path()).iter().map(|event| event.id).collect();
    let expected = (0..12).flat_map(|thread| (0..20).map(move |number| any_kind(thread * 1000 + number).id));
    assert_eq!(ids, expected.collect());
}

#[test]
fn a_line_over_the_limit_is_not_written() {
    let place = tempfile::tempdir().expect("a folder");
    let journal = open(place.path());
    let error = journal.append(&add(0, 0, &"\u{1}".repeat(LINE_BYTES / 6))).expect_err("too long");
    assert!(matches!(error, AppendError::TooLong { limit: LINE_BYTES, .. }), "{error}");
    journal.append(&add(1, 0, &"\u{1}".repeat(1024 * 1024))).expect("the longest content fits, however it is escaped");
    assert_eq!(replay(place.path()).len(), 1);
}

#[test]
fn the_earliest_and_latest_timestamps_have_a_day() {
    let place = tempfile::tempdir().expect("a folder");
    for moment in [i64::MIN, -1, i64::MAX] {
        let event = Event { timestamp: Timestamp(moment), ..add(0, 0, "at the end of time") };
        open(place.path()).append(&event).expect("writable");
        assert!(replay(place.path()).contains(&event), "{moment}");
    }
}

#[cfg(unix)]
#[test]
fn no_line_is_written_through_a_link() {
    let place = tempfile::tempdir().expect("a folder");
    let (folder, outside) = (place.path().join("journals"), place.path().join("outside"));
    fs::create_dir_all(folder.join("2026-11-20")).expect("made");
    fs::create_dir_all(&outside).expect("made");
    fs::write(outside.join("memories.jsonl"), "mine\n").expect("written");
    std::os::unix::fs::symlink(outside.join("memories.jsonl"), folder.join("2026-11-20/memories.jsonl"))
        .expect("linked");
    std::os::unix::fs::symlink(&outside, folder.join("2026-11-21")).expect("linked");
    let journal = open(&folder);
    for day in [0, 1] {
        let event = Event { timestamp: Timestamp(NOON + day * 86_400 * SECOND), ..add(0, 0, "leads out") };
        assert!(matches!(journal.append(&event), Err(AppendError::NotWritten { .. })));
    }
    assert_eq!(fs::read_to_string(outside.join("memories.jsonl")).expect("there"), "mine\n");
    let mut follower = Follower::new(Arc::new(Disk::new(&folder)));
    assert_eq!(follower.replay(LATER).expect("listed"), []);
    assert_eq!(follower.faults().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_does_not_block() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("2026-11-20");
    fs::create_dir_all(&folder).expect("made");
    let made =
        std::process::Command::new("mkfifo").arg(folder.join("memories.jsonl")).status().expect("there is mkfifo");
    assert!(made.success());
    assert!(open(place.path()).append(&add(0, 0, "where to?")).is_err());
    let mut follower = Follower::new(Arc::new(Disk::new(place.path())));
    assert_eq!(follower.replay(LATER).expect("listed"), []);
    assert_eq!(follower.faults().count(), 1);
}

/// Opens a journal whose file ends with the given bytes, and checks the repair and the number of events about its memory
/// after an append.
#[track_caller]
fn check_end(end: &[u8], expected: Option<RepairKind>, events: usize) {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("2026-11-20/memories.jsonl");
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let first = lines(&[add(0, 0, "first")])[0].clone() + "\n";
    fs::write(&path, [first.as_bytes(), end].concat()).expect("written");
    let journal = open(place.path());
    let repairs = journal.take_repairs();
    assert_eq!(repairs.first().map(|repair| repair.kind), expected);
    if let Some(repair) = repairs.first() {
        assert_eq!((repair.offset, repair.bytes), (first.len() as u64, end.len() as u64));
    }
    let rest = match expected {
        Some(RepairKind::Cut) => Vec::new(),
        Some(RepairKind::Completed) => [end, b"\n"].concat(),
        None => end.to_vec(),
    };
    assert_eq!(fs::read(&path).expect("there"), [first.as_bytes(), &rest].concat());
    journal.append(&update(1, 0, "second")).expect("writable");
    let mut follower = Follower::new(Arc::new(Disk::new(place.path())));
    let memories: Memories = follower.replay(LATER).expect("readable").into_iter().collect();
    assert_eq!(memories.state(memory_id(0)).expect("known").events().count(), events);
}

#[test]
fn a_torn_last_line_is_cut_and_a_complete_one_gets_a_newline() {
    let second = lines(&[update(2, 0, "another")])[0].clone();
    check_end(b"", None, 2);
    for cut in [1, 5, 10, 11, 40, second.len() - 1] {
        check_end(&second.as_bytes()[..cut], Some(RepairKind::Cut), 2);
    }
    check_end(second.as_bytes(), Some(RepairKind::Completed), 3);
    check_end(&[0; 700], Some(RepairKind::Cut), 2);
    check_end(&[&second.as_bytes()[..30], &[0; 70]].concat(), Some(RepairKind::Cut), 2);
}

#[test]
fn a_last_line_of_another_program_stays() {
    check_end(b">>>>>>> main", Some(RepairKind::Completed), 2);
    check_end(b"a thought, not finis", Some(RepairKind::Completed), 2);
    check_end(b"{\"type\": \"note\", \"conte", Some(RepairKind::Completed), 2);
    check_end(b"   ", Some(RepairKind::Completed), 2);
}

#[test]
fn a_line_torn_by_another_process_is_repaired_before_the_next_append() {
    let place = tempfile::tempdir().expect("a folder");
    let journal = open(place.path());
    journal.append(&add(0, 0, "first")).expect("writable");
    let path = place.path().join("2026-11-20/memories.jsonl");
    let mut text = fs::read(&path).expect("there");
    text.extend(&lines(&[add(1, 1, "torn")])[0].as_bytes()[..50]);
    fs::write(&path, text).expect("written");
    journal.append(&add(2, 2, "second")).expect("writable");
    assert_eq!(journal.take_repairs().len(), 1);
    assert_eq!(replay(place.path()), [add(0, 0, "first"), add(2, 2, "second")]);
}

#[test]
fn an_append_goes_to_the_file_that_git_put_in_place() {
    let place = tempfile::tempdir().expect("a folder");
    let journal = open(place.path());
    journal.append(&add(0, 0, "first")).expect("writable");
    let path = place.path().join("2026-11-20/memories.jsonl");
    let other = lines(&[add(1, 1, "from a colleague")])[0].clone();
    fs::write(place.path().join("new"), fs::read_to_string(&path).expect("there") + &other).expect("written");
    fs::rename(place.path().join("new"), &path).expect("renamed");
    journal.append(&add(2, 2, "third")).expect("writable");
    assert_eq!(replay(place.path()).len(), 3);
    fs::remove_dir_all(place.path().join("2026-11-20")).expect("removed");
    journal.append(&add(3, 3, "fourth")).expect("writable");
    assert_eq!(replay(place.path()), [add(3, 3, "fourth")]);
}

#[test]
fn a_file_replaced_by_git_during_a_write_loses_no_line() {
    let (first, second) = (add(0, 0, "first"), add(1, 1, "second"));
    let day = Day::from_timestamp(first.timestamp);
    let theirs = lines(&[first.clone(), add(2, 2, "a longer one, that they had all the time")]).join("\n") + "\n";
    let theirs = theirs.into_bytes();
    for (edit, kept) in [
        (ConcurrentEdit::Replace(theirs.clone()), true),
        (ConcurrentEdit::Overwrite(theirs), true),
        (ConcurrentEdit::Remove, false),
    ] {
        let model = ModelDisk::new("memory");
        let journal = Journal::open(Arc::new(model.clone())).expect("opens");
        journal.append(&first).expect("writable");
        model.edit_before_sync(day, edit.clone());
        journal.append(&second).expect("writable");
        let read = Follower::new(Arc::new(model)).replay(LATER).expect("readable");
        assert!(read.contains(&second), "{edit:?}");
        assert_eq!(read.contains(&first), kept, "{edit:?}");
    }
}
