//! What a store asks of its server.

use std::collections::BTreeSet;

use oorandom::Rand32;
use recall_shared::{Model, Qdrant, QdrantSettings, SharedStore as _, Spread, publish};

use super::{server, settings, store_at};
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model};

#[test]
fn every_request_has_the_tenant_and_every_write_is_applied_in_order() {
    let server = server();
    let store = store_at(server.address(), "team a");
    let mut corpus = Corpus::random(1, 60);
    for _ in 0..3 {
        publish(&store, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
        corpus.change(&mut Rand32::new(4));
        paths_with(&store, "w1");
        store.texts(&[crate::suite::corpus::chunk("w1 w2").key]).expect("it answers");
        store.models().expect("it answers");
    }
    let calls = server.calls();
    let methods: BTreeSet<&str> = calls.iter().map(|call| call.method).collect();
    let expected =
        ["Count", "Create", "CreateFieldIndex", "Delete", "Get", "List", "Query", "Scroll", "SetPayload", "Upsert"];
    assert_eq!(methods.into_iter().collect::<Vec<_>>(), expected);
    for call in &calls {
        let about_points = ["Count", "Delete", "Query", "Scroll", "SetPayload", "Upsert"].contains(&call.method);
        let expected: &[&str] = if about_points { &["team a"] } else { &[] };
        assert_eq!(call.tenants, expected, "{call:?}");
        let is_write = ["Delete", "SetPayload", "Upsert"].contains(&call.method);
        assert_eq!(call.is_safe_write, is_write.then_some(true), "{call:?}");
    }
    // Collections and indexes are created once.
    let created = calls.iter().filter(|call| call.method == "Create").count();
    assert_eq!(created, 4, "branches, documents, chunks, vectors");
    let indexed = calls.iter().filter(|call| call.method == "CreateFieldIndex").map(|call| &call.collection);
    assert!(indexed.clone().count() > 20 && indexed.clone().count() < 40, "{}", indexed.count());
}

#[test]
fn an_unchanged_branch_costs_one_request() {
    let server = server();
    let store = store_at(server.address(), "team");
    let corpus = Corpus::random(1, 60);
    publish(&store, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
    server.calls();
    publish(&store, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn new_collections_are_spread_as_configured() {
    let server = server();
    let spread = Spread { shards: Some(12), replicas: Some(3), write_consistency: Some(2) };
    let store = Qdrant::new(QdrantSettings { spread, ..settings(server.address(), "team") }).expect("a valid address");
    publish(&store, &branch("team/a", "main"), Some(&model()), &Corpus::random(1, 3)).expect("it answers");
    let spreads: Vec<_> = server.calls().into_iter().filter_map(|call| call.spread).collect();
    assert_eq!(spreads, [[Some(12), Some(3), Some(2)]; 4]);
}

/// The server rejects messages above 4 MB.
#[test]
fn large_texts_are_sent_in_several_requests() {
    let server = server();
    let store = store_at(server.address(), "team");
    let mut corpus = Corpus::default();
    for number in 0..12 {
        let text = format!("w{number} {}", "x".repeat(900_000));
        corpus.put(&format!("src/large{number}.rs"), &[text], &mut Rand32::new(1));
    }
    let sent = publish(&store, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
    assert_eq!((sent.documents, sent.sent_chunks), (12, 12));
    assert_eq!(paths_with(&store, "w7"), ["src/large7.rs"]);
}

#[test]
fn a_new_model_is_a_new_collection_beside_the_old_one() {
    let server = server();
    let store = store_at(server.address(), "team");
    let (mut corpus, main) = (Corpus::random(1, 10), branch("team/a", "main"));
    publish(&store, &main, Some(&model()), &corpus).expect("it answers");
    let before = server.sizes();
    let other = Model { fingerprint: "other".to_owned(), ..model() };
    corpus.put("src/new.rs", &["w1 w2".to_owned()], &mut Rand32::new(3));
    publish(&store, &main, Some(&other), &corpus).expect("it answers");
    let size = |name: &str| server.sizes().into_iter().find(|(known, _)| known == name).map(|(_, size)| size);
    let old = "recall_1_vectors_0123456789abcdef_8";
    let of_old = before.iter().find(|(name, _)| name == old).map(|(_, size)| *size);
    assert_eq!(size(old), of_old, "nothing is dropped");
    assert_eq!(size("recall_1_vectors_other_8"), Some(1));
    let mut models = store.models().expect("it answers");
    models.sort();
    assert_eq!(models, [model(), other]);
}
