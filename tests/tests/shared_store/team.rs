//! Machines of a team: sandboxes with a store in their configuration, and repositories in them.

use std::process::Command;

use recall_testkit::Project;
use recall_tests::{Sandbox, sandbox};
use serde_json::Value;

#[track_caller]
pub(crate) fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// A sandbox whose programs find `git` and an editor.
pub(crate) fn with_git() -> Sandbox {
    let path = std::env::var("PATH").expect("UTF-8");
    sandbox!().with_variable("PATH", &path).with_variable("EDITOR", "nano")
}

/// Names the store `platform` in the user's configuration.
pub(crate) fn configure(sandbox: &Sandbox, kind: &str, address: &str, more: &str) {
    let configuration = sandbox.dirs().user_config();
    std::fs::create_dir_all(configuration.parent().expect("below the home")).expect("made");
    let text = format!("[stores.platform]\nkind = \"{kind}\"\naddress = \"{address}\"\n{more}");
    std::fs::write(&configuration, text).expect("written");
}

/// Makes a project a repository with all of its files committed.
pub(crate) fn commit(project: &Project, remote: &str) {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(arguments).current_dir(project.root());
        let output = git.output().expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    git(&["remote", "add", "origin", remote]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "first"]);
}

/// Searches published documents for exact text, and with filter expressions.
#[track_caller]
pub(crate) fn assert_conditions_are_checked(reader: &Sandbox, project: &Project) {
    let path = "platform/example.org/acme/api/src/retry.rs";
    let passing = json_of(reader, project, &["search", "backoff", "--filter", "doc.path GLOB 'src/re*'"]);
    assert!(paths(&passing).contains(&path.to_owned()), "{passing}");
    let failing =
        json_of(reader, project, &["search", "backoff", "--filter", "doc.path GLOB 'src/re*' AND doc.size > 9999"]);
    assert!(paths(&failing).is_empty(), "{failing}");
    let exact = json_of(reader, project, &["search", "--exact", "off(tries: u32) -> u64 {"]);
    assert_eq!(paths(&exact), [path], "{exact}");
    assert_eq!((&exact["complete"], &exact["warnings"]), (&true.into(), &Value::Array(Vec::new())), "{exact}");
    let nowhere = json_of(reader, project, &["search", "--regex", "back(on|in)\\("]);
    assert_eq!((&nowhere["complete"], paths(&nowhere).len()), (&true.into(), 0), "{nowhere}");
    let graph = reader.recall(project, &["graph", path]);
    assert!(
        graph.stderr.contains("no links between documents") && graph.stderr.contains("clone the repository"),
        "{graph:?}"
    );
}

/// Reads published documents whole, by the path of a hit and by a citation.
#[track_caller]
pub(crate) fn assert_a_published_document_is_read(reader: &Sandbox, project: &Project) {
    let path = "platform/example.org/acme/api/src/retry.rs";
    let whole = json_of(reader, project, &["get", path]);
    assert_eq!((&whole["text"], &whole["doc"]["path"]), (&RETRY.into(), &path.into()), "{whole}");
    assert_eq!(whole["symbols"][0]["name"], "backoff", "{whole}");
    let citation = whole["citation"].as_str().expect("a citation").to_owned();
    assert!(citation.starts_with(path), "{whole}");
    let cited = json_of(reader, project, &["get", &citation]);
    assert_eq!((&cited["text"], &cited["warnings"]), (&RETRY.into(), &Value::Array(Vec::new())), "{cited}");
    let part = json_of(reader, project, &["get", path, "--lines", "2-2"]);
    assert_eq!(part["text"], "pub fn backoff(tries: u32) -> u64 {\n", "{part}");
    let hit = &json_of(reader, project, &["search", "backoff with jitter before the next try"])["results"][0];
    let id = hit["chunk"]["id"].as_str().expect("an id").to_owned();
    assert_eq!((&hit["doc"]["id"], id.as_str()), (&path.into(), &*format!("{path}#0")), "{hit}");
    let chunk = json_of(reader, project, &["get", &id, "--parent"]);
    assert_eq!((&chunk["chunk"]["text"], &chunk["text"]), (&hit["chunk"]["text"], &RETRY.into()), "{chunk}");
    assert_eq!(chunk["chunk"]["id"].as_str(), Some(&*id), "{chunk}");
    let no_chunk = reader.recall(project, &["get", &format!("{path}#9")]);
    assert_eq!(no_chunk.code, Some(1), "{no_chunk:?}");
    let masked = json_of(reader, project, &["get", "platform/example.org/acme/api/src/key.rs"]);
    assert!(masked["text"].as_str().is_some_and(|text| text.contains("fn sign_with_key() {}")), "{masked}");
    assert!(!masked.to_string().contains("IOSFODNN7"), "{masked}");
    let missing = reader.recall(project, &["get", "platform/example.org/acme/api/src/no.rs"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    let opened = reader.recall(project, &["open", path]);
    assert!(opened.stderr.contains("has no file on this machine"), "{opened:?}");
}

pub(crate) fn paths(answer: &Value) -> Vec<String> {
    let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    hits.iter().filter_map(|hit| hit["doc"]["path"].as_str().map(str::to_owned)).collect()
}

/// Clones the repository `acme/api`, whose files are newer than the published ones.
#[track_caller]
pub(crate) fn assert_a_clone_is_searched_in_place_of_what_is_published(reader: &Sandbox) {
    let clone = reader.project("clone", &[("src/retry.rs", RETRY)]);
    commit(&clone, "https://example.org/acme/api");
    let own = json_of(reader, &clone, &["search", "backoff"]);
    assert_eq!(paths(&own), ["src/retry.rs"], "{own}");
}

pub(crate) const RETRY: &str =
    "/// Waits before the next try, with jitter.\npub fn backoff(tries: u32) -> u64 {\n    tries.pow(2) as u64\n}\n";
