//! An agent's session: the shim connected to the real daemon.

use std::collections::BTreeSet;
use std::time::Duration;

use recall_testkit::{Project, Running};
use recall_tests::{Sandbox, sandbox};
use serde_json::{Value, json};

/// A shim in a project, spoken to in the stateless revision of the protocol.
struct Agent {
    shim: Running,
    asked: u64,
}

impl Agent {
    fn start(sandbox: &Sandbox, project: &Project) -> Self {
        Self { shim: sandbox.start_shim(project, &[]), asked: 0 }
    }

    /// An agent that is offered every tool.
    fn with_every_tool(sandbox: &Sandbox, project: &Project) -> Self {
        Self { shim: sandbox.start_shim(project, &["--tools", "full"]), asked: 0 }
    }

    /// Sends a call and returns its id; the progress token is the id too.
    fn send(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Sends a request and returns its id.
    fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.asked += 1;
        params["_meta"] = recall_tests::Agent::meta();
        params["_meta"]["progressToken"] = self.asked.into();
        self.shim.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}).to_string());
        self.asked
    }

    fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id});
        self.shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string());
    }

    fn receive(&mut self) -> Value {
        serde_json::from_str(&self.shim.line().expect("the shim runs")).expect("JSON")
    }

    /// The result of a call, and the progress that was reported before it.
    fn result_of(&mut self, id: u64) -> (Value, Vec<f64>) {
        let mut reported = Vec::new();
        loop {
            let message = self.receive();
            if message["method"] == "notifications/progress" {
                assert_eq!(message["params"]["progressToken"], id);
                reported.extend(message["params"]["progress"].as_f64());
            } else {
                assert_eq!(message["id"], id, "{message}");
                return (message["result"].clone(), reported);
            }
        }
    }

    /// The text of a tool's answer.
    fn ask(&mut self, tool: &str, arguments: &Value) -> String {
        let id = self.send(tool, arguments);
        let (result, _) = self.result_of(id);
        assert_eq!(result["isError"], false, "{result}");
        result["content"][0]["text"].as_str().expect("text").to_owned()
    }

    fn daemon(&mut self) -> u64 {
        let status: Value = serde_json::from_str(&self.ask("recall_status", &json!({"format": "json"}))).expect("JSON");
        status["daemon"]["pid"].as_u64().expect("a process id")
    }
}

const STORE: &str = "/// Opens the session store.\npub fn open_sessions() -> Sessions {\n    Sessions::default()\n}\n";

fn project(sandbox: &Sandbox) -> Project {
    sandbox
        .project("shop", &[("src/sessions.rs", STORE), ("docs/adr/0001-wal.md", "# Use WAL\n\nReaders never wait.\n")])
}

fn many_files(sandbox: &Sandbox, files: usize) -> Project {
    let project = sandbox.project("large", &[]);
    for n in 0..files {
        project
            .write(&format!("src/part_{n}.rs"), format!("/// Part {n}.\npub fn part_{n}() -> usize {{\n    {n}\n}}\n"));
    }
    project
}

