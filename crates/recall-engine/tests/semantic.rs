//! Semantic search: documents are found without the words of the query, and are never out of date.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use recall_core::{Ablation, Embedder as _, PathFilter, Retriever, Scope, SearchRequest};
use recall_engine::{Answer, EmbeddingModel, Engine};
use recall_models::BuiltIn;

use crate::support::{Sandbox, paths, request};

/// A query that shares no word and no stem with the page about cars.
const QUESTION: &str = "vehicle engine maintenance";

const CARS: &str =
    "# Cars\n\nChange the oil and the brakes of an automobile every year. A mechanic repairs the motor.\n";
const BREAD: &str = "# Bread\n\nKnead flour, water and salt, let the dough rise, and bake it in a hot oven.\n";
const TAXES: &str = "# Taxes\n\nThe accountant files the income declaration before the deadline in April.\n";

fn engine(sandbox: &Sandbox) -> Engine {
    sandbox.engine_with(Some(EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) }))
}

fn settled(sandbox: &Sandbox) -> Engine {
    let engine = engine(sandbox);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    engine
}

/// Returns a request that is ordered by fusion, so that the effect of the retriever is visible.
fn by_fusion(query: &str) -> SearchRequest {
    SearchRequest { without: vec![Ablation::Ranker], ..request(query) }
}

fn search(sandbox: &Sandbox, engine: &Engine) -> Answer {
    engine.search(&sandbox.origin(), &by_fusion(QUESTION)).expect("an answer")
}

fn three_pages() -> Sandbox {
    Sandbox::with(&[("docs/cars.md", CARS), ("docs/bread.md", BREAD), ("docs/taxes.md", TAXES)])
}

/// Returns the folder of the index.
fn index(sandbox: &Sandbox) -> PathBuf {
    let stores = fs::read_dir(sandbox.home().join("stores")).expect("stores");
    stores.flatten().next().expect("one store").path().join("index")
}

/// Returns the folder of the embeddings by the built-in model.
fn vectors(sandbox: &Sandbox) -> PathBuf {
    index(sandbox).join("vectors").join(&BuiltIn.fingerprint().to_string()[..16])
}

#[test]
fn a_name_is_found_by_its_beginning_although_its_meaning_is_far() {
    let sandbox = Sandbox::with(&[
        ("src/net.rs", "pub fn connect() {}\npub fn disconnect() {}\n"),
        ("src/text.rs", "pub fn printable() {}\n"),
        ("docs/cars.md", CARS),
    ]);
    let engine = settled(&sandbox);
    for (query, expected) in [("conn", "src/net.rs"), ("connec", "src/net.rs"), ("prin", "src/text.rs")] {
        assert_eq!(paths(&sandbox.search(&engine, query)), [expected], "{query}");
    }
}

