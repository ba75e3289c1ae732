//! Indexes that are not writable, damaged, or written by another version.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::case::{Case, KNOWN};

/// Stops the daemon, so that no process uses the index.
fn stop(case: &Case) {
    assert_eq!(case.recall(&["daemon", "stop"]).code, Some(0));
}

/// Writes the schema version: a big-endian number in bytes 60 to 63 of an SQLite file.
fn set_schema(catalog: &Path, schema: u32) -> Vec<u8> {
    let mut bytes = fs::read(catalog).expect("there");
    bytes[60..64].copy_from_slice(&schema.to_be_bytes());
    fs::write(catalog, &bytes).expect("ours");
    bytes
}

#[test]
fn the_index_of_a_read_only_project_is_in_the_data_home() {
    let case = Case::initialised();
    let mut daemon = case.start_daemon_bound_by_permissions();
    let set = |mode| {
        for folder in [".recall", ""] {
            fs::set_permissions(case.project.path(folder), fs::Permissions::from_mode(mode)).expect("ours");
        }
    };
    set(0o555);
    case.still_answers(daemon.id().into());
    assert!(case.index().join("catalog.db").is_file());
    assert_eq!(fs::read_dir(case.project.path(".recall")).expect("readable").count(), 0, "something was written");
    case.project.write("src/later.rs", "pub fn came_later() {}\n");
    assert_eq!(case.recall(&["add", "src/later.rs"]).code, Some(0));
    assert_eq!(case.search("came_later").0.first().map(String::as_str), Some("src/later.rs"));
    set(0o755);
    assert!(!daemon.has_ended());
}

#[test]
fn an_index_that_cannot_be_written_anywhere_is_an_error_with_its_path() {
    let case = Case::initialised();
    let _daemon = case.start_daemon_bound_by_permissions();
    let data = case.sandbox.recall_home().join("data");
    fs::create_dir_all(&data).expect("ours");
    let set = |mode| {
        for folder in [case.project.path(".recall"), data.clone()] {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("ours");
        }
    };
    set(0o555);
    let says = "the index folder";
    case.refuses(&["search", "--scope", "project", KNOWN.0], 4, "PERMISSION_DENIED", says);
    set(0o755);
    case.still_answers(case.daemon());
}

#[test]
fn a_damaged_catalog_is_quarantined_and_reported() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let catalog = case.index().join("catalog.db");
    for damage in [vec![0xA5; 8192], Vec::new(), b"SQLite format 3\0".to_vec()] {
        stop(&case);
        fs::write(&catalog, &damage).expect("ours");
        let (found, warnings) = case.search(KNOWN.0);
        assert_eq!(found, [KNOWN.1]);
        assert!(damage.is_empty() || warnings.contains(&"INDEX_REPAIRED".to_owned()), "{warnings:?}");
    }
    let kept = fs::read_dir(case.index()).expect("readable").flatten();
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().contains("damaged")).count();
    assert!(kept >= 2, "what was damaged is kept");
    case.still_answers(case.daemon());
}

#[test]
fn a_catalog_damaged_while_open_is_reported_and_repaired_by_a_rebuild() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let daemon = case.daemon();
    let garbage = vec![0xA5; fs::metadata(case.index().join("catalog.db")).expect("there").len() as usize];
    fs::write(case.index().join("catalog.db"), garbage).expect("ours");
    let outcome = case.recall(&["search", KNOWN.0]);
    assert!(matches!(outcome.code, Some(0 | 4)), "{outcome:?}");
    let rebuilt = case.recall(&["rebuild"]);
    assert_eq!(rebuilt.code, Some(0), "{rebuilt:?}");
    case.still_answers(daemon);
}

#[test]
fn a_newer_schema_is_refused_and_left_unchanged() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    stop(&case);
    let catalog = case.index().join("catalog.db");
    let bytes = set_schema(&catalog, 9_999);
    for command in [&["search", "x"][..], &["list"], &["add", "."], &["rebuild"]] {
        case.refuses(command, 4, "SCHEMA_NEWER", "has schema 9999, but this version supports schemas up to");
    }
    assert!(fs::read(&catalog).expect("there") == bytes, "it was written to");
    // Following the hint helps.
    stop(&case);
    fs::remove_dir_all(case.index()).expect("ours");
    case.still_answers(case.first_daemon());
}

#[test]
fn an_unknown_older_schema_is_quarantined_and_reported() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    stop(&case);
    set_schema(&case.index().join("catalog.db"), 0);
    let (found, warnings) = case.search(KNOWN.0);
    assert_eq!(found, [KNOWN.1]);
    assert!(warnings.contains(&"INDEX_REPAIRED".to_owned()), "{warnings:?}");
    case.still_answers(case.daemon());
}
