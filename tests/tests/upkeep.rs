//! The upkeep of indexes: rebuilding parts, freeing space, and the indexes of roots that are gone.

use std::fs;

use recall_testkit::{Outcome, Project, Sandbox, wait_until};
use recall_tests::sandbox;
use serde_json::Value;

fn burrows(sandbox: &Sandbox, name: &str) -> Project {
    let project = sandbox.project(name, &[("docs/digging.md", "# Digging\n\nWombats dig at night.\n")]);
    for number in 0..40 {
        let functions = (0..20).map(|at| format!("pub fn burrow_{number}_{at}() -> usize {{ {} }}\n", number * at));
        project.write(&format!("src/burrow_{number}.rs"), functions.collect::<String>());
    }
    project
}

fn ok(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> String {
    let Outcome { code, stdout, stderr } = sandbox.recall(project, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {stdout}{stderr}");
    stdout
}

fn json(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["--json"].iter().chain(arguments).copied().collect();
    serde_json::from_str(&ok(sandbox, project, &arguments)).expect("JSON")
}

/// The answers to a few questions, without times.
fn answers(sandbox: &Sandbox, project: &Project) -> Vec<Value> {
    let hits = |query| json(sandbox, project, &["search", query])["results"].clone();
    ["burrow_7_7", "wombats dig at night", "burrow_12_3", "which functions return a usize"].map(hits).to_vec()
}

fn kept(sandbox: &Sandbox, project: &Project, root: &str) -> Value {
    let status = json(sandbox, project, &["status", "--stores"]);
    let kept = status["kept"].as_array().expect("a list");
    kept.iter().find(|store| store["root"].as_str().is_some_and(|known| known.ends_with(root))).expect("kept").clone()
}

/// Asserts that every listed file is indexed, or left out with a reason; returns the counts.
fn accounted(sandbox: &Sandbox, project: &Project) -> Value {
    let status = json(sandbox, project, &["status", "--failures"]);
    let (store, files) = (&status["stores"][0], status["stores"][0]["files"].clone());
    let count = |name: &str| files[name].as_u64().expect("a number");
    assert_eq!(count("listed"), count("indexed") + count("failed") + count("skipped") + count("pending"), "{files}");
    assert_eq!(count("pending"), 0, "{files}");
    let reasons = store["failures"].as_array().expect("a list").iter().filter(|failure| failure["reason"].is_string());
    assert_eq!(reasons.count() as u64, count("failed") + count("skipped"), "{store}");
    files
}

#[test]
fn every_file_is_indexed_or_left_out_with_a_reason() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox, "burrows");
    project.write("picture.png", [0x89, b'P', b'N', b'G', 0, 1, 2, 3]);
    project.write("large.txt", "word ".repeat(4_000_000));
    project.write("L-0123abcd", "a file with the name of a memory");
    ok(&sandbox, &project, &["remember", "Wombats dig at night, not by day."]);
    ok(&sandbox, &project, &["search", "burrow_7_7"]);
    let files = accounted(&sandbox, &project);
    assert_eq!(files["indexed"], 41, "{files}");
    assert_eq!(files["skipped"], 3, "{files}");
    // The same after changes, deletions and a rebuild.
    project.write("src/new.rs", "pub fn new_burrow() {}\n");
    project.remove("src/burrow_3.rs");
    project.write("src/burrow_4.rs", [0, 1, 2]);
    ok(&sandbox, &project, &["search", "new_burrow"]);
    let files = accounted(&sandbox, &project);
    assert_eq!(files["indexed"], 40, "{files}");
    ok(&sandbox, &project, &["rebuild"]);
    assert_eq!(accounted(&sandbox, &project), files);
}

