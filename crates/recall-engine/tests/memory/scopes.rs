//! A memory is visible only to requests that see its store.

use std::fs;

use recall_core::{
    AddMemory, Feedback, ItemId, PromoteMemory, RateItem, Scope, SearchRequest, StoreScope, UpdateMemory, Verdict,
    VerifyMemories, VerifyMode,
};
use recall_engine::{
    Engine, ItemRequest, ListRequest, ListSort, Origin, Parent, RemoveRequest, RootCheck, Said, Tombstones,
};

use super::{add, agent, found, lesson};
use crate::support::{Sandbox, request};

fn other_project(sandbox: &Sandbox) -> Origin {
    let root = sandbox.home().canonicalize().expect("there").join("other");
    fs::create_dir_all(&root).expect("made");
    fs::write(root.join("b.rs"), "fn b() {}\n").expect("written");
    Origin { directory: root.clone(), project: Some(root), root_check: RootCheck::Refuse, domain: None }
}

fn listed(engine: &Engine, origin: &Origin) -> usize {
    let request = ListRequest {
        scope: Scope::All,
        types: vec![recall_core::DocumentType::Lesson],
        languages: Vec::new(),
        tags: Vec::new(),
        path: None,
        since: None,
        before: None,
        said: Said::Anything,
        sort: ListSort::Path,
        offset: 0,
        limit: 100,
    };
    engine.list(origin, &request).expect("a listing").documents.len()
}

#[test]
fn no_use_case_of_one_project_reaches_a_memory_of_another() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("Wombats dig", "They dig burrows."));
    assert_eq!(found(&sandbox, &engine, "wombats"), [id]);
    assert_eq!(listed(&engine, &sandbox.origin()), 1);

    let other = other_project(&sandbox);
    assert_eq!(engine.search(&other, &request("wombats")).expect("an answer").hits, []);
    assert_eq!(listed(&engine, &other), 0);
    let get = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::All };
    assert!(engine.get(&other, &get).is_err());
    let provenance = agent();
    let update = UpdateMemory {
        id,
        title: Some("Mine".to_owned()),
        content: None,
        tags: None,
        cues: None,
        related_files: None,
        expected: None,
        provenance: provenance.clone(),
        valid: recall_core::WordedTime::default(),
    };
    assert!(engine.update_memory(&other, &update).is_err());
    let feedback = Feedback { verdict: Verdict::Useful, note: None };
    let rate = RateItem { item: ItemId::Memory(id), feedback, provenance: provenance.clone() };
    assert!(engine.rate_item(&other, &rate).is_err());
    for mode in [VerifyMode::Check, VerifyMode::Confirm] {
        let verify = VerifyMemories {
            ids: vec![id],
            scope: Scope::All,
            mode,
            with_changes: false,
            provenance: provenance.clone(),
        };
        assert!(engine.verify_memories(&other, &verify).is_err());
    }
    let promote = PromoteMemory { id, to: StoreScope::Global, provenance: provenance.clone() };
    assert!(engine.promote_memory(&other, &promote).is_err());
    let remove =
        RemoveRequest { items: vec![id.to_string()], scope: Scope::Project, tombstones: Tombstones::Keep, provenance };
    assert!(engine.remove(&other, &remove).is_err());
    let supersede = AddMemory { supersedes: Some(id), ..lesson("Mine", "Instead.") };
    assert!(engine.add_memory(&other, &supersede).is_err());
    assert_eq!(found(&sandbox, &engine, "wombats"), [id]);
}

#[test]
fn a_global_memory_is_seen_by_every_project_that_asks_for_it() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &AddMemory { scope: Scope::Global, ..lesson("Wombats dig", "They dig burrows.") });
    let count = |origin: &Origin, scope| {
        let answer = engine.search(origin, &SearchRequest { scope, ..request("wombats") }).expect("an answer");
        answer.hits.iter().filter(|hit| hit.scope == StoreScope::Global && hit.memory.is_some()).count()
    };
    for origin in [sandbox.origin(), other_project(&sandbox)] {
        assert_eq!(
            (count(&origin, Scope::All), count(&origin, Scope::Global), count(&origin, Scope::Project)),
            (1, 1, 0)
        );
        let get = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::All };
        assert_eq!(engine.get(&origin, &get).expect("there").scope, StoreScope::Global);
    }
    assert!(!sandbox.root().join(".recall").exists(), "nothing is written into the project");
}

#[test]
fn a_promoted_memory_moves_with_its_lineage_and_its_id() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("Wombats dig", "They dig burrows."));
    assert_eq!(found(&sandbox, &engine, "wombats"), [id]);
    let promote = PromoteMemory { id, to: StoreScope::Global, provenance: agent() };
    for _ in 0..2 {
        let report = engine.promote_memory(&sandbox.origin(), &promote).expect("moved");
        assert_eq!((report.id, report.scope), (id, StoreScope::Global));
    }
    let answer = sandbox.search(&engine, "wombats");
    let scopes: Vec<_> = answer.hits.iter().map(|hit| hit.scope).collect();
    assert_eq!(scopes, [StoreScope::Global]);
    let memory = &answer.hits[0].memory.as_ref().expect("a memory").memory;
    let lineage = memory.lineage.as_ref().expect("it comes from somewhere");
    assert_eq!((lineage.scope, lineage.name.as_deref()), (StoreScope::Project, Some("project")));
    assert_eq!(engine.search(&other_project(&sandbox), &request("wombats")).expect("an answer").hits.len(), 1);
    let get = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::All };
    assert_eq!(engine.get(&sandbox.origin(), &get).expect("there").scope, StoreScope::Global);

    let feedback = Feedback { verdict: Verdict::Useful, note: None };
    let rate = RateItem { item: ItemId::Memory(id), feedback, provenance: agent() };
    assert_eq!(engine.rate_item(&sandbox.origin(), &rate).expect("kept").stats.useful, 1);
    let told = engine.get(&sandbox.origin(), &get).expect("there").memory.expect("a memory").memory;
    assert_eq!(told.feedback.useful, 1, "what is said of it is said where it is");
}
