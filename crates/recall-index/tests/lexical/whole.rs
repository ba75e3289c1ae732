//! Queries that as a whole are a path, a title, a heading or a misspelled name, and words that the caller looked up.

use recall_core::{ChunkRow, DocumentType, Filters, understand};
use recall_index::lexical::{Depths, DocumentEvidence, JoinedWord, LookedUp, Retrieved, SpellingSuggestions};

use crate::fixture::{ChunkSpec, Doc, Store, definitions, doc};

fn retrieve(store: &Store, query: &str) -> Retrieved {
    let depths = Depths { lexical: 100, symbol: 100, path: 100, rare_words: 0 };
    let searcher = store.lexical.searcher();
    searcher
        .retrieve(&understand(query), &Filters::default(), depths, Vec::new, LookedUp::default(), None)
        .expect("searched")
}

/// The documents that satisfy a predicate.
fn rows(retrieved: &Retrieved, holds: impl Fn(&DocumentEvidence) -> bool) -> Vec<i64> {
    retrieved.evidence.documents.iter().filter(|one| holds(one)).map(|one| one.document.0).collect()
}

fn page(row: i64, path: &str, chunks: &[(&str, &[&str])]) -> Doc {
    let chunks = chunks.iter().map(|(text, names)| ChunkSpec {
        text: (*text).to_owned(),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
    });
    Doc {
        document_type: DocumentType::Documentation,
        language: Some("markdown"),
        chunks: chunks.collect(),
        ..doc(row, path, &[])
    }
}

#[test]
fn a_chunk_found_by_its_heading_represents_its_page() {
    let store = Store::of(&[
        page(1, "a.md", &[("intro", &[]), ("It needs 1.85.", &["Guide::Minimum `supported` Rust version"])]),
        page(2, "b.md", &[("the minimum rust version supported is documented elsewhere", &["Versions"])]),
        definitions(3, "c.rs", &["minimum_supported_rust_version"]),
    ]);
    let retrieved = retrieve(&store, "minimum supported Rust version?");
    assert_eq!(rows(&retrieved, |one| one.phrase_equal > 0.0), [1]);
    let found = retrieved.evidence.documents.iter().find(|one| one.document.0 == 1).expect("found");
    assert_eq!(found.chunk.0, 11, "the chunk with the heading");
    assert_eq!(rows(&retrieve(&store, "supported minimum Rust version"), |one| one.phrase_equal > 0.0), [0_i64; 0]);
}

#[test]
fn a_memory_is_found_by_its_first_sentence() {
    let sentence = "Retries wait for a while, since a busy server answers with more errors.";
    let memory = Doc {
        document_type: DocumentType::Lesson,
        ..page(1, "L-00000001", &[(&format!("{sentence} More follows."), &[])])
    };
    let other = Doc { document_type: DocumentType::Lesson, ..page(2, "L-00000002", &[("Retries wait.", &[])]) };
    let store = Store::of(&[memory, other, page(3, "a.md", &[(sentence, &[])])]);
    assert_eq!(rows(&retrieve(&store, sentence), |one| one.phrase_equal > 0.0), [1]);
}

#[test]
fn a_query_that_is_a_path_names_files() {
    let store = Store::of(&[
        doc(1, "src/store/open.rs", &["a"]),
        doc(2, "tests/store/open.rs", &["a"]),
        doc(3, "Makefile", &["all: open"]),
    ]);
    let check = |query: &str, whole: &[i64], ends: &[i64]| {
        let retrieved = retrieve(&store, query);
        assert_eq!(rows(&retrieved, |one| one.path_equal > 0.9), whole, "{query}");
        assert_eq!(rows(&retrieved, |one| (0.1..0.9).contains(&one.path_equal)), ends, "{query}");
    };
    check("src/store/open.rs", &[1], &[]);
    check("./src/store/open.rs", &[1], &[]);
    check("/home/me/project/src/store/open.rs", &[1], &[]);
    check("store/open.rs", &[], &[1, 2]);
    check("OPEN.RS", &[], &[1, 2]);
    check("Makefile", &[3], &[]);
    check("makefile", &[], &[3]);
    check("open", &[], &[]);
}

