//! Filters of searches.

use proptest::prelude::*;
use recall_core::{DocumentType, Filters, PathFilter, understand};
use recall_text::{DocPath, Language};

use crate::fixture::{Doc, Store, doc, rows};

fn paths(patterns: &[&str]) -> Filters {
    Filters { paths: patterns.iter().map(|pattern| PathFilter((*pattern).to_owned())).collect(), ..Filters::default() }
}

fn documents(store: &Store, filters: &Filters) -> Vec<i64> {
    let found = store.searcher().lexical(&understand("lock"), filters, 100).expect("searched");
    let mut documents: Vec<i64> = found.iter().map(|candidate| candidate.document.0).collect();
    documents.sort_unstable();
    documents
}

#[test]
fn paths_are_filtered_by_directory_name_and_glob() {
    let store = Store::of(&[
        doc(1, "src/lib.rs", &["lock"]),
        doc(2, "src/store/open.rs", &["lock"]),
        doc(3, "src-old/lib.rs", &["lock"]),
        doc(4, "docs/a b.md", &["lock"]),
        doc(5, "src0", &["lock"]),
    ]);
    for (patterns, expected) in [
        (vec!["src"], vec![1, 2]),
        (vec!["src/"], vec![1, 2]),
        (vec!["./src"], vec![1, 2]),
        (vec!["src/lib.rs"], vec![1]),
        (vec!["src/lib.r"], vec![]),
        (vec!["src", "docs"], vec![1, 2, 4]),
        (vec!["*.rs"], vec![1, 2, 3]),
        (vec!["src/*.rs"], vec![1]),
        (vec!["src/**/*.rs"], vec![1, 2]),
        (vec!["docs/a ?.md"], vec![4]),
        (vec!["src*"], vec![5]),
        (vec!["s{rc,x}/*.rs"], vec![1]),
        (vec!["sr[bc]/**"], vec![1, 2]),
        (vec!["["], vec![]),
        (vec!["nowhere"], vec![]),
    ] {
        assert_eq!(documents(&store, &paths(&patterns)), expected, "{patterns:?}");
    }
}

#[test]
fn paths_are_filtered_as_if_the_store_were_in_a_directory() {
    let store = Store::of(&[
        doc(1, "src/lib.rs", &["lock"]),
        doc(2, "src/store/open.rs", &["lock"]),
        doc(3, "a.rs", &["lock"]),
        doc(4, "docs/b.md", &["lock"]),
    ]);
    for (patterns, expected) in [
        (vec!["libs"], vec![1, 2, 3, 4]),
        (vec!["libs/x"], vec![1, 2, 3, 4]),
        (vec!["libs/x/src"], vec![1, 2]),
        (vec!["libs/xy"], vec![]),
        (vec!["lib"], vec![]),
        (vec!["src"], vec![]),
        (vec!["src", "libs/x/docs"], vec![4]),
        (vec!["*.rs"], vec![1, 2, 3]),
        (vec!["libs/x/*.rs"], vec![3]),
        (vec!["libs/*/src/**"], vec![1, 2]),
        (vec!["libs/**/*.md"], vec![4]),
        (vec!["**/src/*.rs"], vec![1]),
        (vec!["{libs/x,other}/*.rs"], vec![3]),
        (vec!["src/*.rs"], vec![]),
        (vec!["libs/y/**"], vec![]),
    ] {
        let filters = Filters { mount: Some(DocPath::new("libs/x").expect("plain")), ..paths(&patterns) };
        assert_eq!(documents(&store, &filters), expected, "{patterns:?}");
    }
}

#[test]
fn all_tags_must_match_but_only_one_type_or_language() {
    let tagged = |row, tags: &[&str]| Doc {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..doc(row, "a.rs", &["lock"])
    };
    let store = Store::of(&[
        tagged(1, &["storage", "Draft x"]),
        tagged(2, &["storage"]),
        Doc { language: Some("python"), ..doc(3, "b.py", &["lock"]) },
        Doc { language: None, document_type: DocumentType::Adr, ..doc(4, "c.md", &["lock"]) },
    ]);
    let tags =
        |tags: &[&str]| Filters { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..Filters::default() };
    assert_eq!(documents(&store, &tags(&["storage"])), [1, 2]);
    assert_eq!(documents(&store, &tags(&["storage", "Draft x"])), [1]);
    assert_eq!(documents(&store, &tags(&["draft"])), [0_i64; 0]);
    let languages = |names: &[&'static str]| Filters {
        languages: names.iter().map(|name| Language::from_static(name)).collect(),
        ..Filters::default()
    };
    assert_eq!(documents(&store, &languages(&["python"])), [3]);
    assert_eq!(documents(&store, &languages(&["python", "rust"])), [1, 2, 3]);
    let types = Filters { types: vec![DocumentType::Adr, DocumentType::Playbook], ..Filters::default() };
    assert_eq!(documents(&store, &types), [4]);
}

