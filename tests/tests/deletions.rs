//! Deletion and opening of files by their paths. Only `recall-os` deletes folders, through a handle to a folder that recall created;
//! single files are deleted only in the listed sources. `recall-os` opens files below projects, without following links, and those
//! of the user; the listed sources open recall's own.

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

/// The sources that open files by their paths, how often, and why no project can put a link or a pipe there. What a project contains is
/// opened by `recall_os::Folder`, what the user or an agent keeps elsewhere by `recall_os::open_own`. The numbers may only shrink.
const OPENERS: &[(&str, usize, &str)] = &[
    ("crates/recall-agents/src/agent.rs", 3, "files of agents in the home folder"),
    (
        "crates/recall-agents/src/config_file.rs",
        3,
        "the file that a command names, whose links were resolved within its bounds",
    ),
    ("crates/recall-agents/src/foreign/", 4, "the files of another tool that a person imports, whose kind was checked"),
    (
        "crates/recall-agents/src/hooks.rs",
        1,
        "settings of which the caller has checked that a project has no link there",
    ),
    ("crates/recall-agents/src/ledger.rs", 2, "the list of registrations in the state home"),
    ("crates/recall-client/src/", 3, "the lock and the log of the daemon in the runtime folder"),
    ("crates/recall-config/src/lock_note.rs", 1, "a process in /proc"),
    ("crates/recall-engine/src/embeddings/folder.rs", 1, "a lock in the data home"),
    ("crates/recall-engine/src/past_root.rs", 1, "a description in the data home"),
    ("crates/recall-engine/src/store/", 3, "the store's folder in the data home"),
    ("crates/recall-index/src/", 17, "the index in the data home"),
    ("crates/recall-journal/src/storage.rs", 1, "a folder that is synced"),
    ("crates/recall-models/src/", 9, "the folder of models in the data home"),
    ("crates/recall-page/src/", 2, "saved searches in the data home, and a table in /proc"),
    ("recall-cli/src/command/config/edit.rs", 1, "the copy that it made for the editor"),
    ("recall-cli/src/command/daemon/logs.rs", 1, "the daemon's log"),
    ("recall-cli/src/command/export.rs", 2, "the file that the command line names"),
    ("recall-cli/src/command/import.rs", 1, "the file that the command line names, which may be a pipe"),
    ("recall-cli/src/command/query.rs", 1, "the file that the command line names, which may be a pipe"),
    ("recall-cli/src/command/launch/mode.rs", 2, "the confirmations in the data home"),
    ("recall-cli/src/command/review.rs", 1, "the copy that it made for the editor"),
    ("recall-cli/src/hook/seen.rs", 1, "its own notes of sessions in the state home"),
    ("recall-cli/src/last_search.rs", 1, "its own notes of searches in the cache home"),
    ("recall-cli/src/service/sealed_file.rs", 1, "unit files of the service manager"),
    ("recalld/src/", 7, "its own lock and logs, and processes in /proc"),
];

/// How a source opens a file by its path.
const OPENINGS: &[&str] =
    &["File::open(", "fs::read_to_string(", "fs::read(", "File::options()", "OpenOptions::new()", "File::create_new("];

/// Returns how often the shipped part of a source opens a file by its path.
fn openings(source: &str) -> usize {
    let lines = shipped(source).lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| OPENINGS.iter().map(|opening| line.matches(opening).count()).sum::<usize>()).sum()
}

/// Returns a source without its tests.
fn shipped(source: &str) -> &str {
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(all(test,"].iter().filter_map(|mark| source.find(mark)).min();
    &source[..tests.unwrap_or(source.len())]
}

/// Returns the forbidden deletions in a source at a path of the workspace.
fn complaints(path: &str, source: &str) -> Vec<String> {
    let shipped = shipped(source);
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

/// Returns the path and the text of each source of programs and libraries that users get.
fn shipped_sources() -> Vec<(String, String)> {
    let root = workspace();
    let mut files = Vec::new();
    for folder in ["crates", "recalld/src", "recall-cli/src", "recall-shim/src"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 300, "the sources are found");
    let path = |file: &Path| file.strip_prefix(&root).expect("below").to_str().expect("plain").replace('\\', "/");
    let read = |file: PathBuf| (path(&file), fs::read_to_string(&file).expect("readable"));
    files.into_iter().map(read).filter(|(path, _)| !path.starts_with("crates/recall-testkit/")).collect()
}

#[test]
fn one_crate_deletes_folders_and_only_listed_sources_delete_files() {
    let found: Vec<_> = shipped_sources().iter().flat_map(|(path, source)| complaints(path, source)).collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn only_listed_sources_open_files_by_their_paths() {
    let mut counts = vec![0; OPENERS.len()];
    let mut found = Vec::new();
    for (path, source) in shipped_sources() {
        let is_other = ["crates/recall-os/", "crates/recall-bench/"].iter().any(|other| path.starts_with(other))
            || path.contains("/examples/")
            || path.contains("/fixtures/");
        let count = openings(&source);
        match OPENERS.iter().position(|(known, ..)| path.starts_with(known)) {
            Some(at) => counts[at] += count,
            None if count > 0 && !is_other => {
                found
                    .push(format!("{path} opens a file by its path; use `recall_os::Folder` or `recall_os::open_own`"));
            }
            None => {}
        }
    }
    for ((path, most, _), count) in OPENERS.iter().zip(counts) {
        if count != *most {
            found.push(format!("{path} opens {count} files by their paths; the list says {most}"));
        }
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_planted_opening_is_found() {
    for (source, count) in [
        ("let text = std::fs::read_to_string(path)?;", 1),
        ("let file = fs::File::open(path).or_else(|_| File::options().read(true).open(other));", 2),
        ("file.take(9).read_to_string(&mut text)?;", 0),
        ("// File::open(path)\nfolder.read(path, LIMIT)", 0),
        ("#[cfg(test)]\nmod tests { fs::read(path) }", 0),
    ] {
        assert_eq!(openings(source), count, "{source}");
    }
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
