//! What use says of what was remembered.

use recall_core::{AddMemory, Feedback, ItemId, RateItem, Repeats, Scope, Trust, Verdict};
use recall_engine::{Engine, FeedbackReport, MemoryError};

use super::support::{Sandbox, request};
use super::{add, agent, found, lesson, with_others};

fn rate(sandbox: &Sandbox, engine: &Engine, item: ItemId, verdict: Verdict) -> Result<FeedbackReport, MemoryError> {
    let feedback = Feedback { verdict, note: None };
    engine.rate_item(&sandbox.origin(), &RateItem { item, feedback, provenance: agent() })
}

#[test]
fn feedback_counts_moves_the_order_and_outlives_the_engine() {
    let sandbox = with_others(&[]);
    let engine = sandbox.engine();
    let force = |memory: AddMemory| AddMemory { repeats: Repeats::Accept, ..memory };
    add(&sandbox, &engine, &force(lesson("About wombats", "Here wombats dig their burrows by night in spring.")));
    add(&sandbox, &engine, &force(lesson("About wombats", "Here wombats by night in spring dig their burrows.")));
    let before = found(&sandbox, &engine, "wombats");
    assert_eq!(before.len(), 2);
    let last = ItemId::Memory(before[1]);
    for _ in 0..5 {
        rate(&sandbox, &engine, last, Verdict::Useful).expect("kept");
        rate(&sandbox, &engine, ItemId::Memory(before[0]), Verdict::NotUseful).expect("kept");
    }
    let stats = rate(&sandbox, &engine, last, Verdict::Useful).expect("kept").stats;
    assert_eq!((stats.useful, stats.not_useful, stats.usefulness), (6, 0, Some(1.0)));
    let after = sandbox.search(&engine, "wombats");
    let hit = after.hits.iter().find(|hit| hit.memory.is_some()).expect("a memory");
    let first = hit.memory.as_ref().expect("a memory");
    assert_eq!((first.memory.id, first.trust), (before[1], Trust::Medium));
    let priors = &hit.explanation.as_ref().expect("explained").priors;
    assert!(priors.iter().any(|factor| factor.name == "usefulness" && factor.value > 1.0), "{priors:?}");
    engine.close();
    let again = sandbox.search(&sandbox.engine(), "wombats");
    assert_eq!(again.hits.iter().find_map(|hit| hit.memory.as_ref()), hit.memory.as_ref());
}

#[test]
fn documents_and_chunks_are_rated_too_and_what_is_unknown_is_not() {
    let sandbox = Sandbox::with(&[("a.rs", "fn wombat() {}\n")]);
    let engine = sandbox.engine();
    let hit = engine.search(&sandbox.origin(), &request("wombat")).expect("an answer").hits.remove(0);
    let stats = rate(&sandbox, &engine, ItemId::Chunk(hit.id), Verdict::Useful).expect("kept").stats;
    assert_eq!(stats.useful, 1);
    let stats = rate(&sandbox, &engine, ItemId::Document(hit.document.id), Verdict::Outdated).expect("kept").stats;
    assert!(stats.is_flagged);
    let id = add(&sandbox, &engine, &lesson("Burrows", "They are deep."));
    let part = sandbox.search(&engine, "burrows deep").hits.remove(0);
    assert_eq!(rate(&sandbox, &engine, ItemId::Chunk(part.id), Verdict::Useful).expect("kept").stats.useful, 1);
    let stats = rate(&sandbox, &engine, ItemId::Memory(id), Verdict::Useful).expect("kept").stats;
    assert_eq!(stats.useful, 2, "a part of a memory stands for it");
    let unknown = "L-00000000".parse().expect("an id");
    assert!(matches!(rate(&sandbox, &engine, unknown, Verdict::Useful), Err(MemoryError::NotFound { .. })));
    let repeats = Verdict::Duplicate { of: unknown };
    assert!(matches!(rate(&sandbox, &engine, ItemId::Chunk(hit.id), repeats), Err(MemoryError::NotFound { .. })));
    let told = engine.status(&sandbox.origin(), Scope::Project, 0).expect("told");
    assert_eq!(told.stores[0].memories, 1);
}