#[test]
fn a_file_that_is_named_by_its_path_is_represented_by_its_beginning() {
    let store = Store::of(&[doc(1, "src/flask/ctx.py", &["import sys", "def pop_flask_ctx_src(): ctx py flask src"])]);
    let first = |query: &str| {
        let documents = retrieve(&store, query).evidence.documents;
        documents.iter().find(|one| one.document.0 == 1).expect("found").chunk.0
    };
    assert_eq!([first("src/flask/ctx.py"), first("ctx.py"), first("flask ctx")], [10, 10, 11]);
}

#[test]
fn a_misspelled_name_finds_near_spellings() {
    let store = Store::of(&[
        definitions(1, "a.rs", &["ClientSession"]),
        definitions(2, "b.rs", &["net::ClientSessions"]),
        definitions(3, "session_store.rs", &["open"]),
        doc(4, "c.rs", &["the word pagination occurs here"]),
        definitions(5, "d.rs", &["paginator"]),
    ]);
    let check = |query: &str, names: &[&str], paths: &[&str], found: &[i64]| {
        let retrieved = retrieve(&store, query);
        let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
        assert_eq!(retrieved.suggestions, SpellingSuggestions { names: owned(names), paths: owned(paths) }, "{query}");
        assert_eq!(rows(&retrieved, |one| one.names_near > 0.0), found, "{query}");
    };
    check("ClientSesion", &["ClientSession"], &[], &[1]);
    check("clientsesion", &["ClientSession"], &[], &[1]);
    check("ClietnSession()", &["ClientSession"], &[], &[1]);
    check("CleintSesion", &["ClientSession"], &[], &[1]);
    check("sesion_store.rs", &[], &["session_store.rs"], &[3]);
    check("sesion_store", &["session_store"], &[], &[3]);
    check("ClientSession", &[], &[], &[]);
    check("Client", &[], &[], &[]);
    check("pagination", &[], &[], &[]);
    check("opn", &[], &[], &[]);
    check("a question about ClientSesion", &["ClientSession"], &[], &[1]);
    check("a question about sesions of clients", &[], &[], &[]);
    check(&"x".repeat(300), &[], &[], &[]);
}

#[test]
fn a_word_that_was_looked_up_is_rare_or_says_which_chunk_is_meant() {
    let documents: Vec<Doc> = (1..=5).map(|row| doc(row, &format!("{row}.rs"), &["x 2", "2 x id"])).collect();
    let store = Store::of(&documents);
    let retrieve = |rows: &[i64]| {
        let joined = [JoinedWord { text: "x-2".to_owned(), chunks: rows.iter().copied().map(ChunkRow).collect() }];
        let depths = Depths { lexical: 100, symbol: 100, path: 100, rare_words: 12 };
        let looked_up = LookedUp { literal: &[], joined: &joined };
        let searcher = store.lexical.searcher();
        let understood = understand("the x-2 of it");
        searcher.retrieve(&understood, &Filters::default(), depths, Vec::new, looked_up, None).expect("searched")
    };
    let chunks = |found: &Retrieved| -> Vec<i64> { found.evidence.documents.iter().map(|one| one.chunk.0).collect() };
    let few = retrieve(&[21, 31]);
    assert_eq!(rows(&few, |one| one.holds_rare > 0.0), [2, 3]);
    assert!(few.evidence.query.rare >= 1.0, "the only word has the whole weight");
    assert_eq!(chunks(&few), [10, 21, 31, 40, 50]);
    let many = retrieve(&[11, 21, 31, 41]);
    assert_eq!(rows(&many, |one| one.holds_rare > 0.0), [0_i64; 0]);
    assert!(many.evidence.query.rare <= 0.0);
    assert_eq!(chunks(&many), [11, 21, 31, 41, 50]);
}
