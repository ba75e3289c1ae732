//! `recall export` and `recall import`: the same answers from a store without files, and exports that are refused.

use std::fs;
use std::path::{Path, PathBuf};

use recall_testkit::{Outcome, Project, Sandbox};
use recall_tests::{sandbox, settle};
use serde_json::Value;

fn ok(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> String {
    let Outcome { code, stdout, stderr } = sandbox.recall(project, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {stdout}{stderr}");
    stdout
}

fn json(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let answer = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

/// The words of a query, about everything in [`filled`].
const QUERIES: [&str; 14] = [
    "burrow_7",
    "where are wombats dug out at night",
    "jitter of retries",
    "Burrow::depth_3",
    "notes about the tunnel",
    "lang:python tunnel",
    "type:adr storage",
    "which functions return a depth",
    "notebook cell with a plot",
    "café menu",
    "a session about tunnels",
    "tag:ops restart",
    "path:src/burrow_3.rs burrow",
    "retry backoff decision",
];

/// A project with code, prose, a notebook, other encodings, labels, memories, feedback and a session.
fn filled(sandbox: &Sandbox, name: &str) -> Project {
    let project = sandbox.project(
        name,
        &[
            ("docs/digging.md", "---\ntags: [ops]\n---\n# Digging\n\nWombats dig at night. To restart, dig again.\n"),
            ("docs/adr/0001-storage.md", "# 1. Storage\n\n**Status:** accepted\n\nBurrows store grass. See ../digging.md.\n"),
            ("notes.txt", "Notes about the tunnel, one a line.\nThe tunnel is long.\n"),
            ("tunnel.py", "def tunnel(length):\n    \"\"\"Digs a tunnel.\"\"\"\n    return length * 2\n"),
            ("plot.ipynb", "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"plot(tunnel)\\n\"],\"outputs\":[],\"metadata\":{},\"execution_count\":1},{\"cell_type\":\"markdown\",\"source\":[\"A notebook cell with a plot\"],\"metadata\":{}}],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}"),
            ("empty.rs", ""),
        ],
    );
    project.write(
        "menu.txt",
        [b"\xff\xfe".to_vec(), "café menu\n".encode_utf16().flat_map(u16::to_le_bytes).collect()].concat(),
    );
    for number in 0..12 {
        let function =
            |at| format!("    /// Returns the depth.\n    pub fn depth_{at}(&self) -> usize {{ {} }}\n", number * at);
        let functions = (0..6).map(function).collect::<Vec<_>>().concat();
        project.write(
            &format!("src/burrow_{number}.rs"),
            format!("use crate::burrow_{}::Burrow as Other;\n\npub struct Burrow;\n\nimpl Burrow {{\n{functions}}}\n\npub fn burrow_{number}(other: &Other) -> usize {{ other.depth_3() }}\n", (number + 1) % 12),
        );
    }
    ok(sandbox, &project, &["search", "burrow_7"]);
    // The rows of documents are not in the order of paths, and a document has labels of its own.
    project.write("src/burrow_3.rs", "pub fn burrow_3() -> usize { 42 }\n");
    ok(sandbox, &project, &["add", "notes.txt", "--tag", "field", "--type", "playbook", "--source", "a walk"]);
    ok(sandbox, &project, &["remember", "Retries need jitter.", "--type", "lesson", "--file", "src/burrow_7.rs"]);
    ok(sandbox, &project, &["remember", "Back off before a retry, by decision.", "--type", "decision"]);
    let started = json(sandbox, &project, &["session", "start", "--goal", "dig a tunnel"]);
    let session = started["session_id"].as_str().expect("an id").to_owned();
    ok(sandbox, &project, &["session", "log", "decision", "the tunnel goes left", "--session", &session]);
    ok(sandbox, &project, &["session", "end", &session, "--summary", "A session about tunnels."]);
    ok(sandbox, &project, &["search", "jitter"]);
    project
}

/// The answers to all queries, without the store's id and without what depends on the time of the question.
fn answers(sandbox: &Sandbox, project: &Project) -> Vec<Value> {
    settle(sandbox, project);
    let mut answers: Vec<Value> = QUERIES
        .iter()
        .map(|query| json(sandbox, project, &["search", query, "--scope", "project", "--explain"])["results"].clone())
        .collect();
    answers.iter_mut().for_each(timeless);
    answers
}

fn timeless(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["store_id", "staleness", "retrievals"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(timeless);
        }
        Value::Array(values) => values.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// Returns where two answers differ, with the values; `None` if they are equal.
fn first_difference(left: &Value, right: &Value) -> Option<String> {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) if left.keys().eq(right.keys()) => {
            let mut pairs = left.iter().zip(right.values());
            pairs.find_map(|((name, left), right)| Some(format!("{name}.{}", first_difference(left, right)?)))
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.find_map(|(at, (left, right))| Some(format!("{at}.{}", first_difference(left, right)?)))
        }
        // Sums in single precision depend on the order of the documents.
        (Value::Number(left), Value::Number(right)) if is_near(left.as_f64(), right.as_f64()) => None,
        _ => (left != right).then(|| format!(": {left} and {right}")),
    }
}

fn is_near(left: Option<f64>, right: Option<f64>) -> bool {
    left.zip(right).is_some_and(|(left, right)| (left - right).abs() < 1e-6)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain")
}

fn exported(sandbox: &Sandbox, project: &Project, name: &str) -> PathBuf {
    let file = sandbox.path().join(name);
    ok(sandbox, project, &["export", "--output", text(&file)]);
    file
}

#[test]
fn an_imported_store_gives_the_same_answers_without_the_files() {
    let (here, there) = (sandbox!(), sandbox!());
    let project = filled(&here, "p");
    let before = answers(&here, &project);
    for (query, before) in QUERIES.iter().zip(&before) {
        assert!(before.as_array().is_some_and(|hits| !hits.is_empty()), "{query}");
    }
    let file = exported(&here, &project, "p.ndjson");
    let empty = there.project("p", &[]);
    let report = json(&there, &empty, &["import", text(&file), "--trust"]);
    assert_eq!((&report["ok"], &report["cuts_alike"], &report["untrusted"]), (&true.into(), &true.into(), &0.into()));
    assert_eq!(report["left_out"].as_array().map(Vec::len), Some(0), "{report}");
    let after = answers(&there, &empty);
    for ((query, before), after) in QUERIES.iter().zip(&before).zip(&after) {
        assert_eq!(first_difference(before, after), None, "{query}");
    }
    // Nothing was written into the project but what recall writes there.
    let names: Vec<_> =
        fs::read_dir(empty.root()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, [".recall"]);
    let of = |sandbox: &Sandbox, project: &Project, arguments: &[&str]| {
        let mut answer = json(sandbox, project, arguments);
        timeless(&mut answer);
        Value::from(vec![answer["text"].clone(), answer["results"].clone(), answer["doc"].clone()])
    };
    for arguments in [
        &["get", "src/burrow_7.rs"][..],
        &["get", "plot.ipynb"],
        &["related", "src/burrow_7.rs"],
        &["list", "--sort", "path"],
    ] {
        assert_eq!(
            first_difference(&of(&here, &project, arguments), &of(&there, &empty, arguments)),
            None,
            "{arguments:?}"
        );
    }
    // The index can be deleted at any time, as for files.
    ok(&there, &empty, &["rebuild"]);
    assert!(answers(&there, &empty) == after);
    // The second export has the same documents.
    let again = exported(&there, &empty, "again.ndjson");
    assert!(documents(&file) == documents(&again));
    // Importing twice imports once.
    let report = json(&there, &empty, &["import", text(&file), "--trust"]);
    assert_eq!((&report["added"], &report["changed"]), (&0.into(), &0.into()), "{report}");
    assert!(answers(&there, &empty) == after);
}

/// The documents of an export, by path.
fn documents(file: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(file).expect("an export");
    let mut found: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|record| record["record"] == "document")
        .map(|mut record| {
            record.as_object_mut().expect("an object").remove("row");
            record
        })
        .collect();
    found.sort_by_key(|record| record["path"].to_string());
    assert!(found.len() > 15);
    found
}

#[test]
fn a_file_wins_over_an_imported_document_for_good() {
    let (here, there) = (sandbox!(), sandbox!());
    let project = here.project("p", &[("a.md", "# Wombats\n\nThey dig.\n"), ("b.md", "# Koalas\n\nThey climb.\n")]);
    let file = exported(&here, &project, "p.ndjson");
    let other = there.project("p", &[("a.md", "# Echidnas\n\nThey dig too.\n")]);
    ok(&there, &other, &["search", "echidnas"]);
    let report = json(&there, &other, &["import", text(&file)]);
    assert_eq!((&report["added"], &report["left_out"][0]["item"]), (&1.into(), &"a.md".into()), "{report}");
    let titles = |query: &str| {
        let hits = json(&there, &other, &["search", query])["results"].clone();
        hits.as_array()
            .expect("a list")
            .iter()
            .map(|hit| hit["doc"]["title"].as_str().expect("a title").to_owned())
            .collect::<Vec<_>>()
    };
    assert!(titles("wombats").iter().all(|title| title != "Wombats"));
    assert!(titles("koalas climb").contains(&"Koalas".to_owned()));
    // A file that appears takes the place of the document, and takes it along when it goes.
    other.write("b.md", "# Quokkas\n\nThey smile.\n");
    assert!(titles("quokkas smile").contains(&"Quokkas".to_owned()));
    other.remove("b.md");
    assert!(!titles("koalas climb").iter().any(|title| title == "Koalas" || title == "Quokkas"));
    // Removed, and not indexed again.
    let empty = there.project("q", &[]);
    ok(&there, &empty, &["import", text(&file)]);
    ok(&there, &empty, &["rm", "a.md"]);
    ok(&there, &empty, &["rebuild"]);
    let listed = json(&there, &empty, &["list"]);
    assert_eq!(listed["total"], 1, "{listed}");
}

#[test]
fn a_damaged_or_foreign_export_is_refused_and_changes_nothing() {
    let (here, there) = (sandbox!(), sandbox!());
    let project = filled(&here, "p");
    let file = exported(&here, &project, "p.ndjson");
    let bytes = fs::read(&file).expect("an export");
    let empty = there.project("p", &[]);
    let bad = there.path().join("bad.ndjson");
    let check = |content: &[u8], code: &str, expected: &str| {
        fs::write(&bad, content).expect("written");
        let answer = json(&there, &empty, &["import", text(&bad)]);
        assert_eq!(answer["error"]["code"], code, "{expected}: {answer}");
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.contains(expected), "{message}");
        assert!(answer["error"]["hint"].as_str().is_some_and(|hint| hint.contains("nothing was imported")), "{answer}");
    };
    let text_of = String::from_utf8(bytes.clone()).expect("UTF-8");
    check(b"", "INVALID_ARGUMENT", "it is empty");
    check(b"garbage\n", "INVALID_ARGUMENT", "its first line is not that of one");
    check(&[0, 159, 146, 150, b'\n'], "INVALID_ARGUMENT", "its first line is not that of one");
    check(text_of.replacen("\"version\":1", "\"version\":2", 1).as_bytes(), "SCHEMA_NEWER", "has the format version 2");
    check(&bytes[..bytes.len() - 1], "STORE_DAMAGED", "not whole");
    let last_line = text_of.trim_end().rfind('\n').expect("lines") + 1;
    check(&bytes[..last_line], "STORE_DAMAGED", "not whole");
    check(&bytes[..bytes.len() / 2], "STORE_DAMAGED", "");
    check(&[&bytes[..], b"{}\n"].concat(), "STORE_DAMAGED", "after the last line");
    check(text_of.replacen("Wombats dig", "Wombats fly", 1).as_bytes(), "STORE_DAMAGED", "checksum differs");
    check(
        text_of.replacen("memories.jsonl", "../../evil.jsonl", 1).as_bytes(),
        "PERMISSION_DENIED",
        "where recall has no journal",
    );
    // A flipped bit, anywhere.
    for place in (0..40).map(|part| bytes.len() * part / 40 + 7) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1;
        fs::write(&bad, &flipped).expect("written");
        let answer = json(&there, &empty, &["import", text(&bad)]);
        assert_eq!(answer["ok"], false, "byte {place}: {answer}");
    }
    let folder: Vec<_> = fs::read_dir(empty.root()).expect("a folder").flatten().collect();
    assert!(folder.is_empty(), "{folder:?}");
    assert_eq!(json(&there, &empty, &["list"])["total"], 0);
    let left = fs::read_dir(there.dirs().data.join("stores")).expect("stores").flatten();
    for store in left {
        let names: Vec<_> =
            fs::read_dir(store.path()).expect("a store").flatten().map(|entry| entry.file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().starts_with("import")), "{names:?}");
    }
    // Nothing is written by a dry run either.
    let report = json(&there, &empty, &["import", text(&file), "--dry-run"]);
    assert!(report["added"].as_u64().is_some_and(|added| added > 15), "{report}");
    assert_eq!(json(&there, &empty, &["list"])["total"], 0);
}

