//! Opening of catalogs and of other files.

use std::fs;
use std::path::Path;
use std::thread;

use recall_core::Generation;
use recall_index::catalog::{Catalog, CatalogOpenError, CatalogWriteError};
use rusqlite::Connection;

use crate::sample::{Sample, path, store};

#[test]
fn a_new_catalog_is_empty_and_private_to_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    assert!(!catalog.is_read_only());
    assert_eq!(catalog.generation().unwrap(), Generation(0));
    assert_eq!(catalog.snapshot().unwrap().counts().unwrap(), recall_index::catalog::Counts::default());
    assert_eq!(catalog.check().unwrap(), []);
    #[cfg(unix)]
    for entry in fs::read_dir(folder.path()).unwrap() {
        use std::os::unix::fs::PermissionsExt;
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
    }
}

#[test]
fn concurrent_openings_of_a_new_file_share_one_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    thread::scope(|scope| {
        for number in 0..20 {
            let file = &file;
            scope.spawn(move || {
                store(&Catalog::open(file).unwrap(), &[Sample::of_lines(&format!("{number}"), &["text"])]);
            });
        }
    });
    let catalog = Catalog::open(&file).unwrap();
    assert_eq!(catalog.generation().unwrap(), Generation(20));
    assert_eq!(catalog.snapshot().unwrap().counts().unwrap().documents, 20);
}

#[test]
fn a_newer_schema_is_rejected_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    store(&Catalog::open(&file).unwrap(), &[Sample::of_lines("a", &["text"])]);
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 999).unwrap();
    let before = fs::read(&file).unwrap();
    let rejected = Catalog::open(&file).unwrap_err();
    assert!(matches!(rejected, CatalogOpenError::NewerSchema { found: 999, known: 6, .. }), "{rejected}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn an_older_schema_is_rejected_and_left_alone_until_it_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    let first = Catalog::open(&file).unwrap();
    store(&first, &[Sample::of_lines("a", &["text"])]);
    fs::create_dir(folder.path().join("fork")).unwrap();
    first.fork(&folder.path().join("fork/catalog.db")).unwrap();
    drop(first);
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 5).unwrap();
    let before = fs::read(&file).unwrap();
    let rejected = Catalog::open(&file).unwrap_err();
    assert!(matches!(rejected, CatalogOpenError::OlderSchema { found: 5, .. }), "{rejected}");
    assert_eq!(fs::read(&file).unwrap(), before);
    recall_index::catalog::delete(&file).unwrap();
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["fork"]);
    assert_eq!(Catalog::open(&file).unwrap().snapshot().unwrap().counts().unwrap().documents, 0);
    let fork = Catalog::open(&folder.path().join("fork/catalog.db")).unwrap();
    assert_eq!(fork.snapshot().unwrap().counts().unwrap().documents, 1, "it has a link of its own");
}

#[test]
fn a_database_of_another_program_is_rejected_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    let before = fs::read(&file).unwrap();
    let rejected = Catalog::open(&file).unwrap_err();
    assert!(matches!(rejected, CatalogOpenError::Damaged { .. }), "{rejected}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_missing_folder_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let rejected = Catalog::open(&folder.path().join("missing/catalog.db")).unwrap_err();
    assert!(matches!(rejected, CatalogOpenError::Io { .. }), "{rejected}");
}

#[test]
fn a_folder_instead_of_a_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let rejected = Catalog::open(folder.path()).unwrap_err();
    assert!(matches!(rejected, CatalogOpenError::Io { .. }), "{rejected}");
}

/// Drops the privilege to bypass file permissions, for the current thread.
#[cfg(target_os = "linux")]
fn write_only_where_permitted() {
    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
    let CapabilitySets { mut effective, mut permitted, inheritable } = capabilities(None).unwrap();
    for set in [&mut effective, &mut permitted] {
        set.remove(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
    }
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable }).unwrap();
}

#[cfg(target_os = "linux")]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_file_can_be_read() {
    write_only_where_permitted();
    // The name needs escaping in a URI.
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("read only? 100%");
    fs::create_dir(&place).unwrap();
    let file = place.join("catalog.db");
    store(&Catalog::open(&file).unwrap(), &[Sample::of_lines("a", &["text"])]);
    for (file_mode, folder_mode) in [(0o400, 0o500), (0o600, 0o500), (0o400, 0o700)] {
        set_mode(&file, file_mode);
        set_mode(&place, folder_mode);
        let catalog = Catalog::open(&file).unwrap();
        assert!(catalog.is_read_only());
        assert!(matches!(catalog.writer(), Err(CatalogWriteError::ReadOnly)));
        let (first, second) = (catalog.snapshot().unwrap(), catalog.snapshot().unwrap());
        assert_eq!(first.generation(), Generation(1));
        let row = second.document_at(&path("a")).unwrap().unwrap().row;
        assert_eq!(second.text(row).unwrap().as_deref(), Some("text\n"));
        drop((first, second));
        drop(catalog);
        set_mode(&place, 0o700);
        set_mode(&file, 0o600);
    }
    let names: Vec<_> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["catalog.db"], "reading creates no files");
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_folder_without_a_catalog_is_an_error() {
    write_only_where_permitted();
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o500);
    let rejected = Catalog::open(&folder.path().join("catalog.db")).unwrap_err();
    assert!(matches!(rejected, CatalogOpenError::ReadOnly { source: Some(_), .. }), "{rejected}");
    set_mode(folder.path(), 0o700);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_log_is_not_ignored() {
    write_only_where_permitted();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.db");
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).unwrap();
    let catalog = Catalog::open(&file).unwrap();
    store(&catalog, &[Sample::of_lines("a", &["text"])]);
    // As after a crash: the log has commits that the file lacks.
    for name in ["catalog.db", "catalog.db-wal"] {
        fs::copy(folder.path().join(name), copy.join(name)).unwrap();
    }
    let file = copy.join("catalog.db");
    set_mode(&copy, 0o500);
    let rejected = Catalog::open(&file).unwrap_err();
    assert!(matches!(rejected, CatalogOpenError::ReadOnly { .. }), "{rejected}");
    set_mode(&copy, 0o700);
    assert_eq!(Catalog::open(&file).unwrap().generation().unwrap(), Generation(1));
}
