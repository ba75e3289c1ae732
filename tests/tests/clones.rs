//! Malicious clones: for any content of `.recall` in a repository, nothing outside the clone is read, changed or
//! deleted.
//!
//! Each tree is drawn from a seed. `RECALL_HOSTILE_TREES` sets how many there are, `RECALL_HOSTILE_SEED` the first seed.

#![cfg(target_os = "linux")]

mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use recall_testkit::Project;
use recall_tests::{Sandbox, sandbox};

/// A mark in files outside the clones; no response may contain it.
const MARK: &str = "PLATYPUS-OUTSIDE";

/// The number of trees in a normal run.
const TREES: u64 = 200;

/// The commands that a user runs in a clone.
const COMMANDS: &[&[&str]] = &[
    &["search", "burrow"],
    &["add", "docs", "--tag", "t"],
    &["remember", "Wombats dig at night.", "--force"],
    &["session", "log", "decision", "Dig."],
    &["session", "end", "--summary", "Dug."],
    &["briefing"],
    &["list", "--type", "documentation"],
    &["rm", "docs/b.md"],
    &["doctor", "--fix"],
    &["init"],
    &["rebuild"],
    &["search", "wombats"],
    &["status"],
];

/// The state of a path: kind, mode, and the bytes or the target of a link.
type Seen = (u32, Vec<u8>);

/// The state of everything below a folder, except for some folders.
fn snapshot(root: &Path, without: &[PathBuf]) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("readable").path();
            if without.contains(&path) {
                continue;
            }
            let found = fs::symlink_metadata(&path).expect("there");
            let bytes = if found.is_symlink() {
                fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes()
            } else if found.is_file() {
                fs::read(&path).expect("readable")
            } else {
                Vec::new()
            };
            if found.is_dir() {
                folders.push(path.clone());
            }
            seen.insert(path, (found.permissions().mode(), bytes));
        }
    }
    seen
}

/// A home and projects next to the clones, which contain the mark.
fn neighbours(sandbox: &Sandbox) -> Project {
    for (path, text) in [
        ("home/.bashrc", "alias ls='ls -F'\n"),
        ("home/.ssh/id_ed25519", "not a key\n"),
        ("home/thesis/chapter.md", "# Thesis\n"),
        ("src/aaa/notes.md", "# Notes\n"),
        ("src/zzz/main.rs", "fn main() {}\n"),
        ("precious.txt", "precious\n"),
    ] {
        let path = sandbox.path().join(path);
        fs::create_dir_all(path.parent().expect("below the sandbox")).expect("made");
        fs::write(path, format!("{text}{MARK}\n")).expect("written");
    }
    sandbox.project("own", &[("src/own.rs", "pub fn own_burrow() {}\n")])
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().expect("a number"))
}

/// The journals of the data home, and the user's settings: a clone must not change these either.
fn durable_files(sandbox: &Sandbox) -> BTreeMap<PathBuf, Seen> {
    let home = sandbox.recall_home();
    let mut seen = snapshot(&home.join("config"), &[]);
    seen.extend(snapshot(&home.join("data/global"), &[]));
    seen
}

#[test]
fn a_malicious_clone_changes_nothing_outside_of_it_and_does_not_crash_the_daemon() {
    let sandbox = sandbox!();
    let own = neighbours(&sandbox);
    for folder in ["config", "data/global"] {
        fs::create_dir_all(sandbox.recall_home().join(folder)).expect("made");
    }
    fs::write(sandbox.recall_home().join("data/global/profile.md"), "I like wombats.\n").expect("written");
    // A genuine index, for trees that ship one.
    assert_eq!(sandbox.recall(&own, &["search", "own_burrow"]).code, Some(0));
    let mut stores = fs::read_dir(sandbox.recall_home().join("data/stores")).expect("made");
    let genuine = stores.next().expect("one store").expect("readable").path().join("index");
    let copy = tempfile::tempdir().expect("a folder");
    tree::copy(&genuine, copy.path());

    let daemons = sandbox.processes();
    assert_eq!(daemons.len(), 1);
    let (first, count) = (number("RECALL_HOSTILE_SEED", 1), number("RECALL_HOSTILE_TREES", TREES));
    let clone = sandbox.path().join("src/clone");
    let without = [clone.clone(), sandbox.recall_home()];
    let (before, kept) = (snapshot(sandbox.path(), &without), durable_files(&sandbox));
    for seed in first..first + count {
        let project = sandbox.project("clone", &[]);
        let shipped = tree::make(&clone, copy.path(), seed);
        for command in COMMANDS {
            let outcome = sandbox.recall(&project, command);
            assert!(matches!(outcome.code, Some(0 | 1 | 2 | 4)), "seed {seed}, {shipped:?}\n{command:?}: {outcome:?}");
            let reported = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(!reported.contains(MARK), "seed {seed}, {shipped:?}\n{command:?}: {reported}");
        }
        let after = snapshot(sandbox.path(), &without);
        let differs: Vec<_> =
            before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
        assert!(differs.is_empty(), "seed {seed}, {shipped:?}\nchanged: {differs:?}");
        assert_eq!(durable_files(&sandbox), kept, "seed {seed}, {shipped:?}");
        assert_eq!(sandbox.processes(), daemons, "seed {seed}, {shipped:?}: the daemon ended");
        tree::delete(&clone);
    }
}

#[test]
fn a_shipped_index_is_ignored_and_reported_by_the_doctor() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("src/a.rs", "pub fn quokka_hidden() {}\n")]);
    assert_eq!(sandbox.recall(&project, &["search", "quokka_hidden"]).code, Some(0));
    let mut stores = fs::read_dir(sandbox.recall_home().join("data/stores")).expect("made");
    let index = stores.next().expect("one store").expect("readable").path().join("index");
    let clone = sandbox.project("clone", &[("src/a.rs", "pub fn harmless() {}\n")]);
    tree::copy(&index, &clone.path(".recall/index"));
    symlink("../../..", clone.path(".recall/index/away")).expect("linked");
    let outcome = sandbox.recall(&clone, &["search", "quokka_hidden"]);
    assert!(!outcome.stdout.contains("quokka_hidden()"), "{outcome:?}");
    let doctor = sandbox.recall(&clone, &["doctor"]);
    assert!(doctor.stdout.contains("an index inside a project is ignored"), "{doctor:?}");
    assert!(clone.path(".recall/index/catalog.db").is_file(), "recall deletes nothing that it did not make");
}

#[test]
fn indexes_are_in_the_data_home_and_private() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("src/a.rs", "pub fn a() {}\n")]);
    assert_eq!(sandbox.recall(&project, &["init"]).code, Some(0));
    assert_eq!(sandbox.recall(&project, &["search", "a"]).code, Some(0));
    assert!(!project.path(".recall/index").exists());
    let stores = sandbox.recall_home().join("data/stores");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let store = fs::read_dir(&stores).expect("made").next().expect("one store").expect("readable").path();
    assert_eq!((mode(&stores), mode(&store), mode(&store.join("index"))), (0o700, 0o700, 0o700));
}