fn kill(process: u64) {
    let killed = std::process::Command::new("kill").args(["-KILL", &process.to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
}

#[test]
fn the_first_search_indexes_the_project_and_its_hits_can_be_read() {
    let sandbox = sandbox!();
    let mut agent = Agent::start(&sandbox, &project(&sandbox));
    let found = agent.ask("recall_search", &json!({"query": "open_sessions"}));
    assert!(found.contains("src/sessions.rs:"), "{found}");
    assert!(found.contains("2 | pub fn open_sessions() -> Sessions {"), "{found}");
    let read = agent.ask("recall_get", &json!({"id": "src/sessions.rs:1-4"}));
    assert!(read.contains("| pub fn open_sessions() -> Sessions {"), "{read}");
    let listed = agent.ask("recall_list", &json!({"type": "adr"}));
    assert!(listed.contains("docs/adr/0001-wal.md · Use WAL"), "{listed}");
    let nothing = agent.ask("recall_search", &json!({"query": "zzzqqq"}));
    assert!(nothing.starts_with("Nothing found for \"zzzqqq\" in project shop (generation "), "{nothing}");
    assert!(nothing.contains(": 2 documents searched"), "{nothing}");
}

#[test]
fn every_line_of_a_literal_or_an_expression_is_found_page_by_page() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    project.write("src/use.rs", "fn a() { b?.open_sessions() ?? c }\n".repeat(120));
    let mut agent = Agent::start(&sandbox, &project);
    let exact = |cursor: Value| json!({"query": "?.open_sessions()", "match": "exact", "limit": 50, "cursor": cursor});
    let page = agent.ask("recall_search", &exact(Value::Null));
    assert!(page.contains("120 matches in 120 lines of 1 document"), "{page}");
    assert!(page.contains("src/use.rs:1: fn a() { b?.open_sessions() ?? c }"), "{page}");
    let (_, cursor) = page.rsplit_once("cursor \"").expect("more");
    let next = agent.ask("recall_search", &exact(cursor.trim_end_matches("\".").into()));
    assert!(next.contains("src/use.rs:") && !next.contains("src/use.rs:1:"), "{next}");
    let found = agent.ask("recall_search", &json!({"query": "OPEN_\\w+", "match": "regex", "ignore_case": true}));
    assert!(found.contains("src/sessions.rs:2: pub fn open_sessions() -> Sessions {"), "{found}");
    let nothing = agent.ask("recall_search", &json!({"query": "zzz?.qqq", "match": "exact"}));
    assert!(nothing.contains("no line matches in 3 files"), "{nothing}");
}

#[test]
fn the_context_of_a_task_is_one_text() {
    let sandbox = sandbox!();
    let mut agent = Agent::start(&sandbox, &project(&sandbox));
    let context = agent.ask("recall_context", &json!({"task": "open the sessions", "budget_tokens": 400}));
    assert!(context.contains("## Code\n### src/sessions.rs:") && context.contains("open_sessions"), "{context}");
}

#[test]
fn the_full_set_of_tools_includes_related_documents_and_the_graph() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    project.write("src/login.rs", "use crate::sessions;\n\npub fn login() {\n    sessions::open_sessions();\n}\n");
    let mut agent = Agent::with_every_tool(&sandbox, &project);
    let graph = agent.ask("recall_graph", &json!({"node": "open_sessions"}));
    assert!(graph.contains("- used by login (function src/login.rs:"), "{graph}");
    assert!(graph.contains("- defined in src/sessions.rs"), "{graph}");
    let imports = json!({"node": "src/login.rs", "relations": ["imports"], "format": "json"});
    let imports: Value = serde_json::from_str(&agent.ask("recall_graph", &imports)).expect("JSON");
    assert_eq!(imports["nodes"][1]["path"], "src/sessions.rs", "{imports}");
    let related = agent.ask("recall_related", &json!({"id": "src/login.rs"}));
    assert!(related.contains("\n- src/sessions.rs:1-4 · "), "{related}");
    assert!(related.contains("used here") && related.contains("imported here"), "{related}");
    let id = agent.send("recall_graph", &json!({"node": "open_session"}));
    let (refused, _) = agent.result_of(id);
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(refused.to_string().contains("near it are `open_sessions`"), "{refused}");
    let mut few = Agent::start(&sandbox, &project);
    let id = few.send("recall_related", &json!({"id": "src/login.rs"}));
    assert!(few.receive()["error"]["message"].as_str().is_some_and(|reported| reported.contains("no tool")), "{id}");
}

#[test]
fn the_basic_tools_initialise_a_project_store_a_text_and_find_it() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let mut agent = Agent::with_every_tool(&sandbox, &project);
    let made = agent.ask("init", &json!({}));
    assert!(made.contains("/.recall/recall.toml") && made.contains("Indexed it in "), "{made}");
    assert!(project.path(".recall/.gitattributes").is_file());
    let made: Value = serde_json::from_str(&agent.ask("init", &json!({"format": "json"}))).expect("JSON");
    assert_eq!((&made["changed"], &made["added"]), (&json!(false), &json!(0)), "{made}");

    let text = json!({"content": "Wombats dig at night.", "type": "todo", "source": "field notes"});
    let stored = agent.ask("store", &text);
    let id = stored.strip_prefix("Accepted: ").and_then(|rest| rest.split(' ').next()).expect(&stored).to_owned();
    assert!(id.starts_with("N-"), "{stored}");
    let again = agent.ask("store", &text);
    assert!(again.starts_with("Accepted: N-") && !again.contains(&id), "what is accepted is kept: {again}");
    let found = agent.ask("recall", &json!({"query": "when do wombats dig", "k": 1}));
    assert!(found.contains("Wombats dig at night.") && found.contains("N-"), "{found}");

    let rebuilt = agent.ask("rebuild", &json!({}));
    assert!(rebuilt.starts_with("Rebuilt the index in "), "{rebuilt}");
    let found: Value =
        serde_json::from_str(&agent.ask("recall", &json!({"query": "wombats", "format": "json"}))).expect("JSON");
    let memory = &found["results"][0]["memory"];
    assert_eq!((&memory["tags"], &memory["source"]), (&json!(["todo"]), &json!("field notes")), "{found}");
    let id = agent.send("store", &json!({"content": "  "}));
    assert!(agent.result_of(id).0.to_string().contains("INVALID_ARGUMENT"));
}

