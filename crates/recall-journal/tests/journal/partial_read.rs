//! Reading a few memories' events, compared with a full read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use recall_core::{ItemId, MemoryId};
use recall_journal::{Day, Follower, Memories, read_events_of};
use recall_testkit::{Image, ModelDisk};

use crate::drawn::{LATER, events, memory_id, written};

/// Lines that other programs wrote, or that a person edited.
const FOREIGN: &str = concat!(
    "{\"type\":\"lesson\",\"source\":\"wiki\",\"content\":\"wombats dig\",\"timestamp\":\"2026-11-20T10:00:00Z\"}\r\n",
    "{\"content\":\"by hand\",\"id\":\"N-00000004\",\"event\":\"add\",\"timestamp\":\"2026-11-20T10:00:00Z\"}\n",
    "<<<<<<< HEAD\n",
    "{\"event\":\"add\",\"title\":\",\\\"id\\\":\\\"D-00000000\",\"id\":\"P-00000001\",\"content\":\"quotes\"}\n",
);

fn check(image: &Image, asked: &BTreeSet<MemoryId>) {
    let disk = ModelDisk::with_image("memory", image);
    let all = Follower::new(Arc::new(disk.clone())).replay(LATER).expect("readable");
    let retires = |event: &recall_core::Event| event.new_memory().and_then(|added| added.supersedes);
    let is_about = |event: &&recall_core::Event| {
        matches!(event.item(), ItemId::Memory(id) if asked.contains(&id))
            || retires(event).is_some_and(|id| asked.contains(&id))
    };
    let expected: Memories = all.iter().filter(is_about).cloned().collect();
    let partial = read_events_of(&disk, asked).expect("readable").into_iter().collect::<Memories>();
    assert_eq!(partial, expected);
    for id in asked {
        assert_eq!(partial.memory(*id), all.iter().cloned().collect::<Memories>().memory(*id));
    }
}

proptest! {
    #[test]
    fn a_partial_read_equals_a_full_read(events in events(), asked in prop::collection::btree_set(0..6_u32, 0..4)) {
        let mut image = written(&events);
        image.insert(Day::from_name("2026-11-19").expect("a day"), FOREIGN.as_bytes().to_vec());
        check(&image, &asked.into_iter().map(memory_id).collect());
    }
}

#[test]
fn foreign_lines_are_found_by_their_derived_ids() {
    let image = BTreeMap::from([(Day::from_name("2026-11-19").expect("a day"), FOREIGN.as_bytes().to_vec())]);
    let all = Follower::new(Arc::new(ModelDisk::with_image("memory", &image))).replay(LATER).expect("readable");
    let memories: Memories = all.into_iter().collect();
    let ids: Vec<_> = memories.iter().map(|memory| memory.id).collect();
    assert_eq!(ids.len(), 3);
    for id in ids {
        check(&image, &BTreeSet::from([id]));
    }
}