#[test]
fn filters_apply_to_names_and_paths_too() {
    let store = Store::of(&[doc(1, "src/store.rs", &["a"]), doc(2, "tests/store.rs", &["b"])]);
    let searcher = store.searcher();
    let found = searcher.paths(&understand("store.rs"), &paths(&["tests"]), 10).expect("searched");
    assert_eq!(rows(&found), [20]);
}

#[test]
fn a_removed_document_passes_no_filter() {
    let store = Store::of(&[doc(1, "src/a.rs", &["lock"]), doc(2, "src/b.rs", &["lock"])]);
    store.commit(2, &[1], &[]);
    assert_eq!(documents(&store, &paths(&["src"])), [2]);
    assert_eq!(documents(&store, &Filters::default()), [2]);
}

fn any_doc(row: i64) -> impl Strategy<Value = Doc> {
    let words = prop::collection::vec(prop::sample::select(["lock", "page", "tree"].as_slice()), 1..6);
    let directory = prop::sample::select(["src", "src/deep", "docs", "lib"].as_slice());
    let document_type = prop::sample::select(vec![DocumentType::Code, DocumentType::Documentation, DocumentType::Adr]);
    let language = prop::option::of(prop::sample::select(vec!["rust", "go"]));
    let tags = prop::collection::btree_set(prop::sample::select(vec!["red", "blue"]), 0..3);
    (words, directory, document_type, language, tags).prop_map(
        move |(words, directory, document_type, language, tags)| Doc {
            document_type,
            language,
            tags: tags.into_iter().map(str::to_owned).collect(),
            ..doc(row, &format!("{directory}/f{row}.rs"), &[&words.join(" ")])
        },
    )
}

fn any_filters() -> impl Strategy<Value = Filters> {
    let types = prop::collection::vec(prop::sample::select(vec![DocumentType::Code, DocumentType::Adr]), 0..2);
    let languages =
        prop::collection::vec(prop::sample::select(vec!["rust", "go", "zig"]).prop_map(Language::from_static), 0..2);
    let paths = prop::collection::vec(
        prop::sample::select(vec!["src", "src/deep", "docs/f3.rs"]).prop_map(|path| PathFilter(path.to_owned())),
        0..2,
    );
    let tags = prop::collection::vec(prop::sample::select(vec!["red", "blue"]).prop_map(str::to_owned), 0..2);
    (types, languages, paths, tags).prop_map(|(types, languages, paths, tags)| Filters {
        types,
        languages,
        paths,
        tags,
        ..Filters::default()
    })
}

fn satisfies(doc: &Doc, filters: &Filters) -> bool {
    let Filters { types, languages, paths, tags, .. } = filters;
    let below = |path: &PathFilter| doc.path == path.0 || doc.path.starts_with(&format!("{}/", path.0));
    (types.is_empty() || types.contains(&doc.document_type))
        && (languages.is_empty() || languages.iter().any(|language| doc.language == Some(language.as_str())))
        && (paths.is_empty() || paths.iter().any(below))
        && tags.iter().all(|tag| doc.tags.contains(tag))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_filtered_search_returns_the_matching_part_of_an_unfiltered_one(
        docs in (any_doc(1), any_doc(2), any_doc(3), any_doc(4), any_doc(5)).prop_map(<[Doc; 5]>::from),
        filters in any_filters(),
        query in prop::sample::select(vec!["lock", "lock page", "tree page"]),
    ) {
        let store = Store::of(&docs);
        let understood = understand(query);
        let mut expected = store.searcher().lexical(&understood, &Filters::default(), 100).expect("searched");
        expected.retain(|candidate| {
            let doc = docs.iter().find(|doc| doc.row == candidate.document.0).expect("one of them");
            satisfies(doc, &filters)
        });
        prop_assert_eq!(store.searcher().lexical(&understood, &filters, 100).expect("searched"), expected);
    }
}
