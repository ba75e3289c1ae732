//! Opening, writing, publishing and closing.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{DocumentType, Filters, Generation, Traits, understand};
use recall_index::lexical::{Lexical, LexicalWriteError, Refreshed, WriterSettings, quarantine};
use recall_text::{FileKind, Form};

use crate::fixture::{Store, doc};

#[test]
fn a_new_index_is_empty_and_of_generation_zero() {
    let store = Store::empty();
    assert_eq!((store.lexical.generation(), store.searcher().chunk_count()), (Generation(0), 0));
    assert_eq!(store.lexical("lock"), [0_i64; 0]);
}

#[test]
fn the_generation_of_a_commit_survives_reopening() {
    let store = Store::empty();
    for generation in [1, 7, u64::MAX] {
        store.commit(generation, &[], &[doc(1, "a.rs", &["lock"])]);
        assert_eq!(store.lexical.generation(), Generation(generation));
        assert_eq!(Lexical::open(store.dir.path()).expect("opened").generation(), Generation(generation));
    }
}

#[test]
fn candidates_carry_rows_and_traits() {
    let store = Store::of(&[doc(3, "tests/a.rs", &["page", "lock"])]);
    let found = store.searcher().lexical(&understand("lock"), &Filters::default(), 10).expect("searched");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].chunk.0, found[0].document.0), (31, 3));
    assert_eq!(
        found[0].traits,
        Traits { document_type: DocumentType::Code, file_kind: FileKind::Test, form: Form::Program }
    );
}

#[test]
fn a_searcher_keeps_its_state_while_others_commit() {
    let store = Store::of(&[doc(1, "a.rs", &["lock"])]);
    let before = store.searcher();
    store.commit(2, &[1], &[doc(2, "b.rs", &["lock"])]);
    let find = |searcher: &recall_index::lexical::Searcher| {
        crate::fixture::rows(&searcher.lexical(&understand("lock"), &Filters::default(), 10).expect("searched"))
    };
    assert_eq!((find(&before), before.generation()), (vec![10], Generation(1)));
    assert_eq!((find(&store.searcher()), store.searcher().generation()), (vec![20], Generation(2)));
}

#[test]
fn uncommitted_documents_are_not_found() {
    let store = Store::empty();
    let mut writer = store.writer();
    doc(1, "a.rs", &["lock"]).add_to(&mut writer);
    assert_eq!(store.lexical("lock"), [0_i64; 0]);
    drop(writer);
    assert_eq!(store.lexical("lock"), [0_i64; 0]);
    assert_eq!(Lexical::open(store.dir.path()).expect("opened").searcher().chunk_count(), 0);
}

#[test]
fn clearing_takes_effect_with_the_commit() {
    let store = Store::of(&[doc(1, "a.rs", &["lock"]), doc(2, "b.rs", &["lock"])]);
    let mut writer = store.writer();
    writer.clear().expect("cleared");
    drop(writer);
    assert_eq!(Lexical::open(store.dir.path()).expect("opened").searcher().chunk_count(), 2, "nothing was committed");

    let mut writer = store.writer();
    doc(4, "d.rs", &["lock"]).add_to(&mut writer);
    writer.clear().expect("cleared");
    doc(3, "c.rs", &["lock"]).add_to(&mut writer);
    assert_eq!(store.lexical("lock"), [10, 20]);
    writer.commit(Generation(2)).expect("committed");
    assert_eq!(store.lexical("lock"), [30]);
    writer.remove(recall_core::DocumentRow(3));
    writer.commit(Generation(3)).expect("committed");
    assert_eq!(store.lexical("lock"), [0_i64; 0]);
}

#[test]
fn there_is_one_writer() {
    let store = Store::empty();
    let writer = store.writer();
    let elsewhere = Lexical::open(store.dir.path()).expect("opened next to the writer");
    for lexical in [&store.lexical, &elsewhere] {
        assert!(matches!(lexical.writer(WriterSettings::default()), Err(LexicalWriteError::Busy { .. })));
    }
    drop(writer);
    elsewhere.writer(WriterSettings::default()).expect("the first writer is gone");
}

#[test]
fn opening_a_writer_waits_for_a_lock_about_to_be_released() {
    let store = Store::empty();
    let writer = store.writer();
    std::thread::scope(|scope| {
        let opened = scope.spawn(|| store.lexical.writer(WriterSettings::default()).map(drop));
        std::thread::sleep(Duration::from_millis(20));
        drop(writer);
        opened.join().expect("no panic").expect("the lock was released soon");
    });
}

#[test]
fn another_handle_sees_a_commit_after_a_refresh() {
    let store = Store::empty();
    let elsewhere = Lexical::open(store.dir.path()).expect("opened");
    assert_eq!(elsewhere.refresh().expect("refreshed"), Refreshed::Unchanged);
    store.commit(1, &[], &[doc(1, "a.rs", &["lock"])]);
    assert_eq!(elsewhere.searcher().chunk_count(), 0);
    assert_eq!(elsewhere.refresh().expect("refreshed"), Refreshed::Changed);
    assert_eq!((elsewhere.generation(), elsewhere.searcher().chunk_count()), (Generation(1), 1));
    assert_eq!(elsewhere.refresh().expect("refreshed"), Refreshed::Unchanged);
}

