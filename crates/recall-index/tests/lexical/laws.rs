//! Properties of the retriever by words, checked against an oracle and against itself.

use proptest::prelude::*;
use recall_core::{Candidate, DocumentRow, Filters, Generation, understand};
use recall_index::lexical::{FieldWeights, Lexical};

use crate::fixture::{Doc, Store, doc, rows};
use crate::oracle;

/// Words without common stems and without stop words.
const WORDS: [&str; 10] = ["lock", "journal", "page", "tree", "node", "cache", "hash", "disk", "sync", "token"];

const BODY_ALONE: FieldWeights = FieldWeights { body: 1.0, symbol: 0.0, path: 0.0, comment: 0.0, tag: 0.0 };

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.as_slice()), 1..30).prop_map(|words| words.join(" "))
}

fn query() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(WORDS.as_slice()), 1..4)
}

fn docs() -> impl Strategy<Value = Vec<Doc>> {
    prop::collection::vec(prop::collection::vec(text(), 1..5), 1..12).prop_map(|docs| {
        (1_i64..)
            .zip(&docs)
            .map(|(row, chunks)| {
                doc(row, &format!("d{row}.rs"), &chunks.iter().map(String::as_str).collect::<Vec<_>>())
            })
            .collect()
    })
}

fn search(lexical: &Lexical, query: &[&str], depth: usize) -> Vec<Candidate> {
    lexical.searcher().lexical(&understand(&query.join(" ")), &Filters::default(), depth).expect("searched")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn candidates_match_plain_bm25(docs in docs(), query in query()) {
        let store = Store::of(&docs);
        let found = search(&store.lexical.with_weights(BODY_ALONE), &query, 1000);
        let expected = oracle::bm25(&docs, &query);
        prop_assert_eq!(found.len(), expected.len());
        for candidate in &found {
            let (_, score) = expected.iter().find(|(row, _)| *row == candidate.chunk.0).expect("found by the oracle too");
            prop_assert!((f64::from(candidate.score) - score).abs() < 1e-3, "{candidate:?} instead of {score}");
        }
        prop_assert!(found.is_sorted_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)).is_lt()));
    }

    #[test]
    fn a_shallow_search_is_a_prefix_of_a_deep_one(docs in docs(), query in query(), depth in 0_usize..20) {
        let store = Store::of(&docs);
        let mut deep = search(&store.lexical, &query, 1000);
        deep.truncate(depth);
        prop_assert_eq!(search(&store.lexical, &query, depth), deep);
    }

    #[test]
    fn a_chunk_with_all_words_is_found(docs in docs(), query in query()) {
        let store = Store::of(&docs);
        let found = rows(&search(&store.lexical, &query, 1000));
        for doc in &docs {
            for (place, chunk) in (0_i64..).zip(&doc.chunks) {
                if query.iter().all(|word| chunk.text.split(' ').any(|known| known == *word)) {
                    prop_assert!(found.contains(&(doc.row * 10 + place)));
                }
            }
        }
    }

    #[test]
    fn the_order_of_writes_does_not_matter(docs in docs(), query in query(), removed in prop::collection::btree_set(1_i64..12, 0..6)) {
        let kept: Vec<Doc> = docs.iter().filter(|doc| !removed.contains(&doc.row)).cloned().collect();
        let at_once = Store::of(&kept);
        let bit_by_bit = Store::empty();
        let mut writer = bit_by_bit.writer();
        for (generation, doc) in (1..).zip(&docs) {
            doc.add_to(&mut writer);
            writer.commit(Generation(generation)).expect("committed");
        }
        for &row in &removed {
            writer.remove(DocumentRow(row));
        }
        writer.commit(Generation(99)).expect("committed");
        let expected = search(&at_once.lexical, &query, 1000);
        prop_assert_eq!(search(&bit_by_bit.lexical, &query, 1000), expected.clone());
        writer.finish().expect("closed");
        prop_assert_eq!(search(&bit_by_bit.lexical, &query, 1000), expected, "after merges");
    }

    #[test]
    fn a_reopened_index_gives_the_same_answers(docs in docs(), query in query()) {
        let store = Store::of(&docs);
        let before = search(&store.lexical, &query, 1000);
        let again = Lexical::open(store.dir.path()).expect("opened");
        prop_assert_eq!(again.generation(), Generation(1));
        prop_assert_eq!(search(&again, &query, 1000), before);
    }

    #[test]
    fn a_replaced_document_is_found_by_its_new_text_only(docs in docs(), replaced in text(), query in query()) {
        let store = Store::of(&docs);
        let mut docs = docs;
        docs[0] = doc(docs[0].row, "d1.rs", &[&replaced]);
        store.commit(2, &[docs[0].row], &docs[..1]);
        prop_assert_eq!(
            search(&store.lexical, &query, 1000),
            search(&Store::of(&docs).lexical, &query, 1000)
        );
    }
}

