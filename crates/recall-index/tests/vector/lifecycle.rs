//! Opening, closing, merging, and recovery from crashes.

use std::fs;
use std::path::Path;

use recall_core::{ChunkRow, Generation, ModelFingerprint, NearestError, RowFilter, VectorIndex};
use recall_index::vector::{Change, Model, Settings, VectorOpenError, VectorWriteError, Vectors, fork, quarantine};

use crate::clusters::Clusters;
use crate::fixture::{DIMENSIONS, added, all, apply, eager, exact, model, open, plain, quantised, removed};

fn texts(count: usize) -> Vec<Vec<f32>> {
    let mut clusters = Clusters::new(DIMENSIONS, count, 9);
    (0..count).map(|_| clusters.draw()).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_index_is_empty_and_searchable() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(&folder.path().join("deep/down"), Settings::default());
    assert_eq!((vectors.len(), vectors.generation()), (0, Generation(0)));
    assert_eq!(all(&vectors, &texts(1)[0]), []);
    vectors.merge().unwrap();
    assert_eq!(all(&vectors, &texts(1)[0]), []);
}

#[test]
fn a_merge_leaves_one_base_and_its_delta() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(folder.path(), eager());
    let texts = texts(50);
    apply(&vectors, &added(1, &texts[..40]));
    assert_eq!(names(folder.path()), ["delta-0.log"]);
    vectors.merge().unwrap();
    apply(&vectors, &added(41, &texts[40..]));
    vectors.merge().unwrap();
    assert_eq!(names(folder.path()), ["base-2.vectors", "delta-2.log"]);
    assert_eq!(vectors.generation(), Generation(2));
    assert_eq!(all(&vectors, &texts[0]), all(&exact(1, &texts), &texts[0]));
}

#[test]
fn a_sample_is_spread_over_the_base_and_the_changes_since() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(folder.path(), eager());
    assert_eq!(vectors.sample(10), []);
    let texts = texts(400);
    apply(&vectors, &added(1, &texts[..300]));
    vectors.merge().unwrap();
    apply(&vectors, &added(301, &texts[300..]));
    apply(&vectors, &removed([1, 5, 11]));
    let mut all: Vec<i64> = vectors.sample(1000).iter().map(|row| row.0).collect();
    all.sort_unstable();
    assert_eq!(all, (1..=400).filter(|row| ![1, 5, 11].contains(row)).collect::<Vec<_>>());
    let some = vectors.sample(40);
    assert!((35..=42).contains(&some.len()), "{}", some.len());
    for quarter in [1..=100, 101..=200, 201..=300, 301..=400] {
        let count = some.iter().filter(|row| quarter.contains(&row.0)).count();
        assert!((8..=11).contains(&count), "{count} of {quarter:?}");
    }
}

#[test]
fn changes_during_a_merge_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(folder.path(), eager());
    let texts = texts(600);
    apply(&vectors, &added(1, &texts[..500]));
    std::thread::scope(|scope| {
        let merging = scope.spawn(|| vectors.merge());
        for (row, text) in (501..).zip(&texts[500..]) {
            let change = Change { removed: vec![ChunkRow(row - 500)], added: vec![(ChunkRow(row), quantised(text))] };
            apply(&vectors, &change);
            assert_eq!(vectors.len(), 500);
        }
        merging.join().unwrap().unwrap();
    });
    let generation = vectors.generation();
    let expected = all(&exact(101, &texts[100..]), &texts[0]);
    assert_eq!(all(&vectors, &texts[0]), expected);
    drop(vectors);
    let vectors = open(folder.path(), eager());
    assert_eq!((all(&vectors, &texts[0]), vectors.generation()), (expected, generation));
}

#[test]
fn a_merge_is_wanted_if_there_is_much_to_merge() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(folder.path(), plain());
    let texts = texts(100);
    apply(&vectors, &added(1, &texts[..8]));
    assert!(!vectors.wants_merge());
    apply(&vectors, &added(9, &texts[8..]));
    assert!(vectors.wants_merge());
    vectors.merge().unwrap();
    assert!(!vectors.wants_merge());
    apply(&vectors, &removed(1..=20));
    assert!(!vectors.wants_merge(), "a fifth is removed");
    apply(&vectors, &removed(21..=30));
    assert!(vectors.wants_merge(), "more than a quarter is removed");
}

