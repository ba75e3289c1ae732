//! Journals that were written by other users or programs.

use std::fs;

use recall_core::Scope;

use super::{add, found, lesson};
use crate::support::Sandbox;

/// Returns a line as a person or another program may write it.
fn foreign(kind: &str, content: &str) -> String {
    format!(r#"{{"type":"{kind}","source":"wiki","content":"{content}","timestamp":"2026-11-20T10:00:00Z"}}"#) + "\n"
}

#[test]
fn foreign_changes_of_a_journal_are_indexed_like_changed_files() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    assert_eq!(found(&sandbox, &engine, "wombats"), []);
    let day = ".recall/2026-11-20/memories.jsonl";
    sandbox.write(day, &foreign("lesson", "wombats dig burrows"));
    assert_eq!(found(&sandbox, &engine, "wombats").len(), 1);

    let both = foreign("lesson", "wombats dig burrows") + &foreign("decision", "wombats are welcome");
    sandbox.write(day, &both);
    assert_eq!(found(&sandbox, &engine, "wombats").len(), 2);

    sandbox.write(day, &foreign("decision", "wombats are welcome"));
    let left = found(&sandbox, &engine, "wombats");
    assert_eq!(left.len(), 1);
    fs::remove_dir_all(sandbox.root().join(".recall/2026-11-20")).expect("removed");
    assert_eq!(found(&sandbox, &engine, "wombats"), []);
}

#[test]
fn unreadable_lines_are_reported_and_do_not_affect_other_lines() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let lines = [
        "<<<<<<< HEAD\n",
        &foreign("lesson", "wombats dig burrows"),
        "=======\n",
        "{\"broken\": \n",
        &foreign("note", "wombats sleep by day"),
        ">>>>>>> theirs\n",
    ];
    sandbox.write(".recall/2026-11-20/memories.jsonl", &lines.concat());
    let engine = sandbox.engine();
    assert_eq!(found(&sandbox, &engine, "wombats").len(), 2);
    let status = engine.status(&sandbox.origin(), Scope::Project, 10).expect("told");
    let store = &status.stores[0];
    assert_eq!((store.memories, store.failed), (2, 1));
    assert_eq!(store.failures[0].path, ".recall/2026-11-20/memories.jsonl:4");
    let id = add(&sandbox, &engine, &lesson("Wombats bite", "They do when they are cornered."));
    assert!(found(&sandbox, &engine, "wombats bite").contains(&id));
}

#[test]
fn secrets_in_foreign_lines_are_masked() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    sandbox.write(".recall/2026-11-20/memories.jsonl", &foreign("note", &format!("the wombat token is {token}")));
    let engine = sandbox.engine();
    let hit = &sandbox.search(&engine, "wombat token").hits[0];
    let memory = &hit.memory.as_ref().expect("a memory").memory;
    assert!(!hit.text.contains(&token) && !memory.content.contains(&token) && !memory.title.contains(&token));
}
