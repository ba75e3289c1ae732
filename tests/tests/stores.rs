//! Stores of earlier releases, opened by the programs of today.
//!
//! `cargo xtask fixture` makes the one of this release.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use recall_testkit::Project;
use recall_tests::{Sandbox, sandbox, workspace};
use serde_json::Value;

/// The largest size of a fixture, in bytes: it stays in the repository for good.
const MOST_BYTES: u64 = 300 * 1024;

/// The fixtures, ordered by version.
fn fixtures() -> Vec<PathBuf> {
    let entries = fs::read_dir(workspace().join("tests/fixtures/stores")).expect("there");
    let mut fixtures: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    fixtures.sort();
    assert!(!fixtures.is_empty());
    fixtures
}

/// The files of a folder, by relative path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn collect(folder: &Path, root: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for path in fs::read_dir(folder).expect("there").map(|entry| entry.expect("readable").path()) {
            if path.is_dir() {
                collect(&path, root, files);
            } else {
                let name = path.strip_prefix(root).expect("below").to_owned();
                files.insert(name, fs::read(&path).expect("readable"));
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

/// Restores a fixture into a sandbox.
fn restore(sandbox: &Sandbox, fixture: &Path) -> Project {
    let project = sandbox.project("shop", &[]);
    let data = sandbox.dirs().data;
    let root = project.root().canonicalize().expect("made");
    let store = sandbox.dirs().store_dir(&root);
    for (part, to) in [
        ("project", root.clone()),
        ("written", data.join("written")),
        ("global", data.join("global")),
        ("index", store.join("index")),
    ] {
        for (path, content) in files(&fixture.join(part)) {
            let path = to.join(original(&path));
            fs::create_dir_all(path.parent().expect("below")).expect("writable");
            fs::write(path, content).expect("writable");
        }
    }
    fs::write(store.join("root"), root.to_str().expect("plain").to_owned() + "\n").expect("writable");
    project
}

/// The name that a file of a fixture had: some lost their dots, so that git does not interpret them.
fn original(path: &Path) -> PathBuf {
    let dotted = |part: &str| matches!(part, "recall" | "gitignore" | "gitattributes").then(|| format!(".{part}"));
    path.iter().map(|part| part.to_str().and_then(dotted).map_or_else(|| part.into(), PathBuf::from)).collect()
}

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{arguments:?}: {outcome:?}");
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// Checks that searches find what the release stored, without a warning.
#[track_caller]
fn check_answers(sandbox: &Sandbox, project: &Project) {
    for (query, expected) in [
        ("dig", "src/burrow.rs"),
        ("who digs under the northern fence", "docs/adr/0001-fences.md"),
        ("when are wombats fed", "Wombats are fed at midnight, never before."),
        ("when do keepers write their notes", "Keepers write their notes in the evening."),
    ] {
        let found = json_of(sandbox, project, &["search", query]);
        // A notice says only that the global store, which a fixture stores without its index, was indexed.
        let warnings = found["warnings"].as_array().expect("a list");
        assert!(warnings.iter().all(|warning| warning["severity"] == "notice"), "{query}: {found}");
        let first = &found["results"][0];
        assert!(first["doc"]["path"] == expected || first["memory"]["content"] == expected, "{query}: {found}");
        assert!(first["memory"].is_null() || first["memory"]["ownership"] == "own", "{query}: {found}");
    }
    let checked = json_of(sandbox, project, &["doctor"]);
    assert_eq!(checked["findings"], Value::Array(Vec::new()), "{checked}");
}

/// Checks that each line that the release wrote is where it was.
#[track_caller]
fn check_journals(fixture: &Path, sandbox: &Sandbox, project: &Project) {
    let data = sandbox.dirs().data;
    for (before, now) in [
        (fixture.join("project/recall"), project.path(".recall")),
        (fixture.join("global/recall"), data.join("global/.recall")),
        (fixture.join("written"), data.join("written")),
    ] {
        let journals = files(&before);
        assert!(!journals.is_empty(), "{}", before.display());
        for (path, content) in journals {
            let now = fs::read(now.join(original(&path))).expect("still there");
            assert!(now.starts_with(&content), "{} has changed", path.display());
        }
    }
}

#[test]
fn stores_of_each_release_answer_and_lose_nothing() {
    for fixture in fixtures() {
        let sandbox = sandbox!();
        let project = restore(&sandbox, &fixture);
        check_answers(&sandbox, &project);
        let added = json_of(&sandbox, &project, &["remember", "Otters sleep by day.", "--type", "lesson"]);
        let found = json_of(&sandbox, &project, &["search", "when do otters sleep"]);
        assert_eq!(found["results"][0]["memory"]["id"], added["id"], "{found}");
        check_journals(&fixture, &sandbox, &project);
    }
}

#[test]
fn the_journals_of_each_release_are_enough() {
    for fixture in fixtures() {
        let sandbox = sandbox!();
        let project = restore(&sandbox, &fixture);
        fs::remove_dir_all(sandbox.dirs().data.join("stores")).expect("restored");
        check_answers(&sandbox, &project);
        check_journals(&fixture, &sandbox, &project);
    }
}

#[test]
fn fixtures_are_small() {
    for fixture in fixtures() {
        let bytes: u64 = files(&fixture).values().map(|content| content.len() as u64).sum();
        assert!(bytes < MOST_BYTES, "{} has {bytes} bytes", fixture.display());
    }
}
