//! Following journals: every change is noticed, and only what is new is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recall_core::{Event, Timestamp};
use recall_journal::{Changes, Day, Disk, FaultKind, Follower, Journal, Memories};

use crate::drawn::{LATER, NOON, SECOND, add, any_kind, delete, lines, update};
use recall_testkit::ModelDisk;

struct Place {
    _guard: tempfile::TempDir,
    folder: PathBuf,
    follower: Follower,
}

impl Place {
    fn new() -> Self {
        let guard = tempfile::tempdir().expect("a folder");
        let folder = guard.path().to_owned();
        let follower = Follower::new(Arc::new(Disk::new(&folder)));
        Self { _guard: guard, folder, follower }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("2026-11-20/memories.jsonl")
    }

    fn append(&self, event: &Event) {
        Journal::open(Arc::new(Disk::new(&self.folder))).expect("opens").append(event).expect("writable");
    }

    fn edit(&self, change: impl FnOnce(String) -> String) {
        let text = fs::read_to_string(self.path()).expect("there");
        fs::write(self.path(), change(text)).expect("written");
    }

    /// Returns the changes at a time by which all modification times can be trusted.
    fn changes(&mut self) -> Changes {
        self.follower.changes(LATER).expect("readable")
    }
}

#[test]
fn only_what_was_added_is_read() {
    let mut place = Place::new();
    assert_eq!(place.changes(), Changes::None);
    place.append(&add(0, 0, "one"));
    assert_eq!(place.changes(), Changes::Added(vec![add(0, 0, "one")]));
    assert_eq!(place.changes(), Changes::None);
    place.append(&update(1, 0, "two"));
    let tomorrow = Event { timestamp: Timestamp(NOON + 86_400 * SECOND), ..add(2, 2, "three") };
    place.append(&tomorrow);
    assert_eq!(place.changes(), Changes::Added(vec![update(1, 0, "two"), tomorrow]));
    assert_eq!(place.changes(), Changes::None);
}

#[test]
fn a_removed_or_changed_line_causes_a_full_read() {
    let mut place = Place::new();
    for event in [add(0, 0, "one"), add(1, 1, "two")] {
        place.append(&event);
    }
    place.changes();
    place.edit(|text| text.replace("one", "ONE"));
    assert_eq!(place.changes(), Changes::Rewritten(vec![add(0, 0, "ONE"), add(1, 1, "two")]));
    place.edit(|text| text.lines().nth(1).expect("two lines").to_owned() + "\n");
    assert_eq!(place.changes(), Changes::Rewritten(vec![add(1, 1, "two")]));
    place.edit(|text| format!("{}\n{text}", lines(&[delete(3, 1)])[0]));
    assert_eq!(place.changes(), Changes::Rewritten(vec![delete(3, 1), add(1, 1, "two")]));
    fs::remove_file(place.path()).expect("removed");
    assert_eq!(place.changes(), Changes::Rewritten(Vec::new()));
    assert_eq!(place.changes(), Changes::None);
    place.append(&add(4, 4, "four"));
    assert_eq!(place.changes(), Changes::Added(vec![add(4, 4, "four")]));
    fs::remove_dir_all(&place.folder).expect("removed");
    assert_eq!(place.changes(), Changes::Rewritten(Vec::new()));
}

#[test]
fn a_simultaneous_edit_and_append_are_both_seen() {
    let mut place = Place::new();
    for event in [add(0, 0, "one"), add(1, 1, "two")] {
        place.append(&event);
    }
    place.changes();
    place.edit(|text| text.replace("one", "ONE") + &lines(&[add(2, 2, "three")])[0] + "\n");
    let expected = vec![add(0, 0, "ONE"), add(1, 1, "two"), add(2, 2, "three")];
    assert_eq!(place.changes(), Changes::Rewritten(expected));
}

#[test]
fn a_touched_or_restored_file_is_unchanged() {
    let mut place = Place::new();
    place.append(&add(0, 0, "one"));
    place.changes();
    place.edit(|text| text);
    assert_eq!(place.changes(), Changes::None);
    let copy = place.folder.join("copy");
    fs::copy(place.path(), &copy).expect("copied");
    fs::rename(copy, place.path()).expect("renamed");
    assert_eq!(place.changes(), Changes::None);
}

#[test]
fn an_edit_within_one_clock_tick_is_noticed() {
    let model = ModelDisk::new("memory");
    let day = Day::from_name("2026-11-20").expect("a day");
    model.replace(day, (lines(&[add(0, 0, "one")])[0].clone() + "\n").as_bytes());
    let mut follower = Follower::new(Arc::new(Unmoved(model.clone())));
    let soon = Timestamp(SECOND);
    assert_eq!(follower.changes(soon).expect("readable"), Changes::Added(vec![add(0, 0, "one")]));
    assert_eq!(follower.changes(soon).expect("readable"), Changes::None);
    model.replace(day, (lines(&[add(0, 0, "ONE")])[0].clone() + "\n").as_bytes());
    assert_eq!(follower.changes(soon).expect("readable"), Changes::Rewritten(vec![add(0, 0, "ONE")]));
}

/// A storage whose clock stands still and whose files all have the same identity.
#[derive(Debug)]
struct Unmoved(ModelDisk);

impl recall_journal::Storage for Unmoved {
    fn folder(&self) -> &Path {
        self.0.folder()
    }

    fn days(&self) -> std::io::Result<Vec<Day>> {
        self.0.days()
    }

