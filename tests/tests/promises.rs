//! Guarantees of the documentation, through the real programs: the index may be deleted, responses do not depend on
//! when the daemon started, and memories are found immediately.

#![cfg(target_os = "linux")]

use std::fs;

use recall_testkit::{Project, Sandbox, wait_until};
use recall_tests::{Agent, sandbox};
use serde_json::{Value, json};

/// The number of memories that are added and searched for in a normal run; `RECALL_ROUNDS` sets another.
const ROUNDS: usize = 20;

const FILES: [(&str, &str); 4] = [
    (
        "src/retry.rs",
        "//! Retries with growing pauses.\nuse crate::pause::pause;\n\n/// Tries again.\npub fn retry() {\n    pause();\n}\n",
    ),
    ("src/pause.rs", "/// Waits a while between two tries.\npub fn pause() {}\n"),
    ("src/main.rs", "mod pause;\nmod retry;\n\nfn main() {\n    retry::retry();\n}\n"),
    ("docs/retry.md", "# Retries\n\nA call that failed is tried again, with growing pauses. See `src/retry.rs`.\n"),
];

fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[arguments, &["--json"]].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {outcome:?}"))
}

fn git(sandbox: &Sandbox, project: &Project, arguments: &[&str]) {
    let mut command = sandbox.command(std::path::Path::new("git"), project.root());
    command.args(["-c", "user.name=t", "-c", "user.email=t@localhost"]).args(arguments);
    let output = command.output().expect("there is git");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// The paths and titles of the hits.
fn hits(answer: &Value) -> Vec<String> {
    let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    hits.iter().map(|hit| format!("{} {}", hit["doc"]["path"], hit["memory"]["title"])).collect()
}

#[track_caller]
fn check_found(sandbox: &Sandbox, project: &Project, query: &str, wanted: &str, when: &str) {
    // While the index is written, its deletion is noticed by the request after the next one. Until then, and on a loaded
    // machine, an answer says that it may be behind the files.
    let answer = wait_until("an answer that is not behind the files", || {
        let answer = json_of(sandbox, project, &["search", query]);
        let is_found = hits(&answer).iter().any(|hit| hit.contains(wanted));
        let warnings = answer["warnings"].to_string();
        let is_behind = ["INDEXING", "NOT_REFRESHED"].iter().any(|code| warnings.contains(code));
        (is_found || !is_behind).then_some(answer)
    });
    assert!(hits(&answer).iter().any(|hit| hit.contains(wanted)), "{when}: {query}: {answer:#}");
    let warnings = answer["warnings"].to_string();
    assert!(!warnings.contains("Os {") && !warnings.contains("Some("), "{when}: {query}: {warnings}");
    assert!(warnings == "[]" || !warnings.contains("\"error\""), "{when}: {query}: {warnings}");
}

type Deletion = fn(&Sandbox, &Project);

#[test]
fn the_index_may_be_deleted_under_a_running_daemon() {
    let deletions: [(&str, Deletion); 3] = [
        ("git clean", |sandbox, project| git(sandbox, project, &["clean", "-xfdq"])),
        ("stores", |sandbox, _| fs::remove_dir_all(sandbox.dirs().data.join("stores")).expect("there")),
        (".recall", |_, project| fs::remove_dir_all(project.root().join(".recall")).expect("there")),
    ];
    for (when, delete) in deletions {
        let path = std::env::var("PATH").expect("there are programs");
        let sandbox = sandbox!().with_variable("PATH", &path);
        let project = sandbox.project("p", &FILES);
        git(&sandbox, &project, &["init", "-q"]);
        git(&sandbox, &project, &["add", "."]);
        git(&sandbox, &project, &["commit", "-qm", "files"]);
        assert_eq!(sandbox.recall(&project, &["init"]).code, Some(0));
        assert_eq!(sandbox.recall(&project, &["remember", "Wombats dig at noon"]).code, Some(0));
        check_found(&sandbox, &project, "growing pauses", "retry", "before");
        check_found(&sandbox, &project, "wombats dig", "Wombats", "before");

        delete(&sandbox, &project);
        check_found(&sandbox, &project, "growing pauses", "retry", when);
        project.write("src/later.rs", "/// Quokkas smile at dusk.\npub fn smile_at_dusk() {}\n");
        check_found(&sandbox, &project, "smile_at_dusk", "later", when);
        let outcome = sandbox.recall(&project, &["remember", "Numbats sleep at dawn"]);
        assert_eq!(outcome.code, Some(0), "{when}: {outcome:?}");
        check_found(&sandbox, &project, "numbats sleep", "Numbats", when);
        wait_until("the deleted memory to be put back, once", || {
            let answer = json_of(&sandbox, &project, &["search", "wombats dig"]);
            hits(&answer).iter().any(|hit| hit.contains("Wombats")).then_some(())
        });
        let doctor = sandbox.recall(&project, &["doctor"]);
        assert_eq!(doctor.code, Some(0), "{when}: {doctor:?}");
        for command in [&["rebuild"] as &[&str], &["add", "src"]] {
            let outcome = sandbox.recall(&project, command);
            assert_eq!(outcome.code, Some(0), "{when}: {command:?}: {outcome:?}");
        }
    }
}

/// A response without its timings.
fn timeless(mut answer: Value) -> Value {
    let stats = answer["stats"].as_object_mut().expect("an object");
    stats.remove("took_ms");
    stats.remove("stages");
    answer
}

#[test]
fn the_first_response_of_a_daemon_equals_every_later_one() {
    // On a busy machine a scan takes longer than a search waits for it, and the response reports that.
    let sandbox = ["LIMITS__SCAN_WAIT", "INDEX__WAIT", "INDEX__EMBEDDING_WAIT"]
        .iter()
        .fold(sandbox!(), |sandbox, name| sandbox.with_variable(&format!("RECALL_{name}"), "30s"));
    let project = sandbox.project("p", &FILES);
    for number in 0..40 {
        let text = format!("use crate::retry::retry;\n\npub fn caller_{number}() {{\n    retry();\n}}\n");
        project.write(&format!("src/callers/c{number}.rs"), text);
    }
    assert_eq!(sandbox.recall(&project, &["remember", "Retries never wait for more than a minute"]).code, Some(0));
    let queries = ["retry", "growing pauses between tries", "who calls retry", "src/pause.rs", "never wait"];
    for query in queries {
        json_of(&sandbox, &project, &["search", query, "--k", "20"]);
    }
    for query in queries {
        assert_eq!(sandbox.recall(&project, &["daemon", "restart"]).code, Some(0));
        let ask =
            |more: &[&str]| timeless(json_of(&sandbox, &project, &[&["search", query, "--k", "20"], more].concat()));
        let first = ask(&[]);
        assert_eq!(first["warnings"].to_string(), "[]", "{query}");
        assert_eq!(ask(&[]), first, "{query}: the second answer");
        assert_eq!(ask(&["--no-daemon"]), first, "{query}: while a daemon runs");
        assert_eq!(sandbox.recall(&project, &["daemon", "stop"]).code, Some(0));
        assert_eq!(ask(&["--no-daemon"]), first, "{query}: without a daemon");
    }
}

#[test]
fn a_memory_is_found_by_the_search_after_it() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", &FILES);
    let rounds = std::env::var("RECALL_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    let mut agent = Agent::new(sandbox.start_shim(&project, &[]));
    let mut random = fastrand::Rng::with_seed(7);
    let mut missed = Vec::new();
    for round in 0..rounds {
        let word: String = std::iter::repeat_with(|| random.lowercase()).take(14).collect();
        let title = format!("The {word} is kept in round {round}");
        let outcome = sandbox.recall(&project, &["remember", &title]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let answer = json_of(&sandbox, &project, &["search", &word]);
        if !hits(&answer).iter().any(|hit| hit.contains(&word)) {
            missed.push((round, answer["warnings"].to_string()));
        }

        let word: String = std::iter::repeat_with(|| random.lowercase()).take(14).collect();
        let memory = json!({"type": "note", "title": format!("The {word} is reported by an agent"), "content": "As agents do.", "force": true});
        let saved = agent.ask("recall_add", &memory);
        assert!(saved.contains(&word), "{saved}");
        let answer = agent.ask("recall_search", json!({"query": word}));
        if !answer.contains(&format!("The {word} is reported")) {
            missed.push((round, answer));
        }
    }
    assert!(missed.is_empty(), "{} of {rounds}: {missed:?}", missed.len());
}

#[test]
fn a_promoted_memory_is_found_by_its_title_and_by_its_first_sentence() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", &FILES);
    let memories = [
        ("Pauses grow by half", "A pause lasts half as long again as the one before. Nobody waits for a minute."),
        ("Refunds go to the card", "Money goes back to the card that paid. Vouchers are not refunded."),
    ];
    for (title, text) in memories {
        let added = json_of(&sandbox, &project, &["remember", text, "--title", title]);
        let outcome = sandbox.recall(&project, &["promote", added["id"].as_str().expect("an id")]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
    for (title, text) in memories {
        let (sentence, _) = text.split_once(". ").expect("two sentences");
        for query in [title, sentence] {
            let answer = json_of(&sandbox, &project, &["search", query]);
            assert!(hits(&answer)[0].contains(title), "{query}: {answer:#}");
        }
    }
}