proptest! {
    #[test]
    fn no_query_is_an_error(query in "\\PC{0,80}") {
        thread_local! {
            static STORE: Store = Store::of(&[doc(1, "src/a.rs", &["lock \"the\" page", "tree AND (node OR"])]);
        }
        STORE.with(|store| {
            let searcher = store.searcher();
            let understood = understand(&query);
            let filters = understood.filters.clone();
            searcher.lexical(&understood, &filters, 10).expect("searched");
            searcher.symbols(&understood, &filters, 10).expect("searched");
            searcher.paths(&understood, &filters, 10).expect("searched");
        });
    }
}

#[test]
fn pruning_loses_nothing_in_lists_of_many_blocks() {
    // Later words of the vocabulary are drawn more rarely, as in real text.
    let mut state = 1_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let docs: Vec<Doc> = (1..=400)
        .map(|row| {
            let chunks: Vec<String> = (0..8)
                .map(|_| {
                    let words = 3 + draw(20);
                    (0..words).map(|_| WORDS[(draw(10) * draw(10) / 10) as usize]).collect::<Vec<_>>().join(" ")
                })
                .collect();
            doc(row, &format!("d{row}.rs"), &chunks.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect();
    let store = Store::of(&docs);
    let lexical = store.lexical.with_weights(BODY_ALONE);
    for query in [&["token", "lock"][..], &["sync", "journal", "page"], &["lock"], &WORDS] {
        let deep = search(&lexical, query, 10_000);
        let expected = oracle::bm25(&docs, query);
        assert_eq!(deep.len(), expected.len(), "{query:?}");
        for (candidate, (_, score)) in deep.iter().zip(&expected) {
            assert!((f64::from(candidate.score) - score).abs() < 1e-3, "{query:?}: {candidate:?} instead of {score}");
        }
        for depth in [1, 3, 10, 100, 1000] {
            assert_eq!(search(&lexical, query, depth), deep[..depth.min(deep.len())], "{query:?} to {depth}");
        }
    }
}

#[test]
fn equal_chunks_are_ordered_by_row() {
    let docs: Vec<Doc> = [5, 3, 9, 1].map(|row| doc(row, "same.rs", &["lock page", "lock page"])).to_vec();
    assert_eq!(Store::of(&docs).lexical("lock page"), [10, 11, 30, 31, 50, 51, 90, 91]);
}

#[test]
fn operators_quotes_and_long_queries_are_read_as_words() {
    let store = Store::of(&[doc(1, "a.rs", &["lock page"]), doc(2, "b.rs", &["tree"])]);
    for query in ["lock AND NOT page", "\"lock", "+lock -page", "body:lock", "lock*", "(lock OR", "{lock}", "lo\0 lock"]
    {
        assert_eq!(store.lexical(query), [10], "{query:?}");
    }
    assert_eq!(store.lexical(&"lock ".repeat(10_000)), [10]);
    assert_eq!(store.lexical(""), [0_i64; 0]);
    assert_eq!(store.lexical("*"), [0_i64; 0]);
}
