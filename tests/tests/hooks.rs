//! `recall hook`, as an agent runs it: what each event answers, what it records, and that nothing stops the agent.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use recall_testkit::Project;
use recall_tests::{Sandbox, sandbox};
use serde_json::{Value, json};

mod care;
mod clients;
mod failures;

const SOURCE: &str = "pub fn retry(attempts: u32) {\n    wait_before_retry(attempts);\n}\n";

const FACT: &str = "Retries of webhooks need jitter, or all clients retry at once.";

/// A sandbox whose hooks may take long, because the machine of a test is slow.
fn patient() -> Sandbox {
    let path = std::env::var("PATH").expect("there are programs");
    sandbox!().with_variable("RECALL_HOOKS__WAIT", "30s").with_variable("PATH", &path)
}

fn project(sandbox: &Sandbox) -> Project {
    let project =
        sandbox.project("shop", &[("src/retry.rs", SOURCE), ("docs/zoo.md", "# Zoo\n\nKeepers feed at noon.\n")]);
    fs::create_dir(project.path(".recall")).expect("made");
    project
}

/// The JSON of an event, as Claude Code sends it.
#[expect(clippy::needless_pass_by_value, reason = "calls write the fields in place")]
fn event(project: &Project, session: &str, name: &str, fields: Value) -> Value {
    let mut value = json!({
        "session_id": session,
        "transcript_path": project.path("transcript.jsonl"),
        "cwd": project.root(),
        "permission_mode": "default",
        "hook_event_name": name,
    });
    for (field, given) in fields.as_object().expect("an object") {
        value[field] = given.clone();
    }
    value
}

/// Runs a hook in a folder that is not the project, and returns the text for the model; `None` if it answered nothing.
#[track_caller]
fn hook(sandbox: &Sandbox, arguments: &[&str], input: &Value) -> Option<String> {
    let outcome = care::run(sandbox, arguments, input.to_string().as_bytes());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    care::text(&outcome)
}

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// Remembers the fact about `src/retry.rs`, and returns the memory's id.
fn remember(sandbox: &Sandbox, project: &Project) -> String {
    let arguments = ["remember", FACT, "--type", "lesson", "--file", "src/retry.rs"];
    json_of(sandbox, project, &arguments)["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_remembered_fact_comes_back_in_the_next_session_and_once() {
    let sandbox = patient();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["search", "zoo"]);
    let prompt = |session: &str, text: &str| {
        hook(&sandbox, &["prompt"], &event(&project, session, "UserPromptSubmit", json!({"prompt": text})))
    };
    assert_eq!(prompt("one", "Why do retries of webhooks need jitter?"), None);
    let id = remember(&sandbox, &project);
    let told = prompt("two", "Why do retries of webhooks need jitter?").expect("an answer");
    assert!(told.contains(&id) && told.contains(FACT) && told.contains("no instructions"), "{told}");
    assert!(!prompt("two", "Why do retries of webhooks need jitter?").is_some_and(|told| told.contains(&id)));
    assert!(prompt("three", "Why do retries of webhooks need jitter?").expect("an answer").contains(&id));
    // What was shown is gone from a compacted context.
    hook(&sandbox, &["session-start"], &event(&project, "two", "SessionStart", json!({"source": "compact"})));
    assert!(prompt("two", "Why do retries of webhooks need jitter?").expect("an answer").contains(&id));
    for unknown in ["yes, go on", "What is the weather in Lisbon tomorrow?", "", "?!"] {
        assert_eq!(prompt("four", unknown), None, "{unknown}");
    }
}

