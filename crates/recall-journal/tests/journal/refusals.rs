//! Does a disk that is full or breaks, at whatever step, cost nothing that was acknowledged, and is everybody told?

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use recall_core::{Event, EventId};
use recall_journal::{AppendError, FaultKind, Follower, Journal};

use crate::drawn::{LATER, add, any_kind};
use recall_testkit::{Failures, History, Image, ModelDisk};

/// How many events are appended.
const LAST: u64 = 21;

/// What somebody who appends was told.
#[derive(Default)]
struct Told {
    acknowledged: BTreeSet<EventId>,
    not_written: BTreeSet<EventId>,
    unsettled: usize,
}

impl Told {
    fn append(&mut self, history: &History, journal: &Journal, events: &[Event]) {
        let ids = events.iter().map(|event| event.id);
        match journal.append_all(events) {
            Ok(()) => {
                self.acknowledged.extend(ids);
                history.acknowledge(events.len());
            }
            Err(AppendError::NotWritten { day, .. }) => {
                // Those of another day may have been written.
                let of_day = events.iter().filter(|event| recall_journal::Day::of(event.timestamp) == day);
                self.not_written.extend(of_day.map(|event| event.id));
            }
            Err(AppendError::Unsettled { .. }) => self.unsettled += 1,
            Err(error @ AppendError::TooLong { .. }) => panic!("{error}"),
        }
    }
}

/// The events of a folder, of which a file may end in what was not taken back yet.
fn ids(model: &ModelDisk) -> BTreeSet<EventId> {
    let mut follower = Follower::new(Arc::new(model.clone()));
    let events = follower.replay(LATER).expect("readable");
    assert!(follower.faults().all(|fault| fault.kind == FaultKind::Torn));
    events.iter().map(|event| event.id).collect()
}

fn has_faults(model: &ModelDisk) -> bool {
    let mut follower = Follower::new(Arc::new(model.clone()));
    follower.replay(LATER).expect("readable");
    follower.faults().next().is_some()
}

/// Appends while some steps fail, then after all is well again; returns how many steps there were and what was told.
fn check(failures: Failures) -> (usize, Told) {
    let (model, history) = (ModelDisk::new("memory"), History::default());
    let journal = Journal::open(Arc::new(model.clone())).expect("opens");
    let mut told = Told::default();
    told.append(&history, &journal, &[any_kind(0)]);
    model.record(&history);
    model.fail_at(Some(failures));
    for number in (1..LAST).step_by(4) {
        told.append(&history, &journal, &[any_kind(number)]);
        told.append(&history, &journal, &[any_kind(number + 1), any_kind(number + 2), any_kind(number + 3)]);
        assert!(told.acknowledged.is_subset(&ids(&model)), "{failures:?}");
    }
    let steps = model.steps();
    model.fail_at(None);
    // Who was refused may come again; in between others come.
    told.append(&history, &journal, &[add(1000, 0, "after")]);
    let before = ids(&model);
    assert!(told.not_written.is_disjoint(&before), "{failures:?}");
    assert!(told.acknowledged.is_subset(&before), "{failures:?}");
    assert!(told.acknowledged.contains(&add(1000, 0, "after").id), "{failures:?}");
    let mut images = BTreeSet::new();
    // How many in a row fail changes little of what a crash may meet; it is looked at for one, and for all.
    let moments = if matches!(failures.count, 2..10) { Vec::new() } else { history.moments() };
    for moment in moments {
        images.extend(moment.images().into_iter().map(|image| (image, moment.acknowledged)));
    }
    let order: Vec<_> =
        (0..LAST).map(|number| any_kind(number).id).filter(|id| told.acknowledged.contains(id)).collect();
    for (image, acknowledged) in &images {
        let found = after_a_crash(&image[0]);
        let expected = &order[..(*acknowledged).min(order.len())];
        assert!(expected.iter().all(|id| found.contains(id)), "{failures:?}");
    }
    let all: Vec<_> = (0..LAST).map(any_kind).collect();
    told.append(&history, &journal, &all);
    assert_eq!(ids(&model), told.acknowledged, "{failures:?}");
    assert!(!has_faults(&model), "{failures:?}");
    (steps, told)
}

fn after_a_crash(image: &Image) -> BTreeSet<EventId> {
    let model = ModelDisk::of("memory", image);
    drop(Journal::open(Arc::new(model.clone())).expect("opens"));
    let mut follower = Follower::new(Arc::new(model));
    follower.replay(LATER).expect("readable").iter().map(|event| event.id).collect()
}

#[test]
fn every_step_may_fail() {
    let whole = check(Failures { first: usize::MAX, count: 0, kind: io::ErrorKind::Other });
    assert!(whole.1.not_written.is_empty() && whole.1.unsettled == 0);
    let (mut not_written, mut unsettled) = (0, 0);
    for count in [1, 2, 3, 5, usize::MAX] {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
            for first in 0..whole.0 {
                let (_, told) = check(Failures { first, count, kind });
                assert!(!told.not_written.is_empty() || told.unsettled > 0, "step {first} failed and nobody was told");
                not_written += told.not_written.len();
                unsettled += told.unsettled;
            }
        }
    }
    assert!(not_written > 0 && unsettled > 0, "{not_written} {unsettled}");
}

#[test]
fn a_failed_sync_is_told_to_everybody_who_waited_for_it() {
    let model = ModelDisk::new("memory");
    let journal = Journal::open(Arc::new(model.clone())).expect("opens");
    model.fail_at(Some(Failures { first: 0, count: usize::MAX, kind: io::ErrorKind::Other }));
    let append_all = |expected: bool| {
        std::thread::scope(|scope| {
            for number in 0..16 {
                let journal = &journal;
                scope.spawn(move || assert_eq!(journal.append(&any_kind(number)).is_ok(), expected));
            }
        });
    };
    append_all(false);
    assert_eq!(ids(&model), BTreeSet::new());
    model.fail_at(None);
    append_all(true);
    assert_eq!(ids(&model).len(), 16);
}

#[test]
fn an_error_says_what_failed_and_why() {
    let model = ModelDisk::new("memory");
    let journal = Journal::open(Arc::new(model.clone())).expect("opens");
    model.fail_at(Some(Failures { first: 0, count: 1, kind: io::ErrorKind::StorageFull }));
    let error = journal.append(&any_kind(0)).expect_err("the disk is full");
    assert_eq!(error.to_string(), "cannot write to the journal of 2026-11-20");
    assert_eq!(std::error::Error::source(&error).expect("why").to_string(), "no storage space");
}
