//! Storage, eviction and sharing of embeddings.

use std::path::Path;

use proptest::prelude::*;
use recall_core::{ModelFingerprint, TextHash, Timestamp};
use recall_index::catalog::{EmbeddingStatistics, EmbeddingStore, ModelStatistics};

/// A bound that no test reaches.
pub(crate) const ROOMY: u64 = 1 << 30;

const DAY: i64 = 24 * 60 * 60 * 1_000_000_000;

pub(crate) fn model(name: &str) -> ModelFingerprint {
    ModelFingerprint::hash(&[name.as_bytes()])
}

pub(crate) fn text(number: usize) -> TextHash {
    TextHash::hash(&format!("text {number}"))
}

/// An embedding that encodes its number.
pub(crate) fn embedding(number: usize) -> Vec<u8> {
    (0..64).map(|place| (number * 31 + place * 7) as u8).chain(number.to_le_bytes()).collect()
}

pub(crate) fn day(number: i64) -> Timestamp {
    Timestamp(number * DAY)
}

pub(crate) fn open(path: &Path) -> EmbeddingStore {
    EmbeddingStore::open(path, ROOMY, day(0)).unwrap()
}

pub(crate) fn put(store: &EmbeddingStore, name: &str, numbers: impl IntoIterator<Item = usize>, now: Timestamp) {
    let embeddings: Vec<_> = numbers.into_iter().map(|number| (text(number), embedding(number))).collect();
    let embeddings: Vec<_> = embeddings.iter().map(|(text, embedding)| (*text, &embedding[..])).collect();
    store.put_many(model(name), &embeddings, now).unwrap();
}

/// The numbers of the stored embeddings. Checks that each is the one that was put.
pub(crate) fn kept(
    store: &EmbeddingStore,
    name: &str,
    numbers: impl Iterator<Item = usize>,
    now: Timestamp,
) -> Vec<usize> {
    let numbers: Vec<usize> = numbers.collect();
    let texts: Vec<_> = numbers.iter().map(|number| text(*number)).collect();
    let found = store.get_many(model(name), &texts, now).unwrap();
    assert_eq!(found.len(), numbers.len());
    let kept = numbers.into_iter().zip(found).filter_map(|(number, found)| Some((number, found?)));
    kept.inspect(|(number, found)| assert_eq!(found, &embedding(*number))).map(|(number, _)| number).collect()
}

#[test]
fn embeddings_are_found_by_model_and_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    let store = open(&path);
    put(&store, "a", [1, 2, 3], day(0));
    put(&store, "b", [3, 4], day(0));
    drop(store);
    let store = open(&path);
    assert_eq!(kept(&store, "a", 0..6, day(0)), [1, 2, 3]);
    assert_eq!(kept(&store, "b", [5, 4, 4, 3].into_iter(), day(0)), [4, 4, 3], "in the order of the texts");
    assert_eq!(kept(&store, "c", 0..6, day(0)), [0; 0]);
    assert_eq!(store.get_many(model("a"), &[], day(0)).unwrap(), Vec::<Option<Vec<u8>>>::new());
    let EmbeddingStatistics { mut models, bytes } = store.statistics(day(0)).unwrap();
    models.sort_by_key(|model| model.embeddings);
    let expected =
        [("b", 2), ("a", 3)].map(|(name, embeddings)| ModelStatistics { fingerprint: model(name), embeddings });
    assert_eq!(models, expected);
    assert!(bytes > 0 && bytes < 100_000);
    assert_eq!(store.replacements(), 0);
}

#[test]
fn the_latest_embedding_of_a_text_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("embeddings.db"));
    for content in [&b"old"[..], b"new"] {
        store.put_many(model("a"), &[(text(1), b"between"), (text(1), content)], day(0)).unwrap();
    }
    assert_eq!(store.get_many(model("a"), &[text(1)], day(0)).unwrap(), [Some(b"new".to_vec())]);
}

#[test]
fn forgetting_a_model_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("embeddings.db"));
    put(&store, "a", 0..10_000, day(0));
    put(&store, "b", 0..10, day(0));
    let before = store.statistics(day(0)).unwrap().bytes;
    assert_eq!(store.forget(model("a"), day(0)).unwrap(), 10_000);
    assert_eq!(store.forget(model("a"), day(0)).unwrap(), 0);
    assert_eq!(kept(&store, "a", 0..10_000, day(0)), [0; 0]);
    assert_eq!(kept(&store, "b", 0..10, day(0)).len(), 10);
    let statistics = store.statistics(day(0)).unwrap();
    assert_eq!(statistics.models, [ModelStatistics { fingerprint: model("b"), embeddings: 10 }]);
    assert!(statistics.bytes < before / 10, "{} of {before}", statistics.bytes);
    let file = std::fs::metadata(store.path()).unwrap().len();
    assert!(file < before / 5, "the space is returned: {file} of {before}");
}