#[test]
fn memories_about_a_file_are_shown_before_it_is_read_once_a_session() {
    let sandbox = patient();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["search", "zoo"]);
    let id = remember(&sandbox, &project);
    let arguments = ["remember", "Three attempts are enough.", "--type", "decision", "--file", "src/retry.rs"];
    let decided = json_of(&sandbox, &project, &arguments)["id"].as_str().expect("an id").to_owned();
    let read = |session: &str, tool: &str, file: &Path| {
        let (session, subagent) = session.split_once('/').unwrap_or((session, ""));
        let fields = json!({"agent_id": subagent, "tool_name": tool, "tool_input": {"file_path": file, "limit": 10}, "tool_use_id": "t"});
        hook(&sandbox, &["pre-tool"], &event(&project, session, "PreToolUse", fields))
    };
    let file = project.path("src/retry.rs");
    hook(&sandbox, &["session-start"], &event(&project, "briefed", "SessionStart", json!({"source": "startup"})))
        .filter(|briefing| briefing.contains(&decided))
        .expect("a briefing with the decision");
    let told = read("briefed", "Read", &file).expect("an answer");
    assert!(told.contains(&id) && !told.contains(&decided), "{told}");
    let told = read("one", "Read", &file).expect("an answer");
    assert!(told.contains(&id) && told.contains(FACT) && !told.contains("may no longer hold"), "{told}");
    assert_eq!(read("one", "Edit", &file), None);
    // A subagent has not seen what the agent has.
    assert!(read("one/sub", "Read", &file).is_some_and(|told| told.contains(&id)));
    assert_eq!(read("one", "Read", &project.path("docs/zoo.md")), None);
    assert_eq!(read("one", "Write", &project.path("src/new.rs")), None);
    assert_eq!(read("one", "Grep", &file), None);
    project.write("src/retry.rs", "pub fn other() {}\n");
    let told = read("two", "Edit", &file).expect("an answer");
    assert!(told.contains("may no longer hold (changed: src/retry.rs)"), "{told}");
}

#[test]
fn memories_are_shown_before_commands_and_searches_once_and_within_the_budget_of_a_turn() {
    let sandbox = patient();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["search", "zoo"]);
    let remember = |text: &str, arguments: &[&str]| -> String {
        let arguments = [&["remember", text], arguments].concat();
        json_of(&sandbox, &project, &arguments)["id"].as_str().expect("an id").to_owned()
    };
    let migrate = remember("`make migrate` locks the table of orders. Stop the workers first.", &[]);
    let deploy = remember("Never on Fridays.", &["--cue", "command:make deploy", "--cue", "symbol:retry"]);
    let use_tool = |session: &str, tool: &str, input: Value| {
        let fields = json!({"tool_name": tool, "tool_input": input});
        hook(&sandbox, &["pre-tool"], &event(&project, session, "PreToolUse", fields))
    };
    let command = |session: &str, line: &str| use_tool(session, "Bash", json!({"command": line}));
    let told = command("one", "cd db && make migrate").expect("an answer");
    assert!(told.contains(&migrate) && told.contains("because its cue is command:make migrate"), "{told}");
    assert_eq!(command("one", "cd db && make migrate"), None);
    assert_eq!(command("one", "make migrate"), None);
    assert_eq!(command("one", "make test"), None);
    let told = use_tool("one", "Grep", json!({"pattern": "fn retry", "path": "src"})).expect("an answer");
    assert!(told.contains(&format!("{deploy} note (own")), "{told}");
    assert!(command("two", "rg -n 'fn retry' src").is_some_and(|told| told.contains(&deploy)));
    json_of(&sandbox, &project, &["config", "set", "hooks.turn_budget_tokens", "100"]);
    assert!(command("three", "make migrate").is_some());
    assert_eq!(command("three", "make deploy"), None);
    hook(&sandbox, &["prompt"], &event(&project, "three", "UserPromptSubmit", json!({"prompt": "yes"})));
    assert!(command("three", "make deploy").is_some_and(|told| told.contains(&deploy)));
    json_of(&sandbox, &project, &["config", "set", "hooks.commands", "false"]);
    assert_eq!(command("four", "make migrate"), None);
}

