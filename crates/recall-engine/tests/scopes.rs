//! A request sees the stores of its scope, and not those of other projects.

use std::fs;

use recall_core::{DocumentType, Filters, PathFilter, Provenance, Scope, SearchRequest, StoreScope};
use recall_engine::{Cancel, Origin, RemoveRequest, RootCheck, SearchError, Tombstones};
use recall_text::Language;

use crate::support::{Sandbox, everything, paths, request};

#[test]
fn the_scope_all_includes_the_project_and_the_global_store() {
    let sandbox = Sandbox::with(&[("a.md", "# Retry budget\n\nThree tries.\n")]);
    let global = sandbox.home().join("global");
    fs::create_dir_all(&global).expect("made");
    fs::write(global.join("patterns.md"), "# Retry with jitter\n\nWait a random time.\n").expect("written");
    let engine = sandbox.engine();
    let scoped = |scope| {
        let answer = engine.search(&sandbox.origin(), &SearchRequest { scope, ..request("retry") }).expect("an answer");
        let mut found: Vec<_> = answer.hits.iter().map(|hit| (hit.scope, hit.document.path.to_string())).collect();
        found.sort();
        found
    };
    let (project, global) = ((StoreScope::Project, "a.md".to_owned()), (StoreScope::Global, "patterns.md".to_owned()));
    assert_eq!(scoped(Scope::Project), std::slice::from_ref(&project));
    assert_eq!(scoped(Scope::Global), std::slice::from_ref(&global));
    assert_eq!(scoped(Scope::All), [project, global]);
    let error = engine.search(&sandbox.origin(), &SearchRequest { scope: Scope::Domain, ..request("retry") });
    assert!(matches!(error, Err(SearchError::NoStore { scope: Scope::Domain })), "{error:?}");
}

#[test]
fn two_projects_do_not_see_each_other() {
    let (one, two) = (Sandbox::with(&[("a.rs", "fn shared_name() { one(); }\n")]), Sandbox::new());
    fs::create_dir_all(one.home().join("other")).expect("made");
    fs::write(one.home().join("other/b.rs"), "fn shared_name() { two(); }\n").expect("written");
    drop(two);
    let engine = one.engine();
    let other = Origin {
        directory: one.home().join("other"),
        project: Some(one.home().join("other")),
        root_check: RootCheck::Refuse,
        domain: None,
    };
    assert_eq!(paths(&one.search(&engine, "shared_name")), ["a.rs"]);
    assert_eq!(paths(&engine.search(&other, &request("shared_name")).expect("an answer")), ["b.rs"]);
}

#[test]
fn filters_apply_to_every_retriever() {
    let sandbox = Sandbox::with(&[
        ("src/retry.rs", "fn retry() {}\n"),
        ("src/retry.py", "def retry():\n    pass\n"),
        ("docs/retry.md", "# Retry\n\nHow to retry.\n"),
        ("docs/adr/0001-retry.md", "# 1. Retry\n\n## Status\nAccepted\n\n## Decision\nWe retry.\n"),
    ]);
    let engine = sandbox.engine();
    let check = |filters: Filters, expected: &[&str]| {
        let answer =
            engine.search(&sandbox.origin(), &SearchRequest { filters, ..request("retry") }).expect("an answer");
        let mut found = paths(&answer);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected);
    };
    check(Filters { languages: vec![Language::from_static("rust")], ..Filters::default() }, &["src/retry.rs"]);
    check(Filters { types: vec![DocumentType::Adr], ..Filters::default() }, &["docs/adr/0001-retry.md"]);
    check(
        Filters { paths: vec![PathFilter("src".to_owned())], ..Filters::default() },
        &["src/retry.py", "src/retry.rs"],
    );
    check(
        Filters { paths: vec![PathFilter("**/*.md".to_owned())], ..Filters::default() },
        &["docs/adr/0001-retry.md", "docs/retry.md"],
    );
    check(Filters { tags: vec!["none".to_owned()], ..Filters::default() }, &[]);
}

#[test]
fn added_paths_keep_their_tags_and_removed_paths_stay_removed() {
    let sandbox = Sandbox::with(&[
        (".gitignore", "notes/\n"),
        ("notes/api.md", "# Payments\n\nIdempotency.\n"),
        ("b.md", "# Beta\n\nx\n"),
    ]);
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "idempotency")), Vec::<&str>::new());

    let mut add = everything();
    add.paths = vec!["notes/api.md".into()];
    add.tags = vec!["payments".to_owned()];
    engine.index(&sandbox.origin(), &add, &mut |_| {}, &Cancel::default()).expect("indexed");
    let answer = sandbox.search(&engine, "idempotency tag:payments");
    assert_eq!(paths(&answer), ["notes/api.md"]);
    engine.close();

    let engine = sandbox.engine();
    assert_eq!(sandbox.search(&engine, "idempotency").hits[0].document.tags, ["payments"]);
    let items = vec!["b.md".to_owned()];
    let report = engine
        .remove(
            &sandbox.origin(),
            &RemoveRequest {
                items,
                scope: Scope::Project,
                tombstones: Tombstones::Keep,
                provenance: Provenance::default(),
            },
        )
        .expect("removed");
    assert_eq!(report.documents, 1);
    assert_eq!(paths(&sandbox.search(&engine, "beta")), Vec::<&str>::new());
    let purge = |item: &str| RemoveRequest {
        items: vec![item.to_owned()],
        scope: Scope::Project,
        tombstones: Tombstones::Purge,
        provenance: Provenance::default(),
    };
    let report = engine.remove(&sandbox.origin(), &purge("b.md")).expect("what was decided is forgotten");
    assert_eq!((report.documents, report.forgotten), (0, 1));
    assert_eq!(paths(&sandbox.search(&engine, "beta")), ["b.md"]);
    let report = engine.remove(&sandbox.origin(), &purge("notes/api.md")).expect("what was decided is forgotten");
    assert_eq!((report.documents, report.forgotten), (1, 1), "the rules leave it out");
    let report = engine.remove(&sandbox.origin(), &purge("b.md")).expect("it is indexed");
    assert_eq!(report.forgotten, 0, "nothing is decided about it any more");
    assert!(engine.remove(&sandbox.origin(), &purge("never.md")).is_err());
}

#[test]
fn paging_shows_every_hit_once() {
    let sandbox = Sandbox::new();
    for n in 0..25 {
        sandbox.write(&format!("m{n:02}.rs"), &format!("/// Retry number {n}.\nfn retry_{n}() {{}}\n"));
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    // Late stages may change the order after the first page, so a cursor records which of them its page did without.
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let mut seen = Vec::new();
    let mut offset = Some(0);
    while let Some(from) = offset {
        let page = engine
            .search(&sandbox.origin(), &SearchRequest { offset: from, limit: 4, ..request("retry number") })
            .expect("a page");
        seen.extend(page.hits.iter().map(|hit| hit.document.path.to_string()));
        offset = page.next_offset;
    }
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((count, seen.len()), (25, 25));
}
