//! Damaged files of an embedding store.

use std::fs;
use std::path::Path;

use recall_index::catalog::{EmbeddingStore, EmbeddingStoreError};

use super::store::{ROOMY, day, kept, open, put};

const COUNT: usize = 400;

/// The bytes of a store's file with a checkpointed log.
fn filled(path: &Path) -> Vec<u8> {
    put(&open(path), "a", 0..COUNT, day(0));
    fs::read(path).unwrap()
}

fn remove_others(folder: &Path, path: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap().path();
        if entry != path {
            fs::remove_file(entry).unwrap();
        }
    }
}

#[test]
fn a_file_that_is_not_a_database_is_quarantined() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    for content in [&b"hello"[..], &[0; 5000], b"SQLite format 3\0", &vec![0xFF; 100_000]] {
        fs::write(&path, content).unwrap();
        let store = EmbeddingStore::open(&path, ROOMY, day(7)).unwrap();
        assert_eq!(store.replacements(), 1);
        put(&store, "a", 0..3, day(7));
        assert_eq!(kept(&store, "a", 0..5, day(7)), [0, 1, 2]);
        drop(store);
        let aside = folder.path().join("embeddings.db.damaged-0000604800000");
        assert_eq!(fs::read(aside).unwrap(), content);
        remove_others(folder.path(), &path);
    }
}

#[test]
fn a_foreign_database_is_quarantined_and_a_newer_one_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (a)").unwrap();
    drop(other);
    assert_eq!(open(&path).replacements(), 1);
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 9).unwrap();
    drop(newer);
    let rejected = EmbeddingStore::open(&path, ROOMY, day(0)).unwrap_err();
    assert!(matches!(rejected, EmbeddingStoreError::NewerSchema { found: 9, known: 1 }), "{rejected:?}");
}

#[test]
fn damage_loses_embeddings_but_never_returns_a_wrong_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    let whole = filled(&path);
    let (mut replacements, mut missing) = (0, 0);
    for number in 0..120_usize {
        let mut garbled = whole.clone();
        let place = (number * 7919 * 131) % whole.len();
        let end = (place + 3000).min(whole.len());
        match number % 4 {
            0 => garbled[place] ^= 0x10,
            1 => garbled[place..end].fill(0xA5),
            2 => garbled.truncate(place),
            _ => garbled[place..end].fill(0),
        }
        fs::write(&path, &garbled).unwrap();
        let store = open(&path);
        // `kept` compares each with the one that was put.
        missing += COUNT - kept(&store, "a", 0..COUNT, day(0)).len();
        put(&store, "a", 0..COUNT, day(0));
        let after = kept(&store, "a", 0..COUNT, day(0)).len();
        assert!(after == COUNT || store.replacements() > 0, "damage {number}: {after}");
        replacements += store.replacements();
        drop(store);
        remove_others(folder.path(), &path);
    }
    assert!(replacements > 20 && missing > 2000, "{replacements} {missing}");
}

#[test]
fn a_damaged_file_in_use_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embeddings.db");
    filled(&path);
    let other = open(&path);
    fs::write(&path, vec![0xFF; 100_000]).unwrap();
    let rejected = EmbeddingStore::open(&path, ROOMY, day(0)).unwrap_err();
    assert!(matches!(rejected, EmbeddingStoreError::Damaged { .. }), "{rejected:?}");
    drop(other);
    assert_eq!(open(&path).replacements(), 1);
}