#[test]
fn secrets_are_not_exported() {
    let sandbox = sandbox!();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let project =
        sandbox.project("p", &[("config.py", &format!("TOKEN = \"{secret}\"\n\ndef use():\n    return TOKEN\n"))]);
    ok(&sandbox, &project, &["search", "use"]);
    // Written by another program.
    let day = project.path(".recall/2026-11-20");
    fs::create_dir_all(&day).expect("made");
    fs::write(day.join("memories.jsonl"), format!("{{\"note\":\"{secret}\"}}\n")).expect("written");
    let file = exported(&sandbox, &project, "p.ndjson");
    let text_of = fs::read_to_string(&file).expect("an export");
    assert!(text_of.contains("[secret: ") && text_of.contains("def use"), "{text_of}");
    assert!(!text_of.contains(&secret[4..]), "{text_of}");
    let other = sandbox.project("q", &[]);
    ok(&sandbox, &other, &["import", text(&file)]);
    let shown = ok(&sandbox, &other, &["get", "config.py"]);
    assert!(shown.contains("[secret: "), "{shown}");
}

#[test]
fn a_partial_export_is_continued_at_its_last_checkpoint() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", &[]);
    for number in 0..40 {
        let line = format!("wombat {number} digs a burrow and another one\n");
        project.write(&format!("docs/{number}.md"), line.repeat(9_000));
    }
    let whole = exported(&sandbox, &project, "whole.ndjson");
    let bytes = fs::read(&whole).expect("an export");
    let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let checkpoints = lines(&bytes).iter().filter(|line| line.starts_with(b"{\"record\":\"checkpoint\"")).count();
    assert!(checkpoints > 2, "{checkpoints} of {} bytes", bytes.len());
    let partial = sandbox.path().join("partial.ndjson");
    for keep in [10, bytes.len() * 2 / 3, bytes.len() - 10, bytes.len()] {
        fs::write(&partial, &bytes[..keep]).expect("written");
        let report = json(&sandbox, &project, &["export", "--output", text(&partial), "--resume"]);
        assert_eq!(report["ok"], true, "{keep}: {report}");
        let continued = fs::read(&partial).expect("an export");
        // All but the first line, which names the time.
        assert_eq!(lines(&continued).len(), lines(&bytes).len(), "{keep}");
        let other = sandbox.project(&format!("q{keep}"), &[]);
        let report = json(&sandbox, &other, &["import", text(&partial), "--dry-run"]);
        assert_eq!((&report["ok"], &report["documents"]), (&true.into(), &40.into()), "{keep}: {report}");
    }
    let answer = json(&sandbox, &project, &["export", "--output", text(&partial)]);
    assert_eq!(answer["error"]["code"], "CONFLICT", "{answer}");
    fs::write(&partial, &bytes[..bytes.len() / 2]).expect("written");
    project.write("new.md", "# New\n");
    let answer = json(&sandbox, &project, &["export", "--output", text(&partial), "--resume"]);
    assert_eq!(answer["error"]["code"], "CONFLICT", "{answer}");
    fs::write(&partial, "notes\n").expect("written");
    let answer = json(&sandbox, &project, &["export", "--output", text(&partial), "--resume"]);
    assert_eq!(answer["error"]["code"], "INVALID_ARGUMENT", "{answer}");
    assert_eq!(fs::read_to_string(&partial).expect("kept"), "notes\n");
}
