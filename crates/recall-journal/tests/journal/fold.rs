//! The fold of events to memories, independent of order and repetition.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use recall_core::{Event, EventBody, EventId, ItemId, MemoryChange, MemoryOrigin, Promotion, StoreScope, Timestamp};
use recall_journal::{Applied, Follower, Judged, LineHash, LineReader, Memories, event_ids, event_of_line};

use crate::drawn::{
    LATER, NOON, add, any_event, delete, event, events, memory_id, new_memory, update, useful, written,
};
use recall_testkit::ModelDisk;

/// Checks the content and the deletion of memory 0 after some events, applied in both orders.
#[track_caller]
fn check(events: &[Event], content: &str, is_deleted: bool) {
    let forwards: Memories = events.iter().cloned().collect();
    let backwards: Memories = events.iter().rev().cloned().collect();
    assert_eq!(forwards, backwards);
    let memory = forwards.memory(memory_id(0)).expect("it was added");
    assert_eq!((&*memory.content, memory.deleted.is_some()), (content, is_deleted));
    assert_eq!(forwards.iter().count(), usize::from(!is_deleted));
}

#[test]
fn the_later_edit_wins() {
    check(&[add(0, 0, "a"), update(1, 0, "b"), update(2, 0, "c")], "c", false);
}

#[test]
fn equal_timestamps_are_ordered_by_event_id() {
    let of = |id: u8, content: &str| Event { id: EventId([id; 16]), ..update(5, 0, content) };
    check(&[add(0, 0, "a"), of(2, "greater"), of(1, "less")], "greater", false);
}

#[test]
fn an_edit_after_a_deletion_restores_the_memory() {
    check(&[add(0, 0, "a"), delete(1, 0), update(2, 0, "b")], "b", false);
    check(&[add(0, 0, "a"), update(1, 0, "b"), delete(2, 0)], "b", true);
    check(&[add(0, 0, "a"), delete(1, 0), add(2, 0, "again")], "again", false);
}

#[test]
fn feedback_on_a_deleted_memory_does_not_restore_it() {
    let promote = event(3, 0, MemoryChange::Promote(Promotion { to: StoreScope::Global, domain: None }));
    check(
        &[add(0, 0, "a"), delete(1, 0), useful(2, 0), promote, event(4, 0, MemoryChange::Verify { anchors: None })],
        "a",
        true,
    );
}

#[test]
fn edits_of_different_fields_are_merged() {
    let title = recall_core::Amendment { title: Some("b's".into()), ..recall_core::Amendment::default() };
    let events = [add(0, 0, "a"), update(2, 0, "a's"), event(1, 0, MemoryChange::Update(Box::new(title)))];
    let memory = events.into_iter().collect::<Memories>().memory(memory_id(0)).expect("added");
    assert_eq!((&*memory.title, &*memory.content), ("b's", "a's"));
}

#[test]
fn amendments_without_an_addition_are_not_a_memory() {
    let mut memories: Memories = [update(1, 0, "b"), useful(2, 0)].into_iter().collect();
    assert_eq!(memories.memory(memory_id(0)), None);
    assert_eq!(memories.orphans().collect::<Vec<_>>(), [memory_id(0)]);
    assert_eq!(memories.apply(add(0, 0, "a")), Applied::New(ItemId::Memory(memory_id(0))));
    let memory = memories.memory(memory_id(0)).expect("added");
    assert_eq!((&*memory.content, memory.feedback.useful), ("b", 1));
    assert_eq!(memories.orphans().count(), 0);
}

#[test]
fn a_repeated_event_counts_once() {
    let mut memories = Memories::default();
    for _ in 0..3 {
        memories.apply(add(0, 0, "a"));
        memories.apply(useful(1, 0));
    }
    assert_eq!(memories.apply(useful(1, 0)), Applied::Known);
    // The same event, with a field edited by hand.
    let mut changed = useful(1, 0);
    changed.provenance.session = None;
    memories.apply(changed);
    assert_eq!(memories.feedback(ItemId::Memory(memory_id(0)), &|_| true).useful, 1);
}

