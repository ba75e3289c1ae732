//! Where lines come from, through the real programs: an agent's session, its commit, and the notes that travel with the repository.

#![cfg(unix)]

use std::path::Path;

use recall_testkit::{Project, Running};
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::{Value, json};

const SOURCE: &str = "pub fn retry(attempts: u32) {\n    wait_before_retry(attempts);\n}\n";

#[track_caller]
fn git(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> String {
    let mut command = sandbox.command(Path::new("git"), project.root());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    for (name, value) in [("NAME", "Ada"), ("EMAIL", "ada@example.org")] {
        command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    command.args(arguments);
    let outcome = Running::to_end(command);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
    outcome.stdout.trim().to_owned()
}

fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

#[test]
fn a_line_leads_to_its_session_and_the_note_of_its_commit() {
    let path = std::env::var("PATH").expect("there are programs");
    let sandbox = sandbox!().with_variable("CLAUDE_CODE_SESSION_ID", "c-7").with_variable("PATH", &path);
    let project = sandbox.project("shop", &[("src/retry.rs", SOURCE)]);
    git(&sandbox, &project, &["init", "--quiet", "--initial-branch=main"]);
    json_of(&sandbox, &project, &["config", "set", "sessions.traces", "true"]);
    json_of(&sandbox, &project, &["session", "start", "--goal", "Make retries wait"]);
    let mut agent = Agent::new(sandbox.start_shim(&project, &["--tools", "full"]));
    let edited = json!({"type": "observation", "content": "edited src/retry.rs", "related_files": ["src/retry.rs"]});
    agent.ask("flight_recorder_log", edited);
    let decision = json!({"type": "decision", "title": "Wait before a retry", "content": "`retry` waits first.", "related_files": ["src/retry.rs"]});
    agent.ask("recall_add", decision);
    git(&sandbox, &project, &["add", "src"]);
    git(&sandbox, &project, &["commit", "--quiet", "-m", "Wait before retries"]);
    let hash = git(&sandbox, &project, &["rev-parse", "HEAD"]);
    let committed = format!("committed {} Wait before retries", &hash[..7]);
    agent.ask("flight_recorder_log", json!({"type": "milestone", "content": committed}));

    let why = json_of(&sandbox, &project, &["why", "src/retry.rs:2"]);
    let range = &why["results"][0];
    assert_eq!((&range["commit"]["hash"], &range["commit"]["author"]), (&json!(hash), &json!("Ada")), "{why}");
    assert_eq!(range["session"]["id"], json!("c-7"), "{why}");
    assert_eq!(range["session"]["evidence"], json!("recorded the commit"), "{why}");
    assert_eq!(range["session"]["prompt"], json!("Make retries wait"), "{why}");
    assert_eq!((&range["trace"], &why["ties"][0]["title"]), (&Value::Null, &json!("Wait before a retry")), "{why}");
    let shown = sandbox.recall(&project, &["why", "src/retry.rs:1-3"]).stdout;
    for part in ["src/retry.rs:1-3", &hash[..10], "session c-7", "Wait before a retry"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    for answer in [
        agent.ask("recall_why", json!({"id": "src/retry.rs:2"})),
        agent.ask("recall_get", json!({"id": "src/retry.rs", "start_line": 2, "why": true})),
    ] {
        assert!(answer.contains("line 2 · commit") && answer.contains("session c-7"), "{answer}");
    }
    let beyond = sandbox.recall(&project, &["why", "src/retry.rs:99"]);
    assert!(beyond.stderr.contains("has no line 99: it has 3 lines"), "{beyond:?}");

    json_of(&sandbox, &project, &["session", "end"]);
    let note: Value = serde_json::from_str(&git(&sandbox, &project, &["notes", "--ref", "agent-trace", "show", &hash]))
        .expect("JSON");
    assert_eq!((&note["version"], &note["vcs"]["revision"]), (&json!("0.1.0"), &json!(hash)), "{note}");
    let traced = json_of(&sandbox, &project, &["why", "src/retry.rs:2"]);
    assert_eq!(traced["results"][0]["trace"]["contributor"], json!("ai"), "{traced}");
}
