//! Writing of memories to the journal and the index.

use std::fs;
use std::time::Duration;

use recall_core::{
    AddMemory, DocumentType, Filters, MemoryOrigin, MemoryType, Repeats, Scope, SearchRequest, UpdateMemory,
};
use recall_engine::{AddOutcome, Hit, Item, ItemRequest, MemoryError, MemoryNote, Parent, RemoveRequest, Tombstones};

use super::{add, agent, found, lesson};
use crate::support::{Sandbox, paths, request, undated};

fn journals(sandbox: &Sandbox) -> String {
    let folder = sandbox.root().join(".recall");
    let mut all = String::new();
    for entry in fs::read_dir(folder).expect("there") {
        let file = entry.expect("there").path().join("memories.jsonl");
        all.extend(fs::read_to_string(file));
    }
    all
}

#[test]
fn the_first_memory_of_an_empty_open_store_is_found_at_once() {
    let mut sandbox = Sandbox::new();
    sandbox.limits.scan_interval = Duration::from_hours(1);
    fs::create_dir_all(sandbox.home().join("global")).expect("a folder");
    let engine = sandbox.engine();
    assert_eq!(found(&sandbox, &engine, "jitter"), []);
    let here = add(&sandbox, &engine, &lesson("Retries need jitter", "Without it all clients come back at once."));
    assert_eq!(found(&sandbox, &engine, "jitter"), [here]);
    let global = AddMemory { scope: Scope::Global, ..lesson("Backoff is exponential", "It doubles each time.") };
    let there = add(&sandbox, &engine, &global);
    assert_eq!(found(&sandbox, &engine, "exponential backoff"), [there]);
}