#[test]
fn every_part_is_rebuilt_and_answers_as_before() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox, "burrows");
    ok(&sandbox, &project, &["search", "burrow_7_7"]);
    // The first answer need not have the embeddings.
    wait_until("the index is whole", || ok(&sandbox, &project, &["status"]).contains("whole index").then_some(()));
    let before = answers(&sandbox, &project);
    for part in ["lexical", "vectors", "catalog", "all"] {
        ok(&sandbox, &project, &["rebuild", "--part", part]);
        wait_until("the index is whole", || ok(&sandbox, &project, &["status"]).contains("whole index").then_some(()));
        let ids = |answers: &[Value]| -> Vec<Vec<Value>> {
            let paths = answers
                .iter()
                .map(|hits| hits.as_array().expect("hits").iter().map(|hit| hit["path"].clone()).collect());
            paths.collect()
        };
        assert_eq!(ids(&answers(&sandbox, &project)), ids(&before), "after rebuilding {part}");
        ok(&sandbox, &project, &["doctor"]);
    }
    let refused = sandbox.recall(&project, &["rebuild", "--part", "everything"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("lexical"), "{}", refused.stderr);
}

#[test]
fn compacting_frees_the_space_of_deleted_files_and_changes_no_answer() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox, "burrows");
    for number in 0..400 {
        // Different lines, since equal ones take next to no room in an index.
        let lines =
            (0..60).map(|at| format!("pub fn tunnel_{number}_of_{at}() -> usize {{ {} }}\n", number * 7919 + at));
        project.write(&format!("old/tunnel_{number}.rs"), lines.collect::<String>());
    }
    ok(&sandbox, &project, &["search", "burrow_7_7"]);
    wait_until("the index is whole", || ok(&sandbox, &project, &["status"]).contains("whole index").then_some(()));
    let whole = kept(&sandbox, &project, "/burrows")["index_bytes"].as_u64().expect("a number");
    fs::remove_dir_all(project.path("old")).expect("it exists");
    let before = answers(&sandbox, &project);
    let compacted = json(&sandbox, &project, &["compact"]);
    // A merge in the background may have freed a part of it before.
    let bytes = |name: &str| compacted[name].as_u64().expect("a number");
    assert!(bytes("bytes_after") * 2 < whole && bytes("bytes_after") < bytes("bytes_before"), "{whole}, {compacted}");
    assert_eq!(answers(&sandbox, &project), before);
    ok(&sandbox, &project, &["doctor"]);
    // A second run has nothing to do.
    assert!(ok(&sandbox, &project, &["compact"]).contains("freed 0 B"));
}

#[test]
fn the_index_of_a_missing_root_is_deleted_after_the_grace_period() {
    let sandbox = sandbox!();
    let (project, gone) = (burrows(&sandbox, "burrows"), burrows(&sandbox, "gone"));
    for project in [&project, &gone] {
        ok(&sandbox, project, &["search", "burrow_7_7"]);
    }
    ok(&sandbox, &gone, &["session", "start"]);
    assert!(!kept(&sandbox, &project, "/gone")["gone"].as_bool().expect("a flag"));
    let aside = sandbox.path().join("elsewhere");
    fs::rename(gone.root(), &aside).expect("moved");

    // A month is the default: nothing is deleted at the next start.
    ok(&sandbox, &project, &["daemon", "restart"]);
    let since = wait_until("the daemon notices", || {
        kept(&sandbox, &project, "/gone")["gone_since"].as_str().map(str::to_owned)
    });
    assert!(kept(&sandbox, &project, "/gone")["index_bytes"].as_u64().expect("a number") > 0, "{since}");

    // A root that is back is forgotten.
    fs::rename(&aside, gone.root()).expect("moved");
    ok(&sandbox, &project, &["daemon", "restart"]);
    wait_until("the daemon notices", || kept(&sandbox, &project, "/gone")["gone_since"].is_null().then_some(()));

    fs::rename(gone.root(), &aside).expect("moved");
    ok(&sandbox, &project, &["daemon", "stop"]);
    let compacted = json(&sandbox, &project, &["compact"]);
    assert_eq!(compacted["deleted_roots"].as_array().map(Vec::len), Some(1), "{compacted}");
    assert_eq!(kept(&sandbox, &project, "/gone")["index_bytes"], 0);

    // The events of its sessions are kept.
    fs::rename(&aside, gone.root()).expect("moved");
    assert!(ok(&sandbox, &gone, &["session", "list"]).lines().count() > 0);
    ok(&sandbox, &gone, &["search", "burrow_7_7"]);
    assert!(ok(&sandbox, &project, &["status", "--stores"]).contains("root is gone since"));
}
