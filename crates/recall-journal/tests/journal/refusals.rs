//! A disk that is full or fails at any step: nothing acknowledged is lost, and every caller gets an error.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use recall_core::{Event, EventId};
use recall_journal::{AppendError, FaultKind, Follower, Journal};

use crate::drawn::{LATER, add, any_kind};
use recall_testkit::{Failures, History, Image, ModelDisk};

/// The number of appended events.
const LAST: u64 = 21;

/// The results that a caller of `append` received.
#[derive(Default)]
struct Results {
    acknowledged: BTreeSet<EventId>,
    not_written: BTreeSet<EventId>,
    unsettled: usize,
}

impl Results {
    fn append(&mut self, history: &History, journal: &Journal, events: &[Event]) {
        let ids = events.iter().map(|event| event.id);
        match journal.append_all(events) {
            Ok(()) => {
                self.acknowledged.extend(ids);
                history.acknowledge(events.len());
            }
            Err(AppendError::NotWritten { day, .. }) => {
                // Events of other days may have been written.
                let of_day = events.iter().filter(|event| recall_journal::Day::from_timestamp(event.timestamp) == day);
                self.not_written.extend(of_day.map(|event| event.id));
            }
            Err(AppendError::Unsettled { .. }) => self.unsettled += 1,
            Err(error @ AppendError::TooLong { .. }) => panic!("{error}"),
        }
    }
}

/// Returns the events of a folder. A file may end in a write that is not rolled back yet.
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

/// Appends while some steps fail, then after the disk has recovered. Returns the number of steps and the results.
fn check(failures: Failures) -> (usize, Results) {
    let (model, history) = (ModelDisk::new("memory"), History::default());
    let journal = Journal::open(Arc::new(model.clone())).expect("opens");
    let mut results = Results::default();
    results.append(&history, &journal, &[any_kind(0)]);
    model.record(&history);
    model.fail_at(Some(failures));
    for number in (1..LAST).step_by(4) {
        results.append(&history, &journal, &[any_kind(number)]);
        results.append(&history, &journal, &[any_kind(number + 1), any_kind(number + 2), any_kind(number + 3)]);
        assert!(results.acknowledged.is_subset(&ids(&model)), "{failures:?}");
    }
    let steps = model.steps();
    model.fail_at(None);
    // A caller may retry after an error. Other appends happen in between.
    results.append(&history, &journal, &[add(1000, 0, "after")]);
    let before = ids(&model);
    assert!(results.not_written.is_disjoint(&before), "{failures:?}");
    assert!(results.acknowledged.is_subset(&before), "{failures:?}");
    assert!(results.acknowledged.contains(&add(1000, 0, "after").id), "{failures:?}");
    let mut images = BTreeSet::new();
    // The number of consecutive failures hardly changes the state that a crash may leave, so only one and all are
    // tested.
    let moments = if matches!(failures.count, 2..10) { Vec::new() } else { history.moments() };
    for moment in moments {
        images.extend(moment.images().into_iter().map(|image| (image, moment.acknowledged)));
    }
    let order: Vec<_> =
        (0..LAST).map(|number| any_kind(number).id).filter(|id| results.acknowledged.contains(id)).collect();
    for (image, acknowledged) in &images {
        let found = after_a_crash(&image[0]);
        let expected = &order[..(*acknowledged).min(order.len())];
        assert!(expected.iter().all(|id| found.contains(id)), "{failures:?}");
    }
    let all: Vec<_> = (0..LAST).map(any_kind).collect();
    results.append(&history, &journal, &all);
    assert_eq!(ids(&model), results.acknowledged, "{failures:?}");
    assert!(!has_faults(&model), "{failures:?}");
    (steps, results)
}

fn after_a_crash(image: &Image) -> BTreeSet<EventId> {
    let model = ModelDisk::with_image("memory", image);
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
                let (_, results) = check(Failures { first, count, kind });
                assert!(
                    !results.not_written.is_empty() || results.unsettled > 0,
                    "step {first} failed and no caller got an error"
                );
                not_written += results.not_written.len();
                unsettled += results.unsettled;
            }
        }
    }
    assert!(not_written > 0 && unsettled > 0, "{not_written} {unsettled}");
}

#[test]
fn a_failed_sync_fails_every_append_of_its_batch() {
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
