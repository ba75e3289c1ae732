//! Memories are stored, found, and verified against the files.

mod anchors;
mod changes;
mod outside;
mod own;
mod scopes;
mod scripts;
mod stale;
mod ties;
#[path = "memory/use.rs"]
mod use_of_it;
mod writing;

use recall_core::{AddMemory, MemoryId, MemoryType, Provenance, Repeats};
use recall_engine::{AddOutcome, AddReport, Engine};

use crate::support::{Sandbox, new_memory};

/// Returns a minimal lesson by an agent.
fn lesson(title: &str, content: &str) -> AddMemory {
    AddMemory { repeats: Repeats::Refuse, provenance: agent(), ..new_memory(MemoryType::Lesson, title, content) }
}

fn agent() -> Provenance {
    Provenance { agent: Some("claude-code".to_owned()), ..Provenance::default() }
}

#[track_caller]
fn add(sandbox: &Sandbox, engine: &Engine, memory: &AddMemory) -> MemoryId {
    let AddReport { id, outcome, .. } = engine.add_memory(&sandbox.origin(), memory).expect("kept");
    assert_ne!(outcome, AddOutcome::Repeats);
    id
}

/// Returns the distinct ids of the memories among the hits, best first.
fn found(sandbox: &Sandbox, engine: &Engine, query: &str) -> Vec<MemoryId> {
    let mut ids: Vec<MemoryId> = Vec::new();
    for hit in sandbox.search(engine, query).hits {
        ids.extend(hit.memory.map(|recalled| recalled.memory.id).filter(|id| !ids.contains(id)));
    }
    ids
}

/// A project with further files about wombats, since scores are standardised over the candidates.
fn with_others(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(files);
    for n in 0..12 {
        let text = format!("# Zoo {n}\n\n{}Keepers of house {n} saw wombats.\n", "Feed them at noon.\n".repeat(n));
        sandbox.write(&format!("zoo/house{n}.md"), &text);
    }
    sandbox
}
