//! A benchmark of the embedding store: its speed and size.
//!
//! `cargo bench -p recall-index --bench embeddings -- COUNT` puts this many embeddings of 256 bytes, a thousand at a
//! time like an ingest, and gets them again in the same order and in random order. Without a number it does nothing.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reports to its terminal, and ends where it cannot"
)]

use std::time::Instant;

use recall_core::{ModelFingerprint, TextHash, Timestamp};
use recall_index::catalog::EmbeddingStore;

const BYTES: usize = 256;
const BATCH: usize = 1000;

fn main() {
    let count = std::env::args().skip(1).find_map(|argument| argument.parse::<usize>().ok());
    let Some(count) = count else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddingStore::open(&folder.path().join("embeddings.db"), u64::MAX, Timestamp(0)).unwrap();
    let model = ModelFingerprint::hash(&[b"measured"]);
    let texts: Vec<TextHash> = (0..count).map(|number| TextHash::hash(&number.to_string())).collect();
    let embeddings: Vec<u8> = (0..BATCH + BYTES).map(|place| (place * 31 % 251) as u8).collect();

    let start = Instant::now();
    for texts in texts.chunks(BATCH) {
        let some: Vec<_> =
            texts.iter().enumerate().map(|(place, text)| (*text, &embeddings[place..place + BYTES])).collect();
        store.put_many(model, &some, Timestamp(0)).unwrap();
    }
    report("put", count, start);
    let statistics = store.statistics(Timestamp(0)).unwrap();
    println!("{:.0} bytes an embedding of {BYTES}", statistics.bytes as f64 / count as f64);

    get("got in the order of putting", &store, model, &texts);
    let mut shuffled = texts;
    shuffled.sort_unstable();
    get("got in any order", &store, model, &shuffled);
    let unknown: Vec<TextHash> = (0..count).map(|number| TextHash::hash(&format!("unknown {number}"))).collect();
    let start = Instant::now();
    for texts in unknown.chunks(BATCH) {
        assert!(store.get_many(model, texts, Timestamp(0)).unwrap().iter().all(Option::is_none));
    }
    report("missed", count, start);
    let start = Instant::now();
    store.statistics(Timestamp(0)).unwrap();
    println!("statistics in {:.1?}", start.elapsed());
    let start = Instant::now();
    assert_eq!(store.forget(model, Timestamp(0)).unwrap(), count);
    report("forgotten", count, start);
}

fn get(what: &str, store: &EmbeddingStore, model: ModelFingerprint, texts: &[TextHash]) {
    let start = Instant::now();
    for texts in texts.chunks(BATCH) {
        assert!(store.get_many(model, texts, Timestamp(0)).unwrap().iter().all(Option::is_some));
    }
    report(what, texts.len(), start);
}

fn report(what: &str, count: usize, start: Instant) {
    println!("{what}: {:.0}/s, {:.2?} in all", count as f64 / start.elapsed().as_secs_f64(), start.elapsed());
}
