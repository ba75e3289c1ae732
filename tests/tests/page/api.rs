//! The JSON API of the page's server: what programs get with a key, and what is refused.

use std::fmt::Write as _;

use recall_testkit::{Project, Sandbox, wait_until};
use recall_tests::sandbox;
use serde_json::{Value, json};

use super::browser::{Answer, Browser, is_closed, link, send};
use super::schema;

/// The variable with the key.
const VARIABLE: &str = "RECALL_API_KEY";

const KEY: &str = "spade-0123456789-spade";

const FILES: &[(&str, &str)] = &[
    ("docs/digging.md", "# Digging\n\nWombats dig burrows at night.\n"),
    ("src/burrow.rs", "/// Digs a burrow.\npub fn dig(depth: u32) -> u32 {\n    depth + 1\n}\n"),
    ("src/main.rs", "mod burrow;\n\nfn main() {\n    burrow::dig(2);\n}\n"),
];

/// A program that uses the API.
#[derive(Clone, Debug)]
struct Program {
    port: u16,
    /// The headers of each request.
    headers: Vec<(String, String)>,
    document: Value,
}

impl Program {
    /// Opens a project with the key of the sandbox.
    fn open(sandbox: &Sandbox, project: &Project) -> Self {
        let (port, _) = link(sandbox, project);
        Self::at(port)
    }