#[test]
fn a_page_without_a_word_of_the_query_is_found_by_its_embedding() {
    let sandbox = three_pages();
    let engine = engine(&sandbox);
    sandbox.index(&engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let answer = search(&sandbox, &engine);
    assert_eq!(paths(&answer), ["docs/cars.md"], "the other pages are not near");
    assert!(answer.retrieved.contains(&(Retriever::Semantic, 1)), "{:?}", answer.retrieved);
    assert!(answer.retrieved.contains(&(Retriever::Lexical, 0)), "{:?}", answer.retrieved);

    for (path, expected) in [("docs/cars.md", &["docs/cars.md"][..]), ("docs/bread.md", &[])] {
        let filtered = by_fusion(&format!("{QUESTION} path:{path}"));
        assert_eq!(paths(&engine.search(&sandbox.origin(), &filtered).expect("an answer")), expected);
        let mut below = by_fusion(QUESTION);
        below.filters.paths.push(PathFilter(path.to_owned()));
        assert_eq!(paths(&engine.search(&sandbox.origin(), &below).expect("an answer")), expected);
    }

    let without = SearchRequest { without: vec![Ablation::Ranker, Ablation::Semantic], ..request(QUESTION) };
    assert!(engine.search(&sandbox.origin(), &without).expect("an answer").hits.is_empty());
}

#[test]
fn an_edit_is_found_by_its_embedding_in_the_next_search() {
    let sandbox = three_pages();
    let engine = engine(&sandbox);
    sandbox.index(&engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    sandbox.write("docs/cars.md", "# Flowers\n\nRoses and tulips bloom in the garden in May.\n");
    sandbox.write("docs/new.md", CARS);
    let answer = search(&sandbox, &engine);
    assert_eq!(paths(&answer)[0], "docs/new.md");
    fs::remove_file(sandbox.root().join("docs/new.md")).expect("it is there");
    assert!(!paths(&search(&sandbox, &engine)).contains(&"docs/new.md"));
}

#[test]
fn embeddings_are_used_by_the_next_daemon() {
    let sandbox = three_pages();
    let first = settled(&sandbox);
    sandbox.index(&first);
    first.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let before = paths(&search(&sandbox, &first)).into_iter().map(str::to_owned).collect::<Vec<_>>();
    first.close();
    drop(first);
    let second = engine(&sandbox);
    assert_eq!(paths(&search(&sandbox, &second)), before, "without waiting");
}

#[test]
fn a_store_that_another_process_has_open_is_searched_by_words() {
    let sandbox = three_pages();
    let first = engine(&sandbox);
    sandbox.index(&first);
    first.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let second = settled(&sandbox);
    assert!(search(&sandbox, &second).hits.is_empty());
    let by_words = second.search(&sandbox.origin(), &by_fusion("dough")).expect("an answer");
    assert_eq!(paths(&by_words), ["docs/bread.md"]);
    first.close();
}

#[test]
fn a_rebuilt_catalog_does_not_inherit_embeddings() {
    let sandbox = three_pages();
    let first = engine(&sandbox);
    sandbox.index(&first);
    sandbox.write("docs/more.md", "# More\n\nSomething else.\n");
    sandbox.index(&first);
    first.settle(&sandbox.origin(), Scope::Project).expect("settled");
    first.close();
    drop(first);
    for entry in fs::read_dir(index(&sandbox)).expect("readable").flatten() {
        if entry.file_name().to_string_lossy().starts_with("catalog.db") {
            fs::remove_file(entry.path()).expect("removable");
        }
    }
    // The same rows are now other chunks.
    fs::remove_file(sandbox.root().join("docs/bread.md")).expect("it is there");
    let second = engine(&sandbox);
    sandbox.index(&second);
    second.settle(&sandbox.origin(), Scope::Project).expect("settled");
    assert_eq!(paths(&search(&sandbox, &second))[0], "docs/cars.md");
}

#[test]
fn damaged_embeddings_are_rebuilt() {
    let sandbox = three_pages();
    let engine = engine(&sandbox);
    sandbox.index(&engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let expected: Vec<String> = paths(&search(&sandbox, &engine)).into_iter().map(str::to_owned).collect();
    engine.close();
    drop(engine);
    for round in 0..40_usize {
        let files: Vec<PathBuf> =
            fs::read_dir(vectors(&sandbox)).expect("readable").flatten().map(|entry| entry.path()).collect();
        let file = &files[round % files.len()];
        let mut bytes = fs::read(file).expect("readable");
        if round % 4 == 0 {
            bytes.truncate(bytes.len() * round / 40);
        } else if !bytes.is_empty() {
            let place = (round * 7919) % bytes.len();
            bytes[place] ^= 1 << (round % 8);
        }
        fs::write(file, bytes).expect("writable");
        let engine = settled(&sandbox);
        let found = search(&sandbox, &engine);
        engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
        let again = search(&sandbox, &engine);
        assert_eq!(paths(&again), expected, "round {round}, {}; before it {:?}", file.display(), paths(&found));
        engine.close();
    }
}

#[test]
fn damage_that_only_a_search_finds_is_repaired() {
    let sandbox = three_pages();
    // Enough for a file that is memory-mapped, of which opening verifies only the head.
    for number in 0..4_200 {
        sandbox.write(&format!("notes/{}/{number}.txt", number % 20), &format!("Entry {number} of the ledger.\n"));
    }
    let first = engine(&sandbox);
    sandbox.index(&first);
    first.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let expected: Vec<String> = paths(&search(&sandbox, &first)).into_iter().map(str::to_owned).collect();
    assert_eq!(expected[0], "docs/cars.md");
    first.close();
    drop(first);
    let files = fs::read_dir(vectors(&sandbox)).expect("readable").flatten().map(|entry| entry.path());
    let base = files.max_by_key(|file| fs::metadata(file).map_or(0, |metadata| metadata.len())).expect("a file");
    let mut bytes = fs::read(&base).expect("readable");
    let place = bytes.len() * 3 / 4;
    bytes[place] ^= 1;
    fs::write(&base, bytes).expect("writable");

    let second = engine(&sandbox);
    let found = search(&sandbox, &second);
    assert!(found.hits.is_empty() && !found.warnings.is_empty(), "{:?}: {:?}", paths(&found), found.warnings);
    second.settle(&sandbox.origin(), Scope::Project).expect("settled");
    assert_eq!(paths(&search(&sandbox, &second)), expected);
}
