//! `recall import TOOL` and `recall audit`: what other tools remember is found, once, masked, and their files stay as they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use recall_testkit::{Outcome, Project, Sandbox};
use recall_tests::sandbox;
use serde_json::Value;

/// A secret in a fixture.
const SECRET: &str = "hunter2-Tr0ub4dor&3xyz";

/// The databases of the tools: kind, place below the home folder, and statements.
const DATABASES: [(&str, &str, &str); 5] = [
    ("recall-v0", ".edi/recall/global.db", include_str!("../../crates/recall-agents/tests/schemas/recall-v0.sql")),
    ("edi-codex", ".edi/codex.db", include_str!("../../crates/recall-agents/tests/schemas/codex.sql")),
    (
        "claude-mem",
        ".claude-mem/claude-mem.db",
        include_str!("../../crates/recall-agents/tests/schemas/claude-mem.sql"),
    ),
    ("mem0", ".mem0/history.db", include_str!("../../crates/recall-agents/tests/schemas/mem0-history.sql")),
    (
        "basic-memory",
        ".basic-memory/memory.db",
        include_str!("../../crates/recall-agents/tests/schemas/basic-memory.sql"),
    ),
];

/// A query that finds something of each tool.
const QUERIES: [(&str, &str); 10] = [
    ("recall-v0", "wombat retries jitter"),
    ("edi-codex", "numbat catalogue stored"),
    ("openai-codex", "pademelon registry slow"),
    ("claude-mem", "echidna cache never warmed"),
    ("mem0", "ringtail possums"),
    ("basic-memory", "koalas espresso"),
    ("memory-server", "dugong observations"),
    ("serena", "bandicoot login flow"),
    ("edi", "quoll history bounded"),
    ("transcripts", "bettongs fast make"),
];

fn json(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let answer = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn database(path: &Path, statements: &str) {
    fs::create_dir_all(path.parent().expect("below a home")).expect("made");
    let connection = rusqlite::Connection::open(path).expect("opened");
    connection.execute_batch(statements).expect("statements");
}

/// A project, and a home in which every tool has left something.
fn filled(sandbox: &Sandbox) -> Project {
    let project = sandbox.project(
        "shop",
        &[
            ("src/retry.rs", "pub fn retry_with_jitter() {}\n"),
            (".serena/memories/login.md", "# Login\n\nThe bandicoot login flow starts in `retry_with_jitter`, src/retry.rs:1 and src/gone.rs.\nSee `Burrow::collapsed`.\n"),
            (".edi/profile.md", "# Shop\n\nSells burrows.\n"),
            (".edi/agents/coder.md", "---\nname: coder\n---\nCode.\n"),
            (".edi/history/2025-03-04-abc.md", "# Quoll history\n\nRetries of the quoll are bounded.\n"),
        ],
    );
    for (_, below, statements) in DATABASES {
        database(&sandbox.user_home().join(below), statements);
    }
    let graph = "{\"type\":\"entity\",\"name\":\"Dugong\",\"entityType\":\"animal\",\"observations\":[\"dugong observations are rare\"]}\n";
    fs::write(sandbox.user_home().join("memory.jsonl"), graph).expect("written");
    let root = project.root().canonicalize().expect("there");
    let codex = sandbox.user_home().join(".codex/memories");
    fs::create_dir_all(&codex).expect("made");
    let block = format!(
        "# Task Group: shop releases\napplies_to: cwd={}; reuse_rule=x\n\n## Reusable knowledge\n\n- The pademelon registry is slow.\n",
        root.display()
    );
    fs::write(codex.join("MEMORY.md"), block).expect("written");
    let slug: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let line = serde_json::json!({
        "type": "user", "sessionId": "t-1", "cwd": root, "timestamp": "2026-02-01T10:00:00Z",
        "message": {"role": "user", "content": format!("make bettongs fast, password = \"{SECRET}\"")},
    });
    let edit = serde_json::json!({
        "type": "assistant", "sessionId": "t-1", "timestamp": "2026-02-01T10:01:00Z",
        "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Edit", "input": {"file_path": root.join("src/retry.rs")}}]},
    });
    let folder = sandbox.user_home().join(".claude/projects").join(slug);
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("t-1.jsonl"), format!("{line}\n{edit}\n")).expect("written");
    let initialised = sandbox.recall(&project, &["init"]);
    assert_eq!(initialised.code, Some(0), "{initialised:?}");
    project
}

/// The arguments that import everything of a tool.
fn import_of(sandbox: &Sandbox, kind: &str) -> Vec<String> {
    let graph = || sandbox.user_home().join("memory.jsonl").to_string_lossy().into_owned();
    let path = (kind == "memory-server").then(graph);
    ["import".to_owned(), kind.to_owned()].into_iter().chain(path).collect()
}