    fn at(port: u16) -> Self {
        let mut program = Self { port, headers: Vec::new(), document: Value::Null }
            .with("Host", &format!("127.0.0.1:{port}"))
            .with("Authorization", &format!("Bearer {KEY}"))
            .with("Content-Type", "application/json");
        program.document = program.get("openapi.json").json();
        program
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    fn send(&self, method: &str, target: &str, body: &str) -> Answer {
        let mut head = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        send(self.port, format!("{head}\r\n{body}").as_bytes()).expect("an answer")
    }

    fn get(&self, endpoint: &str) -> Answer {
        self.send("GET", &format!("/api/v1/{endpoint}"), "")
    }

    /// Sends a request that succeeds; returns the data after a check against the document.
    #[track_caller]
    fn ask(&self, method: &str, endpoint: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.send(method, &format!("/api/v1/{endpoint}"), &body);
        assert!(matches!(answer.status, 200 | 201), "{method} {endpoint}: {answer:?}");
        let path = format!("/api/v1/{}", endpoint.split('?').next().unwrap_or_default());
        let operation = &self.document["paths"][path][method.to_lowercase()];
        let content = &operation["responses"][answer.status.to_string()]["content"]["application/json"];
        schema::check(&self.document, &content["schema"], &answer.json());
        answer.json()["data"].clone()
    }

    /// Sends a request that fails; returns the message and the hint after a check against the document.
    #[track_caller]
    fn refused(&self, method: &str, endpoint: &str, body: &str, status: u16) -> String {
        let answer = self.send(method, &format!("/api/v1/{endpoint}"), body);
        assert_eq!(answer.status, status, "{method} {endpoint:.80}: {answer:?}");
        schema::check(&self.document, &self.document["components"]["schemas"]["Error"], &answer.json());
        let error = &answer.json()["error"];
        format!("{} / {}", error["message"].as_str().unwrap_or_default(), error["hint"].as_str().unwrap_or_default())
    }
}

#[test]
fn a_memory_is_added_read_amended_listed_and_deleted() {
    let sandbox = sandbox!().with_variable(VARIABLE, KEY);
    let program = Program::open(&sandbox, &sandbox.project("p", FILES));
    let new = json!({ "content": "Wombats dig at night.\nNobody knows why.", "type": "lesson", "tags": ["zoo"], "related_files": ["src/burrow.rs"] });
    let added = program.ask("POST", "items", &new);
    assert_eq!((&added["status"], &added["title"]), (&"added".into(), &"Wombats dig at night.".into()));
    assert_eq!(program.ask("POST", "items", &new)["status"], "duplicate");
    let id = added["id"].as_str().expect("an id");
    let item = format!("item?id={id}");
    let read = program.ask("GET", &item, &Value::Null);
    assert_eq!((&read["memory"]["content"], &read["memory"]["trust"]), (&new["content"], &"high".into()));
    let changed = program.ask("PATCH", &item, &json!({ "title": "Wombats dig late", "tags": [] }));
    assert_eq!(changed["memory"]["title"], "Wombats dig late");
    assert_eq!((&changed["memory"]["content"], &changed["memory"]["tags"]), (&new["content"], &json!([])));
    let stale = json!({ "title": "Wombats sleep", "expected_updated_at": read["memory"]["updated_at"] }).to_string();
    program.refused("PATCH", &item, &stale, 409);
    program.refused("PATCH", &item, r#"{"title":"x","expected_updated_at":"yesterday"}"#, 400);
    let seen = json!({ "title": "Wombats dig later", "expected_updated_at": changed["memory"]["updated_at"] });
    assert_eq!(program.ask("PATCH", &item, &seen)["memory"]["title"], "Wombats dig later");
    let list = program.ask("GET", "items?type=lesson", &Value::Null);
    assert_eq!((&list["total"], &list["results"][0]["memory"]["id"]), (&1.into(), &id.into()));
    assert_eq!(program.ask("DELETE", &item, &Value::Null)["memories"], 1);
    program.refused("GET", &item, "", 404);
    program.refused("DELETE", &item, "", 404);
    program.refused("PATCH", &item, r#"{"title":"x"}"#, 404);
}

#[test]
fn searches_graphs_sessions_and_figures_are_those_of_the_command() {
    let sandbox = sandbox!().with_variable(VARIABLE, KEY).with_variable("CLAUDE_CODE_SESSION_ID", "c-7");
    let project = sandbox.project("p", FILES);
    for number in 0..30 {
        project.write(&format!("more/{number}.md"), format!("# Burrow {number}\n\nThe wombat digs burrow {number}.\n"));
    }
    sandbox.recall(&project, &["session", "start", "--goal", "Dig deeper"]);
    sandbox.recall(&project, &["session", "log", "decision", "Use a spade."]);
    let command = |arguments: &[&str]| {
        let said = sandbox.recall(&project, &[&["--json"], arguments].concat());
        serde_json::from_str::<Value>(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"))
    };
    let program = Program::open(&sandbox, &project);
    let found = program.ask("GET", "search?q=burrow&facets=true&explain=true", &Value::Null);
    assert_eq!(found["results"].as_array().expect("hits").len(), 20, "{found}");
    assert!(found.get("ok").is_none() && found.get("schema_version").is_none(), "{found}");
    let citations = |found: &Value| -> Vec<Value> {
        found["results"].as_array().expect("hits").iter().map(|hit| hit["citation"].clone()).collect()
    };
    assert_eq!(citations(&found), citations(&command(&["search", "burrow", "--limit", "20"])));
    let posted = program.ask("POST", "search", &json!({ "q": "burrow", "limit": 2, "offset": 1, "scope": "project" }));
    assert_eq!(citations(&posted), citations(&found)[1..3]);
    let graph = program.ask("GET", "graph?node=src/burrow.rs&depth=2", &Value::Null);
    let graph_of_command = command(&["graph", "src/burrow.rs", "--depth", "2"]);
    assert_eq!((&graph["nodes"], &graph["edges"]), (&graph_of_command["nodes"], &graph_of_command["edges"]));
    let sessions = program.ask("GET", "sessions?state=open", &Value::Null);
    assert_eq!((&sessions["results"][0]["id"], &sessions["results"][0]["goal"]), (&"c-7".into(), &"Dig deeper".into()));
    let events = program.ask("GET", "session?id=c-7&types=decision", &Value::Null);
    assert_eq!(
        (&events["results"][0]["content"], events["results"].as_array().expect("events").len()),
        (&"Use a spade.".into(), 1)
    );
    assert_eq!(program.ask("GET", "stats", &Value::Null)["stores"], command(&["stats"])["stores"]);
    let text = program.ask("GET", "item?id=src/burrow.rs&start_line=2&end_line=2", &Value::Null);
    assert_eq!((&text["text"], &text["start_line"]), (&"pub fn dig(depth: u32) -> u32 {\n".into(), &2.into()));
}

#[test]
fn bad_input_is_refused_with_what_where_and_what_to_do() {
    let sandbox = sandbox!().with_variable(VARIABLE, KEY);
    let program = Program::open(&sandbox, &sandbox.project("p", FILES));
    let text = |bytes: usize| json!({ "content": "a".repeat(bytes) }).to_string();
    let query = |bytes: usize| json!({ "q": "a".repeat(bytes) }).to_string();
    for (method, endpoint, body, status, said) in [
        ("GET", "search?q=dig&limit=10000", String::new(), 400, "`limit` is 10000; the limit is 50"),
        ("GET", "search?q=dig&limit=0", String::new(), 400, "`limit` is 0"),
        ("GET", "search?q=dig&limit=99999999999", String::new(), 400, "limit"),
        ("GET", "search?q=dig&offset=-1", String::new(), 400, "offset"),
        ("GET", "search?q=", String::new(), 400, "`query` is empty"),
        ("GET", "search?q=dig&filter=)", String::new(), 400, ""),
        ("POST", "search", query(1_100_000), 413, "`query` has 1100000 bytes; the limit is 1048576"),
        ("POST", "items", text(1_100_000), 413, "`content` is 1100000; the limit is 1048576"),
        ("POST", "items", text(3_000_000), 413, "the body is too large; the limit is 2097152 bytes"),
        ("POST", "items", text(0), 400, "`title` is empty"),
        ("POST", "items", json!({ "content": "x", "type": "joke" }).to_string(), 400, "joke"),
        ("GET", "item?id=D-00000000", String::new(), 404, "D-00000000"),
        ("GET", "item?id=../../etc/passwd", String::new(), 404, "etc/passwd"),
        ("GET", "item", String::new(), 400, "id"),
        ("GET", "items?limit=101", String::new(), 400, "`limit` is 101"),
        ("GET", "items?cursor=nonsense", String::new(), 400, "cursor"),
        ("GET", "items?colour=red", String::new(), 400, "colour"),
        ("GET", "session?id=none", String::new(), 404, "none"),
        ("GET", "graph?node=src/none.rs", String::new(), 404, "none.rs"),
        ("GET", "graph?node=src/main.rs&depth=9", String::new(), 400, "`depth` is 9"),
    ] {
        let refused = program.refused(method, endpoint, &body, status);
        assert!(refused.contains(said) && !refused.starts_with(" /"), "{method} {endpoint:.80}: {refused}");
    }
    let far = program.ask("GET", "search?q=dig&offset=4000000000", &Value::Null);
    assert_eq!(far["results"], json!([]));
    let huge = program.send("GET", &format!("/api/v1/search?q={}", "a".repeat(1_000_000)), "");
    assert!(matches!(huge.status, 400 | 414 | 431), "{huge:?}");
    assert_eq!(program.ask("GET", "items?type=note", &Value::Null)["total"], 0, "nothing was added");
}

#[test]
fn only_the_key_or_the_cookie_opens_the_api() {
    let sandbox = sandbox!().with_variable(VARIABLE, KEY);
    let project = sandbox.project("p", FILES);
    let program = Program::open(&sandbox, &project);
    let browser = Browser::open(&sandbox, &project);
    let (port, own) = (browser.port, format!("http://127.0.0.1:{}", browser.port));
    let anybody = program.clone().without("Authorization");
    for wrong in [
        anybody.clone(),
        anybody.clone().with("Cookie", &browser.cookie),
        program.clone().with("Authorization", &format!("Bearer {}", &KEY[1..])),
        program.clone().with("Authorization", &format!("Bearer {KEY}x")),
        program.clone().with("Authorization", "Bearer "),
    ] {
        for endpoint in ["stats", "openapi.json", "none"] {
            assert!(wrong.refused("GET", endpoint, "", 401).contains("RECALL_API_KEY"));
        }
        wrong.refused("POST", "items", r#"{"content":"Wombats fly."}"#, 401);
        assert_eq!(wrong.send("GET", "/metrics", "").status, 401);
        assert_eq!(wrong.send("GET", "/healthz", "").body, "ok\n");
    }
    program.clone().with("Host", &format!("evil.example:{port}")).refused("GET", "stats", "", 421);
    program.clone().with("Origin", "http://evil.example").refused("GET", "stats", "", 403);
    program.clone().with("Content-Type", "text/plain").refused("POST", "items", r#"{"content":"x"}"#, 415);
    program.refused("PUT", "items", "{}", 405);
    program.refused("GET", "none", "", 404);

    // A browser with the cookie finds the API below the project's path, and says where its changes come from.
    let page = anybody.clone().with("Cookie", &browser.cookie).with("Origin", &own);
    let at = |endpoint: &str| format!("/{}/api/v1/{endpoint}", browser.key);
    assert_eq!(page.send("GET", &at("stats"), "").status, 200);
    let added = page.send("POST", &at("items"), r#"{"content":"Wombats walk."}"#);
    assert_eq!((added.status, added.header("access-control-allow-origin")), (201, ""), "{added:?}");
    for (wrong, status) in [
        (page.clone().without("Origin"), 403),
        (page.clone().with("Origin", "http://evil.example"), 403),
        (page.clone().with("Content-Type", "text/plain"), 415),
        (page.clone().without("Cookie"), 401),
        (program.clone(), 403),
    ] {
        assert_eq!(wrong.send("POST", &at("items"), r#"{"content":"Wombats fly."}"#).status, status, "{wrong:?}");
    }
    assert_eq!(program.ask("GET", "items?type=note", &Value::Null)["total"], 1);
}

#[test]
fn metrics_tell_the_daemon_and_the_stores() {
    let sandbox = sandbox!().with_variable(VARIABLE, KEY);
    let (one, other) = (sandbox.project("one", FILES), sandbox.project("other", &[("a.md", "# A\n")]));
    let program = Program::open(&sandbox, &one);
    program.ask("GET", "search?q=dig", &Value::Null);
    Program::open(&sandbox, &other);
    let metrics = program.send("GET", "/metrics", "");
    assert_eq!((metrics.status, metrics.header("content-type")), (200, "text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "recall_stores 2",
        "# TYPE recall_requests_total counter",
        "recall_latency_seconds{operation=\"rpc.Search\",quantile=\"0.5\"} ",
        "recall_latency_seconds_count{operation=\"rpc.Search\"} 1",
        "recall_store_documents{store=\"one\",root=",
        "recall_store_documents{store=\"other\",root=",
        "recall_memory_anonymous_bytes ",
        "recall_memory_ceiling_bytes ",
    ] {
        assert!(metrics.body.contains(line), "{line}: {}", metrics.body);
    }
    // With two projects, the API must be told which one is meant.
    assert!(program.refused("GET", "stats", "", 400).contains("Recall-Project"));
    let named = program.with("Recall-Project", &one.root().to_string_lossy());
    assert_eq!(named.ask("GET", "items?path=src", &Value::Null)["total"], 2);
}

#[test]
fn a_further_address_needs_a_key_and_serves_programs_only() {
    let project = |sandbox: &Sandbox| sandbox.project("p", FILES);
    let keyless = sandbox!();
    let refused = keyless.recall(&project(&keyless), &["ui", "--print-url", "--listen", "0.0.0.0:0"]);
    assert!(refused.code == Some(4) && refused.stderr.contains("only with a key"), "{refused:?}");
    assert!(refused.stderr.contains("export RECALL_API_KEY="), "{refused:?}");
    for short in ["short", "with spaces in it, so it is none"] {
        let sandbox = sandbox!().with_variable(VARIABLE, short);
        let refused = sandbox.recall(&project(&sandbox), &["ui", "--print-url"]);
        assert!(refused.code == Some(2) && refused.stderr.contains("the key has"), "{refused:?}");
    }
    let sandbox = sandbox!().with_variable(VARIABLE, KEY);
    let project = project(&sandbox);
    let refused = sandbox.recall(&project, &["ui", "--print-url", "--listen", "127.0.0.1:7777"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("beyond loopback"), "{refused:?}");
    let said = sandbox.recall(&project, &["--json", "ui", "--listen", "0.0.0.0:0"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    let api = said["api"].as_str().expect("an address");
    let port = api.trim_start_matches("http://0.0.0.0:").trim_end_matches("/api/v1").parse().expect("a port");
    assert_ne!(said["port"], json!(port));
    let program = Program::at(port);
    assert!(program.ask("GET", "search?q=dig", &Value::Null)["results"][0]["citation"].is_string());
    program.clone().without("Authorization").refused("GET", "stats", "", 401);
    for host in [format!("localhost:{port}"), format!("evil.example:{port}"), "127.0.0.1".to_owned()] {
        program.clone().with("Host", &host).refused("GET", "stats", "", 421);
    }
    // Neither the page nor the exchange of a link is there.
    let token = said["url"].as_str().and_then(|url| url.split_once('#')).expect("a token").1;
    let body = json!({ "token": token }).to_string();
    let origin = format!("http://127.0.0.1:{port}");
    for target in ["/open", "/", "/page.js"] {
        assert_eq!(program.send("GET", target, "").status, 404, "{target}");
        let exchanged = program.clone().without("Authorization").with("Origin", &origin).send("POST", target, &body);
        assert_eq!((exchanged.status, exchanged.header("set-cookie")), (401, ""), "{exchanged:?}");
    }
    let again = sandbox.recall(&project, &["ui", "--print-url", "--listen", &format!("0.0.0.0:{port}")]);
    assert_eq!(again.code, Some(0), "{again:?}");
    let elsewhere = sandbox.recall(&project, &["ui", "--print-url", "--listen", "[::]:0"]);
    assert!(elsewhere.code == Some(4) && elsewhere.stderr.contains("the API is served on 0.0.0.0:"), "{elsewhere:?}");
}

#[test]
fn the_key_is_not_written_and_ends_with_the_daemon() {
    let sandbox = sandbox!().with_variable(VARIABLE, KEY);
    let project = sandbox.project("p", FILES);
    let program = Program::open(&sandbox, &project);
    program.ask("POST", "items", &json!({ "content": "Wombats dig." }));
    assert_eq!(holding(sandbox.path()), Vec::<String>::new());
    let environments = sandbox.processes().into_iter().map(|pid| std::fs::read(format!("/proc/{pid}/environ")));
    let environments: Vec<_> =
        environments.filter_map(Result::ok).map(|it| String::from_utf8_lossy(&it).into_owned()).collect();
    assert!(environments.iter().any(|it| it.contains("RECALL_HOME=")), "the daemon runs");
    assert!(!environments.iter().any(|it| it.contains(KEY)));

    assert_eq!(sandbox.recall(&project, &["daemon", "restart"]).code, Some(0));
    wait_until("a closed port", || is_closed(program.port).then_some(()));
    let sandbox = sandbox.with_variable(VARIABLE, "another-0123456789-key");
    let (port, _) = link(&sandbox, &project);
    let old = Program { port, ..program }.with("Host", &format!("127.0.0.1:{port}"));
    old.refused("GET", "stats", "", 401);
    let new = old.with("Authorization", "Bearer another-0123456789-key");
    assert_eq!(new.ask("GET", "items?type=note", &Value::Null)["total"], 1);
}

/// Returns the files below a folder that contain the key.
fn holding(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let (path, kind) = (entry.path(), entry.file_type().expect("a type"));
        if kind.is_dir() {
            found.extend(holding(&path));
        } else if kind.is_file() && String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).contains(KEY) {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    found
}

#[test]
fn a_program_acts_as_the_one_who_opened_the_project() {
    for (variable, trust) in [("CLAUDECODE", "low"), ("UNRELATED", "high")] {
        let sandbox = sandbox!().with_variable(VARIABLE, KEY).with_variable(variable, "c-7");
        let program = Program::open(&sandbox, &sandbox.project("p", FILES));
        let id = program.ask("POST", "items", &json!({ "content": "Wombats dig." }))["id"].clone();
        let read = program.ask("GET", &format!("item?id={}", id.as_str().expect("an id")), &Value::Null);
        assert_eq!(read["memory"]["trust"], trust, "{variable}: {read}");
    }
}