#[test]
fn the_least_recently_used_are_evicted_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    let most = 400_000;
    let store = EmbeddingStore::open(&path, most, day(0)).unwrap();
    put(&store, "a", 0..1000, day(1));
    put(&store, "a", 1000..2000, day(2));
    // Use the oldest half again. The uses are written before the next eviction.
    assert_eq!(kept(&store, "a", 0..500, day(3)).len(), 500);
    put(&store, "a", 2000..3000, day(4));
    assert!(store.statistics(day(4)).unwrap().bytes <= most);
    let of = |range: std::ops::Range<usize>| kept(&store, "a", range, day(4)).len();
    assert_eq!(of(500..1000), 0, "of the first day, and not used since");
    assert_eq!(of(2000..3000), 1000, "the newest");
    assert!(of(0..500) > of(1000..1500), "{} and {}", of(0..500), of(1000..1500));
    let file = std::fs::metadata(&path).unwrap().len();
    assert!(file <= most + most / 10, "{file}");
}

/// The folder and the first number for a child process of a test.
const FOLDER: &str = "RECALL_TEST_EMBEDDINGS";
const FIRST: &str = "RECALL_TEST_FIRST";

/// Run by the next test in child processes. On its own, it uses a temporary folder.
#[test]
fn one_of_several_processes_gets_what_it_puts() {
    let own = tempfile::tempdir().unwrap();
    let folder = std::env::var_os(FOLDER).map_or_else(|| own.path().to_owned(), Into::into);
    let first: usize = std::env::var(FIRST).map_or(0, |first| first.parse().unwrap());
    let store = open(&folder.join("embeddings.db"));
    for from in (first..first + 500).step_by(50) {
        put(&store, "a", from..from + 50, day(0));
        assert_eq!(kept(&store, "a", from..from + 50, day(1)).len(), 50);
    }
    assert_eq!(store.replacements(), 0);
}

#[test]
fn processes_and_threads_share_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    let begin = |number: usize| {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "embeddings::store::one_of_several_processes_gets_what_it_puts"])
            .env(FOLDER, folder.path())
            .env(FIRST, (number * 500).to_string())
            .output()
            .unwrap()
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..3).map(|number| scope.spawn(move || begin(number))).collect();
        let store = open(&path);
        put(&store, "a", 1500..2000, day(0));
        for one in others {
            let output = one.join().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
    });
    let store = open(&path);
    assert_eq!(kept(&store, "a", 0..3000, day(1)).len(), 2000);
    assert_eq!(store.replacements(), 0);
}

#[test]
fn a_killed_writer_leaves_its_first_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    let store = open(&path);
    put(&store, "a", 0..10_000, day(0));
    // The files as after a kill, with the log truncated at any point.
    let log = std::fs::read(folder.path().join("embeddings.db-wal")).unwrap();
    let crashed = folder.path().join("crashed.db");
    let mut counts = Vec::new();
    for share in 0..=10 {
        std::fs::copy(&path, &crashed).unwrap();
        std::fs::write(folder.path().join("crashed.db-wal"), &log[..log.len() * share / 10]).unwrap();
        let store = open(&crashed);
        let kept = kept(&store, "a", 0..10_000, day(0));
        // Transactions take the texts from the front, so the stored ones are the first.
        assert!(kept.iter().copied().eq(0..kept.len()), "{} of 10000", kept.len());
        counts.push(kept.len());
        assert_eq!(store.replacements(), 0);
        put(&store, "a", 0..10, day(0));
        drop(store);
        std::fs::remove_file(&crashed).unwrap();
    }
    assert!(counts.is_sorted(), "a longer log has more batches: {counts:?}");
    assert_eq!((counts[0], counts[10]), (0, 10_000), "{counts:?}");
    assert!(counts.iter().any(|count| (1..10_000).contains(count)), "some log has some of the batches: {counts:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_store_behaves_like_a_map(
        steps in prop::collection::vec((0_u8..5, prop::collection::vec(0_usize..40, 0..12), 0_u8..2), 1..30)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("embeddings.db");
        let mut store = open(&path);
        let mut known = std::collections::BTreeSet::new();
        for (step, numbers, model_number) in steps {
            let name = ["a", "b"][usize::from(model_number)];
            match step {
                0 | 1 => {
                    put(&store, name, numbers.iter().copied(), day(0));
                    known.extend(numbers.into_iter().map(|number| (name, number)));
                }
                2 if numbers.len() < 3 => {
                    let expected = known.iter().filter(|(known, _)| *known == name).count();
                    prop_assert_eq!(store.forget(model(name), day(0)).unwrap(), expected);
                    known.retain(|(known, _)| *known != name);
                }
                3 => {
                    drop(store);
                    store = open(&path);
                }
                _ => {}
            }
            for name in ["a", "b"] {
                let expected: Vec<usize> = known.iter().filter(|(known, _)| *known == name).map(|(_, n)| *n).collect();
                prop_assert_eq!(kept(&store, name, 0..40, day(1)), expected);
            }
        }
    }
}
