//! What readers see.

use std::sync::atomic::{AtomicBool, Ordering};

use oorandom::Rand32;
use recall_shared::{Ask, Depths, Filters, Memory, PathCondition, SharedStore, Weighted, publish};

use super::{server, store_at};
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model, number};

#[test]
fn the_statistics_are_those_of_the_store_in_memory() {
    let server = server();
    let (store, memory) = (store_at(server.address(), "team"), Memory::default());
    let mut corpus = Corpus::default();
    let mut random = Rand32::new(1);
    // No chunk is in two documents: the lengths of one that is are an estimate.
    for number in 0..50 {
        let texts = (0..3).map(|part| format!("w{} own{number}x{part}", number % 7)).collect::<Vec<_>>();
        corpus.put(&format!("src/file{number}.rs"), &texts, &mut random);
    }
    let keys: Vec<u32> = ["w1", "w2", "src", "rs", "unknown", "w1"].map(number).to_vec();
    for round in 0..3 {
        publish(&store, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
        publish(&memory, &branch("team/a", "main"), Some(&model()), &corpus).expect("it answers");
        let (there, mut here) =
            (store.statistics(&keys).expect("it answers"), memory.statistics(&keys[..5]).expect("it answers"));
        // Chunks without a document are kept for a day.
        here.chunks = 150 + round;
        assert_eq!((there.chunks, there.documents), (here.chunks, here.documents));
        assert_eq!(there.counts.get(&number("src")), Some(&50));
        assert_eq!(there.counts.get(&number("unknown")), None);
        assert_eq!(there.lengths[3..], here.lengths[3..], "those of the paths");
        assert_eq!(there.lengths[0], 2 * there.chunks);
        let text = format!("w3 changed{round}");
        let kept = corpus.documents["src/file3.rs"].1[1..].iter().map(|chunk| chunk.text.clone());
        let texts: Vec<String> = std::iter::once(text).chain(kept).collect();
        corpus.put("src/file3.rs", &texts, &mut random);
    }
}

fn ask(word: &str, count: u64, words: usize, filters: Filters) -> Ask {
    Ask {
        words: vec![Weighted { key: number(word), weight: 1.0, count }],
        definitions: Vec::new(),
        files: Vec::new(),
        vector: None,
        filters,
        without: Vec::new(),
        depths: Depths { words, definitions: 0, files: 0, nearest: 0 },
    }
}

/// Chunks of other branches score as high as those of the default branch. A search goes on until it has enough of the latter.
#[test]
fn chunks_of_other_branches_hide_none_of_the_default_branch() {
    let server = server();
    let store = store_at(server.address(), "team");
    let mut random = Rand32::new(1);
    let (mut main, mut feature) = (Corpus::default(), Corpus::default());
    for number in 0..3 {
        main.put(&format!("src/seen{number}.rs"), &[format!("w1 seen{number}")], &mut random);
    }
    for number in 0..400 {
        feature.put(&format!("src/hidden{number}.rs"), &[format!("w1 hidden{number}")], &mut random);
    }
    publish(&store, &branch("team/a", "main"), None, &main).expect("it answers");
    publish(&store, &branch("team/a", "feature"), None, &feature).expect("it answers");
    let paths = |filters: Filters| {
        let found = store.find(&ask("w1", 403, 3, filters)).expect("it answers").documents;
        found.into_iter().map(|document| document.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(Filters::default()), ["src/seen0.rs", "src/seen1.rs", "src/seen2.rs"]);
    let below = Filters { paths: vec![PathCondition::Below("src/seen1.rs".to_owned())], ..Filters::default() };
    assert_eq!(paths(below), ["src/seen1.rs"]);
    let glob = Filters { paths: vec![PathCondition::Glob("**/*[02].rs".to_owned())], ..Filters::default() };
    assert_eq!(paths(glob), ["src/seen0.rs", "src/seen2.rs"]);
}

/// More documents satisfy the filter than its chunks can be named in one request.
#[test]
fn a_filter_that_many_documents_satisfy_is_checked_afterwards() {
    let server = server();
    let store = store_at(server.address(), "team");
    let mut random = Rand32::new(1);
    let mut corpus = Corpus::default();
    for number in 0..1_100 {
        let folder = if number % 2 == 0 { "even" } else { "odd" };
        corpus.put(&format!("{folder}/file{number}.rs"), &[format!("w1 own{number}")], &mut random);
    }
    publish(&store, &branch("team/a", "main"), None, &corpus).expect("it answers");
    let found = |filters: Filters, depth| store.find(&ask("w1", 1_100, depth, filters)).expect("it answers").documents;
    let rs = || PathCondition::Glob("**/*.rs".to_owned());
    assert_eq!(found(Filters { paths: vec![rs()], ..Filters::default() }, 2_000).len(), 1_100);
    let odd = Filters { paths: vec![PathCondition::Glob("odd/*.rs".to_owned())], ..Filters::default() };
    assert_eq!(found(odd.clone(), 2_000).len(), 550);
    let some = found(odd, 10);
    assert!(some.len() == 10 && some.iter().all(|document| document.path.starts_with("odd/")), "{some:?}");
}

/// Readers see each publication as a whole while others are made.
#[test]
fn readers_see_one_of_two_states() {
    let server = server();
    let store = store_at(server.address(), "team");
    let main = branch("team/a", "main");
    // Every document changes with every publication, so a mixture of two is noticed.
    let state = |round: usize| {
        let mut corpus = Corpus::default();
        for number in 0..5 {
            corpus.put(
                &format!("src/file{number}.rs"),
                &[format!("w1 number{number} round{round}")],
                &mut Rand32::new(1),
            );
        }
        corpus
    };
    publish(&store, &main, Some(&model()), &state(0)).expect("it answers");
    let is_done = AtomicBool::new(false);
    let searches = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let reader = store_at(server.address(), "team");
            let mut searches = 0;
            while !is_done.load(Ordering::SeqCst) {
                let found = reader.find(&ask("w1", 5, 100, Filters::default())).expect("it answers").documents;
                let rounds: Vec<String> = found
                    .iter()
                    .map(|document| {
                        let text = String::from_utf8(document.record.clone()).expect("a text");
                        format!("{} {}", document.path, text.rsplit(' ').next().expect("a word"))
                    })
                    .collect();
                let round = rounds[0].rsplit(' ').next().expect("a word");
                let expected: Vec<String> = (0..5).map(|number| format!("src/file{number}.rs {round}")).collect();
                assert_eq!(rounds, expected);
                searches += 1;
            }
            searches
        });
        for round in 1..60 {
            publish(&store, &main, Some(&model()), &state(round)).expect("it answers");
        }
        is_done.store(true, Ordering::SeqCst);
        reader.join().expect("every search saw one state")
    });
    assert!(searches > 3, "{searches}");
    assert_eq!(paths_with(&store, "round59").len(), 5);
}
