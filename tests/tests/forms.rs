//! The forms in which people and models write places, through the real programs.

use recall_testkit::{Project, Running};
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::{Value, json};

const CLIENT: &str = "import socket\n\ndef heron_connect():\n    return 1\n";

fn project(sandbox: &Sandbox) -> Project {
    sandbox.project("shop", &[("src/net/client.py", CLIENT), ("src/main.py", "print('main')\n"), (".git/HEAD", "")])
}

#[test]
fn a_tool_reads_a_path_in_every_form() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let root = project.root().display().to_string();
    let mut agent = Agent::new(sandbox.start_shim(&project, &[]));
    for path in [
        "src/net",
        "./src/net/",
        "src\\net",
        "src/net/client.py:3",
        "shop/src",
        ".",
        &format!("{root}/src/net"),
        &format!("file://{root}/src/net/client.py"),
    ] {
        let found = agent.ask("recall_search", json!({"query": "heron_connect", "path": path}));
        assert!(found.contains("3 | def heron_connect():"), "{path}: {found}");
        let listed = agent.ask("recall_list", json!({"type": "code", "path": path}));
        assert!(listed.contains("src/net/client.py"), "{path}: {listed}");
    }
    for id in [
        "src/net/client.py:3",
        "src/net/client.py:3:5",
        "src/net/client.py#L3-L4",
        "src/net/client.py:4-3",
        "src\\net\\client.py",
        &format!("file://{root}/src/net/client.py"),
    ] {
        let read = agent.ask("recall_get", json!({"id": id}));
        assert!(read.contains("3 | def heron_connect():"), "{id}: {read}");
    }
    let graph = agent.ask("recall_graph", json!({"node": format!("{root}/src/net/client.py:3")}));
    assert!(graph.contains("heron_connect"), "{graph}");
}

#[test]
fn a_path_filter_without_a_hit_says_why() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    assert_eq!(sandbox.recall(&project, &["search", "heron_connect", "--path", "src"]).code, Some(0));
    for (path, has_answer, says) in [
        ("nowhere/net", true, "the project has no file or directory `nowhere/net`"),
        ("src/main.py", true, "`src/main.py` has one indexed file, and it does not match"),
        (".git", true, "nothing in `.git` is indexed"),
        ("/etc", false, "`/etc` is not in the project"),
    ] {
        let outcome = sandbox.recall(&project, &["search", "heron_connect", "--path", path]);
        let said = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(said.contains(says), "{path}: {said}");
        assert_eq!(outcome.code == Some(1), has_answer, "{path}: {outcome:?}");
    }
    let near = sandbox.recall(&project, &["search", "heron_connect", "--path", "nowhere/net"]);
    assert!(near.stderr.contains("did you mean `src/net`?"), "{near:?}");
    // Paths are relative to the working directory, then to the root.
    let inside = project.path("src");
    for path in ["net", "src/net", "."] {
        assert_eq!(sandbox.recall_in(&inside, &["search", "heron_connect", "--path", path]).code, Some(0), "{path}");
    }
}

#[test]
fn lines_beyond_the_end_are_told_with_the_number_of_lines() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let missing = sandbox.recall(&project, &["get", "src/nothing.py"]).code;
    for (id, says) in [
        ("src/net/client.py:9000-9100", "none of the lines 9000 to 9100: it has 4 lines"),
        ("src/net/client.py:0-0", "no line 0: it has 4 lines"),
    ] {
        let outcome = sandbox.recall(&project, &["get", id]);
        assert!(outcome.stderr.contains(says), "{id}: {outcome:?}");
        assert_eq!(outcome.code, missing, "{id}");
    }
    let mut agent = Agent::new(sandbox.start_shim(&project, &[]));
    let (said, is_error) = agent.call("recall_get", json!({"id": "src/net/client.py:9000-9100"}));
    assert!(is_error && said.starts_with("NOT_FOUND: ") && said.contains("it has 4 lines"), "{said}");
}

