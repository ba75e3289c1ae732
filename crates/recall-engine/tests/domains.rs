//! Named stores that several projects share.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{
    AddMemory, Limits, MemoryId, MemoryType, PromoteMemory, Provenance, Scope, SearchRequest, StoreScope,
};
use recall_engine::{
    Engine, EngineSettings, GetError, ItemRequest, MemoryError, Origin, Parent, Places, RootCheck, SearchError,
    StoreError, StoreSettings,
};

use crate::support::{Sandbox, SystemClock, new_memory, paths, request};

/// Two domains, `team` and `ops`. Projects whose folder's name ends in `project` list both, others only `team`.
fn sandbox() -> (Sandbox, Engine) {
    let sandbox = Sandbox::with(&[("a.md", "# Retry budget\n\nThree tries.\n")]);
    for (path, text) in [
        ("team/jitter.md", "# Retry with jitter\n\nWait a random time.\n"),
        ("ops/pager.md", "# Retry the pager\n\nTwice.\n"),
        ("other/b.md", "# Retry elsewhere\n\nOnce.\n"),
    ] {
        let path = sandbox.home().join(path);
        fs::create_dir_all(path.parent().expect("below")).expect("made");
        fs::write(path, text).expect("written");
    }
    let engine = engine(&sandbox);
    (sandbox, engine)
}

fn engine(sandbox: &Sandbox) -> Engine {
    let home = sandbox.home().to_owned();
    let places = Places {
        global_root: home.join("global"),
        stores: home.join("stores"),
        config_home: None,
        home: None,
        agents: BTreeMap::new(),
        allowed_roots: Vec::new(),
        domains: BTreeMap::from([
            ("team".to_owned(), home.join("team")),
            ("ops".to_owned(), home.join("ops")),
            ("away".to_owned(), home.join("not-cloned")),
        ]),
    };
    let settings = |root: &Path| {
        let listed: &[&str] = if root.ends_with("project") { &["team", "ops", "away"] } else { &["team"] };
        let domains = listed.iter().map(|name| (*name).to_owned()).collect();
        let limits = Limits { scan_interval: Duration::ZERO, scan_wait: Duration::from_secs(30), ..Limits::default() };
        StoreSettings { domains, limits, ..StoreSettings::default() }
    };
    let ingest_wait = Duration::from_secs(30);
    Engine::new(
        places,
        EngineSettings { ingest_wait, ..EngineSettings::default() },
        Box::new(settings),
        Arc::new(SystemClock),
    )
}

fn at(sandbox: &Sandbox, folder: &str, domain: Option<&str>) -> Origin {
    let root = sandbox.home().canonicalize().expect("there").join(folder);
    Origin {
        directory: root.clone(),
        project: Some(root),
        root_check: RootCheck::Refuse,
        domain: domain.map(str::to_owned),
    }
}

fn found(engine: &Engine, origin: &Origin, scope: Scope) -> Vec<String> {
    let answer = engine.search(origin, &SearchRequest { scope, ..request("retry") }).expect("an answer");
    for hit in &answer.hits {
        assert_eq!(answer.coverage[hit.store].scope, hit.scope);
    }
    let mut found: Vec<String> = paths(&answer).into_iter().map(str::to_owned).collect();
    found.sort();
    found
}

fn memory(scope: Scope) -> AddMemory {
    AddMemory { scope, ..new_memory(MemoryType::Lesson, "Retries", "Retries need jitter.") }
}

#[test]
fn a_project_sees_the_domains_that_it_lists_and_no_other() {
    let (sandbox, engine) = sandbox();
    let project = at(&sandbox, "project", None);
    assert_eq!(found(&engine, &project, Scope::All), ["a.md", "jitter.md", "pager.md"]);
    assert_eq!(found(&engine, &project, Scope::Domain), ["jitter.md", "pager.md"]);
    assert_eq!(found(&engine, &project, Scope::Project), ["a.md"]);
    assert_eq!(found(&engine, &at(&sandbox, "project", Some("ops")), Scope::Domain), ["pager.md"]);
    let other = at(&sandbox, "other", None);
    assert_eq!(found(&engine, &other, Scope::All), ["b.md", "jitter.md"]);
    for scope in [Scope::Domain, Scope::All] {
        let request = SearchRequest { scope, ..request("retry") };
        match engine.search(&at(&sandbox, "other", Some("ops")), &request) {
            Err(SearchError::Store(StoreError::NoDomain { name, known })) => {
                assert_eq!((name.as_str(), known), ("ops", vec!["team".to_owned()]));
            }
            other => panic!("{scope:?}: {other:?}"),
        }
    }
    let get = |scope| ItemRequest { id: "pager.md".to_owned(), parent: Parent::Leave, scope };
    assert_eq!(engine.get(&project, &get(Scope::All)).expect("there").scope, StoreScope::Domain);
    assert!(matches!(engine.get(&project, &get(Scope::Project)), Err(GetError::NotFound { .. })));
    assert!(matches!(engine.get(&other, &get(Scope::All)), Err(GetError::NotFound { .. })));
}

#[test]
fn a_memory_of_a_domain_is_stored_there_and_seen_by_all_projects_that_list_it() {
    let (sandbox, engine) = sandbox();
    let project = at(&sandbox, "project", None);
    let several = engine.add_memory(&project, &memory(Scope::Domain));
    assert!(
        matches!(several, Err(MemoryError::NoStore { scope: Scope::Domain })),
        "which one is not said: {several:?}"
    );
    let id = engine.add_memory(&at(&sandbox, "project", Some("team")), &memory(Scope::Domain)).expect("kept").id;
    assert!(sandbox.home().join("team/.recall").is_dir() && !sandbox.root().join(".recall").exists());
    let seen = |folder: &str| {
        let answer = engine.search(&at(&sandbox, folder, None), &request("retries need jitter")).expect("an answer");
        answer.hits.iter().any(|hit| hit.memory.as_ref().is_some_and(|recalled| recalled.memory.id == id))
    };
    assert!(seen("project") && seen("other") && seen("team"));
    let within = at(&sandbox, "team", None);
    let get = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::Project };
    assert_eq!(engine.get(&within, &get).expect("it is the project there").scope, StoreScope::Domain);
}

#[test]
fn a_memory_is_promoted_to_a_domain() {
    let (sandbox, engine) = sandbox();
    let id: MemoryId = engine.add_memory(&at(&sandbox, "project", None), &memory(Scope::Project)).expect("kept").id;
    let promote = PromoteMemory { id, to: StoreScope::Domain, provenance: Provenance::default() };
    let report = engine.promote_memory(&at(&sandbox, "project", Some("team")), &promote).expect("moved");
    assert_eq!((report.id, report.scope), (id, StoreScope::Domain));
    let get = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::All };
    let item = engine.get(&at(&sandbox, "other", None), &get).expect("there");
    let lineage = item.memory.expect("a memory").memory.lineage.expect("it comes from somewhere");
    assert_eq!((lineage.scope, lineage.name.as_deref()), (StoreScope::Project, Some("project")));
}