/// Every file below a folder, with its bytes.
fn bytes_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

fn hits(sandbox: &Sandbox, project: &Project, query: &str) -> String {
    json(sandbox, project, &["search", query, "--scope", "project"])["results"].to_string()
}

fn added(report: &Value) -> u64 {
    ["memories", "sessions", "files"].iter().map(|sort| report[sort]["added"].as_u64().expect("a number")).sum()
}

#[test]
fn every_tool_is_imported_once_found_and_left_as_it_is() {
    let sandbox = sandbox!();
    let project = filled(&sandbox);
    let own = |path: &Path| path.starts_with(project.root().join(".recall"));
    let (home, files) = (bytes_below(&sandbox.user_home()), bytes_below(project.root()));
    for (kind, query) in QUERIES {
        let arguments = import_of(&sandbox, kind);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.push("--dry-run");
        let before = bytes_below(project.root());
        let planned = json(&sandbox, &project, &arguments);
        assert!(added(&planned) > 0, "{kind}: {planned}");
        assert_eq!(bytes_below(project.root()), before, "{kind}: a dry run writes nothing");
        arguments.pop();
        let first = json(&sandbox, &project, &arguments);
        assert_eq!(added(&first), added(&planned), "{kind}: {first}");
        let second = json(&sandbox, &project, &arguments);
        assert_eq!(added(&second), 0, "{kind}: {second}");
        for sort in ["memories", "sessions", "files"] {
            assert_eq!(first[sort]["found"], second[sort]["found"], "{kind}");
            let repeats = first["left_out"]["REPEATS"]["count"].as_u64().unwrap_or(0);
            assert!(second[sort]["known"].as_u64() >= first[sort]["added"].as_u64(), "{kind}: {second} {repeats}");
        }
        let distinctive = query.split(' ').next().expect("a word");
        let found = hits(&sandbox, &project, query).to_lowercase();
        let proof = if matches!(kind, "edi" | "transcripts") { ".recall/history/" } else { "\"origin\":\"imported\"" };
        assert!(found.contains(distinctive) && found.contains(proof), "{kind}: {found}");
        assert!(!found.contains("different place"), "{kind}: an item of another project came: {found}");
    }
    assert_eq!(bytes_below(&sandbox.user_home()), home, "files of the tools changed");
    let after: BTreeMap<_, _> = bytes_below(project.root()).into_iter().filter(|(path, _)| !own(path)).collect();
    let files: BTreeMap<_, _> = files.into_iter().filter(|(path, _)| !own(path)).collect();
    assert_eq!(after, files, "files of the project changed");
    assert_eq!(
        fs::read_to_string(project.root().join(".recall/profile.md")).expect("copied"),
        "# Shop\n\nSells burrows.\n"
    );
    assert!(project.root().join(".recall/agents/coder.md").is_file());
    // No journal, summary or event has a secret, and none is in an answer.
    for (path, bytes) in bytes_below(&project.root().join(".recall")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{}", path.display());
    }
    assert!(hits(&sandbox, &project, "deploy used password by accident").contains("[secret: "));
}

#[test]
fn an_imported_memory_keeps_its_time_its_author_and_its_ratings() {
    let sandbox = sandbox!();
    let project = filled(&sandbox);
    json(&sandbox, &project, &["import", "recall-v0"]);
    let listed = json(&sandbox, &project, &["search", "wombat retries jitter", "--scope", "project"]);
    let memory = listed["results"]
        .as_array()
        .and_then(|hits| hits.iter().find_map(|hit| hit.get("memory").filter(|memory| !memory.is_null())))
        .unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(memory["origin"], "imported", "{memory}");
    // It was rated useful there; that is less than the word of a person.
    assert_eq!((&memory["trust"], &memory["stats"]["useful"]), (&"medium".into(), &1.into()), "{memory}");
    assert!(memory.to_string().contains("2024-03-01T10:00:00Z"), "{memory}");
    assert!(memory.to_string().contains("recall-v0 P-1a2b3c4d"), "{memory}");
    assert_eq!(memory["related_files"], serde_json::json!(["src/retry.rs"]), "{memory}");
    assert_eq!(memory["verification"]["state"], "verified", "{memory}");
    assert!(project.root().join(".recall/2024-03-01/memories.jsonl").is_file());
    // The global item is imported into the global store only.
    let global = json(&sandbox, &project, &["import", "recall-v0", "--scope", "global"]);
    assert_eq!(global["memories"]["added"], 1, "{global}");
    assert_eq!(global["left_out"]["OTHER_SCOPE"]["count"], 3, "{global}");
    let sessions = json(&sandbox, &project, &["session", "list"]);
    assert!(sessions.to_string().contains("v0-session"), "{sessions}");
}