#[test]
fn a_torn_log_gives_the_state_before() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(folder.path(), plain());
    let texts = texts(3);
    let log = folder.path().join("delta-0.log");
    let mut ends = vec![fs::metadata(&log).unwrap().len()];
    for (row, text) in (1..).zip(&texts) {
        apply(&vectors, &added(row, std::slice::from_ref(text)));
        ends.push(fs::metadata(&log).unwrap().len());
    }
    drop(vectors);
    let whole = fs::read(&log).unwrap();
    for length in ends[0]..=ends[3] {
        fs::write(&log, &whole[..length as usize]).unwrap();
        let vectors = open(folder.path(), plain());
        let kept = ends.iter().filter(|end| **end <= length).count() - 1;
        assert_eq!((vectors.generation().0, vectors.len()), (kept as u64, kept), "{length} bytes");
        // The torn entry does not affect later changes.
        apply(&vectors, &added(9, &texts[..1]));
        drop(vectors);
        assert_eq!(open(folder.path(), plain()).len(), kept + 1);
    }
}

#[test]
fn a_crash_during_a_merge_leaves_the_old_state_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let texts = texts(60);
    let vectors = open(folder.path(), eager());
    apply(&vectors, &added(1, &texts));
    let before = fs::read(folder.path().join("delta-0.log")).unwrap();
    vectors.merge().unwrap();
    let expected = all(&vectors, &texts[0]);
    drop(vectors);
    // The new base has its final name, but only the old delta exists, and there is a temporary file.
    fs::remove_file(folder.path().join("delta-1.log")).unwrap();
    fs::write(folder.path().join("delta-0.log"), &before).unwrap();
    fs::write(folder.path().join(".tmp-1-base-2.vectors"), b"half").unwrap();
    let vectors = open(folder.path(), eager());
    assert_eq!((all(&vectors, &texts[0]), vectors.generation()), (expected.clone(), Generation(1)));
    assert_eq!(names(folder.path()), ["delta-0.log"]);
    vectors.merge().unwrap();
    drop(vectors);
    // The new delta has its final name, and the old one still exists.
    fs::write(folder.path().join("delta-0.log"), &before).unwrap();
    let vectors = open(folder.path(), eager());
    assert_eq!((all(&vectors, &texts[0]), vectors.generation()), (expected, Generation(1)));
    assert_eq!(names(folder.path()), ["base-1.vectors", "delta-1.log"]);
}

#[test]
fn a_full_base_is_left_alone_until_a_quarter_of_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { base_most: 80, ..eager() };
    let vectors = open(folder.path(), settings.clone());
    let texts = texts(249);
    for number in 0..6 {
        apply(&vectors, &added(1 + 40 * number, &texts[40 * number as usize..][..40]));
        assert!(vectors.wants_merge());
        vectors.merge().unwrap();
    }
    // Each second merge has filled the base of the one before.
    assert_eq!(names(folder.path()), ["base-2.vectors", "base-4.vectors", "base-6.vectors", "delta-6.log"]);
    apply(&vectors, &removed(1..=5));
    assert!(!vectors.wants_merge());
    apply(&vectors, &added(241, &texts[240..]));
    assert!(vectors.wants_merge(), "the delta is large enough for a base of its own");
    vectors.merge().unwrap();
    let bases = ["base-2.vectors", "base-4.vectors", "base-6.vectors", "base-7.vectors"];
    assert_eq!(names(folder.path()), [&bases[..], &["delta-7.log"]].concat());
    let expected = all(&exact(6, &texts[5..]), &texts[0]);
    assert_eq!(all(&vectors, &texts[0]), expected);
    drop(vectors);
    // What was removed from a base that is left alone is in the head of the log.
    let vectors = open(folder.path(), settings);
    assert_eq!(all(&vectors, &texts[0]), expected);
    assert!(!vectors.wants_merge());
    apply(&vectors, &removed(6..=25));
    assert!(vectors.wants_merge());
    vectors.merge().unwrap();
    assert_eq!(names(folder.path()), ["base-4.vectors", "base-6.vectors", "base-8.vectors", "delta-8.log"]);
    assert_eq!(all(&vectors, &texts[0]), all(&exact(26, &texts[25..]), &texts[0]));
    assert!(!vectors.wants_merge());
}

