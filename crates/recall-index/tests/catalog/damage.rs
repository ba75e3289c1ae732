//! Damaged files of a catalog.

use std::fs::{self, OpenOptions};
use std::path::Path;

use recall_core::{ChunkRow, DocumentRow, Generation, Timestamp};
use recall_index::catalog::{Catalog, CatalogOpenError, Disturbance, ListQuery, ReadError};

use crate::sample::{Sample, path, store};

const PAGE_BYTES: usize = 16 * 1024;

/// A catalog of about twenty pages.
fn filled(file: &Path) -> Catalog {
    let catalog = Catalog::open(file).unwrap();
    let lines: Vec<String> = (0..40).map(|number| format!("fn number_{number}() {{ {} }}", number * 7919)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let samples: Vec<Sample> =
        (0..100).map(|number| Sample::of_lines(&format!("src/module_{number}.rs"), &lines)).collect();
    store(&catalog, &samples);
    catalog
}

/// Reads everything.
fn read_all(catalog: &Catalog) -> Result<(), ReadError> {
    let snapshot = catalog.snapshot()?;
    let rows: Vec<ChunkRow> = (1..=4000).map(ChunkRow).collect();
    snapshot.hits(&rows)?;
    snapshot.records_after(DocumentRow(0), usize::MAX)?;
    snapshot.file_states(|_| ())?;
    snapshot.counts()?;
    snapshot.list(&ListQuery { limit: 1000, ..ListQuery::default() })?;
    snapshot.failures(10)?;
    Ok(())
}

/// Opens a damaged file. Returns whether the damage was detected. Any other error fails the test.
fn is_detected(file: &Path) -> bool {
    match Catalog::open(file) {
        Err(CatalogOpenError::Damaged { .. }) => true,
        Err(other) => panic!("{other:?}"),
        Ok(catalog) => {
            let by_check = match catalog.check() {
                Ok(problems) => !problems.is_empty(),
                Err(ReadError::Damaged { .. }) => true,
                Err(other) => panic!("{other:?}"),
            };
            match read_all(&catalog) {
                Ok(()) => by_check,
                Err(ReadError::Damaged { .. }) => true,
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_file_that_is_not_a_database_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    for content in [&b"hello"[..], &[0; 5000], b"SQLite format 3\0", &vec![0xFF; 100_000]] {
        fs::write(&file, content).unwrap();
        let rejected = Catalog::open(&file).unwrap_err();
        assert!(matches!(rejected, CatalogOpenError::Damaged { .. }), "{rejected:?}");
        assert_eq!(fs::read(&file).unwrap(), content, "a rejected file is unchanged");
    }
}

#[test]
fn a_truncated_file_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    drop(filled(&file));
    let whole = fs::read(&file).unwrap();
    for kept in [99, PAGE_BYTES, PAGE_BYTES + 1, whole.len() / 2, whole.len() - PAGE_BYTES] {
        fs::write(&file, &whole[..kept]).unwrap();
        assert!(is_detected(&file), "{kept} of {} bytes", whole.len());
    }
}

#[test]
fn overwritten_pages_are_detected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    drop(filled(&file));
    let whole = fs::read(&file).unwrap();
    let pages = whole.len() / PAGE_BYTES;
    assert!(pages > 15);
    for page in 0..pages {
        let mut garbled = whole.clone();
        garbled[page * PAGE_BYTES..(page + 1) * PAGE_BYTES].fill(0xA5);
        fs::write(&file, &garbled).unwrap();
        assert!(is_detected(&file), "page {page} of {pages}");
    }
}

#[test]
fn single_wrong_bytes_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    drop(filled(&file));
    let whole = fs::read(&file).unwrap();
    // Every 1499th byte, and the start of the file with the header and the schema's first cells.
    for place in (0..120).chain((0..whole.len()).step_by(1499)) {
        let mut garbled = whole.clone();
        garbled[place] ^= 0x40;
        fs::write(&file, &garbled).unwrap();
        match Catalog::open(&file) {
            Ok(catalog) => drop(read_all(&catalog)),
            Err(error) => drop(error),
        }
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(folder.path().join(format!("catalog.db{end}")));
        }
    }
}

#[test]
fn truncating_an_open_catalog_is_reported_as_damage() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    let catalog = filled(&file);
    catalog.checkpoint().unwrap();
    OpenOptions::new().write(true).open(&file).unwrap().set_len(2 * PAGE_BYTES as u64).unwrap();
    let outcome = read_all(&catalog);
    assert!(matches!(outcome, Err(ReadError::Damaged { .. })), "{outcome:?}");
}

