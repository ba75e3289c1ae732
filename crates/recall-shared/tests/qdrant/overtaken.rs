//! Publications that are overtaken, and those that end halfway.

use std::time::Duration;

use oorandom::Rand32;
use recall_shared::{BranchState, Publication, SharedStore as _, StoreError, publish, verify};
use recall_testkit::{ContractServer, FailureMoment};
use tonic::Code;

use super::{server, store_at};
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model};

const LATE: Duration = Duration::from_millis(400);

fn state(generation: u64, digest: u8) -> BranchState {
    BranchState { generation, digest: [digest; 32], documents: 1 }
}

fn one(path: &str, text: &str) -> Corpus {
    let mut corpus = Corpus::default();
    corpus.put(path, &[text.to_owned()], &mut Rand32::new(1));
    corpus
}

/// Stores the chunks of a corpus and begins its publication.
fn begun(server: &ContractServer, corpus: &Corpus) -> Publication {
    let store = store_at(server.address(), "team");
    let begun = store.begin(&branch("team/a", "main"), None).expect("it answers");
    for (_, chunks) in corpus.documents.values() {
        store.put_chunks(chunks, None).expect("it answers");
    }
    begun
}

#[test]
fn documents_that_arrive_after_another_publication_are_never_seen() {
    let server = server();
    let store = store_at(server.address(), "team");
    let main = branch("team/a", "main");
    let slow = one("src/slow.rs", "w1 slow");
    let publication = begun(&server, &slow);
    // It has checked that it is not overtaken; its documents are on their way.
    server.delay("Upsert", 1, LATE);
    std::thread::scope(|scope| {
        let sent = scope.spawn(|| {
            let store = store_at(server.address(), "team");
            let documents: Vec<_> = slow.documents.values().map(|(document, _)| document.clone()).collect();
            store.put_documents(&publication, &documents)
        });
        std::thread::sleep(LATE / 4);
        publish(&store, &main, None, &one("src/fast.rs", "w1 fast")).expect("it answers");
        sent.join().expect("no panic").expect("nobody has told it");
    });
    assert_eq!(server.texts("recall_1_documents", "path"), ["src/fast.rs", "src/slow.rs"], "it arrived");
    assert_eq!(paths_with(&store, "w1"), ["src/fast.rs"]);
    assert_eq!(store.manifest(&main).expect("it answers").len(), 1);
    let committed = store.commit(&publication, 1, &[], &state(1, 9));
    assert!(matches!(committed, Err(StoreError::Busy)), "{committed:?}");
    publish(&store, &main, None, &one("src/next.rs", "w1 next")).expect("it answers");
    assert_eq!(paths_with(&store, "w1"), ["src/next.rs"]);
    assert_eq!(server.texts("recall_1_documents", "path"), ["src/fast.rs", "src/next.rs"], "it is discarded");
}

/// A commit that was overtaken marks a document that the other commit has marked too, just before that one is done.
#[test]
fn an_overtaken_commit_changes_no_mark_of_a_later_one() {
    let server = server();
    let store = store_at(server.address(), "team");
    let main = branch("team/a", "main");
    publish(&store, &main, None, &one("src/a.rs", "w1 first")).expect("it answers");
    let staged = |text: &str| {
        let corpus = one("src/a.rs", text);
        let publication = begun(&server, &corpus);
        let documents: Vec<_> = corpus.documents.values().map(|(document, _)| document.clone()).collect();
        store.put_documents(&publication, &documents).expect("it answers");
        publication
    };
    let slow = staged("w1 slow");
    server.delay("SetPayload", 1, LATE);
    std::thread::scope(|scope| {
        let committed = scope.spawn(|| store_at(server.address(), "team").commit(&slow, 1, &[], &state(2, 9)));
        std::thread::sleep(LATE / 4);
        let fast = staged("w1 fast");
        // The second one commits it.
        server.delay("Upsert", 2, LATE);
        store.commit(&fast, 1, &[], &state(2, 8)).expect("nobody has overtaken it");
        let committed = committed.join().expect("no panic");
        assert!(matches!(committed, Err(StoreError::Busy)), "{committed:?}");
    });
    assert_eq!(paths_with(&store, "fast"), ["src/a.rs"]);
    assert!(paths_with(&store, "first").is_empty(), "it is replaced");
    assert_eq!(store.statistics(&[]).expect("it answers").documents, 1);
    publish(&store, &main, None, &one("src/c.rs", "w1 next")).expect("it answers");
    assert_eq!(paths_with(&store, "w1"), ["src/c.rs"]);
}