#[test]
fn clients_may_use_the_names_of_earlier_servers() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let mut agent = Agent::with_every_tool(&sandbox, &project);
    let mut json_of = |tool: &str, mut arguments: Value| -> Value {
        arguments["format"] = json!("json");
        serde_json::from_str(&agent.ask(tool, &arguments)).expect("JSON")
    };
    let payload = json!({
        "type": "chat_message", "source": "user_a", "content": "The wombat API is slow.", "timestamp": "2025-11-08T10:30:00Z",
    });
    let stored = json_of("store", json!({"command": "store", "payload": payload}));
    let id = stored["id"].as_str().unwrap_or_else(|| panic!("{stored}")).to_owned();
    let found = json_of("recall", json!({"query": "slow wombat", "limit": 1, "include_code": false, "bm25_weight": 1}));
    let memory = &found["results"][0]["memory"];
    assert_eq!((&memory["id"], &memory["created_at"]), (&json!(id), &json!("2025-11-08T10:30:00Z")), "{found}");
    let name = project.root().file_name().expect("a name").to_string_lossy().into_owned();
    let explained = json!({
        "query": "open_sessions", "rerank": false, "vector_weight": 0.5, "bm25_weight": 0.4, "ppr_weight": 0.1,
        "project_id": name, "explain": true, "types": ["code", "runbook", "doc"],
    });
    let found = json_of("recall_search", explained.clone());
    assert!(found["results"][0]["explain"].is_object(), "{found}");
    let citation = found["results"][0]["citation"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned();
    let rated = json_of("recall_feedback", json!({"item_id": id, "useful": true}));
    let stats = &rated["item_stats"];
    assert_eq!(
        (&stats["useful_count"], &stats["not_useful_count"], &stats["usefulness_rate"]),
        (&json!(1), &json!(0), &json!(1.0)),
        "{rated}"
    );
    let whole = json_of("recall_get", json!({"id": citation, "include_parent": true}));
    assert_eq!((&whole["text"], &whole["citation"]), (&json!(STORE), &json!(citation)), "{whole}");
    assert!(agent.ask("recall_search", &explained).contains("because words #1"));
    let id = agent.send("recall_search", &json!({"query": "x", "project_id": "elsewhere"}));
    assert!(agent.result_of(id).0.to_string().contains("INVALID_ARGUMENT"));
}

#[test]
fn a_memory_is_a_resource_in_both_protocol_revisions() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let mut agent = Agent::start(&sandbox, &project);
    let memory = json!({"type": "lesson", "title": "Open once", "content": "`open_sessions` is slow.",
        "related_files": ["src/sessions.rs"], "format": "json"});
    let kept: Value = serde_json::from_str(&agent.ask("recall_add", &memory)).expect("JSON");
    let uri = format!("recall://memory/{}", kept["id"].as_str().expect("an id"));
    let asked = agent.request("resources/read", json!({"uri": uri}));
    let (modern, _) = agent.result_of(asked);
    let text = modern["contents"][0]["text"].as_str().expect("text");
    assert!(text.starts_with("# Open once\n\n") && text.contains("verified against its files"), "{text}");
    assert!(
        text.ends_with("\nabout src/sessions.rs\nshown unasked at symbol:open_sessions\n\n`open_sessions` is slow."),
        "{text}"
    );

    let mut shim = sandbox.start_shim(&project, &[]);
    let mut ask = |id: u64, method: &str, params: Value| -> Value {
        shim.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        serde_json::from_str(&shim.line().expect("the shim runs")).expect("JSON")
    };
    let client = json!({"name": "test", "version": "0"});
    ask(0, "initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}));
    let legacy = ask(1, "resources/read", json!({"uri": uri}));
    assert_eq!(legacy["result"]["contents"], modern["contents"]);
    let gone = ask(2, "resources/read", json!({"uri": "recall://memory/L-00000000"}));
    assert_eq!(gone["error"]["data"]["uri"], "recall://memory/L-00000000", "{gone}");
}