#[test]
fn a_copy_has_the_same_embeddings_and_changes_of_one_are_not_seen_by_the_other() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let settings = Settings { base_most: 20, ..eager() };
    let texts = texts(50);
    let first = open(folders[0].path(), settings.clone());
    for (number, part) in texts.chunks(20).enumerate() {
        apply(&first, &added(1 + 20 * number as i64, part));
        first.merge().unwrap();
    }
    apply(&first, &removed([7]));
    fork(folders[0].path(), folders[1].path()).unwrap();
    let second = open(folders[1].path(), settings);
    assert_eq!(all(&second, &texts[0]), all(&first, &texts[0]));
    apply(&second, &removed(1..=40));
    second.merge().unwrap();
    assert_eq!((first.len(), second.len()), (49, 10));
    assert_eq!(names(folders[0].path()).len(), 4);
}

#[test]
fn a_log_that_names_another_base_is_damage() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for (folder, texts) in folders.iter().zip(texts(40).chunks(20)) {
        let vectors = open(folder.path(), eager());
        apply(&vectors, &added(1, texts));
        vectors.merge().unwrap();
    }
    fs::copy(folders[1].path().join("base-1.vectors"), folders[0].path().join("base-1.vectors")).unwrap();
    let rejected = Vectors::open(folders[0].path(), model(), eager()).err().unwrap();
    assert!(matches!(rejected, VectorOpenError::Damaged { .. }), "{rejected:?}");
    fs::remove_file(folders[1].path().join("delta-1.log")).unwrap();
    let rejected = Vectors::open(folders[1].path(), model(), eager()).err().unwrap();
    assert!(matches!(rejected, VectorOpenError::Damaged { .. }), "{rejected:?}");
}

#[test]
fn embeddings_of_another_model_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let texts = texts(20);
    let other = Model { fingerprint: ModelFingerprint::hash(&[b"another"]), ..model() };
    let wider = Model { dimensions: DIMENSIONS + 1, ..model() };
    for merged in [false, true] {
        let vectors = open(folder.path(), eager());
        apply(&vectors, &added(1, &texts));
        if merged {
            vectors.merge().unwrap();
        }
        drop(vectors);
        for requested in [other, wider] {
            let rejected = Vectors::open(folder.path(), requested, eager()).err().unwrap();
            let VectorOpenError::OtherModel { found, dimensions, .. } = rejected else { panic!("{rejected:?}") };
            assert_eq!((found, dimensions), (model().fingerprint, DIMENSIONS));
        }
    }
    let vectors = open(folder.path(), eager());
    let wide = Change { added: vec![(ChunkRow(1), quantised(&[1.0; DIMENSIONS + 1]))], ..Change::default() };
    let rejected = vectors.apply(Generation(9), &wide);
    assert!(matches!(rejected, Err(VectorWriteError::Dimensions { row: 1, .. })), "{rejected:?}");
    let rejected = vectors.nearest(&[1.0; DIMENSIONS + 1], RowFilter::All, 1);
    assert!(matches!(rejected, Err(NearestError::Dimensions { .. })), "{rejected:?}");
    assert_eq!((vectors.len(), vectors.generation()), (20, Generation(2)));
}

#[test]
fn a_missing_base_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(folder.path(), eager());
    apply(&vectors, &added(1, &texts(20)));
    vectors.merge().unwrap();
    drop(vectors);
    fs::remove_file(folder.path().join("base-1.vectors")).unwrap();
    let rejected = Vectors::open(folder.path(), model(), eager()).err().unwrap();
    assert!(matches!(rejected, VectorOpenError::Damaged { .. }), "{rejected:?}");
}

#[test]
fn three_damaged_indexes_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("vectors");
    for suffix in ["1", "2", "3", "4"] {
        drop(open(&dir, plain()));
        let quarantined = quarantine(&dir, suffix).unwrap();
        assert!(quarantined.join("delta-0.log").exists());
    }
    assert_eq!(names(folder.path()), ["vectors.damaged-2", "vectors.damaged-3", "vectors.damaged-4"]);
}
