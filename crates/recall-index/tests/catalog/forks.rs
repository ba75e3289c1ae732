//! Catalogs that share contents.

use std::fs;
use std::path::{Path, PathBuf};

use recall_core::Timestamp;
use recall_index::catalog::{Catalog, CatalogOpenError};

use crate::sample::{Sample, path, store};

/// The number of documents of the first catalog: their contents are larger than everything else.
const DOCUMENTS: usize = 300;

/// A catalog with documents, and the places of its forks.
struct Case {
    folder: tempfile::TempDir,
    first: Catalog,
}

impl Case {
    fn new() -> Self {
        let lines: Vec<String> = (0..120).map(|line| format!("fn number_{line}() {{ {} }}", line * 7919)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let samples: Vec<_> =
            (0..DOCUMENTS).map(|number| Sample::of_lines(&format!("src/{number}.rs"), &lines)).collect();
        let folder = tempfile::tempdir().unwrap();
        let first = Catalog::open(&file(folder.path(), "first")).unwrap();
        store(&first, &samples);
        Self { folder, first }
    }

    fn file(&self, name: &str) -> PathBuf {
        file(self.folder.path(), name)
    }

    fn fork(&self, name: &str) -> Catalog {
        self.first.fork(&self.file(name)).unwrap();
        open(&self.file(name))
    }

    /// Closes the first catalog and opens it again.
    fn reopen(self) -> Self {
        let Self { folder, first } = self;
        drop(first);
        let first = open(&file(folder.path(), "first"));
        Self { folder, first }
    }
}

/// The file of a catalog, in a folder of its own.
fn file(folder: &Path, name: &str) -> PathBuf {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    folder.join("catalog.db")
}

fn open(file: &Path) -> Catalog {
    let catalog = Catalog::open(file).unwrap();
    catalog.adopt_base().unwrap();
    catalog
}

fn documents(catalog: &Catalog) -> usize {
    catalog.snapshot().unwrap().counts().unwrap().documents as usize
}

fn text(catalog: &Catalog, at: &str) -> String {
    let snapshot = catalog.snapshot().unwrap();
    let document = snapshot.document_at(&path(at)).unwrap().unwrap();
    snapshot.text(document.row).unwrap().unwrap()
}

fn remove_all_but(catalog: &Catalog, kept: usize) {
    let mut writer = catalog.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    for number in kept..DOCUMENTS {
        transaction.remove(&path(&format!("src/{number}.rs"))).unwrap();
    }
    transaction.commit().unwrap();
}

/// The bytes of a catalog's own file and of its log.
fn own_bytes(catalog: &Catalog) -> u64 {
    catalog.size_bytes().unwrap()
}

#[test]
fn the_source_of_a_fork_keeps_no_second_copy_while_it_is_open() {
    let case = Case::new();
    case.first.checkpoint().unwrap();
    let alone = own_bytes(&case.first);
    // Connections without the base: one that is idle during the fork, and one that reads.
    drop(case.first.snapshot().unwrap());
    let snapshot = case.first.snapshot().unwrap();
    let fork = case.fork("second");
    assert_eq!(snapshot.counts().unwrap().documents as usize, DOCUMENTS);
    let last = snapshot.document_at(&path("src/299.rs")).unwrap().unwrap();
    assert!(snapshot.text(last.row).unwrap().is_some());
    drop(snapshot);
    case.first.checkpoint().unwrap();
    for (name, catalog) in [("source", &case.first), ("fork", &fork)] {
        let own = own_bytes(catalog);
        assert!(own < alone / 3, "the {name} has {own} of {alone} bytes");
        assert_eq!(catalog.check().unwrap(), []);
        assert!(text(catalog, "src/0.rs").starts_with("fn number_0"), "{name}");
    }
    store(&case.first, &[Sample::of_lines("src/0.rs", &["of the first"])]);
    store(&fork, &[Sample::of_lines("src/0.rs", &["of the second"])]);
    assert_eq!(
        (text(&case.first, "src/0.rs"), text(&fork, "src/0.rs")),
        ("of the first\n".to_owned(), "of the second\n".to_owned())
    );
    assert_eq!((documents(&case.first), documents(&fork)), (DOCUMENTS, DOCUMENTS));
}

#[test]
fn a_shared_document_has_the_size_and_time_of_its_own_file() {
    let case = Case::new();
    let fork = case.fork("second");
    let mut writer = fork.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    transaction.touch(&path("src/7.rs"), 70, Timestamp(7)).unwrap().expect("it exists");
    transaction.commit().unwrap();
    drop(writer);
    let file = |catalog: &Catalog| {
        let stored = catalog.snapshot().unwrap().document_at(&path("src/7.rs")).unwrap().unwrap();
        (stored.document.size_bytes, stored.document.modified)
    };
    assert_eq!(file(&fork), (70, Timestamp(7)));
    assert_ne!(file(&case.first), file(&fork));
}

#[test]
fn twenty_forks_take_little_space() {
    let case = Case::new();
    case.first.checkpoint().unwrap();
    let alone = case.first.size_bytes().unwrap();
    let mut own = 0;
    for number in 0..20 {
        let fork = case.fork(&number.to_string());
        assert_eq!(documents(&fork), DOCUMENTS);
        own += own_bytes(&fork);
    }
    let case = case.reopen();
    own += own_bytes(&case.first);
    let base = fs::metadata(case.file("first").with_file_name("base.db")).unwrap().len();
    assert!(base <= alone, "{base} of {alone}");
    assert!(own < 21 * alone / 12, "{own} of {alone}");
    assert_eq!(case.first.check().unwrap(), []);
}

#[test]
fn a_fork_outlives_its_source() {
    let case = Case::new();
    let fork = case.fork("second");
    drop(case.first);
    fs::remove_dir_all(case.folder.path().join("first")).unwrap();
    assert_eq!(fork.check().unwrap(), []);
    store(&fork, &[Sample::of_lines("src/0.rs", &["changed"])]);
    assert_eq!(text(&fork, "src/0.rs"), "changed\n");
    let third = file(case.folder.path(), "third");
    fork.fork(&third).unwrap();
    assert_eq!(open(&third).snapshot().unwrap().counts().unwrap(), fork.snapshot().unwrap().counts().unwrap());
}

#[test]
fn a_fork_has_other_modification_times_of_files() {
    let case = Case::new();
    let memory = "L-0123abcd";
    store(&case.first, &[Sample::of_lines(memory, &["text"])]);
    let modified = |catalog: &Catalog, at: &str| {
        let stored = catalog.snapshot().unwrap().document_at(&path(at)).unwrap().unwrap();
        stored.document.modified
    };
    let fork = case.fork("second");
    assert_eq!(modified(&fork, "src/0.rs"), Timestamp(modified(&case.first, "src/0.rs").0 - 1));
    assert_eq!(modified(&fork, memory), modified(&case.first, memory));
}

#[test]
fn a_catalog_without_its_base_is_damaged() {
    let case = Case::new();
    drop(case.fork("second"));
    fs::remove_file(case.file("second").with_file_name("base.db")).unwrap();
    assert!(matches!(Catalog::open(&case.file("second")), Err(CatalogOpenError::Damaged { .. })));
}

#[test]
fn a_base_of_another_catalog_is_never_used() {
    let case = Case::new();
    let second = case.file("second");
    case.first.fork(&second).unwrap();
    // The catalog is lost and created again; the base has other contents in the same rows.
    fs::remove_file(&second).unwrap();
    let other = open(&second);
    assert!(!second.with_file_name("base.db").exists());
    store(&other, &[Sample::of_lines("src/0.rs", &["other"])]);
    assert_eq!(text(&other, "src/0.rs"), "other\n");
    assert_eq!(other.check().unwrap(), []);
}

#[test]
fn a_crash_during_a_fork_leaves_both_usable() {
    let case = Case::new();
    let second = case.file("second");
    case.first.fork(&second).unwrap();
    // The states that a crash may leave: an unfinished copy, and a base without a catalog.
    fs::remove_file(&second).unwrap();
    fs::write(second.with_file_name("catalog.db.new"), "unfinished").unwrap();
    store(&case.first, &[Sample::of_lines("src/new.rs", &["new"])]);
    let fork = case.fork("second");
    assert_eq!(fork.check().unwrap(), []);
    assert_eq!(documents(&fork), DOCUMENTS + 1);
    assert_eq!(case.reopen().first.check().unwrap(), []);
}

#[test]
fn a_base_that_is_mostly_unused_is_given_up_under_an_open_snapshot() {
    let case = Case::new();
    let fork = case.fork("second");
    let snapshot = fork.snapshot().unwrap();
    remove_all_but(&fork, DOCUMENTS / 2 - 1);
    fork.compact().unwrap();
    assert!(!case.file("second").with_file_name("base.db").exists());
    // The snapshot is of the former state; its connection is used again afterwards.
    assert_eq!(snapshot.counts().unwrap().documents as usize, DOCUMENTS);
    let last = snapshot.document_at(&path("src/299.rs")).unwrap().unwrap();
    assert!(snapshot.text(last.row).unwrap().is_some());
    drop(snapshot);
    assert_eq!(fork.check().unwrap(), []);
    assert_eq!(documents(&fork), DOCUMENTS / 2 - 1);
    drop(fork);
    assert_eq!(open(&case.file("second")).check().unwrap(), []);
}

#[test]
fn a_base_in_use_is_kept() {
    let case = Case::new();
    let fork = case.fork("second");
    remove_all_but(&fork, DOCUMENTS / 2);
    fork.compact().unwrap();
    assert!(case.file("second").with_file_name("base.db").exists());
    assert_eq!(fork.check().unwrap(), []);
}