#[test]
fn an_unknown_argument_is_ignored_with_a_note() {
    let sandbox = sandbox!();
    let mut agent = Agent::new(sandbox.start_shim(&project(&sandbox), &[]));
    let found = agent.ask("recall_search", json!({"query": "heron_connect", "limit": "3", "limits": 1}));
    assert!(
        found.starts_with("note: there is no argument `limits`, so it was ignored; did you mean `limit`?"),
        "{found}"
    );
    assert!(found.contains("def heron_connect():"), "{found}");
}

/// A client of a shim that is started in a folder and tells its own folders if it is asked.
struct Client {
    shim: Running,
    roots: Vec<String>,
    asked: u64,
}

impl Client {
    fn start(sandbox: &Sandbox, folder: &std::path::Path, roots: &[&Project]) -> Self {
        let shim = Running::start(sandbox.command(&sandbox.binaries().recall_shim, folder));
        let roots = roots.iter().map(|root| format!("file://{}", root.root().display())).collect();
        let mut client = Self { shim, roots, asked: 0 };
        let capabilities = json!({"roots": {"listChanged": true}});
        let info = json!({"name": "test", "version": "0"});
        client.request(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info}),
        );
        client.notify("notifications/initialized");
        client
    }

    fn notify(&mut self, method: &str) {
        self.shim.send(&json!({"jsonrpc": "2.0", "method": method}).to_string());
    }

    /// Sends a request, and answers those of the shim until its answer comes. Returns it, and whether the shim asked for roots.
    fn request(&mut self, method: &str, params: &Value) -> (Value, bool) {
        self.asked += 1;
        self.shim.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}).to_string());
        let mut is_asked = false;
        loop {
            let message: Value = serde_json::from_str(&self.shim.line().expect("the shim runs")).expect("JSON");
            if message["method"] == "roots/list" {
                is_asked = true;
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({"uri": uri})).collect();
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}});
                self.shim.send(&answer.to_string());
            } else if message["id"] == self.asked {
                return (message, is_asked);
            }
        }
    }

    fn search(&mut self) -> (String, bool) {
        self.call("recall_search", &json!({"query": "heron_connect"}))
    }

    /// Calls a tool. Returns its text, and whether the shim asked for roots.
    fn call(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let (answer, is_asked) = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        (answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned(), is_asked)
    }
}

#[test]
fn a_shim_outside_of_any_project_works_in_the_clients_folder() {
    let sandbox = sandbox!();
    let (shop, other) =
        (project(&sandbox), sandbox.project("other", &[("b.py", "def heron_connect_twice():\n    pass\n")]));
    let apps = sandbox.project("apps", &[("one/c.py", "def unrelated():\n    pass\n")]);
    for folder in [std::path::Path::new("/"), &sandbox.user_home(), apps.root()] {
        let mut client = Client::start(&sandbox, folder, &[&shop]);
        let (found, is_asked) = client.search();
        assert!(is_asked && found.contains("def heron_connect():"), "{folder:?}: {found}");
        assert!(!client.search().1, "it is asked once");
    }
    let mut client = Client::start(&sandbox, apps.root(), &[&shop]);
    client.search();
    client.roots = vec![format!("file://{}", other.root().display())];
    client.notify("notifications/roots/list_changed");
    let (found, is_asked) = client.search();
    assert!(is_asked && found.contains("heron_connect_twice"), "{found}");
    // In a project the client is not asked.
    let (found, is_asked) = Client::start(&sandbox, shop.root(), &[&other]).search();
    assert!(!is_asked && found.contains("def heron_connect():"), "{found}");
}