    fn stat(&self, day: Day) -> std::io::Result<Option<recall_journal::Stat>> {
        Ok(self.0.stat(day)?.map(unmoved))
    }

    fn open(&self, day: Day) -> std::io::Result<Option<Box<dyn recall_journal::StoredFile>>> {
        let file = self.0.open(day)?;
        Ok(file.map(|file| Box::new(UnmovedFile(file)) as Box<dyn recall_journal::StoredFile>))
    }

    fn open_locked(
        &self,
        day: Day,
        missing: recall_journal::Missing,
    ) -> std::io::Result<Box<dyn recall_journal::LockedFile>> {
        self.0.open_locked(day, missing)
    }

    fn sync_folders(&self, day: Day) -> std::io::Result<()> {
        self.0.sync_folders(day)
    }
}

#[derive(Debug)]
struct UnmovedFile(Box<dyn recall_journal::StoredFile>);

impl recall_journal::StoredFile for UnmovedFile {
    fn stat(&self) -> std::io::Result<recall_journal::Stat> {
        self.0.stat().map(unmoved)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
}

fn unmoved(stat: recall_journal::Stat) -> recall_journal::Stat {
    recall_journal::Stat { modified: Timestamp(0), changed: Timestamp(0), identity: (0, 0), ..stat }
}

#[test]
fn a_last_line_being_written_is_read_once_it_is_complete() {
    let mut place = Place::new();
    place.append(&add(0, 0, "one"));
    place.changes();
    let line = lines(&[add(1, 1, "two")])[0].clone();
    place.edit(|text| text + &line[..20]);
    assert_eq!(place.changes(), Changes::Added(Vec::new()));
    let faults: Vec<_> = place.follower.faults().map(|fault| (fault.line, fault.kind.clone())).collect();
    assert_eq!(faults, [(2, FaultKind::Torn)]);
    place.edit(|text| text + &line[20..]);
    assert_eq!(place.changes(), Changes::Added(vec![add(1, 1, "two")]));
    assert_eq!(place.follower.faults().next(), None);
    place.edit(|text| text + "\n");
    assert!(matches!(place.changes(), Changes::Added(_) | Changes::None));
    assert_eq!(place.changes(), Changes::None);
}

#[test]
fn faults_are_those_of_the_last_read() {
    let mut place = Place::new();
    place.append(&add(0, 0, "one"));
    place.edit(|text| text + "what?\n");
    place.append(&add(1, 1, "two"));
    place.changes();
    assert_eq!(place.follower.faults().map(|fault| fault.line).collect::<Vec<_>>(), [2]);
    place.edit(|text| text + "and what?\n");
    place.changes();
    let reported: Vec<_> = place.follower.faults().map(ToString::to_string).collect();
    assert_eq!(reported[1], "2026-11-20/memories.jsonl:4: not JSON from byte 0: expected value");
    place.edit(|text| text.replace("what?\n", "").replace("and ", ""));
    place.changes();
    assert_eq!(place.follower.faults().next(), None);
}

#[test]
fn a_file_over_the_full_hash_limit_is_followed() {
    let mut place = Place::new();
    let journal = Journal::open(Arc::new(Disk::new(&place.folder))).expect("opens");
    let large: Vec<_> = (0..10).map(|number| add(number, number as u32, &"x".repeat(1024 * 1024))).collect();
    journal.append_all(&large).expect("writable");
    place.changes();
    journal.append(&add(20, 20, "after")).expect("writable");
    assert_eq!(place.changes(), Changes::Added(vec![add(20, 20, "after")]));
    place.edit(|text| text.replacen('x', "y", 1) + "\n");
    assert!(matches!(place.changes(), Changes::Rewritten(events) if events.len() == 11));
}

/// After any edits, following the files returns what a full read returns.
#[test]
fn following_equals_a_full_read() {
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut place = Place::new();
        let mut memories = Memories::default();
        for number in 0..25 {
            place.append(&any_kind(number));
            let days = fs::read_dir(&place.folder).expect("there").map(|day| day.expect("there").path());
            let mut days: Vec<PathBuf> = days.collect();
            days.sort();
            let path = days[random.usize(..days.len())].join("memories.jsonl");
            let text = fs::read_to_string(&path).unwrap_or_default();
            let mut kept: Vec<&str> = text.lines().collect();
            match random.u32(..8) {
                0 => fs::remove_dir_all(path.parent().expect("a folder")).expect("removed"),
                1 if !kept.is_empty() => drop(kept.remove(random.usize(..kept.len()))),
                2 => random.shuffle(&mut kept),
                3 => kept.push("{\"event\":\"up"),
                _ => {}
            }
            if path.exists() {
                fs::write(&path, kept.join("\n") + ["", "\n"][random.usize(..2)]).expect("written");
            }
            if random.bool() {
                match place.changes() {
                    Changes::None => {}
                    Changes::Added(events) => memories.extend(events),
                    Changes::Rewritten(events) => memories = events.into_iter().collect(),
                }
                let mut fresh = Follower::new(Arc::new(Disk::new(&place.folder)));
                assert_eq!(memories, fresh.replay(LATER).expect("readable").into_iter().collect(), "seed {seed}");
                let faults: Vec<_> = place.follower.faults().cloned().collect();
                assert_eq!(faults, fresh.faults().cloned().collect::<Vec<_>>(), "seed {seed}");
            }
        }
    }
}
