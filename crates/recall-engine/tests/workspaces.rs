//! A project with nested repositories: one search over stores that each follow their own root.

use std::fs;

use recall_core::{Facets, Feedback, Filters, ItemId, PathFilter, Provenance, RateItem, Scope, SearchRequest, Verdict};
use recall_engine::{
    Cancel, EngineSettings, GraphRequest, IndexRequest, ItemRequest, ListRequest, ListSort, NodeThing, Origin, Parent,
    RelatedRequest, RemoveRequest, Said, Tombstones, Warning,
};

use crate::support::{Sandbox, everything, paths, request};

/// Creates a project with two nested repositories, one of them in the other, each with a file of the same name.
fn workspace() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("README.md", "# Outer\n\nThe wombat reads the outer burrow.\n"),
        ("src/wombat.rs", "pub fn outer_burrow() { wombat(); }\n"),
        ("libs/x/README.md", "# Inner\n\nThe wombat reads the inner burrow.\n"),
        ("libs/x/src/wombat.rs", "use crate::den;\npub fn inner_burrow() { den::den_of_quolls(); }\n"),
        ("libs/x/src/den.rs", "pub fn den_of_quolls() {}\n"),
        ("libs/x/deep/y/src/wombat.rs", "pub fn deep_burrow() { wombat(); }\n"),
    ]);
    repository(&sandbox, "libs/x");
    repository(&sandbox, "libs/x/deep/y");
    sandbox
}

fn repository(sandbox: &Sandbox, path: &str) {
    sandbox.write(&format!("{path}/.git/HEAD"), "ref: refs/heads/main\n");
}

fn sorted(mut paths: Vec<&str>) -> Vec<&str> {
    paths.sort_unstable();
    paths
}

#[test]
fn one_search_covers_the_nested_repositories_with_their_paths_in_the_workspace() {
    let sandbox = workspace();
    let engine = sandbox.engine();
    let expected =
        ["README.md", "libs/x/README.md", "libs/x/deep/y/src/wombat.rs", "libs/x/src/wombat.rs", "src/wombat.rs"];
    let first = sandbox.search(&engine, "wombat burrow");
    assert_eq!(sorted(paths(&first)), expected);
    assert_eq!(first.coverage.len(), 3);
    for hit in &first.hits {
        assert!(hit.citation().starts_with(hit.document.path.as_str()), "{}", hit.citation());
    }
    // Another engine, as after a restart, knows the nested repositories before it has scanned anything.
    drop(engine);
    let engine = sandbox.engine();
    assert_eq!(sorted(paths(&sandbox.search(&engine, "wombat burrow"))), expected);
    // A client in the nested repository sees it alone, with paths below its own root.
    let inner = Origin { directory: sandbox.root().join("libs/x/src"), project: None, ..sandbox.origin() };
    let answer = engine.search(&inner, &request("inner_burrow")).expect("an answer");
    assert_eq!(paths(&answer)[0], "src/wombat.rs");
    assert!(!paths(&answer).iter().any(|path| path.starts_with("libs")));
}

#[test]
fn ids_and_paths_of_an_answer_name_the_same_file_in_every_request() {
    let sandbox = workspace();
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    let answer = sandbox.search(&engine, "inner_burrow");
    let hit = answer.hits.iter().find(|hit| hit.document.path.as_str() == "libs/x/src/wombat.rs").expect("found");
    let get = |id: String| {
        let request = ItemRequest { id, parent: Parent::Leave, scope: Scope::All };
        engine.get(&origin, &request).expect("an item")
    };
    for id in [hit.document.id.to_string(), hit.id.to_string(), "libs/x/src/wombat.rs".to_owned()] {
        let item = get(id.clone());
        assert!(item.text.contains("inner_burrow"), "{id}");
        assert_eq!((item.document.path.as_str(), item.document.id), ("libs/x/src/wombat.rs", hit.document.id), "{id}");
    }
    assert!(get("src/wombat.rs".to_owned()).text.contains("outer_burrow"));

    let listed = ListRequest {
        scope: Scope::Project,
        types: Vec::new(),
        languages: Vec::new(),
        tags: Vec::new(),
        path: Some(PathFilter("libs/*/src/*.rs".to_owned())),
        since: None,
        before: None,
        said: Said::Anything,
        sort: ListSort::Path,
        offset: 0,
        limit: 10,
    };
    let listing = engine.list(&origin, &listed).expect("a listing");
    let listed: Vec<_> = listing.documents.iter().map(|listed| listed.document.path.as_str()).collect();
    assert_eq!(listed, ["libs/x/src/den.rs", "libs/x/src/wombat.rs"]);

    let neighbours = GraphRequest {
        node: "libs/x/src/wombat.rs".to_owned(),
        relations: Vec::new(),
        depth: 1,
        limit: 20,
        scope: Scope::All,
    };
    let graph = engine.graph(&origin, &neighbours).expect("a graph");
    let is_den = |thing: &NodeThing| matches!(thing, NodeThing::Document(document) | NodeThing::Symbol { document, .. } if document.path.as_str() == "libs/x/src/den.rs");
    assert!(graph.nodes.iter().any(|node| is_den(&node.thing)), "{:?}", graph.nodes);
    let related = RelatedRequest { id: hit.id.to_string(), types: Vec::new(), limit: 5, scope: Scope::All };
    let related = engine.related_documents(&origin, &related).expect("related documents");
    let den = related.documents.iter().find(|related| related.document.path.as_str() == "libs/x/src/den.rs");
    assert!(den.is_some(), "{:?}", related.documents);

    let feedback = Feedback { verdict: Verdict::Useful, note: None };
    let rated = RateItem { item: ItemId::Document(hit.document.id), feedback, provenance: Provenance::default() };
    assert_eq!(engine.rate_item(&origin, &rated).expect("rated").stats.useful, 1);
}

