//! Searches by names and by paths.

use crate::fixture::{Store, definitions, doc, rows};

#[test]
fn names_rank_equal_then_other_case_then_prefix_then_shared_part() {
    let store = Store::of(&[definitions(
        1,
        "a.rs",
        &["header_count", "ParseHeaderFields", "parseheader", "ParseHeader", "unrelated", "ParseHeaderLine"],
    )]);
    assert_eq!(store.symbols("ParseHeader")[..2], [13, 12]);
    let mut longer = store.symbols("ParseHeader")[2..4].to_vec();
    longer.sort_unstable();
    assert_eq!(longer, [11, 15]);
    assert_eq!(store.symbols("ParseHeader")[4..], [10]);
}

#[test]
fn a_qualified_name_finds_its_own_definition_first() {
    let store = Store::of(&[definitions(1, "a.rs", &["Journal::open", "engine::Store::open", "open", "Store"])]);
    for query in ["Store::open", "Store.open", "store::open", "engine::Store::open"] {
        assert_eq!(store.symbols(query)[0], 11, "{query}");
    }
    assert_eq!(store.symbols("open")[0], 12, "the shortest of the equal ones");
    assert!(store.symbols("Store::open").contains(&10), "the same name in another scope is found too");
}

#[test]
fn a_question_finds_definitions_by_the_parts_of_their_names() {
    let store = Store::of(&[definitions(1, "a.rs", &["open_store", "parse_headers", "render"])]);
    assert_eq!(store.symbols("how are headers parsed"), [11]);
    assert_eq!(store.symbols("nothing alike"), [0_i64; 0]);
}

#[test]
fn a_short_prefix_and_an_unknown_name_find_nothing() {
    let store = Store::of(&[definitions(1, "a.rs", &["open", "operate"])]);
    assert_eq!(store.symbols("op"), [0_i64; 0]);
    assert_eq!(store.symbols("operat"), [11]);
    assert_eq!(store.symbols("close"), [0_i64; 0]);
}

#[test]
fn a_prefix_finds_names_that_share_no_word_with_it() {
    let store = Store::of(&[definitions(1, "a.rs", &["connect", "printable", "reconnect", "disConnected"])]);
    for (prefix, expected) in [("conn", vec![10]), ("connec", vec![10]), ("prin", vec![11]), ("rec", vec![12])] {
        assert_eq!(store.symbols(prefix), expected, "{prefix}");
    }
}

#[test]
fn a_name_is_found_however_its_words_are_joined() {
    let names = ["unrelated", "parse_tokens", "ReadFrame", "MAX_OPEN_FILES", "__init__", "init"];
    let store = Store::of(&[definitions(1, "a.rs", &names)]);
    for (query, expected) in [
        ("parsetokens", 11),
        ("parseTokens", 11),
        ("PARSE_TOKENS", 11),
        ("Parse-Tokens", 11),
        ("read_frame", 12),
        ("readframe", 12),
        ("maxOpenFiles", 13),
        ("__init__", 14),
        ("init", 15),
    ] {
        assert_eq!(store.symbols(query).first(), Some(&expected), "{query}");
    }
    assert_eq!(store.symbols("parset"), [11], "the beginning of a name");
    assert_eq!(store.symbols("MAX_"), [13], "the beginning of a name, up to the end of a word");
    assert_eq!(rows(&store.searcher().defining_however_written("readframe", 10).expect("searched")), [12]);
    assert_eq!(store.searcher().defining_however_written("max", 10).expect("searched"), []);
}

#[test]
fn a_path_is_found_by_its_end_stem_or_words() {
    let store = Store::of(&[
        doc(1, "crates/store/src/open.rs", &["a", "b"]),
        doc(2, "crates/journal/src/open.rs", &["c"]),
        doc(3, "docs/opening-a-store.md", &["d"]),
        doc(4, "src/lib.rs", &["e"]),
    ]);
    for (query, expected) in [
        ("crates/store/src/open.rs", vec![10, 20, 30, 40]),
        ("store/src/open.rs", vec![10, 20, 30, 40]),
        ("./SRC/lib.rs", vec![40, 10, 20]),
        ("/home/somebody/project/src/lib.rs", vec![40, 10, 20]),
        ("lib.rs", vec![40, 10, 20]),
        ("open", vec![10, 20, 30]),
        ("journal", vec![20]),
        ("how is a journal opened", vec![20, 10, 30]),
        ("render", vec![]),
    ] {
        assert_eq!(store.paths(query), expected, "{query}");
    }
}

#[test]
fn a_document_is_one_candidate_however_many_chunks_it_has() {
    let store = Store::of(&[doc(1, "src/store.rs", &["a", "b", "c"])]);
    assert_eq!(store.paths("store.rs"), [10]);
}
