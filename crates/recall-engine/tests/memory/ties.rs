//! The order of memories with equal scores.

use std::collections::BTreeMap;
use std::fs;

use proptest::collection::btree_map;
use proptest::prelude::*;
use recall_core::{MemoryId, Scope, SearchRequest};

use crate::support::Sandbox;

/// More memories than a page holds or a retriever returns.
const MOST: usize = 130;

/// The number of batches in which foreign journals arrive.
const LOTS: usize = 3;

/// The random parts of a memory: its batch, the minute of its addition, and which of a few texts it has.
type Drawn = (usize, u32, usize);

/// Returns a line of another machine. All texts have the same number of words, and some are equal, so that all scores are equal.
fn line(number: u32, &(_, minute, text): &Drawn) -> String {
    let word = |salt: u32| {
        let mut random = fastrand::Rng::with_seed(u64::from(salt));
        (0..6).map(|_| random.lowercase()).collect::<String>()
    };
    let salt = if text == 0 { 0 } else { number };
    let words: Vec<String> = (0..6).map(|place| word(salt.wrapping_mul(7).wrapping_add(place))).collect();
    let (hour, minute) = (minute / 60, minute % 60);
    format!(
        r#"{{"event":"add","event_id":"{number:032x}","id":"L-{number:08x}","type":"lesson","title":"Wombats","content":"wombats {}","scope":"project","origin":"observed","timestamp":"2026-11-20T{hour:02}:{minute:02}:00Z"}}"#,
        words.join(" "),
    ) + "\n"
}

/// Returns the hits of a search: the memories, and the number of repetitions of each.
fn told(sandbox: &Sandbox) -> Vec<(MemoryId, usize)> {
    let engine = sandbox.engine();
    engine.settle(&sandbox.origin(), Scope::All).expect("settled");
    let request = SearchRequest::new("wombats", Scope::Project, 100);
    engine.search(&sandbox.origin(), &request).expect("an answer");
    engine.settle(&sandbox.origin(), Scope::All).expect("settled");
    let hits = engine.search(&sandbox.origin(), &request).expect("an answer").hits;
    engine.close();
    hits.into_iter().map(|hit| (hit.memory.expect("a memory").memory.id, hit.also_at.len())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn a_rebuilt_index_answers_in_the_same_order_for_any_order_of_arrival(
        memories in btree_map(any::<u32>(), (0..LOTS, 0..1440_u32, 0..4_usize), 2..MOST),
    ) {
        let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
        let journal = ".recall/2026-11-20/memories.jsonl";
        let mut lots: BTreeMap<usize, String> = BTreeMap::new();
        for (number, drawn) in &memories {
            lots.entry(drawn.0).or_default().push_str(&line(*number, drawn));
        }
        let (mut lines, mut grown) = (String::new(), Vec::new());
        for lot in lots.values() {
            lines.push_str(lot);
            sandbox.write(journal, &lines);
            grown = told(&sandbox);
        }
        fs::remove_dir_all(sandbox.home().join("stores")).expect("it was there");
        prop_assert_eq!(told(&sandbox), grown);
    }
}
