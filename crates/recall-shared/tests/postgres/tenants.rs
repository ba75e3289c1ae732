//! A tenant sees its own documents only.

use recall_shared::{Place, SharedStore as _, StoreError, publish};
use recall_testkit::PostgresServer;

use super::store_at;
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model};

#[test]
fn no_tenant_sees_another() {
    let server = PostgresServer::start();
    let (one, other) = (store_at(server.address(), "one"), store_at(server.address(), "other"));
    let corpus = Corpus::random(1, 30);
    publish(&one, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
    assert!(matches!(other.statistics(&[1]), Err(StoreError::Empty)));
    assert!(!paths_with(&one, "w0").is_empty());
    let mine = Corpus::random(2, 5);
    publish(&other, &branch("team/b", "main"), Some(&model()), &mine).expect("it answers");
    for word in 0..40 {
        let paths = paths_with(&other, &format!("w{word}"));
        assert!(paths.iter().all(|path| mine.documents.contains_key(path)), "{paths:?}");
    }
    let keys: Vec<_> = corpus.documents.values().flat_map(|(_, chunks)| chunks.iter().map(|chunk| chunk.key)).collect();
    let own: Vec<_> = mine.documents.values().flat_map(|(_, chunks)| chunks.iter().map(|chunk| chunk.key)).collect();
    for (key, text) in keys.iter().zip(other.texts(&keys).expect("it answers")) {
        assert_eq!(text.is_some(), own.contains(key));
    }
    for path in corpus.documents.keys() {
        let place = Place { repository: "team/a".to_owned(), path: path.clone() };
        let seen = other.document(&[place]).expect("it answers").map(|found| found.text);
        assert_eq!(seen, None, "{path}");
    }
}

#[test]
fn the_server_enforces_the_tenant() {
    let server = PostgresServer::start();
    let one = store_at(server.address(), "one");
    publish(&one, &branch("team/a", "main"), Some(&model()), &Corpus::random(1, 30)).expect("it answers");
    // A user without the rights of a superuser, and without a tenant.
    let count = |tenant: &str| {
        let tenant = if tenant.is_empty() { String::new() } else { format!("set recall.tenant = '{tenant}'; ") };
        server.sql_as("recall", "team", &format!("{tenant}select count(*) from recall_1.chunk"))
    };
    assert!(count("").is_err(), "without a tenant the request fails");
    assert_eq!(count("other").expect("it answers").last().map(String::as_str), Some("0"));
    assert_ne!(count("one").expect("it answers").last().map(String::as_str), Some("0"));
}