#[test]
fn a_call_can_name_its_project_or_a_path_in_it() {
    let sandbox = sandbox!();
    let (shop, other) = (
        project(&sandbox),
        sandbox.project("other", &[("b.py", "def heron_connect_twice():\n    pass\n"), (".git/HEAD", "")]),
    );
    let lone = sandbox.project("lone", &[("c.py", "def heron_alone():\n    pass\n"), (".git/HEAD", "")]);
    let mut client = Client::start(&sandbox, shop.root(), &[&shop, &other]);
    assert!(!client.search().1, "the working directory is in a project");
    let (found, is_asked) = client.call("recall_search", &json!({"query": "heron_connect", "project": "other"}));
    assert!(is_asked && found.contains("heron_connect_twice") && !found.contains("client.py"), "{found}");
    // A tool that does not list the argument takes it too.
    let (listed, is_asked) = client.call("recall_list", &json!({"type": "code", "project": other.root()}));
    assert!(!is_asked && listed.contains("b.py") && !listed.contains("note:"), "{listed}");
    let (read, _) = client.call("recall_get", &json!({"id": other.path("b.py")}));
    assert!(read.contains("def heron_connect_twice():"), "{read}");
    let (found, _) = client.search();
    assert!(
        found.contains("def heron_connect():") && !found.contains("heron_connect_twice"),
        "the next call is free: {found}"
    );
    let (refused, _) = client.call("recall_search", &json!({"query": "x", "project": "lone"}));
    assert!(refused.starts_with("INVALID_ARGUMENT: `project` names no open project: `lone`"), "{refused}");
    assert!(refused.contains("open are") && refused.contains(&other.root().display().to_string()), "{refused}");
    // Without any project, a path names one; and the folders that hold everything are none.
    let mut homeless = Client::start(&sandbox, &sandbox.user_home(), &[]);
    let (read, _) = homeless.call("recall_get", &json!({"id": lone.path("c.py")}));
    assert!(read.contains("def heron_alone():"), "{read}");
    for folder in ["/", "/tmp"] {
        let mut client = Client::start(&sandbox, std::path::Path::new(folder), &[]);
        client.roots =
            vec!["file:///".to_owned(), "file:///tmp".to_owned(), format!("file://{}", sandbox.user_home().display())];
        let (refused, is_asked) = client.search();
        assert!(is_asked && refused.starts_with("PERMISSION_DENIED"), "{folder}: {refused}");
    }
}

#[test]
fn what_people_type_is_completed() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    project.write("src/ui/AppContext.py", "def open_window():\n    pass\n");
    let mut agent = Agent::new(sandbox.start_shim(&project, &[]));
    agent.ask("recall_search", json!({"query": "heron_connect"}));
    let decision =
        agent.ask("recall_add", json!({"type": "decision", "title": "One socket", "content": "Ports are few."}));
    let id = decision.split_whitespace().find(|word| word.starts_with("D-")).expect(&decision).to_owned();
    let mut complete = |reference: Value, name: &str, value: &str| -> Vec<String> {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        let answer = agent.request("completion/complete", params);
        let values = answer["result"]["completion"]["values"].as_array().unwrap_or_else(|| panic!("{answer}"));
        values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let document = || json!({"type": "ref/resource", "uri": "recall://doc/{id}"});
    assert_eq!(complete(document(), "id", "src/"), ["src/main.py", "src/net/client.py", "src/ui/AppContext.py"]);
    assert_eq!(complete(document(), "id", "src/m"), ["src/main.py"]);
    assert_eq!(complete(document(), "id", "AppCon"), ["src/ui/AppContext.py"]);
    assert_eq!(complete(document(), "id", "client"), ["src/net/client.py"]);
    let memory = || json!({"type": "ref/resource", "uri": "recall://memory/{id}"});
    for typed in ["D-", "d", &id[..4], &id[3..7]] {
        assert_eq!(complete(memory(), "id", typed), [id.as_str()], "{typed}");
    }
    assert_eq!(complete(memory(), "id", "L-"), [""; 0]);
    assert_eq!(complete(json!({"type": "ref/prompt", "name": "why"}), "topic", "heron"), ["heron_connect"]);
    let read = agent.request("resources/read", json!({"uri": format!("recall://memory/{id}")}));
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/markdown", "{read}");
    let read = agent.request("resources/read", json!({"uri": "recall://doc/src%2Fmain.py"}));
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/plain", "{read}");
}
