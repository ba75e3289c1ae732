//! Sessions through the real programs: recorded by agents, ended, recovered after a kill, found, and in the next
//! briefing.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use recall_testkit::{Outcome, Project};
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::{Value, json};

const SOURCE: &str = "pub fn open_store(path: &str) -> Store {\n    Store::at(path)\n}\n";

fn project(sandbox: &Sandbox) -> Project {
    let project =
        sandbox.project("shop", &[("src/store.rs", SOURCE), ("docs/zoo.md", "# Zoo\n\nKeepers feed at noon.\n")]);
    fs::create_dir(project.path(".recall")).expect("made");
    project
}

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

fn kill_daemon(sandbox: &Sandbox, project: &Project) {
    let daemon = json_of(sandbox, project, &["status"])["daemon"]["pid"].as_u64().expect("a process id");
    let killed = Command::new("kill").args(["-KILL", &daemon.to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
}

fn agent_in(sandbox: &Sandbox, project: &Project) -> Agent {
    Agent::new(sandbox.start_shim(project, &["--tools", "full"]))
}

/// The file of a session's events in the data home.
fn events_file(sandbox: &Sandbox, session: &str) -> PathBuf {
    let stores = fs::read_dir(sandbox.recall_home().join("data/stores")).expect("there");
    let mut files =
        stores.map(|store| store.expect("readable").path().join("sessions").join(session).join("events.jsonl"));
    files.find(|file| file.is_file()).expect("the events of the session")
}

/// The types and texts of a session's events.
fn events(sandbox: &Sandbox, project: &Project, session: &str) -> Vec<(String, String)> {
    let shown = json_of(sandbox, project, &["session", "show", session]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let events = shown["events"].as_array().unwrap_or_else(|| panic!("{shown}"));
    events.iter().map(|event| (text(&event["type"]), text(&event["content"]))).collect()
}

#[test]
fn the_events_of_a_session_are_recorded_and_survive_a_kill() {
    let sandbox = sandbox!().with_variable("CLAUDE_CODE_SESSION_ID", "c-7").with_variable("EDI_AGENT_MODE", "coder");
    let project = project(&sandbox);
    let mut agent = agent_in(&sandbox, &project);
    let logged = agent.ask(
        "flight_recorder_log",
        json!({
            "type": "decision", "content": "The store is opened lazily.", "rationale": "Most commands need none.",
            "related_files": ["src/store.rs"], "metadata": {"attempt": 2},
        }),
    );
    assert!(logged.starts_with("Logged as "), "{logged}");
    kill_daemon(&sandbox, &project);
    agent.ask("recall_search", json!({"query": "open_store"}));
    let hits: Value =
        serde_json::from_str(&agent.ask("recall_search", json!({"query": "keepers feed", "format": "json"})))
            .expect("JSON");
    assert!(hits.get("_judge_reminder").is_none(), "nobody is asked to judge: {hits}");
    let id = hits["results"][0]["chunk"]["id"].as_str().expect("a hit").to_owned();
    agent.ask("recall_feedback", json!({"item_id": id, "useful": false, "context": "not about stores"}));

    let expected = [
        ("session_start", ""),
        ("decision", "The store is opened lazily."),
        ("retrieval_query", "open_store"),
        ("retrieval_query", "keepers feed"),
        ("retrieval_judgment", &format!("{id}: not_useful")),
    ];
    let expected: Vec<_> = expected.iter().map(|(kind, text)| ((*kind).to_owned(), (*text).to_owned())).collect();
    assert_eq!(events(&sandbox, &project, "c-7"), expected);
    let shown = json_of(&sandbox, &project, &["session", "show"]);
    assert_eq!(shown["session"]["provenance"]["agent_mode"], "coder", "the environment names the session: {shown}");
    assert_eq!((&shown["session"]["agent"], &shown["session"]["state"]), (&json!("test-agent"), &json!("open")));
    let decision = &shown["events"][1];
    assert_eq!((&decision["metadata"]["attempt"], &decision["related_files"][0]), (&json!(2), &json!("src/store.rs")));
    let counters = json_of(&sandbox, &project, &["status", "--metrics"]);
    assert!(counters["counters"]["recorder.dropped"] == 0, "{counters}");

    let refused = agent
        .request("tools/call", json!({"name": "flight_recorder_log", "arguments": {"type": "novel", "content": "x"}}));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
}

#[test]
fn an_unnamed_session_ends_with_its_connection() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let mut agent = agent_in(&sandbox, &project);
    agent.ask("flight_recorder_log", json!({"type": "decision", "content": "The store is opened lazily."}));
    let open = json_of(&sandbox, &project, &["session", "list"]);
    assert_eq!(open["results"][0]["state"], "open", "{open}");
    assert_eq!(agent.shim.finish().code, Some(0));
    let ended = json_of(&sandbox, &project, &["session", "list"]);
    assert_eq!(ended["results"].as_array().map(Vec::len), Some(1), "{ended}");
    assert_eq!(ended["results"][0]["state"], "ended", "{ended}");
    let found = json_of(&sandbox, &project, &["search", "opened lazily", "--type", "session"]);
    assert!(found["results"][0]["doc"]["path"].is_string(), "its summary is found: {found}");
}

#[test]
fn an_ended_session_is_found_and_is_in_the_next_briefing() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    sandbox.recall(&project, &["search", "zoo"]);
    let started = sandbox.recall(&project, &["session", "start", "--goal", "Teach the platypus to swim"]);
    let id = started.stdout.trim().to_owned();
    assert!(started.code == Some(0) && !id.is_empty(), "{started:?}");
    let logged = sandbox.recall(&project, &["session", "log", "error", "The pool leaks.", "--file", "src/store.rs"]);
    assert_eq!(logged.code, Some(0), "the open session is meant: {logged:?}");
    let mut ending = sandbox.start_recall(&project, &["--json", "session", "end", "--summary", "-"]);
    ending.send("It swims the monotreme crawl.\n\n- [ ] Mend the pool");
    let Outcome { code, stdout, stderr } = ending.finish();
    assert_eq!(code, Some(0), "{stdout} {stderr}");
    let ended: Value = serde_json::from_str(&stdout).expect("JSON");
    let path = ended["summary_path"].as_str().expect("a summary").to_owned();
    assert_eq!(ended["summary_shared"], false, "{ended}");
    assert!(!project.path(".recall/history").exists(), "nobody asked for a file in the project");
    let kept = json_of(&sandbox, &project, &["session", "keep", &id]);
    assert_eq!(kept["summary_path"], json!(path), "{kept}");
    assert!(fs::read_to_string(project.path(&path)).expect("written").contains("# Teach the platypus to swim"));
    let hit = &json_of(&sandbox, &project, &["search", "monotreme crawl"])["results"][0];
    assert_eq!((&hit["doc"]["path"], &hit["doc"]["type"]), (&json!(path), &json!("session")));
    let listed = json_of(&sandbox, &project, &["session", "list", "--state", "ended"]);
    assert_eq!((&listed["results"][0]["id"], &listed["results"][0]["events"]), (&json!(id), &json!(1)));

    let briefing = json_of(&sandbox, &project, &["briefing", "--budget-tokens", "300"]);
    let text = briefing["text"].as_str().expect("a text");
    for part in [
        "Teach the platypus to swim",
        "  > It swims the monotreme crawl.",
        "  > Mend the pool",
        "  > Not resolved: The pool leaks.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(briefing["used_tokens"].as_u64().is_some_and(|used| used <= 300), "{briefing}");
    let mut agent = agent_in(&sandbox, &project);
    let prompt = agent.request("prompts/get", json!({"name": "brief", "arguments": {}}));
    let reported = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("{prompt}"));
    assert!(reported.contains("Mend the pool"), "{reported}");
    assert!(agent.ask("recall_session", json!({"action": "start", "goal": "Next"})).contains("Mend the pool"));
    assert!(agent.ask("recall_session", json!({"action": "list"})).contains(&format!("- {id} · ")));
    assert!(agent.ask("recall_session", json!({"action": "show", "session": id})).contains("error: The pool leaks."));
    let refused = sandbox.recall(&project, &["session", "show", "nobody"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
}

#[test]
fn what_a_table_shows_can_be_typed() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let log = |session: &str, text: &str| {
        let outcome = sandbox.recall(&project, &["session", "log", "decision", text, "--session", session]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    };
    log("38c4b499-1f7e-4a20-9d31-6a3c5b7d9e01", "The pool is bounded.");
    log("06f251a7-77aa-4b18-8c2d-0f1e2d3c4b5a", "The queue is not.");
    let listed = sandbox.recall(&project, &["session", "list"]);
    assert!(listed.stdout.contains("38c4b499-1f7e ") && listed.stdout.contains("The pool is bounded."), "{listed:?}");
    let shown = json_of(&sandbox, &project, &["session", "show", "38c4b499"]);
    assert_eq!(shown["events"][1]["content"], "The pool is bounded.", "{shown}");
    // Nobody names a session: the newest one is meant, and it is said which.
    let logged = sandbox.recall(&project, &["session", "log", "observation", "It drains."]);
    assert!(logged.code == Some(0) && logged.stderr.contains("session 06f251a7-77aa"), "{logged:?}");
    log("38c4ffff-0000", "Another one.");
    let ambiguous = sandbox.recall(&project, &["session", "show", "38c4"]);
    assert_eq!(ambiguous.code, Some(2), "{ambiguous:?}");
    for candidate in ["38c4ffff-0000 Another one.", "38c4b499-1f7e-4a20-9d31-6a3c5b7d9e01 The pool is bounded."] {
        assert!(ambiguous.stderr.contains(candidate), "{ambiguous:?}");
    }

    let remembered = json_of(&sandbox, &project, &["remember", "Pools drain slowly.", "--type", "lesson"]);
    let id = remembered["id"].as_str().expect("an id");
    let got = json_of(&sandbox, &project, &["get", &id[..6]]);
    assert_eq!(got["memory"]["id"], json!(id), "{got}");
    let document = json_of(&sandbox, &project, &["get", "src/store.rs"])["doc"]["id"].clone();
    let got = json_of(&sandbox, &project, &["get", &document.as_str().expect("an id")[..10]]);
    assert_eq!(got["doc"]["path"], "src/store.rs", "{got}");
    let removed = sandbox.recall(&project, &["rm", &id[..6]]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
}

#[test]
fn an_abandoned_session_is_recovered() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let log = ["session", "log", "milestone", "The pool is dug.", "--session", "lost"];
    assert_eq!(sandbox.recall(&project, &log).code, Some(0));
    kill_daemon(&sandbox, &project);
    // Backdates the events, so that the session counts as abandoned.
    let file = events_file(&sandbox, "lost");
    let text = fs::read_to_string(&file).expect("readable");
    let year = &text[text.find("\"timestamp\":\"").expect("a time") + 13..][..4];
    fs::write(&file, text.replace(&format!("\"timestamp\":\"{year}"), "\"timestamp\":\"2020")).expect("written");
    let started = json_of(&sandbox, &project, &["session", "start", "--session", "next"]);
    assert_eq!(started["recoverable_session_id"], "lost");
    let recovered = json_of(&sandbox, &project, &["session", "recover"]);
    let path = recovered["summary_path"].as_str().expect("a summary");
    let found = json_of(&sandbox, &project, &["get", path]);
    assert!(found["text"].as_str().is_some_and(|text| text.contains("- The pool is dug.")), "{found}");
    assert_eq!(
        json_of(&sandbox, &project, &["session", "start", "--session", "next"])["recoverable_session_id"],
        Value::Null
    );
}

#[test]
fn what_a_session_recorded_is_proposed_as_memories() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let log = |arguments: &[&str]| {
        let outcome = sandbox.recall(&project, &[&["session", "log", "--session", "s"], arguments].concat());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    };
    let metadata = r#"{"alternatives": ["Reset it at once"]}"#;
    log(&["decision", "Three attempts, then a pause.", "--rationale", "More make it worse.", "--metadata", metadata]);
    log(&["error", "The pool leaks sockets.", "--resolution", "Close them in drop.", "--file", "src/store.rs"]);
    log(&["error", "The linker runs out of memory."]);
    log(&["error", "The parser rejects tabs."]);
    log(&["error", "The  parser rejects tabs."]);
    log(&["decision", "Journals are append only."]);
    let known = sandbox.recall(&project, &["remember", "Our journals are append only, always.", "--type", "decision"]);
    assert_eq!(known.code, Some(0), "{known:?}");

    let listed = json_of(&sandbox, &project, &["session", "end", "s", "--candidates"]);
    let entry = |entry: &Value| (entry["number"].clone(), entry["type"].clone(), entry["title"].clone());
    let entries: Vec<_> = listed["results"].as_array().expect("a list").iter().map(entry).collect();
    let expected = [
        (json!(1), json!("decision"), json!("Three attempts, then a pause.")),
        (json!(2), json!("failure"), json!("The pool leaks sockets.")),
        (json!(3), json!("failure"), json!("The parser rejects tabs.")),
    ];
    assert_eq!(entries, expected, "{listed}");
    assert_eq!(
        listed["results"][0]["content"],
        "## Decision\n\nThree attempts, then a pause.\n\n## Rationale\n\nMore make it worse.\n\n\
         ## Alternatives considered\n\n- Reset it at once\n"
    );
    assert_eq!(
        listed["results"][1]["content"],
        "## Symptom\n\nThe pool leaks sockets.\n\n## Fix\n\nClose them in drop.\n\n## Files\n\n- `src/store.rs`\n"
    );
    assert!(listed["results"][2]["content"].as_str().is_some_and(|text| text.contains("It came 2 times")), "{listed}");

    let unknown = sandbox.recall(&project, &["session", "end", "s", "--save", "4"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("there is no candidate 4"), "{unknown:?}");
    let ended = json_of(&sandbox, &project, &["session", "end", "s", "--save", "2"]);
    assert_eq!(ended["memories"][0]["title"], "The pool leaks sockets.", "{ended}");
    let summary = ended["summary_path"].as_str().expect("a summary");
    let found = json_of(&sandbox, &project, &["get", summary]);
    assert!(found["text"].as_str().is_some_and(|text| text.contains("The pool leaks sockets.")), "{found}");
    let memory = json_of(&sandbox, &project, &["get", ended["memories"][0]["id"].as_str().expect("an id")]);
    assert_eq!(memory["memory"]["related_files"], json!(["src/store.rs"]), "{memory}");
    let rest = json_of(&sandbox, &project, &["session", "end", "s", "--candidates"]);
    assert_eq!(rest["results"].as_array().map(Vec::len), Some(2), "what was saved is not proposed again: {rest}");
    let piped = sandbox.recall(&project, &["session", "end", "s"]);
    assert!(piped.stderr.contains("2 memories could be kept"), "a pipe saves nothing unasked: {piped:?}");
    let rest = json_of(&sandbox, &project, &["session", "end", "s", "--candidates"]);
    assert_eq!(rest["results"].as_array().map(Vec::len), Some(2), "{rest}");
}