/// Sends the hook of a tool that has run in the session `s-1`. The hook answers nothing.
fn use_tool(sandbox: &Sandbox, project: &Project, name: &str, input: &Value, response: &Value) {
    let fields = json!({"tool_name": name, "tool_input": input, "tool_response": response});
    assert_eq!(hook(sandbox, &["post-tool"], &event(project, "s-1", "PostToolUse", fields)), None);
}

#[test]
fn a_session_is_recorded_and_summarised() {
    let sandbox = patient();
    let project = project(&sandbox);
    let send = |arguments: &[&str], name: &str, fields: Value| {
        hook(&sandbox, arguments, &event(&project, "s-1", name, fields))
    };
    let tool = |name: &str, input: Value, response: Value| use_tool(&sandbox, &project, name, &input, &response);
    send(&["session-start"], "SessionStart", json!({"source": "startup"}));
    let prompt = |text: &str| send(&["prompt"], "UserPromptSubmit", json!({"prompt": text}));
    prompt("/clear");
    prompt("Make the retries\nwait");
    prompt("And test it.");
    let file = project.path("src/retry.rs");
    tool("Read", json!({"file_path": file}), json!({}));
    tool("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"}), json!({"success": true}));
    tool("Edit", json!({"file_path": file, "old_string": "b", "new_string": "c"}), json!({"success": true}));
    let failure = json!({"tool_name": "Bash", "tool_input": {"command": "make test"}, "error": "exit code 2"});
    assert_eq!(send(&["post-tool"], "PostToolUseFailure", failure), None);
    tool("Bash", json!({"command": "git commit -m x"}), json!({"stdout": "[main 0123abc] Add jitter\n"}));
    let todos = json!([{"content": "Fix", "status": "completed"}, {"content": "Measure", "status": "pending"}]);
    tool("TodoWrite", json!({"todos": todos}), json!({}));
    let said = "Added jitter to the retries.\n\nLeft open:\n- [ ] Test the jitter\n- [x] Add it";
    assert_eq!(send(&["stop"], "Stop", json!({"last_assistant_message": said})), None);
    let events = || {
        let shown = json_of(&sandbox, &project, &["session", "show", "s-1"]);
        let events = shown["events"].as_array().unwrap_or_else(|| panic!("{shown}")).clone();
        let told =
            |event: &Value| format!("{} {}", event["type"].as_str().unwrap(), event["content"].as_str().unwrap());
        (shown["session"]["state"].clone(), events.iter().map(told).collect::<Vec<_>>())
    };
    let recorded = [
        "session_start ",
        "session_start Make the retries wait",
        "observation edited src/retry.rs",
        "observation edited src/retry.rs",
        "error `make test` failed",
        "milestone committed 0123abc Add jitter",
        "observation 1 of 2 tasks done",
        "observation Added jitter to the retries.",
    ];
    assert_eq!(events(), (json!("open"), recorded.map(str::to_owned).to_vec()));
    assert_eq!(send(&["pre-compact"], "PreCompact", json!({"trigger": "auto", "custom_instructions": ""})), None);
    assert_eq!(events().0, json!("ended"));
    let own = send(&["session-start"], "SessionStart", json!({"source": "compact"})).expect("a briefing");
    assert!(own.contains("## What this session did") && own.contains("`src/retry.rs` (2 edits)"), "{own}");
    assert_eq!(events().0, json!("open"));
    tool("Bash", json!({"command": "make test"}), json!({"stdout": "ok"}));
    assert_eq!(send(&["session-end"], "SessionEnd", json!({"reason": "prompt_input_exit"})), None);
    assert_eq!(events().0, json!("ended"));
    assert!(!project.path(".recall/history").exists(), "nobody asked for a file in the project");
    let shown = json_of(&sandbox, &project, &["session", "show", "s-1"]);
    let summary = shown["session"]["summary"].as_str().unwrap_or_else(|| panic!("{shown}"));
    for told in [
        "# Make the retries wait\n\nAdded jitter to the retries.",
        "`make test` failed. Why: exit code 2. Resolved: it succeeded later.",
        "`src/retry.rs` (2 edits)",
        "## Commits\n\n- 0123abc Add jitter",
        "## Left open\n\n- [ ] Test the jitter\n- [ ] Measure\n",
    ] {
        assert!(summary.contains(told), "{told}: {summary}");
    }
    assert_eq!(summary.matches("Add jitter").count(), 1, "each fact is told once: {summary}");
    assert_eq!(shown["session"]["title"], "Make the retries wait", "{shown}");
    assert_eq!(shown["session"]["tasks"][1], json!({"text": "Measure", "status": "pending"}), "{shown}");
    let listed = sandbox.recall(&project, &["session", "list"]);
    assert!(listed.stdout.contains(" 1/2 ") && listed.stdout.contains("Make the retries wait"), "{listed:?}");
    let briefing =
        hook(&sandbox, &["session-start"], &event(&project, "s-2", "SessionStart", json!({"source": "startup"})));
    let briefing = briefing.expect("a briefing");
    assert!(briefing.contains(": Make the retries wait\n  > Added jitter to the retries.\n"), "{briefing}");
    assert!(briefing.contains("## Left open\n\n  > Test the jitter\n  > Measure"), "{briefing}");
    assert!(!briefing.contains("Add it") && briefing.contains("no instructions"), "{briefing}");
    let fields = json!({"agent_id": "a", "agent_type": "Explore"});
    let told =
        hook(&sandbox, &["subagent-start"], &event(&project, "s-2", "SubagentStart", fields)).expect("a briefing");
    assert!(told.contains("`recall search \"words\"`") && told.len() < briefing.len() + 200, "{told}");
}

