//! Crashes at every step of every disk operation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::{Event, EventId};
use recall_journal::{Day, FaultKind, Follower, Journal};

use crate::drawn::{LATER, add, any_kind, lines};
use recall_testkit::{History, Image, ModelDisk, Moment};

/// The minimum number of distinct disk states that are checked.
const STATES: usize = 3000;

/// The operations on the files, and the acknowledged events, in order.
struct Work {
    model: ModelDisk,
    history: History,
    journal: Journal,
    acknowledged: Vec<Event>,
    /// What other programs wrote into the files.
    foreign: Vec<Event>,
}

impl Work {
    fn new() -> Self {
        let (model, history) = (ModelDisk::new("memory"), History::default());
        model.record(&history);
        let journal = Journal::open(Arc::new(model.clone())).expect("opens");
        Self { model, history, journal, acknowledged: Vec::new(), foreign: Vec::new() }
    }

    fn append(&mut self, events: &[Event]) {
        self.journal.append_all(events).expect("writable");
        self.acknowledged.extend_from_slice(events);
        self.history.acknowledge(events.len());
    }

    fn open_again(&mut self) {
        self.journal = Journal::open(Arc::new(self.model.clone())).expect("opens");
    }

    fn days(&self) -> Vec<Day> {
        let days: BTreeSet<_> = self.acknowledged.iter().map(|event| Day::from_timestamp(event.timestamp)).collect();
        days.into_iter().collect()
    }

    /// Applies a random edit that a person or git might make.
    fn edit(&mut self, number: u64, random: &mut fastrand::Rng) {
        let days = self.days();
        let day = days[random.usize(..days.len())];
        let theirs = add(number, 77, "theirs");
        let line = lines(std::slice::from_ref(&theirs))[0].clone();
        let text = self.model.content(day).expect("there");
        match random.u32(..4) {
            0 => {
                self.model.replace(day, &[line.as_bytes(), b"\n", &text].concat());
                self.foreign.push(theirs);
            }
            1 => {
                self.model.append_unlocked(day, line.as_bytes());
                self.foreign.push(theirs);
            }
            2 => self.model.append_unlocked(day, b"a remark without an end"),
            _ => {
                let text = [b"<<<<<<< HEAD\n".as_slice(), &text, b"=======\n>>>>>>> main"].concat();
                self.model.replace(day, &text);
            }
        }
    }
}

/// Checks the state of a disk after a crash.
fn check(image: &Image, acknowledged: &[Event], known: &BTreeSet<Event>) {
    let model = ModelDisk::with_image("memory", image);
    let journal = Journal::open(Arc::new(model.clone())).expect("opens");
    let mut follower = Follower::new(Arc::new(model.clone()));
    let events = follower.replay(LATER).expect("readable");
    let found: BTreeSet<_> = events.iter().cloned().collect();
    assert!(acknowledged.iter().all(|event| found.contains(event)), "{image:?}");
    assert!(found.is_subset(known), "{image:?}");
    let ids = known.iter().map(|event| event.id).collect();
    let mut reported: BTreeMap<Day, BTreeSet<u64>> = BTreeMap::new();
    for fault in follower.faults() {
        reported.entry(fault.day).or_default().insert(fault.line);
        assert!(!matches!(fault.kind, FaultKind::Torn), "{image:?}");
    }
    for day in image.keys() {
        let content = model.content(*day).expect("there");
        assert!(content.is_empty() || content.ends_with(b"\n"), "{image:?}");
        // Every line is a known event or is reported as a fault.
        for (at, line) in content.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let is_reported = reported.get(day).is_some_and(|lines| lines.contains(&(at as u64 + 1)));
            let text = std::str::from_utf8(line).unwrap_or_default();
            assert!(is_reported || known_line(text, &ids), "{text}");
        }
    }
    let next = add(5000, 5, "after the crash");
    journal.append(&next).expect("writable");
    let after: BTreeSet<_> = follower.replay(LATER).expect("readable").into_iter().collect();
    assert!(after.is_superset(&found) && after.contains(&next), "{image:?}");
}

/// Returns whether a line holds known events only. Anything else on the line would be reported as a fault.
fn known_line(line: &str, known: &BTreeSet<EventId>) -> bool {
    let ids = line.split("\"event_id\":\"").skip(1).filter_map(|rest| rest.get(..32)?.parse().ok());
    let are_known: Vec<_> = ids.map(|id| known.contains(&id)).collect();
    line.starts_with("{\"event\"") && line.ends_with('}') && !are_known.is_empty() && !are_known.contains(&false)
}

#[test]
fn acknowledged_events_survive_a_crash_at_any_step() {
    let mut seen = 0;
    for seed in 0.. {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut work = Work::new();
        for number in 0..10 {
            let number = random.u64(..20) * 100 + number;
            let events: Vec<_> = (0..random.u64(1..4)).map(|more| any_kind(number + more * 3000)).collect();
            work.append(&events);
            match random.u32(..5) {
                0 => work.open_again(),
                1 => work.edit(4000 + number, &mut random),
                _ => {}
            }
        }
        let known: BTreeSet<_> = work.acknowledged.iter().chain(&work.foreign).cloned().collect();
        let mut images = BTreeSet::new();
        for moment in work.history.moments() {
            images.extend(moment.images().into_iter().map(|image| (image, moment.acknowledged)));
        }
        for (image, acknowledged) in &images {
            check(&image[0], &work.acknowledged[..*acknowledged], &known);
        }
        seen += images.len();
        if seen >= STATES {
            break;
        }
    }
}

#[test]
fn the_oracle_detects_a_lost_event() {
    // A journal that did not sync would lose its first event.
    let (model, history) = (ModelDisk::new("memory"), History::default());
    model.record(&history);
    let journal = Journal::open(Arc::new(model.clone())).expect("opens");
    journal.append(&any_kind(0)).expect("writable");
    let found =
        |moment: &Moment| moment.images().iter().any(|image| image[0].values().all(|text| !text.ends_with(b"\n")));
    let history = history.moments();
    assert!(history[..history.len() - 1].iter().all(found), "every state but the last may lose it");
    assert!(!found(history.last().expect("the last")), "and the last does not");
}