#[test]
fn a_corrupt_log_loses_only_its_commits() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    let catalog = Catalog::open(&file).unwrap();
    store(&catalog, &[Sample::of_lines("first", &["text"])]);
    catalog.checkpoint().unwrap();
    store(&catalog, &[Sample::of_lines("second", &["text"])]);
    let crashed = folder.path().join("crashed");
    fs::create_dir(&crashed).unwrap();
    for name in ["catalog.db", "catalog.db-wal"] {
        fs::copy(folder.path().join(name), crashed.join(name)).unwrap();
    }
    let log = crashed.join("catalog.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    bytes[40] ^= 0xFF;
    fs::write(&log, bytes).unwrap();
    let catalog = Catalog::open(&crashed.join("catalog.db")).unwrap();
    assert_eq!(catalog.generation().unwrap(), Generation(1));
    let snapshot = catalog.snapshot().unwrap();
    assert!(snapshot.document_at(&path("first")).unwrap().is_some());
    assert!(snapshot.document_at(&path("second")).unwrap().is_none());
    assert_eq!(catalog.check().unwrap(), []);
}

#[test]
fn a_crash_leaves_the_last_commit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    let catalog = Catalog::open(&file).unwrap();
    store(&catalog, &[Sample::of_lines("kept", &["text"])]);
    let mut writer = catalog.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    let lost = Sample::of_lines("lost", &vec!["text"; 3000]);
    transaction.insert(&lost.record(Timestamp(1))).unwrap();
    // The files as after a kill in the middle of a large transaction that has spilled to disk.
    let crashed = folder.path().join("crashed");
    fs::create_dir(&crashed).unwrap();
    for name in ["catalog.db", "catalog.db-wal"] {
        fs::copy(folder.path().join(name), crashed.join(name)).unwrap();
    }
    drop(transaction);
    let reopened = Catalog::open(&crashed.join("catalog.db")).unwrap();
    assert_eq!(reopened.generation().unwrap(), Generation(1));
    assert_eq!(reopened.snapshot().unwrap().counts().unwrap().documents, 1);
    assert_eq!(reopened.check().unwrap(), []);
}

#[test]
fn writes_and_commits_of_other_processes_are_not_disturbances() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    let catalog = filled(&file);
    assert_eq!(catalog.disturbance(), None);
    store(&catalog, &[Sample::of_lines("src/more.rs", &["fn more() {}"])]);
    assert_eq!(catalog.disturbance(), None);
    catalog.checkpoint().unwrap();
    assert_eq!(catalog.disturbance(), None);
    let other = Catalog::open(&file).unwrap();
    store(&other, &[Sample::of_lines("src/other.rs", &["fn other() {}"])]);
    assert_eq!(catalog.disturbance(), None, "it was committed");
    other.checkpoint().unwrap();
    assert_eq!(catalog.disturbance(), None, "it was checkpointed");
    store(&other, &[Sample::of_lines("src/third.rs", &["fn third() {}"])]);
    drop(other);
    assert_eq!(catalog.disturbance(), None);
    assert_eq!(catalog.check().unwrap(), []);
}

#[cfg(unix)]
#[test]
fn a_file_replaced_or_overwritten_by_another_program_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    let log = folder.path().join("catalog.db-wal");
    let catalog = filled(&file);
    let logged = fs::read(&log).unwrap();
    assert!(!logged.is_empty());
    let overwrite = |file: &Path, bytes: &[u8]| {
        let open = OpenOptions::new().write(true).open(file).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&open, bytes, 0).unwrap();
    };
    overwrite(&log, &vec![0x5A; logged.len()]);
    assert_eq!(catalog.disturbance(), Some(Disturbance::Overwritten), "the log");
    drop(catalog);
    fs::remove_file(&file).unwrap();
    let catalog = filled(&file);
    catalog.checkpoint().unwrap();
    let bytes = fs::read(&file).unwrap();
    overwrite(&file, &bytes[..PAGE_BYTES]);
    assert_eq!(catalog.disturbance(), Some(Disturbance::Overwritten), "even with the same bytes");
    drop(catalog);
    let catalog = Catalog::open(&file).unwrap();
    assert_eq!(catalog.disturbance(), None);
    fs::write(folder.path().join("new"), &bytes).unwrap();
    fs::rename(folder.path().join("new"), &file).unwrap();
    assert_eq!(catalog.disturbance(), Some(Disturbance::Replaced));
    fs::remove_file(&file).unwrap();
    assert_eq!(catalog.disturbance(), Some(Disturbance::Replaced), "it was removed");
}