#[test]
fn a_publication_that_dies_after_its_commit_is_seen_as_a_whole() {
    let server = server();
    let store = store_at(server.address(), "team");
    let main = branch("team/a", "main");
    publish(&store, &main, None, &one("src/a.rs", "w1 first")).expect("it answers");
    let second = one("src/a.rs", "w1 second");
    let publication = begun(&server, &second);
    let documents: Vec<_> = second.documents.values().map(|(document, _)| document.clone()).collect();
    store.put_documents(&publication, &documents).expect("it answers");
    // The client repeats a request once by itself. The first one marks what is replaced.
    server.delay("SetPayload", 1, Duration::ZERO);
    server.fail("SetPayload", 100, FailureMoment::Before, Code::Unavailable);
    let failed = store.commit(&publication, 1, &[], &state(2, 9));
    assert!(failed.as_ref().is_err_and(StoreError::may_pass), "{failed:?}");
    assert!(server.heal() > 1);
    assert_eq!(paths_with(&store, "second"), ["src/a.rs"]);
    assert!(paths_with(&store, "first").is_empty(), "it is replaced");
    assert_eq!(store.manifest(&main).expect("it answers").len(), 1);
    store.commit(&publication, 1, &[], &state(2, 9)).expect("a repeated commit succeeds");
    publish(&store, &main, None, &one("src/b.rs", "w1 third")).expect("it answers");
    assert_eq!(paths_with(&store, "w1"), ["src/b.rs"]);
}

/// Publishes a branch of one document.
fn publish_one(server: &ContractServer, name: &str) {
    let corpus = one(&format!("src/{name}.rs"), &format!("w1 {name}"));
    let store = store_at(server.address(), "team");
    publish(&store, &branch("team/a", name), Some(&model()), &corpus).expect("it answers");
}

#[test]
fn the_first_branch_of_a_repository_is_its_default_even_if_two_begin_at_once() {
    let server = server();
    std::thread::scope(|scope| {
        for name in ["one", "two", "three"] {
            let server = &server;
            scope.spawn(move || publish_one(server, name));
        }
    });
    let seen = paths_with(&store_at(server.address(), "team"), "w1");
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[test]
fn a_publication_succeeds_while_another_creates_the_store() {
    let server = server();
    // The collection of branches is there, and its first index is not.
    server.delay("CreateFieldIndex", 1, LATE);
    std::thread::scope(|scope| {
        scope.spawn(|| publish_one(&server, "one"));
        std::thread::sleep(LATE / 4);
        publish_one(&server, "two");
    });
}

#[test]
fn two_publications_that_begin_at_once_have_different_tickets() {
    let server = server();
    let main = branch("team/a", "main");
    let fast = store_at(server.address(), "team");
    publish(&fast, &main, None, &one("src/a.rs", "w1 first")).expect("it answers");
    // The first one has read the last ticket and is about to take the next.
    server.delay("SetPayload", 1, LATE);
    let (slow, fast) = std::thread::scope(|scope| {
        let slow = scope.spawn(|| store_at(server.address(), "team").begin(&main, None).expect("it answers"));
        std::thread::sleep(LATE / 4);
        let fast = fast.begin(&main, None).expect("it answers");
        (slow.join().expect("no panic"), fast)
    });
    assert_ne!(slow.id, fast.id);
}

#[test]
fn publications_of_one_branch_at_once_leave_one_state() {
    let server = server();
    let main = branch("team/a", "main");
    let corpora: Vec<Corpus> = (0..4).map(|seed| Corpus::random(seed, 20)).collect();
    let done = std::thread::scope(|scope| {
        let publications = corpora.iter().map(|corpus| {
            let (server, main, corpus) = (&server, &main, corpus.clone());
            scope.spawn(move || publish(&store_at(server.address(), "team"), main, None, &corpus).is_ok())
        });
        let publications: Vec<_> = publications.collect();
        publications.into_iter().map(|publication| publication.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert!(done.contains(&true), "the last one is not overtaken");
    let store = store_at(server.address(), "team");
    let manifest = store.manifest(&main).expect("it answers");
    let one = corpora.iter().zip(&done).find(|(corpus, _)| *recall_shared::Source::manifest(*corpus) == manifest);
    let (corpus, is_done) = one.expect("the manifest of one of them");
    assert!(is_done);
    let (difference, _) = verify(&store, &main, None, corpus).expect("it answers");
    assert!(difference.is_empty(), "{difference:?}");
}
