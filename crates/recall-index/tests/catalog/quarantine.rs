//! Moving a catalog away without losing it.

use std::fs;
use std::path::Path;

use recall_index::catalog::{Catalog, quarantine};

use crate::sample::{Sample, path, store};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_quarantined_catalog_can_still_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    store(&Catalog::open(&file).unwrap(), &[Sample::of_lines("a", &["old"])]);
    let quarantined = quarantine(&file, "20261120T101500Z").unwrap();
    assert_eq!(quarantined, folder.path().join("catalog.db.damaged-20261120T101500Z"));

    let fresh = Catalog::open(&file).unwrap();
    assert_eq!(fresh.snapshot().unwrap().document_at(&path("a")).unwrap(), None);
    let old = Catalog::open(&quarantined).unwrap();
    assert!(old.snapshot().unwrap().document_at(&path("a")).unwrap().is_some());
}

#[test]
fn the_log_is_moved_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    for end in ["", "-wal", "-shm"] {
        fs::write(folder.path().join(format!("catalog.db{end}")), end).unwrap();
    }
    quarantine(&file, "1").unwrap();
    assert_eq!(names(folder.path()), ["catalog.db.damaged-1", "catalog.db.damaged-1-shm", "catalog.db.damaged-1-wal"]);
}

#[test]
fn three_are_kept_including_the_newest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    for suffix in ["1", "2", "3", "4", "4", "0"] {
        fs::write(&file, suffix).unwrap();
        fs::write(folder.path().join("catalog.db-wal"), suffix).unwrap();
        quarantine(&file, suffix).unwrap();
    }
    assert_eq!(
        names(folder.path()),
        [
            "catalog.db.damaged-0",
            "catalog.db.damaged-0-wal",
            "catalog.db.damaged-4",
            "catalog.db.damaged-4-2",
            "catalog.db.damaged-4-2-wal",
            "catalog.db.damaged-4-wal",
        ]
    );
}

#[test]
fn quarantining_a_missing_catalog_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = quarantine(&folder.path().join("catalog.db"), "1").unwrap_err();
    assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
}