#[test]
fn the_pages_of_a_search_contain_each_hit_once() {
    let sandbox = sandbox!();
    let mut agent = Agent::start(&sandbox, &many_files(&sandbox, 30));
    let mut arguments = json!({"query": "part", "limit": 7, "format": "json"});
    let mut seen = BTreeSet::new();
    for _ in 0..3 {
        let page: Value = serde_json::from_str(&agent.ask("recall_search", &arguments)).expect("JSON");
        for hit in page["results"].as_array().expect("hits") {
            assert!(seen.insert(hit["chunk"]["id"].to_string()), "twice: {hit}");
        }
        arguments["cursor"] = page["cursor"].clone();
    }
    assert_eq!(seen.len(), 21);
}

#[test]
fn progress_rises_and_ends_with_the_result() {
    let sandbox = sandbox!();
    let mut agent = Agent::start(&sandbox, &many_files(&sandbox, 300));
    let id = agent.send("recall_index", &json!({"path": "."}));
    let (result, reported) = agent.result_of(id);
    assert_eq!(result["isError"], false, "{result}");
    assert!(reported.windows(2).all(|pair| pair[0] < pair[1]), "{reported:?}");
    assert_eq!(reported.last(), Some(&300.0));
    assert!(agent.shim.is_silent_for(Duration::from_millis(200)));
}

#[test]
fn a_cancelled_call_is_not_answered_and_the_next_one_is() {
    let sandbox = sandbox!();
    let mut agent = Agent::start(&sandbox, &many_files(&sandbox, 2_000));
    let id = agent.send("recall_index", &json!({"path": "."}));
    let first = agent.receive();
    assert_eq!(first["method"], "notifications/progress", "it was over before it could be cancelled: {first}");
    agent.cancel(id);
    let next = agent.send("recall_status", &json!({}));
    loop {
        let message = agent.receive();
        assert_ne!(message["id"], id, "a cancelled call was answered");
        if message["id"] == next {
            break;
        }
    }
    assert!(agent.shim.is_silent_for(Duration::from_millis(500)));
}

#[test]
fn a_killed_daemon_is_replaced_transparently() {
    let sandbox = sandbox!();
    let mut agent = Agent::start(&sandbox, &project(&sandbox));
    let before = agent.daemon();
    for _ in 0..3 {
        let daemon = agent.daemon();
        kill(daemon);
        assert!(agent.ask("recall_search", &json!({"query": "open_sessions"})).contains("src/sessions.rs:"));
    }
    assert_ne!(agent.daemon(), before);
    kill(agent.daemon());
    let ids: BTreeSet<u64> = (0..64).map(|_| agent.send("recall_search", &json!({"query": "open_sessions"}))).collect();
    let mut answered = BTreeSet::new();
    while answered.len() < ids.len() {
        let message = agent.receive();
        assert_eq!(message["result"]["isError"], false, "{message}");
        answered.extend(message["id"].as_u64());
    }
    assert_eq!(answered, ids);
    assert!(agent.shim.finish().stderr.is_empty());
}

#[test]
fn a_killed_replacement_daemon_is_replaced_transparently() {
    let sandbox = sandbox!();
    let project = many_files(&sandbox, 2_000);
    let mut agent = Agent::start(&sandbox, &project);
    let first = agent.daemon();
    kill(first);
    // A long call, because the project is not indexed yet. Its connection is broken by now.
    let id = agent.send("recall_search", &json!({"query": "part_7"}));
    let status = sandbox.recall(&project, &["status", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    let second = status["daemon"]["pid"].as_u64().expect("a process id");
    assert_ne!(second, first);
    kill(second);
    let (result, _) = agent.result_of(id);
    assert_eq!(result["isError"], false, "{result}");
}