#[test]
fn filters_and_facets_have_the_paths_of_the_workspace() {
    let sandbox = workspace();
    let engine = sandbox.engine();
    let found = |filter: &str| {
        let filters = Filters { paths: vec![PathFilter(filter.to_owned())], ..Filters::default() };
        let asked = SearchRequest { filters, facets: Facets::On, ..request("wombat burrow") };
        engine.search(&sandbox.origin(), &asked).expect("an answer")
    };
    for (filter, expected) in [
        ("libs", &["libs/x/README.md", "libs/x/deep/y/src/wombat.rs", "libs/x/src/wombat.rs"][..]),
        ("libs/x/src", &["libs/x/src/wombat.rs"]),
        ("libs/x/deep", &["libs/x/deep/y/src/wombat.rs"]),
        ("src", &["src/wombat.rs"]),
        ("**/src/*.rs", &["libs/x/deep/y/src/wombat.rs", "libs/x/src/wombat.rs", "src/wombat.rs"]),
    ] {
        assert_eq!(sorted(paths(&found(filter))), expected, "{filter}");
    }
    let facets = found("libs").facets;
    let directories = facets.iter().find(|facet| facet.name == "directory").expect("there are directories");
    assert_eq!(directories.counts, [("libs/x".to_owned(), 3)]);
}

#[test]
fn each_nested_repository_is_fresh() {
    let sandbox = workspace();
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let check =
        |query: &str, expected: &[&str]| assert_eq!(paths(&sandbox.search(&engine, query)), expected, "{query}");
    sandbox.write("libs/x/src/new.rs", "pub fn quokka_house() {}\n");
    check("quokka_house", &["libs/x/src/new.rs"]);
    fs::remove_file(sandbox.root().join("libs/x/src/new.rs")).expect("removed");
    check("quokka_house", &[]);
    // A repository that appears is found by the search that scans its files.
    sandbox.write("libs/z/numbat.rs", "pub fn numbat_house() {}\n");
    check("numbat_house", &["libs/z/numbat.rs"]);
    repository(&sandbox, "libs/z");
    check("numbat_house", &["libs/z/numbat.rs"]);
    let roots = || {
        let status = engine.status(&sandbox.origin(), Scope::Project, 0).expect("a status");
        status.stores.into_iter().map(|store| store.root).collect::<Vec<_>>()
    };
    let root = sandbox.root();
    let expected = [root.clone(), root.join("libs/x"), root.join("libs/z"), root.join("libs/x/deep/y")];
    assert_eq!(roots(), expected);
    // One that stops being a repository belongs to the workspace again.
    fs::remove_dir_all(root.join("libs/z/.git")).expect("removed");
    check("numbat_house", &["libs/z/numbat.rs"]);
    assert_eq!(roots().len(), 3);
    fs::remove_dir_all(root.join("libs/x")).expect("removed");
    check("quolls", &[]);
    assert_eq!(roots(), [root]);
}

#[test]
fn paths_are_added_and_removed_in_the_repository_that_holds_them() {
    let sandbox = workspace();
    sandbox.write("libs/x/.ignore", "quiet\n");
    sandbox.write("libs/x/quiet/bilby.rs", "pub fn bilby_house() {}\n");
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    let found = |query: &str| {
        paths(&sandbox.search(&engine, query)).iter().map(|path| (*path).to_owned()).collect::<Vec<String>>()
    };
    assert_eq!(found("bilby_house"), Vec::<String>::new());
    let added = IndexRequest { paths: vec!["libs/x/quiet".into()], ..everything() };
    let report = engine.index(&origin, &added, &mut |_| {}, &Cancel::default()).expect("indexed");
    assert_eq!(report.added, 1);
    assert_eq!(found("bilby_house"), ["libs/x/quiet/bilby.rs"]);
    let remove = |item: &str| {
        let request = RemoveRequest {
            items: vec![item.to_owned()],
            scope: Scope::Project,
            tombstones: Tombstones::Keep,
            provenance: Provenance::default(),
        };
        let report = engine.remove(&origin, &request).expect("removed");
        (report.documents, report.removals[0].path.to_string())
    };
    assert_eq!(remove("libs/x/quiet"), (1, "libs/x/quiet".to_owned()));
    assert_eq!(found("bilby_house"), Vec::<String>::new());
    // A whole repository is left out of the workspace, and keeps its own index.
    remove("libs/x");
    assert_eq!(found("quolls"), Vec::<String>::new());
    let inner = Origin { directory: sandbox.root().join("libs/x"), project: None, ..sandbox.origin() };
    assert_eq!(paths(&engine.search(&inner, &request("quolls")).expect("an answer")).len(), 2);
}

#[test]
fn the_number_of_nested_repositories_is_bounded() {
    let sandbox = workspace();
    let engine = sandbox.engine_by(EngineSettings { stores_per_request: 1, ..EngineSettings::default() });
    let answer = sandbox.search(&engine, "wombat burrow");
    assert_eq!(sorted(paths(&answer)), ["README.md", "libs/x/README.md", "libs/x/src/wombat.rs", "src/wombat.rs"]);
    assert!(answer.warnings.contains(&Warning::StoresLeftOut { left_out: 1, limit: 1 }), "{:?}", answer.warnings);
    let engine = sandbox.engine_by(EngineSettings { stores_per_request: 0, ..EngineSettings::default() });
    assert_eq!(sorted(paths(&sandbox.search(&engine, "wombat burrow"))), ["README.md", "src/wombat.rs"]);
}
