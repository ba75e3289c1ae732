//! Hits that a session uses count as used, and the lessons that are used often are a skill.

use recall_testkit::{Project, Running};
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::{Value, json};

const RETRY: &str = "/// Retries a call to the harbour.\npub fn retry_harbour() -> u32 {\n    3\n}\n";

fn project(sandbox: &Sandbox) -> Project {
    sandbox.project("port", &[("src/retry.rs", RETRY), ("src/quay.rs", "pub fn moor_ship() {}\n"), (".git/HEAD", "")])
}

/// An agent in a session of its own, as Claude Code starts it.
fn agent_in(sandbox: &Sandbox, project: &Project, session: &str) -> Agent {
    let mut command = sandbox.command(&sandbox.binaries().recall_shim, project.root());
    command.env("CLAUDE_CODE_SESSION_ID", session);
    Agent::new(Running::start(command))
}

fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let shown = sandbox.recall(project, &[arguments, &["--json"]].concat());
    serde_json::from_str(&shown.stdout).unwrap_or_else(|error| panic!("{error}: {shown:?}"))
}

fn remember(sandbox: &Sandbox, project: &Project, text: &str) -> String {
    let kept = json_of(sandbox, project, &["remember", text, "--type", "lesson", "--file", "src/retry.rs"]);
    kept["id"].as_str().unwrap_or_else(|| panic!("{kept}")).to_owned()
}

fn uses(sandbox: &Sandbox, project: &Project, id: &str) -> Value {
    json_of(sandbox, project, &["get", id])["memory"]["stats"]["uses"].clone()
}

#[test]
fn what_a_session_opens_edits_or_names_counts_once() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let id = remember(&sandbox, &project, "Retries to the harbour need jitter.");
    let mut agent = agent_in(&sandbox, &project, "s-1");
    // Without a search, reading is no use of a hit.
    agent.ask("recall_get", json!({"id": id}));
    assert_eq!(uses(&sandbox, &project, &id), 0);
    let found = agent.ask("recall_search", json!({"query": "retries to the harbour"}));
    assert!(found.contains(&id) && !found.contains("retrieval_judgment"), "nobody is asked to judge: {found}");
    assert_eq!(uses(&sandbox, &project, &id), 0, "being found is no use");
    agent.ask("recall_get", json!({"id": id}));
    agent.ask("recall_get", json!({"id": id}));
    assert_eq!(uses(&sandbox, &project, &id), 1, "once a session");

    let mut other = agent_in(&sandbox, &project, "s-2");
    other.ask("recall_search", json!({"query": "retries to the harbour"}));
    let judged = json!({
        "type": "retrieval_judgment", "content": format!("dropped {id}"), "metadata": {"kept": [], "dropped": [id]},
    });
    other.ask("flight_recorder_log", judged);
    assert_eq!(uses(&sandbox, &project, &id), 1, "what was dropped was not used");
    let milestone = format!("Added jitter as {id} says, in src/quay.rs and src/retry.rs:2-4@0123456789ab.");
    other.ask("flight_recorder_log", json!({"type": "milestone", "content": milestone}));
    assert_eq!(uses(&sandbox, &project, &id), 2);

    let events = json_of(&sandbox, &project, &["session", "show", "s-2"]);
    let implicit: Vec<&Value> = events["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter(|event| event["metadata"]["origin"] == "implicit")
        .collect();
    let named =
        |what: &str| implicit.iter().any(|event| event["content"].as_str().is_some_and(|text| text.contains(what)));
    assert!(named(&format!("{id}: useful (named)")), "{events}");
    assert_eq!(implicit.len(), 2, "the memory and the cited file, and not the file that is only mentioned: {events}");
}

#[test]
fn a_file_that_is_read_or_edited_after_it_was_found_counts_as_used() {
    // A test machine is slow, and a hook that is late records nothing.
    let sandbox = sandbox!().with_variable("RECALL_HOOKS__WAIT", "30s");
    let project = project(&sandbox);
    let mut agent = agent_in(&sandbox, &project, "s-1");
    agent.ask("recall_search", json!({"query": "moor_ship retry_harbour"}));
    let edit = json!({
        "hook_event_name": "PostToolUse", "session_id": "s-1", "cwd": project.root(), "tool_name": "Edit",
        "tool_input": {"file_path": project.path("src/quay.rs")},
    });
    let mut command = sandbox.command(&sandbox.binaries().recall, project.root());
    command.args(["hook", "post-tool"]);
    let mut hook = Running::start(command);
    hook.send(&edit.to_string());
    hook.close_input();
    assert_eq!(hook.finish().code, Some(0));
    let events = json_of(&sandbox, &project, &["session", "show", "s-1"]);
    let implicit: Vec<&Value> = events["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter(|event| event["metadata"]["origin"] == "implicit")
        .collect();
    assert_eq!(implicit.len(), 1, "{events}");
    assert!(implicit[0]["content"].as_str().is_some_and(|text| text.contains("file read or edited")), "{events}");
}

#[test]
fn a_confirmed_lesson_that_helped_three_sessions_is_a_skill() {
    const URI: &str = "skill://project-lessons/SKILL.md";
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let id = remember(&sandbox, &project, "Retries to the harbour need jitter.");
    let unused = remember(&sandbox, &project, "Ships are moored at the quay with two ropes.");
    for session in ["s-1", "s-2", "s-3"] {
        let mut agent = agent_in(&sandbox, &project, session);
        assert_eq!(agent.request("skills/get", json!({"uri": URI}))["error"]["code"], -32602, "{session}");
        agent.ask("recall_search", json!({"query": "retries to the harbour"}));
        agent.ask("recall_get", json!({"id": id}));
    }
    let mut agent = agent_in(&sandbox, &project, "s-4");
    let listed = agent.request("skills/list", json!({}));
    let skill = &listed["result"]["skills"][3];
    assert_eq!((&skill["uri"], &skill["frontmatter"]["name"]), (&json!(URI), &json!("project-lessons")), "{listed}");
    assert_eq!(&agent.request("skills/get", json!({"uri": URI}))["result"]["skill"], skill);
    let read = agent.request("resources/read", json!({"uri": URI}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}"));
    assert_eq!(skill["resources"][0]["size"], text.len(), "{read}");
    assert!(text.contains(&format!("\n## {id} · ")) && !text.contains(&unused), "{text}");
    assert!(text.contains("project lesson, own, written by a person, trusted, verified against its files"), "{text}");
    assert!(
        text.contains("\nabout src/retry.rs\n") && text.contains("\n> Retries to the harbour need jitter."),
        "{text}"
    );
    project.write("src/retry.rs", "pub fn nothing() {}\n");
    // A lesson whose only file changed is stale, and no lesson is left.
    let gone = agent.request("skills/get", json!({"uri": URI}));
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
}
