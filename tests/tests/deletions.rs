//! Deletion of files and folders. Only `recall-os` deletes folders, through a handle to a folder that recall created;
//! single files are deleted only in the listed sources.

use std::fs;
use std::path::{Path, PathBuf};

use recall_tests::workspace;

/// The sources that may delete a single file by its path, and why.
const FILES: &[(&str, &str)] = &[
    ("crates/recall-bench/src/quality/mine/checkout.rs", "a checkout in a temporary folder of its own"),
    ("crates/recall-models/src/fetch/", "its own downloads and lock in the data home"),
    ("crates/recall-models/src/folder/pull.rs", "its own download in the data home"),
    ("crates/recall-models/src/runtime", "its own download and marks in the data home"),
    ("crates/recall-client/src/", "the runtime folder that it made for a private daemon"),
    ("crates/recall-agents/src/config_file.rs", "an agent's file that recall made, and its own fresh copy"),
    ("recall-cli/src/command/config/edit.rs", "the copy that it made for the editor"),
    ("recall-cli/src/hook/seen.rs", "its own notes of sessions in the state home"),
    ("recall-cli/src/last_search.rs", "its own notes of searches in the cache home"),
    ("recall-cli/src/command/service.rs", "unit files that end in the checksum that it wrote"),
    ("recalld/src/", "its own socket, lock and logs"),
];

/// The one crate that deletes folders.
const FOLDERS: &str = "crates/recall-os/src/";

/// Returns the forbidden deletions in a source at a path of the workspace.
fn complaints(path: &str, source: &str) -> Vec<String> {
    let tests = ["#[cfg(test)]", "#[cfg(all(test,"].iter().filter_map(|mark| source.find(mark)).min();
    let shipped = &source[..tests.unwrap_or(source.len())];
    let mut found = Vec::new();
    if shipped.contains("remove_dir_all(") && !path.starts_with(FOLDERS) {
        found.push(format!("{path} deletes a folder; use `recall_os::Folder::remove`"));
    }
    let is_known = path.starts_with(FOLDERS) || FILES.iter().any(|(known, _)| path.starts_with(known));
    if (shipped.contains("remove_file(") || shipped.contains("remove_dir(")) && !is_known {
        found.push(format!("{path} deletes a file by its path; use `recall_os::Folder::remove`"));
    }
    found
}

/// The Rust sources of programs and libraries, but not of their tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        let is_test = path.file_name().is_some_and(|name| name == "tests" || name == "tests.rs" || name == "benches");
        if path.is_dir() && !is_test {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test {
            found.push(path);
        }
    }
}

#[test]
fn one_crate_deletes_folders_and_only_listed_sources_delete_files() {
    let root = workspace();
    let mut files = Vec::new();
    for folder in ["crates", "recalld/src", "recall-cli/src", "recall-shim/src"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 300, "the sources are found");
    let mut found = Vec::new();
    for file in files {
        let path = file.strip_prefix(&root).expect("below the workspace").to_str().expect("plain").replace('\\', "/");
        if path.starts_with("crates/recall-testkit/") {
            continue;
        }
        found.extend(complaints(&path, &fs::read_to_string(&file).expect("readable")));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_planted_deletion_is_found() {
    for (path, source, count) in [
        ("crates/recall-engine/src/x.rs", "fs::remove_dir_all(path)", 1),
        ("recalld/src/x.rs", "fs::remove_dir_all(path)", 1),
        ("crates/recall-engine/src/x.rs", "fs::remove_file(path)", 1),
        ("recalld/src/x.rs", "fs::remove_file(path)", 0),
        ("crates/recall-os/src/x.rs", "dir.remove_dir_all(name)", 0),
        ("crates/recall-engine/src/x.rs", "#[cfg(test)]\nmod tests { fs::remove_dir_all(path) }", 0),
    ] {
        assert_eq!(complaints(path, source).len(), count, "{path}: {source}");
    }
}