#[test]
fn searches_run_while_documents_are_written() {
    let store = Arc::new(Store::of(&[doc(1, "a.rs", &["lock"])]));
    let searching = Arc::clone(&store);
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let searches = std::thread::spawn(move || {
        let mut count = 0;
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            assert_eq!(searching.lexical("lock").len(), 1);
            count += 1;
        }
        count
    });
    let mut writer = store.writer();
    for generation in 2..12 {
        writer.remove(recall_core::DocumentRow(generation - 1));
        doc(generation, "a.rs", &["lock"]).add_to(&mut writer);
        writer.commit(Generation(generation as u64)).expect("committed");
    }
    drop(stop);
    assert!(searches.join().expect("no search failed") > 0);
}

#[test]
fn files_of_a_killed_writer_are_deleted_at_the_next_opening() {
    let store = Store::of(&[doc(1, "a.rs", &["lock"])]);
    let left = [format!("{}.idx", "0a".repeat(16)), format!("{}.123.del", "0b".repeat(16)), ".tmpAbc".to_owned()];
    for name in &left {
        fs::write(store.dir.path().join(name), "half").expect("written");
    }
    let foreign = store.dir.path().join("notes.txt");
    fs::write(&foreign, "mine").expect("written");
    let again = Lexical::open(store.dir.path()).expect("opened");
    for name in &left {
        assert!(!store.dir.path().join(name).exists(), "{name}");
    }
    assert!(foreign.exists());
    assert_eq!(again.searcher().chunk_count(), 1);
}

#[test]
fn files_of_a_live_writer_are_not_deleted() {
    let store = Store::of(&[doc(1, "a.rs", &["lock"])]);
    let writer = store.writer();
    let underway = store.dir.path().join(format!("{}.idx", "0a".repeat(16)));
    fs::write(&underway, "half").expect("written");
    Lexical::open(store.dir.path()).expect("opened");
    assert!(underway.exists());
    drop(writer);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_can_be_searched() {
    use std::os::unix::fs::PermissionsExt;

    let store = Store::of(&[doc(1, "a.rs", &["lock"])]);
    let permissions = |mode| fs::set_permissions(store.dir.path(), fs::Permissions::from_mode(mode)).expect("set");
    for name in [".tantivy-writer.lock", ".tantivy-meta.lock"] {
        fs::remove_file(store.dir.path().join(name)).expect("a lock file of the writer");
    }
    permissions(0o555);
    let opened = Lexical::open(store.dir.path());
    permissions(0o755);
    assert_eq!(opened.expect("opened").searcher().chunk_count(), 1);
}

#[test]
fn the_last_three_quarantined_indexes_are_kept() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let index = dir.path().join("lexical");
    for suffix in ["1", "2", "3", "4", "5"] {
        Lexical::open(&index).expect("created");
        assert_eq!(quarantine(&index, suffix).expect("moved"), dir.path().join(format!("lexical.damaged-{suffix}")));
        assert!(!index.exists());
    }
    let mut kept: Vec<String> = fs::read_dir(dir.path())
        .expect("listed")
        .map(|entry| entry.expect("listed").file_name().to_string_lossy().into_owned())
        .collect();
    kept.sort();
    assert_eq!(kept, ["lexical.damaged-3", "lexical.damaged-4", "lexical.damaged-5"]);
}

/// The number of segments in the committed state, according to `meta.json`.
fn segments(store: &Store) -> usize {
    let meta = fs::read_to_string(store.dir.path().join("meta.json")).expect("readable");
    meta.matches("\"segment_id\"").count()
}

#[test]
fn repeated_commits_leave_few_segments_and_finishing_fewer() {
    let store = Store::empty();
    let mut writer = store.writer();
    for row in 1..=100 {
        doc(row, &format!("{row}.rs"), &["lock", "page", "wait"]).add_to(&mut writer);
        writer.commit(Generation(row as u64)).expect("committed");
    }
    // Segments may still be waiting for their merge.
    assert!(segments(&store) <= 12, "{} segments", segments(&store));
    writer.finish().expect("finished");
    assert!(segments(&store) <= 3, "{} segments", segments(&store));
    assert_eq!((store.lexical.generation(), store.searcher().chunk_count()), (Generation(100), 300));
    assert_eq!(Lexical::open(store.dir.path()).expect("opened").generation(), Generation(100));
}

#[test]
fn finishing_does_not_commit_pending_documents() {
    let store = Store::empty();
    let mut writer = store.writer();
    for row in 1..=3 {
        doc(row, "a.rs", &["lock"]).add_to(&mut writer);
        writer.commit(Generation(row as u64)).expect("committed");
    }
    doc(4, "b.rs", &["lock"]).add_to(&mut writer);
    writer.finish().expect("finished");
    assert_eq!((store.lexical.generation(), store.lexical("lock")), (Generation(3), vec![10, 20, 30]));
}

#[test]
fn only_plain_file_names_of_the_list_are_deleted() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let dir = place.path().join("deep/lexical");
    let precious = place.path().join("precious");
    fs::write(&precious, "precious").expect("written");
    fs::create_dir_all(&dir).expect("made");
    drop(Lexical::open(&dir).expect("created"));
    let list = dir.join(".managed.json");
    let known = fs::read_to_string(&list).expect("a list");
    let absolute = precious.display();
    let hostile = known.trim().replacen('[', &format!("[\"{absolute}\",\"../../precious\","), 1).replace(",]", "]");
    fs::write(&list, hostile).expect("written");
    let lexical = Lexical::open(&dir).expect("opened");
    for generation in 1..4 {
        let mut writer = lexical.writer(WriterSettings::default()).expect("free");
        doc(generation, "a.rs", &["lock"]).add_to(&mut writer);
        writer.commit(Generation(generation.unsigned_abs())).expect("committed");
        writer.finish().expect("finished");
    }
    assert_eq!(lexical.generation(), Generation(3));
    assert_eq!(fs::read_to_string(&precious).expect("still there"), "precious");
}