#[test]
fn a_memory_is_on_disk_and_found_at_once() {
    let sandbox = Sandbox::with(&[("src/retry.rs", "fn retry() {}\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "retry");
    let id = add(&sandbox, &engine, &lesson("Retries need jitter", "Without it all clients come back at once."));
    assert!(journals(&sandbox).contains(&id.to_string()));
    assert_eq!(found(&sandbox, &engine, "why do retries need jitter"), [id]);
    let answer = sandbox.search(&engine, "jitter");
    let hit = &answer.hits[0];
    assert_eq!(
        (hit.document.document_type, hit.document.title.as_str()),
        (DocumentType::Lesson, "Retries need jitter")
    );
    assert_eq!(hit.citation(), format!("{id}:1-1@{}", hit.document.hash.short()));
    let recalled = hit.memory.as_ref().expect("a memory");
    assert_eq!(recalled.memory.origin, MemoryOrigin::Observed);
}

#[test]
fn a_project_that_was_never_searched_has_its_memories_in_its_first_index() {
    let sandbox = Sandbox::with(&[("src/retry.rs", "fn retry() {}\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("Retries need jitter", "Without it all clients come back at once."));
    let answer = sandbox.search(&engine, "retry");
    assert_eq!(answer.documents(), 2, "{:?}", answer.coverage);
    assert_eq!(found(&sandbox, &engine, "jitter"), [id]);
}

#[test]
fn a_restart_and_a_deleted_index_lose_no_memory() {
    let sandbox = Sandbox::with(&[("src/retry.rs", "fn retry() {}\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "retry");
    for n in 0..5 {
        let memory = lesson(&format!("Lesson {n} on retry {n}"), &format!("The budget number{n} is about {n} tries."));
        add(&sandbox, &engine, &AddMemory { repeats: Repeats::Accept, ..memory });
    }
    let answered = |engine: recall_engine::Engine| {
        sandbox.search(&engine, "retry budget");
        engine.settle(&sandbox.origin(), recall_core::Scope::All).expect("settled");
        let hits = sandbox.search(&engine, "retry budget").hits;
        engine.close();
        hits
    };
    // The statistics of words change a little when the index merges its segments.
    let without_figures = |hits: Vec<Hit>| -> Vec<Hit> {
        let plain = |hit| Hit { score: 0.0, confidence: None, support: None, explanation: None, ..hit };
        undated(hits).into_iter().map(plain).collect()
    };
    let before = without_figures(answered(engine));
    assert_eq!(before.len(), 6);
    assert_eq!(without_figures(answered(sandbox.engine())), before);
    fs::remove_dir_all(sandbox.home().join("stores")).expect("removed");
    assert_eq!(without_figures(answered(sandbox.engine())), before);
}

#[test]
fn the_files_for_git_are_written_with_the_first_memory() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    add(&sandbox, &engine, &lesson("Retries need jitter", "All clients come back at once."));
    let read = |name: &str| fs::read_to_string(sandbox.root().join(".recall").join(name)).expect("written");
    assert_eq!(read(".gitattributes"), "*.jsonl merge=union\n");
    assert_eq!(read(".gitignore"), "sessions/\n");
}

#[test]
fn adding_a_memory_does_not_move_the_index_or_the_selection() {
    let sandbox = Sandbox::with(&[("a.md", "# Alpha\n\nx\n"), ("b.md", "# Beta\n\nx\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "alpha");
    let items = vec!["b.md".to_owned()];
    let request =
        RemoveRequest { items, scope: recall_core::Scope::Project, tombstones: Tombstones::Keep, provenance: agent() };
    engine.remove(&sandbox.origin(), &request).expect("removed");
    add(&sandbox, &engine, &lesson("Retries need jitter", "All clients come back at once."));
    engine.close();
    let engine = sandbox.engine();
    assert_eq!(sandbox.search(&engine, "beta").hits, []);
    assert!(!sandbox.root().join(".recall/index").exists());
}

#[test]
fn secrets_are_neither_stored_nor_found() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    // In two pieces, so that secret scanners do not report this file.
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    let memory = lesson("The deploy token", &format!("The deploy job uses {token} until May."));
    let report = engine.add_memory(&sandbox.origin(), &memory).expect("kept");
    assert!(matches!(&report.notes[..], [MemoryNote::Masked { rules }] if rules.len() == 1), "{:?}", report.notes);
    assert!(!journals(&sandbox).contains(&token));
    let hit = &sandbox.search(&engine, "deploy token").hits[0];
    assert!(hit.text.contains("[secret: ") && !hit.text.contains(&token), "{}", hit.text);
}

#[test]
fn what_says_something_else_in_nearly_the_same_words_is_kept_and_reported() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "a");
    for (one, other) in [
        ("We use tabs for indentation in Go files.", "We do not use tabs for indentation in Go files."),
        ("Server A is primary, server B is the replica.", "Server B is primary, server A is the replica."),
        ("The retry limit of the payment worker is 3.", "The retry limit of the payment worker is 5."),
    ] {
        let known = add(&sandbox, &engine, &lesson(one, one));
        let report = engine.add_memory(&sandbox.origin(), &lesson(other, other)).expect("kept");
        assert_eq!(report.outcome, AddOutcome::Added, "{other}");
        let note = MemoryNote::MayContradict { id: known, title: one.to_owned() };
        assert_eq!(report.notes, [note], "{other}");
        // It repeats the second one, and only that.
        let report = engine.add_memory(&sandbox.origin(), &lesson(other, &other.to_uppercase())).expect("answered");
        assert_eq!(report.outcome, AddOutcome::Repeats, "{other}");
    }
}

#[test]
fn a_near_repetition_is_reported_and_not_added_unless_it_is_forced() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let first = lesson("Retries need jitter", "Without jitter all clients come back to the server at the same time.");
    let id = add(&sandbox, &engine, &first);
    let again = AddMemory { title: "Retries need jitter!".to_owned(), ..first.clone() };
    for _ in 0..2 {
        let report = engine.add_memory(&sandbox.origin(), &again).expect("answered");
        assert_eq!((report.id, report.outcome), (id, AddOutcome::Repeats));
        assert_eq!((report.similar[0].id, report.similar[0].similarity > 0.99), (id, true));
        // The second time, the known memory is in the index.
        sandbox.search(&engine, "jitter");
    }
    let report = engine.add_memory(&sandbox.origin(), &AddMemory { repeats: Repeats::Accept, ..again }).expect("kept");
    assert!(report.id != id && report.outcome == AddOutcome::Added);
    let other = lesson("Deploys happen on Tuesdays", "Nobody deploys before a weekend.");
    assert_eq!(engine.add_memory(&sandbox.origin(), &other).expect("kept").similar, []);
}

#[test]
fn concurrent_additions_of_one_text_add_it_once() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    let memory = lesson("Retries need jitter", "Without jitter all clients come back to the server at the same time.");
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| engine.add_memory(&sandbox.origin(), &memory).expect("answered"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic").outcome).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == AddOutcome::Added).count(), 1, "{outcomes:?}");
}

#[test]
fn a_key_that_is_sent_twice_adds_once() {
    let sandbox = Sandbox::new();
    let engine = sandbox.engine();
    let memory = AddMemory {
        key: Some("request-7".to_owned()),
        repeats: Repeats::Accept,
        ..lesson("Retries need jitter", "All clients come back at once.")
    };
    let ids: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| add(&sandbox, &engine, &memory))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    engine.close();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(add(&sandbox, &sandbox.engine(), &memory), ids[0]);
    assert_eq!(journals(&sandbox).lines().count(), 1);
}

#[test]
fn a_memory_that_retires_another_is_found_in_its_place() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let old = add(&sandbox, &engine, &lesson("The retry budget is three", "We try a request three times."));
    assert_eq!(found(&sandbox, &engine, "retry budget"), [old]);
    let newer =
        AddMemory { supersedes: Some(old), ..lesson("The retry budget is five", "We try a request five times.") };
    let report = engine.add_memory(&sandbox.origin(), &newer).expect("kept");
    assert_eq!(report.outcome, AddOutcome::Supersedes);
    assert_eq!(found(&sandbox, &engine, "retry budget"), [report.id]);
    let recalled = *get(&sandbox, &engine, &old.to_string()).memory.expect("a memory");
    assert_eq!(recalled.superseded_by, Some(report.id));
    let newer = get(&sandbox, &engine, &report.id.to_string()).memory.expect("a memory");
    assert_eq!(recalled.until.map(|until| until.at), Some(newer.memory.created));
    assert_eq!(newer.until, None);
    let unknown = AddMemory { supersedes: "L-00000000".parse().ok(), ..lesson("x", "y") };
    let refused = engine.add_memory(&sandbox.origin(), &unknown);
    assert!(matches!(refused, Err(MemoryError::NotFound { .. })), "{refused:?}");
}

fn get(sandbox: &Sandbox, engine: &recall_engine::Engine, id: &str) -> Item {
    engine
        .get(
            &sandbox.origin(),
            &ItemRequest { id: id.to_owned(), parent: Parent::Leave, scope: recall_core::Scope::All },
        )
        .expect("there")
}

#[test]
fn an_updated_memory_is_found_by_its_new_words_and_a_deleted_one_is_not_found() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("The retry budget", "We try a request three times."));
    assert_eq!(found(&sandbox, &engine, "three times"), [id]);
    let update = UpdateMemory {
        id,
        title: None,
        content: Some("A request is repeated until its deadline.".to_owned()),
        tags: Some(vec!["http".to_owned()]),
        cues: None,
        related_files: None,
        expected: None,
        provenance: agent(),
        valid: recall_core::WordedTime::default(),
    };
    let report = engine.update_memory(&sandbox.origin(), &update).expect("amended");
    assert_eq!(
        (&*report.memory.memory.title, report.memory.memory.tags),
        ("The retry budget", vec!["http".to_owned()])
    );
    assert_eq!(found(&sandbox, &engine, "deadline tag:http"), [id]);
    assert!(!sandbox.search(&engine, "three times").hits.iter().any(|hit| hit.text.contains("three")));

    let request = RemoveRequest {
        items: vec![id.to_string()],
        scope: recall_core::Scope::Project,
        tombstones: Tombstones::Keep,
        provenance: agent(),
    };
    let report = engine.remove(&sandbox.origin(), &request).expect("deleted");
    assert_eq!((report.memories, report.documents), (vec![id], 0));
    assert_eq!(found(&sandbox, &engine, "deadline"), []);
    assert!(engine.remove(&sandbox.origin(), &request).is_err());
    assert!(journals(&sandbox).contains("deadline"), "the record stays");
}

#[test]
fn filters_by_type_distinguish_memories_from_files() {
    let sandbox = Sandbox::with(&[("docs/jitter.md", "# Jitter\n\nA random wait.\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("Retries need jitter", "All clients come back at once."));
    let decision = AddMemory { memory_type: MemoryType::Decision, ..lesson("Jitter is uniform", "Uniform is enough.") };
    let decision = add(&sandbox, &engine, &decision);
    let search = |types: &[DocumentType]| {
        let filters = Filters { types: types.to_vec(), ..Filters::default() };
        let request = SearchRequest { filters, ..request("jitter") };
        let answer = engine.search(&sandbox.origin(), &request).expect("an answer");
        let mut paths: Vec<_> = answer.hits.iter().map(|hit| hit.document.path.to_string()).collect();
        paths.sort();
        paths
    };
    assert_eq!(search(&[DocumentType::Lesson]), [id.to_string()]);
    assert_eq!(search(&[DocumentType::Lesson, DocumentType::Decision]), [decision.to_string(), id.to_string()]);
    assert_eq!(search(&[DocumentType::Documentation]), ["docs/jitter.md"]);
}

#[test]
fn a_file_with_the_name_of_a_memory_is_skipped_and_reported() {
    let sandbox = Sandbox::with(&[("D-0123abcd", "a file about wombats\n"), ("a.md", "wombats too\n")]);
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "wombats")), ["a.md"]);
    let status = engine.status(&sandbox.origin(), recall_core::Scope::Project, 10).expect("told");
    let told: Vec<_> = status.stores[0].failures.iter().map(|entry| entry.reason.as_str()).collect();
    assert_eq!(told, ["its name is that of a memory"]);
    fs::remove_file(sandbox.root().join("D-0123abcd")).expect("removed");
    sandbox.search(&engine, "wombats");
    assert_eq!(engine.status(&sandbox.origin(), recall_core::Scope::Project, 10).expect("told").stores[0].failures, []);
}
