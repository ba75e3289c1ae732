//! Merges of two branches, which must lose nothing and give one state in either direction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::Event;
use recall_journal::{Follower, Memories};

use crate::drawn::{LATER, any_kind, lines, written};
use recall_testkit::{Image, ModelDisk};

/// The number of merges.
const MERGES: u64 = 2000;

/// Two branches and their common ancestor.
pub(crate) struct Branches {
    pub(crate) base: Vec<Event>,
    pub(crate) ours: Vec<Event>,
    pub(crate) theirs: Vec<Event>,
}

impl Branches {
    /// Generates branches that add, edit, delete and rate the same few memories; they have some events in common.
    pub(crate) fn draw(random: &mut fastrand::Rng) -> Self {
        let mut draw = |most: usize| -> Vec<Event> {
            let count = random.usize(..=most);
            (0..count).map(|_| any_kind(random.u64(..120))).collect()
        };
        let (base, both) = (draw(12), draw(3));
        let mut side = || {
            let mut events = [both.clone(), draw(12)].concat();
            fastrand::Rng::with_seed(events.len() as u64).shuffle(&mut events);
            [base.clone(), events].concat()
        };
        let (ours, theirs) = (side(), side());
        Self { base, ours, theirs }
    }

    pub(crate) fn expected(&self) -> Memories {
        [&self.base, &self.ours, &self.theirs].into_iter().flatten().cloned().collect()
    }
}

pub(crate) fn state(image: &Image) -> Memories {
    let mut follower = Follower::new(Arc::new(ModelDisk::with_image("memory", image)));
    let events = follower.replay(LATER).expect("readable");
    assert_eq!(follower.faults().filter(|fault| fault.kind.is_loss()).count(), 0);
    events.into_iter().collect()
}

/// Returns a union merge: the lines of both sides where they differ, in blocks with either side first, and common lines
/// once or twice.
fn union(base: &[&str], ours: &[&str], theirs: &[&str], random: &mut fastrand::Rng) -> Vec<String> {
    let (mut ours, mut theirs) = (&ours[base.len()..], &theirs[base.len()..]);
    let mut merged: Vec<String> = base.iter().map(ToString::to_string).collect();
    while !(ours.is_empty() && theirs.is_empty()) {
        if random.bool() && !ours.is_empty() && ours.first() == theirs.first() {
            merged.push(ours[0].to_owned());
            (ours, theirs) = (&ours[1..], &theirs[1..]);
            continue;
        }
        let (side, count) =
            if random.bool() { (&mut ours, random.usize(..4)) } else { (&mut theirs, random.usize(..4)) };
        let (block, rest) = side.split_at(count.min(side.len()));
        merged.extend(block.iter().map(ToString::to_string));
        *side = rest;
    }
    merged
}

/// Returns a merge with conflict markers, as git leaves it without the attribute.
fn conflict(base: &[&str], ours: &[&str], theirs: &[&str]) -> Vec<String> {
    let (ours, theirs) = (&ours[base.len()..], &theirs[base.len()..]);
    let lines = [base, &["<<<<<<< HEAD"], ours, &["======="], theirs, &[">>>>>>> branch"]].concat();
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn a_merge_loses_no_event_of_either_side() {
    for seed in 0..MERGES {
        let mut random = fastrand::Rng::with_seed(seed);
        let branches = Branches::draw(&mut random);
        let [base, ours, theirs] = [&branches.base, &branches.ours, &branches.theirs].map(|events| written(events));
        let days: BTreeSet<_> = ours.keys().chain(theirs.keys()).copied().collect();
        let mut merged = BTreeMap::new();
        for day in days {
            let text = |image: &Image| String::from_utf8(image.get(&day).cloned().unwrap_or_default()).expect("text");
            let [base, ours, theirs] = [&base, &ours, &theirs].map(text);
            let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| text.lines().collect::<Vec<_>>());
            let lines = match seed % 4 {
                0 => conflict(&base, &ours, &theirs),
                1 => union(&base, &theirs, &ours, &mut random),
                _ => union(&base, &ours, &theirs, &mut random),
            };
            let end = [["\n", "\r\n"][random.usize(..2)], ["", "\n"][random.usize(..2)]];
            merged.insert(day, (lines.join(end[0]) + end[1]).into_bytes());
        }
        assert_eq!(state(&merged), branches.expected(), "seed {seed}");
    }
}

#[test]
fn a_line_edited_by_hand_on_both_sides_is_there_twice() {
    let first = any_kind(0);
    let line = lines(&[first])[0].clone();
    let [ours, theirs] = ["ours", "theirs"].map(|side| line.replace("content 0", side));
    let day = recall_journal::Day::from_name("2026-11-20").expect("a day");
    let merged = |text: String| state(&BTreeMap::from([(day, text.into_bytes())]));
    let memories = merged(format!("{ours}\n{theirs}\n"));
    assert_eq!(memories, merged(format!("{theirs}\n{ours}\n")));
    let state = memories.state(crate::drawn::memory_id(0)).expect("known");
    assert_eq!(state.events().count(), 2);
}