#[test]
fn two_texts_under_one_id_are_reported() {
    let memories: Memories = [add(0, 0, "a"), add(1, 0, "b"), add(1, 1, "c"), add(2, 1, "c")].into_iter().collect();
    assert_eq!(memories.collisions().collect::<Vec<_>>(), [memory_id(0)]);
    let state = memories.state(memory_id(0)).expect("known");
    assert_eq!(state.rivals().map(|(_, added)| &*added.content).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn a_memory_is_superseded_while_its_superseder_exists() {
    let newer = |number, memory| {
        let mut added = new_memory("newer");
        (added.supersedes, added.origin) = (Some(memory_id(0)), MemoryOrigin::Inferred);
        event(number, memory, MemoryChange::Add(Box::new(added)))
    };
    let mut memories: Memories = [add(0, 0, "a"), newer(1, 1), newer(2, 2)].into_iter().collect();
    assert_eq!(memories.superseded_by(memory_id(0), &|_| true), Some(memory_id(2)));
    let since = |memories: &Memories| memories.successor(memory_id(0), &|_| true).map(|newer| newer.since);
    assert_eq!(since(&memories), Some(Timestamp(NOON + 2)));
    memories.apply(delete(3, 2));
    assert_eq!(since(&memories), Some(Timestamp(NOON + 1)), "the end of its time follows");
    assert_eq!(memories.superseded_by(memory_id(0), &|_| true), Some(memory_id(1)));
    memories.apply(delete(4, 1));
    assert_eq!(memories.superseded_by(memory_id(0), &|_| true), None);
}

#[test]
fn a_proposal_counts_once_it_is_accepted() {
    let mut newer = new_memory("newer");
    newer.supersedes = Some(memory_id(0));
    let propose = event(1, 1, MemoryChange::Propose(Box::new(newer)));
    let mut memories: Memories = [add(0, 0, "a"), propose].into_iter().collect();
    let proposed = |memories: &Memories| memories.memory(memory_id(1)).map(|memory| memory.proposed);
    let inputs =
        |memories: &Memories| memories.validity_inputs(memory_id(1), &|_| true, &|_| true).map(|(of, _)| of.is_retired);
    assert_eq!((proposed(&memories), inputs(&memories)), (Some(true), Some(true)));
    assert_eq!(memories.superseded_by(memory_id(0), &|_| true), None);
    memories.apply(event(3, 1, MemoryChange::Accept));
    memories.apply(update(2, 1, "amended"));
    assert_eq!((proposed(&memories), inputs(&memories)), (Some(false), Some(false)));
    let successor = memories.successor(memory_id(0), &|_| true).map(|newer| (newer.id, newer.since));
    assert_eq!(successor, Some((memory_id(1), Timestamp(NOON + 3))), "it counts since it was accepted");
    assert_eq!(memories.superseded_by(memory_id(0), &|_| false), None);
    assert!(memories.memory(memory_id(1)).is_some_and(|memory| memory.verified.is_some()));
    let judged = memories
        .judge(memory_id(1), &|event| !matches!(event.body, EventBody::Memory { change: MemoryChange::Accept, .. }));
    assert!(judged.is_some_and(|judged| judged.foreign.is_some() && judged.memory.verified.is_none()));
    assert_eq!(memories.predecessors(memory_id(1)).into_iter().collect::<Vec<_>>(), [memory_id(0)]);
}

#[test]
fn moment_after_is_later_than_a_clock_that_runs_ahead() {
    let mut memories: Memories = [add(100, 0, "from a fast clock")].into_iter().collect();
    let now = Timestamp(NOON + 50);
    assert_eq!(memories.moment_after(memory_id(1), now), now);
    let moment = memories.moment_after(memory_id(0), now);
    memories.apply(Event { timestamp: moment, ..update(50, 0, "later") });
    assert_eq!(&*memories.memory(memory_id(0)).expect("added").content, "later");
}

/// A second formulation of the rule for one field: it has the value of the greatest event with that field.
fn content_by_rule(events: &BTreeSet<Event>) -> Option<(Arc<str>, bool)> {
    let mine = |event: &&Event| event.item() == ItemId::Memory(memory_id(0));
    let content = |event: &Event| match &event.body {
        EventBody::Memory { change: MemoryChange::Add(added) | MemoryChange::Propose(added), .. } => {
            Some(Arc::clone(&added.content))
        }
        EventBody::Memory { change: MemoryChange::Update(amendment), .. } => amendment.content.clone(),
        _ => None,
    };
    let is = |event: &Event, names: &[&str]| {
        let EventBody::Memory { change, .. } = &event.body else { return false };
        let name = match change {
            MemoryChange::Add(_) | MemoryChange::Propose(_) => "add",
            MemoryChange::Update(_) => "update",
            MemoryChange::Delete { .. } => "delete",
            MemoryChange::Verify { .. } | MemoryChange::Promote(_) | MemoryChange::Accept => "other",
        };
        names.contains(&name)
    };
    let mine = || events.iter().filter(mine);
    mine().find(|event| is(event, &["add"]))?;
    let of_max = |events: &mut dyn Iterator<Item = &Event>| events.max().cloned();
    // The first addition overwrites every field of earlier amendments.
    let greatest = of_max(&mut mine().filter(|event| content(event).is_some()));
    let value = greatest.and_then(|event| content(&event)).expect("an addition has content");
    let deletion = of_max(&mut mine().filter(|event| is(event, &["delete"])));
    let edit = of_max(&mut mine().filter(|event| is(event, &["add", "update"])));
    Some((value, deletion > edit))
}

proptest! {
    #[test]
    fn order_repetition_and_distribution_over_files_do_not_matter(
        events in events(),
        again in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        shuffle in any::<u64>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let expected: Memories = events.iter().cloned().collect();
        let mut others = events.clone();
        if !events.is_empty() {
            others.extend(again.iter().map(|index| index.get(&events).clone()));
        }
        fastrand::Rng::with_seed(shuffle).shuffle(&mut others);
        let mut memories: Memories = others.iter().cloned().collect();
        prop_assert_eq!(&memories, &expected);
        prop_assert_eq!(memories.records().collect::<Vec<_>>(), expected.records().collect::<Vec<_>>());
        for event in &events {
            prop_assert_eq!(memories.apply(event.clone()), Applied::Known);
        }
        // Through files, in two folders, read in two steps.
        let parts = others.split_at(if others.is_empty() { 0 } else { cut.index(others.len()) });
        let mut through_files = Memories::default();
        for part in [parts.1, parts.0] {
            let mut follower = Follower::new(Arc::new(ModelDisk::with_image("memory", &written(part))));
            for event in follower.replay(LATER).expect("readable") {
                through_files.apply(event);
            }
            prop_assert_eq!(follower.faults().next(), None);
        }
        prop_assert_eq!(through_files, expected);
    }

    #[test]
    fn every_event_reads_back_as_it_was_written(event in any_event()) {
        let mut follower = Follower::new(Arc::new(ModelDisk::with_image("memory", &written(std::slice::from_ref(&event)))));
        prop_assert_eq!(follower.replay(LATER).expect("readable"), [event]);
        prop_assert_eq!(follower.faults().next(), None);
    }

    #[test]
    fn the_greatest_event_of_a_field_wins(events in events()) {
        let events: Vec<Event> = events.into_iter().filter(|event| !is_reversal(event)).collect();
        let memories: Memories = events.iter().cloned().collect();
        let found = memories.memory(memory_id(0)).map(|memory| (memory.content, memory.deleted.is_some()));
        prop_assert_eq!(found, content_by_rule(&events.iter().cloned().collect()));
    }

    #[test]
    fn a_reversal_gives_the_state_before_and_its_reversal_the_state_after(
        events in events(),
        chosen in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    ) {
        let id = memory_id(0);
        let is_mine = |event: &&Event| event.item() == ItemId::Memory(id) && event.timestamp < reversal(0, id, Vec::new()).timestamp;
        let mine: Vec<Event> = events.iter().filter(is_mine).cloned().collect();
        let others: Vec<Event> = mine.iter().filter(|event| !is_reversal(event)).cloned().collect();
        if others.is_empty() {
            return Ok(());
        }
        let taken: BTreeSet<EventId> = chosen.iter().map(|index| index.get(&others).id).collect();
        let left: Memories = others.iter().filter(|event| !taken.contains(&event.id)).cloned().collect();
        let mut memories: Memories = others.iter().cloned().collect();
        let before = memories.memory(id);
        let first = reversal(1, id, taken.into_iter().collect());
        let second = reversal(2, id, vec![first.id]);
        memories.apply(first.clone());
        prop_assert_eq!(memories.memory(id), left.memory(id));
        memories.apply(second.clone());
        prop_assert_eq!(memories.memory(id), before);
        memories.apply(reversal(3, id, vec![second.id]));
        prop_assert_eq!(memories.memory(id), left.memory(id));
        // With reversals among the events, in another order.
        let whole: Memories = mine.iter().cloned().chain([first.clone()]).collect();
        let turned: Memories = [first].into_iter().chain(mine.iter().rev().cloned()).collect();
        prop_assert_eq!(whole.memory(id), turned.memory(id));
    }

    #[test]
    fn nothing_is_lost(events in events()) {
        let memories: Memories = events.iter().cloned().collect();
        for event in &events {
            if let ItemId::Memory(id) = event.item() {
                let known = memories.state(id).is_some_and(|state| state.events().any(|known| known == event));
                prop_assert!(known);
            }
        }
    }

    #[test]
    fn if_all_events_count_judged_equals_memory(events in events()) {
        let memories: Memories = events.iter().cloned().collect();
        let expected = memories.memory(memory_id(0)).map(|memory| Judged { memory, foreign: None });
        prop_assert_eq!(memories.judge(memory_id(0), &|_| true), expected);
    }

    #[test]
    fn verdicts_that_do_not_count_have_no_effect(events in events(), own in any::<u64>()) {
        let events: Vec<Event> = events.into_iter().filter(|event| !is_reversal(event) && !is_acceptance(event)).collect();
        let counts = |event: &Event| event.id.0[0] & (own as u8) == 0;
        let all: Memories = events.iter().cloned().collect();
        let is_kept = |event: &&Event| counts(event) || !is_verdict(event);
        let others: Memories = events.iter().filter(is_kept).cloned().collect();
        for number in 0..3 {
            prop_assert_eq!(all.judge(memory_id(number), &counts), others.judge(memory_id(number), &counts));
        }
    }

    #[test]
    fn a_memory_is_foreign_exactly_if_a_foreign_event_determines_its_content(
        events in events(),
        own in any::<u64>(),
    ) {
        let counts = |event: &Event| event.id.0[0] & (own as u8) == 0;
        let all: Memories = events.iter().cloned().collect();
        let mine: Memories = events.iter().filter(|event| counts(event)).cloned().collect();
        let Some(judged) = all.judge(memory_id(0), &counts) else { return Ok(()) };
        if judged.foreign.is_none() {
            // The others' events determine nothing: without them the content is the same.
            let alone = mine.memory(memory_id(0)).expect("it was added by own events");
            let said = |memory: &recall_core::Memory| {
                (memory.title.clone(), memory.content.clone(), memory.tags.clone(), memory.anchors.clone(), memory.updated)
            };
            prop_assert_eq!(said(&alone), said(&judged.memory));
        } else {
            let (id, at) = judged.foreign.expect("checked");
            prop_assert!(events.iter().any(|event| event.id == id && event.timestamp == at && !counts(event)));
        }
    }

    #[test]
    fn a_line_has_the_hash_and_the_id_of_its_event(event in any_event()) {
        let disk = Arc::new(ModelDisk::with_image("memory", &written(std::slice::from_ref(&event))));
        let mut seen = Vec::new();
        LineReader::new(disk).read(0, &mut |day, line| {
            seen.push((LineHash::from_line(line), event_ids(line).collect::<Vec<_>>(), event_of_line(line, day)));
        }).expect("readable");
        prop_assert_eq!(seen, [(LineHash::from_event(&event), vec![event.id], Some(event.clone()))]);
    }

    #[test]
    fn another_event_has_another_hash(one in any_event(), other in any_event()) {
        prop_assert_eq!(LineHash::from_event(&one) == LineHash::from_event(&other), one == other);
    }
}

fn is_reversal(event: &Event) -> bool {
    matches!(event.body, EventBody::Revert { .. })
}

/// Takes events of a memory back, after all that are drawn.
fn reversal(number: u8, id: recall_core::MemoryId, events: Vec<EventId>) -> Event {
    Event {
        timestamp: Timestamp(i64::MAX - 10 + i64::from(number)),
        id: EventId::from_parts(&[b"reversal", &[number]]),
        body: EventBody::Revert { item: ItemId::Memory(id), events },
        provenance: recall_core::Provenance::default(),
    }
}

fn is_acceptance(event: &Event) -> bool {
    matches!(event.body, EventBody::Memory { change: MemoryChange::Accept, .. })
}

/// Returns whether an event is feedback or a verification.
fn is_verdict(event: &Event) -> bool {
    matches!(event.body, EventBody::Feedback { .. } | EventBody::Memory { change: MemoryChange::Verify { .. }, .. })
}
