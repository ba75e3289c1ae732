//! Reports, listings and statuses match the content of the store.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use recall_core::{DocumentType, Provenance, Scope, StoreScope};
use recall_engine::{
    Cancel, Engine, EngineSettings, IndexReport, IndexRequest, ListRequest, ListSort, Listing, MemorySettings,
    RemoveRequest, Room, Said, Tombstones,
};

use crate::support::{Sandbox, everything};

fn add(sandbox: &Sandbox, engine: &Engine, request: &IndexRequest) -> IndexReport {
    engine.index(&sandbox.origin(), request, &mut |_| {}, &Cancel::default()).expect("indexed")
}

fn list(sandbox: &Sandbox, engine: &Engine, limit: u32, types: Vec<DocumentType>) -> Listing {
    let request = ListRequest {
        scope: Scope::All,
        types,
        languages: Vec::new(),
        tags: Vec::new(),
        path: None,
        since: None,
        before: None,
        said: Said::Anything,
        sort: ListSort::Path,
        offset: 0,
        limit,
    };
    engine.list(&sandbox.origin(), &request).expect("a listing")
}

#[test]
fn a_file_added_again_with_tags_counts_as_changed() {
    let sandbox = Sandbox::with(&[("a.md", "# Alpha\n\nx\n"), ("docs/b.md", "# Beta\n\nx\n")]);
    let engine = sandbox.engine();
    assert_eq!(add(&sandbox, &engine, &everything()).added, 2);
    let labelled = IndexRequest { paths: vec!["docs".into()], tags: vec!["api".to_owned()], ..everything() };
    let report = add(&sandbox, &engine, &labelled);
    assert_eq!((report.added, report.changed, report.unchanged), (0, 1, 1));
}

#[test]
fn force_reads_unchanged_files_again() {
    let sandbox = Sandbox::with(&[("a.md", "# Alpha\n\nx\n"), ("docs/b.md", "# Beta\n\nx\n")]);
    let engine = sandbox.engine();
    add(&sandbox, &engine, &everything());
    let check = |paths: &[&str], force, expected: (u64, u64, u64)| {
        let paths = paths.iter().map(Into::into).collect();
        let report = add(&sandbox, &engine, &IndexRequest { paths, force, ..everything() });
        assert_eq!((report.added, report.changed, report.unchanged), expected);
    };
    check(&[], false, (0, 0, 2));
    check(&[], true, (0, 2, 0));
    check(&["."], true, (0, 2, 0));
    check(&["docs"], true, (0, 1, 1));
    check(&["docs"], false, (0, 0, 2));
}

#[test]
fn several_globs_are_alternatives() {
    let sandbox = Sandbox::with(&[
        (".gitignore", "notes/\n"),
        ("notes/a.md", "# Alpha\n\nx\n"),
        ("notes/b.txt", "beta\n"),
        ("notes/c.rst", "gamma\n"),
        ("notes/deep/d.py", "d = 1\n"),
        ("notes/e.py", "e = 1\n"),
    ]);
    let engine = sandbox.engine();
    let globs = vec!["*.{md,txt}".to_owned(), "/deep/*.py".to_owned()];
    add(&sandbox, &engine, &IndexRequest { paths: vec!["notes".into()], globs, ..everything() });
    let listing = list(&sandbox, &engine, 10, Vec::new());
    let paths: Vec<_> = listing.documents.iter().map(|listed| listed.document.path.as_str()).collect();
    assert_eq!(paths, [".gitignore", "notes/a.md", "notes/b.txt", "notes/deep/d.py"]);
}

#[test]
fn a_listing_counts_documents_beyond_its_page() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n"), ("b.md", "# Beta\n\nx\n"), ("c.rs", "fn c() {}\n")]);
    let engine = sandbox.engine();
    let listing = list(&sandbox, &engine, 1, vec![DocumentType::Code]);
    assert_eq!((listing.total, listing.documents.len(), listing.next_offset), (2, 1, Some(1)));
    assert_eq!(listing.documents[0].chunks, 1);
    assert!(listing.coverage[0].generation.0 > 0);
    assert_eq!(list(&sandbox, &engine, 10, Vec::new()).total, 3);
}

#[test]
fn removing_a_directory_removes_all_its_documents() {
    let sandbox =
        Sandbox::with(&[("docs/a.md", "# Alpha\n\nx\n"), ("docs/b.md", "# Beta\n\nx\n"), ("docs2.md", "# Two\n\nx\n")]);
    let engine = sandbox.engine();
    add(&sandbox, &engine, &everything());
    let before = list(&sandbox, &engine, 10, Vec::new()).coverage[0].generation;
    let items = vec!["docs".to_owned()];
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
    let removed: Vec<_> = report.removals[0].documents.iter().map(recall_text::DocPath::as_str).collect();
    assert_eq!(removed, ["docs/a.md", "docs/b.md"]);
    assert_eq!(report.documents, 2);
    assert!(report.generation > before);
}

#[test]
fn a_search_reports_the_candidates_of_each_retriever() {
    let sandbox = Sandbox::with(&[("retry.rs", "fn retry() {}\n"), ("b.rs", "fn other() { retry(); }\n")]);
    let answer = sandbox.search(&sandbox.engine(), "retry");
    let brought = |wanted| answer.retrieved.iter().find(|(retriever, _)| *retriever == wanted).map(|&(_, count)| count);
    assert_eq!(brought(recall_core::Retriever::Lexical), Some(2));
    assert_eq!(brought(recall_core::Retriever::Symbol), Some(1));
}

#[test]
fn every_open_store_is_reported_and_idle_ones_are_closed() {
    let sandbox = Sandbox::with(&[("a.md", "# Alpha\n\nx\n")]);
    fs::create_dir_all(sandbox.home().join("global")).expect("made");
    // How many measurements of the memory are above the ceiling.
    let above = Arc::new(AtomicU32::new(0));
    let looked = Arc::clone(&above);
    let take = move || looked.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
    let used_bytes = Arc::new(move || if take() { u64::MAX } else { 0 });
    let memory = MemorySettings { used_bytes, ..MemorySettings::default() };
    let engine = sandbox.engine_by(EngineSettings { memory, ..EngineSettings::default() });
    let open = || engine.status_of_open_stores(0).stores.iter().map(|store| store.scope).collect::<Vec<_>>();
    assert_eq!(open(), []);
    let seen = engine.status(&sandbox.origin(), Scope::All, 0).expect("a status");
    assert_eq!(seen.stores.iter().map(|store| store.scope).collect::<Vec<_>>(), open());
    assert_eq!(open(), [StoreScope::Project, StoreScope::Global]);
    let make_room = |times| {
        above.store(times, Ordering::SeqCst);
        engine.make_room()
    };
    assert_eq!(make_room(1), Room::Left);
    assert_eq!(open(), [StoreScope::Global], "the least recently used one goes first");
    assert_eq!(make_room(1), Room::Left);
    assert_eq!(open(), []);
    assert_eq!(make_room(1), Room::Full, "none is left");
    assert_eq!(sandbox.search(&engine, "alpha").hits.len(), 1, "a closed store is opened again");
}