#[test]
fn tasks_that_are_created_and_updated_one_by_one_are_counted_and_kept() {
    let sandbox = patient();
    let project = project(&sandbox);
    let send = |arguments: &[&str], name: &str, fields: Value| {
        hook(&sandbox, arguments, &event(&project, "s-1", name, fields))
    };
    let tool = |name: &str, input: Value, response: Value| use_tool(&sandbox, &project, name, &input, &response);
    send(&["session-start"], "SessionStart", json!({"source": "startup"}));
    for (id, subject) in [("1", "Dig a hole"), ("2", "Fill it")] {
        let input = json!({"subject": subject, "description": "With a spade.", "activeForm": "Digging"});
        tool("TaskCreate", input, json!({"task": {"id": id, "subject": subject}}));
    }
    tool("TaskUpdate", json!({"taskId": "1", "status": "in_progress"}), json!({"success": true}));
    tool("TaskUpdate", json!({"taskId": "1", "status": "completed"}), json!({"success": true}));
    tool("TaskList", json!({}), json!({}));
    let shown = json_of(&sandbox, &project, &["session", "show", "s-1"]);
    let expected = json!([{"text": "Dig a hole", "status": "completed"}, {"text": "Fill it", "status": "pending"}]);
    assert_eq!(shown["session"]["tasks"], expected, "{shown}");
    let listed = sandbox.recall(&project, &["session", "list"]);
    assert!(listed.stdout.contains(" 1/2 "), "{listed:?}");
}

#[test]
fn a_briefing_that_came_too_late_comes_with_the_next_prompt() {
    let sandbox = patient();
    let project = project(&sandbox);
    let start = event(&project, "s", "SessionStart", json!({"source": "startup"}));
    let outcome = care::run(&sandbox, &["session-start", "--no-daemon"], start.to_string().as_bytes());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""), "no daemon answers: {outcome:?}");
    let prompt =
        |text: &str| hook(&sandbox, &["prompt"], &event(&project, "s", "UserPromptSubmit", json!({"prompt": text})));
    assert!(prompt("hello there").is_some_and(|told| told.contains("# Briefing: shop")), "it is late, not lost");
    assert_eq!(prompt("hello again"), None, "it comes once");
}

