//! Rebuilding a damaged, truncated or foreign index.

use std::fs;
use std::path::{Path, PathBuf};

use recall_engine::Warning;

use crate::support::{Sandbox, paths, request};

fn index_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        if entry.path().is_dir() {
            index_files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

fn indexed() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.rs", "fn alpha() {}\n"), ("b.md", "# Beta\n\nAbout beta.\n")]);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    engine.close();
    sandbox
}

fn store_folder(sandbox: &Sandbox) -> PathBuf {
    let mut stores = fs::read_dir(sandbox.home().join("stores")).expect("readable");
    stores.next().expect("one store").expect("readable").path()
}

#[test]
fn a_catalog_of_garbage_is_quarantined_and_the_answer_reports_it() {
    let sandbox = indexed();
    let catalog = store_folder(&sandbox).join("index/catalog.db");
    fs::write(&catalog, vec![0xA5; 8192]).expect("written");
    let answer = sandbox.search(&sandbox.engine(), "alpha");
    assert_eq!(paths(&answer), ["a.rs"]);
    assert!(answer.warnings.iter().any(|warning| matches!(warning, Warning::Repaired { .. })), "{:?}", answer.warnings);
    let kept = fs::read_dir(catalog.parent().expect("a folder")).expect("readable").flatten();
    assert!(kept.into_iter().any(|entry| entry.file_name().to_string_lossy().contains("damaged")));
}

/// The damaged text is noticed only when the lexical index is rebuilt from it.
#[test]
fn a_catalog_with_a_damaged_text_is_quarantined_when_the_lexical_index_needs_it() {
    let sandbox = indexed();
    let index = store_folder(&sandbox).join("index");
    let (catalog, text) = (index.join("catalog.db"), b"About beta.");
    let mut bytes = fs::read(&catalog).expect("read");
    let places: Vec<usize> = (0..bytes.len() - text.len()).filter(|&at| bytes[at..].starts_with(text)).collect();
    assert!(!places.is_empty(), "a short text is stored as it is");
    for at in places {
        bytes[at] = b'X';
    }
    fs::write(&catalog, bytes).expect("written");
    fs::remove_dir_all(index.join("lexical")).expect("removed");
    let answer = sandbox.search(&sandbox.engine(), "beta");
    assert_eq!(paths(&answer), ["b.md"]);
    assert!(answer.warnings.iter().any(|warning| matches!(warning, Warning::Repaired { .. })), "{:?}", answer.warnings);
}

#[test]
fn a_lexical_index_of_garbage_is_rebuilt_from_the_catalog() {
    let sandbox = indexed();
    let mut files = Vec::new();
    index_files(&store_folder(&sandbox).join("index/lexical"), &mut files);
    for file in files {
        fs::write(&file, b"garbage").expect("written");
    }
    assert_eq!(paths(&sandbox.search(&sandbox.engine(), "alpha")), ["a.rs"]);
}

#[test]
fn any_file_of_the_index_may_be_missing_or_truncated() {
    let sandbox = indexed();
    let mut files = Vec::new();
    index_files(&store_folder(&sandbox).join("index"), &mut files);
    assert!(files.len() > 3, "{files:?}");
    for file in files {
        let name = file.strip_prefix(sandbox.home()).expect("below").to_owned();
        for cut in [None, Some(0), Some(7)] {
            match cut {
                None => drop(fs::remove_file(&file)),
                Some(length) => {
                    if let Ok(opened) = fs::File::options().write(true).open(&file) {
                        opened.set_len(length).expect("cut");
                    }
                }
            }
            let engine = sandbox.engine();
            let answer = sandbox.search(&engine, "alpha");
            assert_eq!(paths(&answer), ["a.rs"], "{} cut to {cut:?}: {:?}", name.display(), answer.warnings);
            engine.close();
        }
    }
}

#[test]
fn a_catalog_of_a_newer_version_is_rejected_and_not_changed() {
    let sandbox = indexed();
    let catalog = store_folder(&sandbox).join("index/catalog.db");
    // The user version is in bytes 60 to 63 of an SQLite file, big-endian.
    let mut bytes = fs::read(&catalog).expect("readable");
    bytes[60..64].copy_from_slice(&9999_u32.to_be_bytes());
    fs::write(&catalog, &bytes).expect("written");
    let error = sandbox.engine().search(&sandbox.origin(), &request("alpha")).expect_err("refused");
    let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    assert!(cause.contains("9999"), "{error}: {cause}");
    assert_eq!(fs::read(&catalog).expect("readable"), bytes);
}

#[test]
fn a_catalog_of_an_older_schema_is_rebuilt_without_a_report_of_damage() {
    let sandbox = indexed();
    let index = store_folder(&sandbox).join("index");
    let catalog = index.join("catalog.db");
    let mut bytes = fs::read(&catalog).expect("readable");
    bytes[60..64].copy_from_slice(&5_u32.to_be_bytes());
    fs::write(&catalog, &bytes).expect("written");
    // The embeddings of the older catalog, by some model.
    let embeddings = index.join("vectors/model");
    fs::create_dir_all(&embeddings).expect("made");
    let answer = sandbox.search(&sandbox.engine(), "alpha");
    assert_eq!(paths(&answer), ["a.rs"]);
    assert!(
        !answer.warnings.iter().any(|warning| matches!(warning, Warning::Repaired { .. })),
        "{:?}",
        answer.warnings
    );
    let names = fs::read_dir(&index).expect("readable").flatten().map(|entry| entry.file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("damaged")), "nothing is kept");
    assert!(!embeddings.exists(), "they name chunks of the older catalog");
}

#[test]
fn documents_parsed_by_an_older_version_are_parsed_again_once() {
    let sandbox = indexed();
    let file = store_folder(&sandbox).join("index/catalog.db");
    let parsing = || {
        let catalog = recall_index::catalog::Catalog::open(&file).expect("opened");
        catalog.snapshot().expect("readable").parser_version().expect("noted")
    };
    let current = parsing();
    assert_ne!(current, 0);
    recall_index::catalog::Catalog::open(&file)
        .expect("opened")
        .writer()
        .expect("writable")
        .set_parser_version(0)
        .expect("noted");
    for (changed, unchanged) in [(2, 0), (0, 2)] {
        let engine = sandbox.engine();
        let report = sandbox.index(&engine);
        engine.close();
        assert_eq!((report.changed, report.unchanged, parsing()), (changed, unchanged, current));
    }
    assert_eq!(paths(&sandbox.search(&sandbox.engine(), "alpha")), ["a.rs"]);
}
