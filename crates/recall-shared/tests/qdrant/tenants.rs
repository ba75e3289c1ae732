//! A tenant sees its own documents only.

use qdrant_client::Qdrant as Client;
use qdrant_client::qdrant::{
    Condition, CountPointsBuilder, DeletePointsBuilder, Filter, PointStruct, ScrollPointsBuilder,
    SetPayloadPointsBuilder, UpsertPointsBuilder,
};
use recall_shared::{Place, SharedStore as _, StoreError, publish};

use super::{server, store_at};
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model};

#[test]
fn no_tenant_sees_another() {
    let server = server();
    let (one, other) = (store_at(server.address(), "one"), store_at(server.address(), "other"));
    let corpus = Corpus::random(1, 30);
    publish(&one, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
    assert!(matches!(other.statistics(&[1]), Err(StoreError::Empty)));
    assert!(other.models().expect("it answers").is_empty(), "the other one has no vectors");
    assert!(!paths_with(&one, "w0").is_empty());
    let mine = Corpus::random(2, 5);
    publish(&other, &branch("team/a", "main"), Some(&model()), &mine).expect("it answers");
    for word in 0..40 {
        let paths = paths_with(&other, &format!("w{word}"));
        assert!(paths.iter().all(|path| mine.documents.contains_key(path)), "{paths:?}");
    }
    assert_eq!(other.statistics(&[]).expect("it answers").documents, 5);
    assert_eq!(
        one.manifest(&branch("team/a", "main")).expect("it answers").len(),
        30,
        "equal names are not one branch"
    );
    let keys: Vec<_> = corpus.documents.values().flat_map(|(_, chunks)| chunks.iter().map(|chunk| chunk.key)).collect();
    let own: Vec<_> = mine.documents.values().flat_map(|(_, chunks)| chunks.iter().map(|chunk| chunk.key)).collect();
    for (key, text) in keys.iter().zip(other.texts(&keys).expect("it answers")) {
        assert_eq!(text.is_some(), own.contains(key));
    }
    for path in corpus.documents.keys() {
        let place = Place { repository: "team/a".to_owned(), path: path.clone() };
        let seen = other.document(&[place]).expect("it answers").map(|found| found.text);
        assert_eq!(seen, mine.documents.get(path).map(|(document, _)| document.text.clone()));
    }
}

/// The contract server must notice a forgotten tenant, or all other tests prove little about it.
#[tokio::test]
async fn a_request_without_a_tenant_is_refused() {
    let server = server();
    let store = store_at(server.address(), "one");
    tokio::task::spawn_blocking(move || {
        publish(&store, &branch("team/a", "main"), None, &Corpus::random(1, 3)).expect("it answers");
    })
    .await
    .expect("it is published");
    let client = Client::from_url(&server.address()).skip_compatibility_check().build().expect("a client");
    let name = "recall_1_documents";
    let no_tenant = || Filter::must([Condition::matches("state", "live".to_owned())]);
    let optional = Filter::should([Condition::matches("tenant", "one".to_owned())]);
    let errors = [
        client.scroll(ScrollPointsBuilder::new(name)).await.err(),
        client.scroll(ScrollPointsBuilder::new(name).filter(no_tenant())).await.err(),
        client.scroll(ScrollPointsBuilder::new(name).filter(optional)).await.err(),
        client.count(CountPointsBuilder::new(name).filter(no_tenant()).exact(true)).await.err(),
        client.delete_points(DeletePointsBuilder::new(name).points(no_tenant())).await.err(),
        client
            .set_payload(SetPayloadPointsBuilder::new(name, qdrant_client::Payload::new()).points_selector(no_tenant()))
            .await
            .err(),
        client
            .upsert_points(UpsertPointsBuilder::new(
                name,
                vec![PointStruct::new(
                    "3c9d7e9e-0000-4000-8000-000000000000",
                    vec![1.0],
                    qdrant_client::Payload::new(),
                )],
            ))
            .await
            .err(),
    ];
    for (place, error) in errors.into_iter().enumerate() {
        let text = error.unwrap_or_else(|| panic!("request {place} was answered")).to_string();
        assert!(text.contains("tenant"), "{place}: {text}");
    }
    let mine = Filter::must([Condition::matches("tenant", "one".to_owned())]);
    assert_eq!(client.scroll(ScrollPointsBuilder::new(name).filter(mine)).await.expect("it answers").result.len(), 3);
}