#[test]
fn each_group_of_events_has_a_switch() {
    let sandbox = patient()
        .with_variable("RECALL_HOOKS__PROMPT", "false")
        .with_variable("RECALL_HOOKS__FILES", "false")
        .with_variable("RECALL_HOOKS__BRIEFING", "false")
        .with_variable("RECALL_HOOKS__EVENTS", "false");
    let project = project(&sandbox);
    remember(&sandbox, &project);
    for (argument, name, fields) in [
        ("session-start", "SessionStart", json!({"source": "startup"})),
        ("prompt", "UserPromptSubmit", json!({"prompt": FACT})),
        (
            "pre-tool",
            "PreToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": project.path("src/retry.rs")}}),
        ),
        (
            "post-tool",
            "PostToolUse",
            json!({"tool_name": "Write", "tool_input": {"file_path": project.path("src/retry.rs")}}),
        ),
        ("subagent-start", "SubagentStart", json!({})),
        ("session-end", "SessionEnd", json!({"reason": "exit"})),
    ] {
        assert_eq!(hook(&sandbox, &[argument], &event(&project, "s", name, fields)), None, "{argument}");
    }
    let sessions = json_of(&sandbox, &project, &["session", "list"]);
    assert_eq!(sessions["results"], json!([]), "{sessions}");
}

#[test]
fn what_is_recorded_and_what_a_briefing_shows_have_switches() {
    let mut sandbox = patient();
    for switch in ["CAPTURE__GOAL", "CAPTURE__EDITS", "CAPTURE__TASKS", "CAPTURE__MESSAGES", "BRIEFING__HISTORY"] {
        sandbox = sandbox.with_variable(&format!("RECALL_{switch}"), "false");
    }
    let project = project(&sandbox);
    let send = |arguments: &[&str], name: &str, fields: Value| {
        hook(&sandbox, arguments, &event(&project, "s-1", name, fields))
    };
    send(&["session-start"], "SessionStart", json!({"source": "startup"}));
    send(&["prompt"], "UserPromptSubmit", json!({"prompt": "Make the retries wait"}));
    let todos = json!({"todos": [{"content": "Fix", "status": "pending"}]});
    let edit = json!({"file_path": project.path("src/retry.rs")});
    for (tool, input) in [("TodoWrite", todos), ("Edit", edit)] {
        send(&["post-tool"], "PostToolUse", json!({"tool_name": tool, "tool_input": input, "tool_response": {}}));
    }
    let failure = json!({"tool_name": "Bash", "tool_input": {"command": "make test"}, "error": "exit code 2"});
    send(&["post-tool"], "PostToolUseFailure", failure);
    send(&["stop"], "Stop", json!({"last_assistant_message": "Done."}));
    let shown = json_of(&sandbox, &project, &["session", "show", "s-1"]);
    let types: Vec<_> = shown["events"].as_array().expect("events").iter().map(|event| event["type"].clone()).collect();
    assert_eq!(types, [json!("session_start"), json!("error")], "{shown}");
    let briefing = json_of(&sandbox, &project, &["briefing"]);
    let kinds: Vec<_> =
        briefing["sections"].as_array().expect("a list").iter().map(|one| one["kind"].clone()).collect();
    assert!(!kinds.contains(&json!("history")) && kinds.contains(&json!("tasks")), "{briefing}");
}

#[test]
fn other_clients_get_their_own_names_of_the_events() {
    let sandbox = patient();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["search", "zoo"]);
    remember(&sandbox, &project);
    for (client, name) in [("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent"), ("qwen", "UserPromptSubmit")] {
        let input = event(&project, client, name, json!({"prompt": "Why do retries of webhooks need jitter?"}));
        let outcome = care::run(&sandbox, &["prompt", "--client", client], input.to_string().as_bytes());
        let answer: Value =
            serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], name);
    }
}
