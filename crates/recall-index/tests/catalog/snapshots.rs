//! Snapshots during writes.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use recall_core::{ChunkRow, Generation, Timestamp};
use recall_index::catalog::{Catalog, CatalogWriteError, Checkpoint};

use crate::sample::{Sample, path, store};

fn version(number: usize) -> Sample {
    let line = format!("version {number}");
    // The number of chunks differs between versions, so that a mixture would be detected.
    Sample::of_lines("src/lib.rs", &vec![&*line; number % 7 + 1])
}

#[test]
fn a_snapshot_sees_one_generation_during_commits() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    store(&catalog, &[version(0)]);
    let done = AtomicBool::new(false);
    let ready = Barrier::new(5);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                ready.wait();
                let mut last = Generation(0);
                while !done.load(Ordering::Acquire) {
                    let snapshot = catalog.snapshot().unwrap();
                    assert!(snapshot.generation() >= last, "the generation decreased");
                    last = snapshot.generation();
                    let expected = version(last.0 as usize - 1);
                    let document = snapshot.document_at(&path("src/lib.rs")).unwrap().unwrap();
                    assert_eq!(snapshot.text(document.row).unwrap().unwrap(), expected.text);
                    assert_eq!(snapshot.chunks_of(document.row).unwrap(), expected.parsed.chunks);
                    assert_eq!(snapshot.counts().unwrap().chunks as usize, expected.parsed.chunks.len());
                    assert_eq!(snapshot.generation(), last);
                }
            });
        }
        ready.wait();
        for number in 1..200 {
            store(&catalog, &[version(number)]);
        }
        done.store(true, Ordering::Release);
    });
    assert_eq!(catalog.generation().unwrap(), Generation(200));
    assert_eq!(catalog.check().unwrap(), []);
}

#[test]
fn a_snapshot_neither_waits_for_nor_sees_a_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    store(&catalog, &[version(0)]);
    let mut writer = catalog.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    let inserted = transaction.insert(&version(1).record(Timestamp(1))).unwrap();
    let before = catalog.snapshot().unwrap();
    assert_eq!(before.hits(&[inserted.first_chunk]).unwrap(), [None]);
    assert_eq!(before.hits(&[ChunkRow(1)]).unwrap()[0].as_ref().unwrap().text, "version 0\n");
    transaction.commit().unwrap();
    assert_eq!(before.hits(&[inserted.first_chunk]).unwrap(), [None], "a snapshot does not change");
    assert!(catalog.snapshot().unwrap().hits(&[inserted.first_chunk]).unwrap()[0].is_some());
}

#[test]
fn writers_of_one_process_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    thread::scope(|scope| {
        for thread in 0..8 {
            let catalog = &catalog;
            scope.spawn(move || {
                for number in 0..20 {
                    store(catalog, &[Sample::of_lines(&format!("{thread}/{number}"), &["text"])]);
                }
            });
        }
    });
    assert_eq!(catalog.generation().unwrap(), Generation(160));
    assert_eq!(catalog.snapshot().unwrap().counts().unwrap().chunks, 160);
}

#[test]
fn writers_of_two_processes_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    // Two catalogs share nothing but the file, like two processes.
    let catalogs = [Catalog::open(&file).unwrap(), Catalog::open(&file).unwrap()];
    thread::scope(|scope| {
        for (name, catalog) in ["left", "right"].into_iter().zip(&catalogs) {
            scope.spawn(move || {
                for number in 0..50 {
                    store(catalog, &[Sample::of_lines(&format!("{name}/{number}"), &["text"])]);
                }
            });
        }
    });
    for catalog in &catalogs {
        assert_eq!(catalog.generation().unwrap(), Generation(100));
        assert_eq!(catalog.snapshot().unwrap().counts().unwrap().documents, 100);
    }
}

#[test]
fn an_inconsistent_record_is_rejected_and_the_transaction_continues() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    let mut after_the_end = version(3);
    after_the_end.parsed.chunks[3].span.bytes.end += 1;
    let mut gap = version(3);
    gap.parsed.chunks.remove(1);
    let mut writer = catalog.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    for sample in [after_the_end, gap] {
        let rejected = transaction.insert(&sample.record(Timestamp(1)));
        assert!(matches!(rejected, Err(CatalogWriteError::InvalidRecord { .. })), "{rejected:?}");
    }
    transaction.insert(&version(3).record(Timestamp(1))).unwrap();
    assert_eq!(transaction.commit().unwrap(), Generation(1));
}

#[test]
fn a_closed_catalog_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    store(&catalog, &[version(0)]);
    let (first, second) = (catalog.snapshot().unwrap(), catalog.snapshot().unwrap());
    drop((first, second));
    drop(catalog);
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["catalog.db"]);
}

#[test]
fn a_checkpoint_does_not_wait_for_readers() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    store(&catalog, &[version(0)]);
    let snapshot = catalog.snapshot().unwrap();
    store(&catalog, &[version(1)]);
    assert_eq!(catalog.checkpoint().unwrap(), Checkpoint::Partial);
    drop(snapshot);
    assert_eq!(catalog.checkpoint().unwrap(), Checkpoint::Complete);
    assert_eq!(catalog.size_bytes().unwrap(), std::fs::metadata(catalog.path()).unwrap().len());
}