#[test]
fn an_imported_memory_is_named_by_the_id_that_it_had() {
    let sandbox = sandbox!();
    let project = filled(&sandbox);
    json(&sandbox, &project, &["import", "codex"]);
    let again = json(&sandbox, &project, &["import", "edi-codex"]);
    assert_eq!(again["memories"]["added"], 0, "{again}");
    let of_old = json(&sandbox, &project, &["get", "D-aaaa0001"]);
    let memory = &of_old["memory"];
    assert_eq!(
        (&memory["title"], &memory["source"]),
        (&"Numbat storage".into(), &"codex D-aaaa0001".into()),
        "{of_old}"
    );
    let id = memory["id"].as_str().expect("an id");
    assert_ne!(id, "D-aaaa0001");
    assert_eq!(json(&sandbox, &project, &["get", id])["memory"]["id"], id);
    let rated = sandbox.recall(&project, &["feedback", "D-aaaa0001", "useful"]);
    assert_eq!(rated.code, Some(0), "{rated:?}");
    let removed = sandbox.recall(&project, &["rm", "D-aaaa0001"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let gone = sandbox.recall(&project, &["get", "D-aaaa0001"]);
    assert!(gone.code != Some(0) && gone.stderr.contains("D-aaaa0001"), "{gone:?}");
}

#[test]
fn an_audit_names_what_is_gone_and_what_is_secret_and_writes_nothing() {
    let sandbox = sandbox!();
    let project = filled(&sandbox);
    let before = (bytes_below(&sandbox.user_home()), bytes_below(project.root()));
    let report = json(&sandbox, &project, &["audit", "serena"]);
    let [source] = report["sources"].as_array().expect("sources").as_slice() else { panic!("{report}") };
    assert_eq!((&source["items"], &source["claims"]), (&1.into(), &4.into()), "{source}");
    let findings: Vec<_> = source["findings"].as_array().expect("a list").iter().collect();
    let told: Vec<_> =
        findings.iter().map(|it| (it["kind"].as_str(), it["what"].as_str(), it["line"].as_u64())).collect();
    assert_eq!(
        told,
        [
            (Some("missing_file"), Some("src/gone.rs"), Some(3)),
            (Some("missing_symbol"), Some("Burrow::collapsed"), Some(4)),
        ]
    );
    let all = json(&sandbox, &project, &["audit"]);
    let of =
        |kind: &str| all["sources"].as_array().expect("a list").iter().find(|source| source["kind"] == kind).cloned();
    assert!(of("transcripts").is_none(), "{all}");
    assert_eq!(of("edi-codex").expect("found")["secrets"], 1, "{all}");
    assert!(!all.to_string().contains(SECRET), "{all}");
    assert_eq!((bytes_below(&sandbox.user_home()), bytes_below(project.root())), before);
}

#[test]
fn what_cannot_be_imported_is_an_error_with_a_hint() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", &[("notes.txt", "just text\n")]);
    for (arguments, code, expected) in [
        (["import", "edi-codex", "notes.txt"].as_slice(), "INVALID_ARGUMENT", "is not a SQLite database"),
        (&["import", "codex"], "NOT_FOUND", "nothing of edi-codex was found: looked for"),
        (&["import", "openai-codex"], "NOT_FOUND", ".codex/memories"),
        (&["import", "memory-server"], "NOT_FOUND", "this tool has no usual place"),
        (&["import", "serena", "none"], "NOT_FOUND", "does not exist"),
        (&["audit", "mem0", "notes.txt"], "INVALID_ARGUMENT", "is not a SQLite database"),
    ] {
        let answer = json(&sandbox, &project, arguments);
        assert_eq!(answer["ok"], false, "{answer}");
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|it| it.contains(expected)), "{answer}");
        assert!(answer["error"]["hint"].as_str().is_some_and(|it| !it.is_empty()), "{answer}");
    }
    let Outcome { code, stdout, .. } = sandbox.recall(&project, &["audit"]);
    assert_eq!((code, stdout.contains("no other tool keeps memories")), (Some(0), true), "{stdout}");
    // A file with the name of a tool is an export if it is written as a path.
    project.write("codex", "x");
    let export = json(&sandbox, &project, &["import", "./codex"]);
    assert!(export["error"]["message"].as_str().is_some_and(|it| it.contains("export")), "{export}");
}
