//! Deletion of what nobody can see, and repair of what was lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oorandom::Rand32;
use recall_shared::{Qdrant, QdrantSettings, SharedStore as _, publish, verify};
use recall_testkit::ContractServer;

use super::{NOW, server, settings, store_at};
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model};

const HOUR: u64 = 60 * 60;

fn size(server: &ContractServer, collection: &str) -> usize {
    let sizes = server.sizes();
    sizes.iter().find(|(name, _)| name.starts_with(collection)).map_or(0, |(_, size)| *size)
}

#[test]
fn replaced_documents_stay_for_an_hour_and_chunks_for_a_day() {
    let server = server();
    let time = Arc::new(AtomicU64::new(NOW));
    let clock = Arc::clone(&time);
    let store = Qdrant::new(QdrantSettings {
        clock: Arc::new(move || clock.load(Ordering::SeqCst)),
        ..settings(server.address(), "team")
    })
    .expect("a valid address");
    let mut random = Rand32::new(1);
    let main = branch("team/a", "main");
    let mut corpus = Corpus::default();
    corpus.put("src/kept.rs", &["w1 kept".to_owned()], &mut random);
    corpus.put("src/changed.rs", &["w1 earlier".to_owned()], &mut random);
    publish(&store, &main, Some(&model()), &corpus).expect("it answers");
    corpus.put("src/changed.rs", &["w1 later".to_owned()], &mut random);
    publish(&store, &main, Some(&model()), &corpus).expect("it answers");
    let sizes =
        || (size(&server, "recall_1_documents"), size(&server, "recall_1_chunks"), size(&server, "recall_1_vectors_"));
    assert_eq!(store.collect().expect("it answers"), 0);
    assert_eq!(sizes(), (3, 3, 3), "a search may still read it");
    time.fetch_add(2 * HOUR, Ordering::SeqCst);
    assert_eq!(store.collect().expect("it answers"), 0);
    assert_eq!(sizes(), (2, 3, 3), "the document is gone, its chunk may be published again");
    time.fetch_add(48 * HOUR, Ordering::SeqCst);
    assert_eq!(store.collect().expect("it answers"), 1);
    assert_eq!(sizes(), (2, 2, 2));
    assert_eq!(paths_with(&store, "w1"), ["src/changed.rs", "src/kept.rs"]);
    // What a killed publication has left belongs to no document.
    let killed = crate::suite::corpus::chunk("w1 killed");
    store.put_chunks(std::slice::from_ref(&killed), Some(&model())).expect("it answers");
    time.fetch_add(23 * HOUR, Ordering::SeqCst);
    assert_eq!(store.missing(&[killed.key], None).expect("it answers"), [false], "and is touched by this");
    time.fetch_add(23 * HOUR, Ordering::SeqCst);
    assert_eq!(store.collect().expect("it answers"), 0, "another publication relies on it");
    time.fetch_add(2 * HOUR, Ordering::SeqCst);
    assert_eq!(store.collect().expect("it answers"), 1);
    assert_eq!(sizes(), (2, 2, 2));
}

#[test]
fn what_the_server_lost_is_repaired() {
    let server = server();
    let store = store_at(server.address(), "team");
    let (corpus, main) = (Corpus::random(3, 40), branch("team/a", "main"));
    publish(&store, &main, Some(&model()), &corpus).expect("it answers");
    for collection in ["recall_1_chunks", "recall_1_documents"] {
        assert!(server.lose(collection, 3) > 5, "{collection}");
        let (difference, repaired) = verify(&store, &main, Some(&model()), &corpus).expect("it answers");
        assert!(difference.missing.len() > 5 && repaired.is_some(), "{difference:?}");
        let (difference, repaired) = verify(&store, &main, Some(&model()), &corpus).expect("it answers");
        assert!(difference.is_empty() && repaired.is_none(), "{difference:?}");
    }
}
