//! Maintenance of memories and stores through the real programs: checks, updates, flags, removals and masking.

#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use recall_testkit::Project;
use recall_tests::{Sandbox, sandbox};
use serde_json::{Value, json};

fn project(sandbox: &Sandbox) -> Project {
    sandbox.project("shop", &[("src/store.rs", "pub fn open_store() {}\n"), ("docs/zoo.md", "# Zoo\n\nWombats.\n")])
}

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

fn journal(project: &Project) -> PathBuf {
    let days = fs::read_dir(project.path(".recall")).expect("there");
    let mut files = days.map(|day| day.expect("there").path().join("memories.jsonl"));
    files.find(|file| file.is_file()).expect("a journal")
}

#[test]
fn the_doctor_reports_damaged_journals_and_adds_missing_git_settings() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["remember", "Wombats dig at night."]);
    let check = |arguments: &[&str], code: i32, reported: &[&str]| {
        let outcome = sandbox.recall(&project, &[&["doctor"], arguments].concat());
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        assert!(reported.iter().all(|reported| outcome.stdout.contains(reported)), "{outcome:?}");
    };
    check(&[], 0, &["all is well", "checked: journal, selection, catalog, lexical, vectors, models, parsers"]);
    fs::remove_file(project.path(".recall/.gitattributes")).expect("there");
    check(&[], 1, &[".gitattributes: the line `*.jsonl merge=union` is missing", "recall doctor --fix"]);
    check(&["--fix"], 0, &["fixed journal"]);
    check(&[], 0, &["all is well"]);
    let file = journal(&project);
    let mut open = fs::OpenOptions::new().append(true).open(&file).expect("there");
    open.write_all(b"{\"event\":\"add\"\n<<<<<<< HEAD\n").expect("written");
    let before = fs::read(&file).expect("there");
    check(&["--fix"], 1, &["error journal", "line 2 cannot be read", "warning journal", "a conflict marker"]);
    assert!(fs::read(&file).expect("there") == before, "a journal is never changed");
    let report = json_of(&sandbox, &project, &["doctor"]);
    let first = &report["findings"][0];
    assert_eq!((&first["check"], &first["severity"]), (&json!("journal"), &json!("error")));
    assert_eq!(first["path"].as_str().map(PathBuf::from), Some(file.canonicalize().expect("there")));
}

#[test]
fn an_update_keeps_the_id_of_a_memory() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let id = json_of(&sandbox, &project, &["remember", "Wombats dig.", "--tag", "old", "--file", "src/store.rs"]);
    let id = id["id"].as_str().expect("an id").to_owned();
    let amended = json_of(&sandbox, &project, &["update", &id, "Badgers dig.", "--tag", "a,b", "--file", ""]);
    let memory = &amended["memory"];
    assert_eq!((&memory["id"], &memory["content"]), (&json!(id), &json!("Badgers dig.")), "{amended}");
    assert_eq!((&memory["tags"], &memory["related_files"]), (&json!(["a", "b"]), &json!([])));
    let hit = &json_of(&sandbox, &project, &["search", "badgers"])["results"][0];
    assert_eq!((&hit["doc"]["id"], &hit["chunk"]["text"]), (&json!(id), &json!("Badgers dig.")));
    let nothing = sandbox.recall(&project, &["update", &id]);
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
    let unknown = sandbox.recall(&project, &["update", "N-00000000", "x"]);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
}

#[test]
fn outdated_memories_can_be_listed_and_a_listing_can_be_limited_to_a_path() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let id = json_of(&sandbox, &project, &["remember", "Wombats dig."])["id"].as_str().expect("an id").to_owned();
    json_of(&sandbox, &project, &["search", "wombats"]);
    let listed = |arguments: &[&str]| {
        let listing = json_of(&sandbox, &project, &[&["list", "--sort", "path"], arguments].concat());
        let ids = listing["results"].as_array().expect("entries").iter();
        ids.map(|entry| entry["doc"]["path"].as_str().unwrap_or(&id).to_owned()).collect::<Vec<_>>()
    };
    let nothing = sandbox.recall(&project, &["list", "--flagged"]);
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
    let rated = json_of(&sandbox, &project, &["feedback", &id, "outdated"]);
    assert_eq!((&rated["item_stats"]["flagged"], &rated["item_stats"]["retrievals"]), (&json!(true), &json!(1)));
    assert_eq!(listed(&["--flagged"]), [id.as_str()]);
    assert!(sandbox.recall(&project, &["search", "wombats dig"]).stdout.contains("flagged for review"));
    json_of(&sandbox, &project, &["update", &id, "Wombats dug."]);
    assert_eq!(sandbox.recall(&project, &["list", "--flagged"]).code, Some(1));
    let part = sandbox.recall(&project, &["list", "--limit", "1"]);
    assert!(part.stderr.contains("more with --cursor 1"), "who reads a pipe must know that this is a part: {part:?}");
    assert_eq!(listed(&["--path", "src"]), ["src/store.rs"]);
    assert_eq!(listed(&["--path", "*.md"]), ["docs/zoo.md"]);
}

#[test]
fn a_removed_file_is_found_again_after_its_removal_is_undone() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let finds =
        || !json_of(&sandbox, &project, &["search", "zoo wombats"])["results"].as_array().expect("hits").is_empty();
    assert!(finds());
    assert_eq!(json_of(&sandbox, &project, &["rm", "docs/zoo.md"])["documents"], 1);
    assert!(!finds());
    let purged = sandbox.recall(&project, &["rm", "--purge", "docs/zoo.md"]);
    assert!(purged.stderr.is_empty() && purged.code == Some(0), "{purged:?}");
    assert!(purged.stdout.starts_with("forgot what was decided about 1 path;"), "{purged:?}");
    assert!(finds());

    // A removed document's id still names its path.
    let found = json_of(&sandbox, &project, &["get", "docs/zoo.md"]);
    let id = found["doc"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(json_of(&sandbox, &project, &["rm", &id])["documents"], 1);
    assert!(!finds());
    assert_eq!(json_of(&sandbox, &project, &["rm", "--purge", &id])["forgotten"], 1);
    assert!(finds());
}

#[test]
fn secrets_in_files_are_masked_in_hits_and_documents() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    // In parts, so that this file contains no secret.
    let token = format!("{}_{}", "ghp", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    project.write("src/deploy.rs", format!("pub fn deploy() {{\n    push(\"{token}\");\n}}\n"));
    for arguments in [&["search", "deploy"][..], &["get", "src/deploy.rs"], &["search", "deploy", "--json"]] {
        let outcome = sandbox.recall(&project, arguments);
        assert!(!outcome.stdout.contains(&token) && outcome.stdout.contains("[secret: github-token]"), "{outcome:?}");
    }
    let reported = sandbox.recall(&project, &["search", "deploy"]).stderr;
    assert!(reported.contains("`src/deploy.rs` seems to contain secrets"), "{reported}");
    let found = sandbox.recall(&project, &["doctor", "--secrets"]);
    assert!(found.code == Some(1) && found.stdout.contains("it contains 1 secret ("), "{found:?}");
    assert!(fs::read_to_string(project.path("src/deploy.rs")).expect("there").contains(&token), "the file stays");
}
