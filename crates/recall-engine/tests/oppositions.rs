//! Which memories are said to contradict a new one: 341 pairs of statements about software.
//!
//! `tests/collections/oppositions` has them. The rules were written for those of the part `development`; those of the part `held-out`
//! were written before the last change of the rules, and none of them was looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use recall_core::{AddMemory, MemoryType, Repeats};
use recall_engine::{AddReport, EmbeddingModel, Engine, SimilarMemory};
use recall_models::BuiltIn;
use recall_text::Relation;
use serde::Deserialize;

use crate::support::{Sandbox, new_memory};

#[derive(Deserialize)]
struct Pair {
    kind: String,
    first: String,
    second: String,
    part: String,
}

/// The pairs in one store. The others of a batch are what a project also knows.
const BATCH: usize = 12;

/// How often each kind of pair was related how.
type Table = BTreeMap<(String, Option<Relation>), u32>;

/// Adds the first statements of the pairs, then the second ones, and counts how these are said to relate to the first ones.
fn relate(pairs: &[&Pair], table: &mut Table) {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine_with(Some(EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) }));
    let firsts: Vec<_> = pairs.iter().map(|pair| add(&sandbox, &engine, &pair.first).id).collect();
    for (pair, first) in pairs.iter().zip(firsts) {
        let similar = add(&sandbox, &engine, &pair.second).similar;
        let found = similar.iter().find(|similar| similar.id == first);
        let relation = found.and_then(|SimilarMemory { relation, .. }| *relation);
        *table.entry((pair.kind.clone(), relation)).or_default() += 1;
    }
}

fn add(sandbox: &Sandbox, engine: &Engine, text: &str) -> AddReport {
    let memory = AddMemory { repeats: Repeats::Accept, ..new_memory(MemoryType::Note, text, text) };
    engine.add_memory(&sandbox.origin(), &memory).expect("kept")
}

/// Returns the precision and the recall of contradictions, and how often each kind of pair was related how.
fn measure(part: &str) -> (f64, f64, Table) {
    let pairs = include_str!("../../../tests/collections/oppositions/pairs.jsonl");
    let pairs: Vec<Pair> = pairs.lines().map(|line| serde_json::from_str(line).expect("a pair")).collect();
    let of_part: Vec<&Pair> = pairs.iter().filter(|pair| pair.part == part).collect();
    let mut table = Table::new();
    // Each batch has pairs of all kinds.
    let batches = of_part.len().div_ceil(BATCH);
    for batch in 0..batches {
        let batch: Vec<&Pair> = of_part.iter().copied().skip(batch).step_by(batches).collect();
        relate(&batch, &mut table);
    }
    let (mut found, mut there, mut right) = (0, 0, 0);
    for ((kind, relation), count) in &table {
        let (is_found, is_there) = (*relation == Some(Relation::Contradiction), kind == "contradiction");
        found += if is_found { *count } else { 0 };
        there += if is_there { *count } else { 0 };
        right += if is_found && is_there { *count } else { 0 };
    }
    let share = |whole: u32| f64::from(right) / f64::from(whole);
    (share(found), share(there), table)
}

#[test]
fn contradictions_in_the_same_and_in_other_words_are_found() {
    for (part, least_precision, least_recall) in [("development", 0.93, 0.84), ("held-out", 0.78, 0.63)] {
        let (precision, recall, table) = measure(part);
        let figures = format!("{part}: precision {precision:.3}, recall {recall:.3}, {table:?}");
        eprintln!("{figures}");
        assert!(precision >= least_precision && recall >= least_recall, "{figures}");
    }
}
