//! The query language through the real programs; every example of its page is run.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use recall_testkit::{Outcome, Project, Sandbox};
use recall_tests::{sandbox, workspace};
use serde_json::Value;

/// A project in which every example of the page has a row.
fn project(sandbox: &Sandbox) -> Project {
    let files = [
        (
            "src/net1.rs",
            "/// Sends a request and does a retry within the retry budget.\npub fn send(url: &str) -> bool {\n    retry(url)\n}\n\npub struct Client {\n    pub budget: u32,\n}\n",
        ),
        ("src/session.rs", "/// Closes a session.\npub fn close_session(id: u64) {\n    drop(id);\n}\n"),
        ("docs/adr/0001-retry.md", "# 1. Retry\n\n## Status\nAccepted\n\n## Decision\nWe retry three times.\n"),
        (
            "docs/guide.md",
            "---\ntitle: Guide\ntags: [release, ops]\n---\n# Guide\n\nHow often is a request tried again?\n",
        ),
    ];
    let project = sandbox.project("shop", &files);
    let memory = ["remember", "Retries need jitter.", "--type", "lesson", "--tag", "network", "--file", "src/net1.rs"];
    assert_eq!(sandbox.recall(&project, &memory).code, Some(0));
    // The first request indexes the project, and says so.
    assert_eq!(sandbox.recall(&project, &["search", "retry"]).code, Some(0));
    project
}

/// The fenced blocks of a language on the page.
fn blocks(language: &str) -> Vec<String> {
    let page = fs::read_to_string(workspace().join("docs/rql.md")).expect("the page");
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().expect("a block").trim().to_owned()).collect()
}

#[track_caller]
fn json(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let Outcome { code, stdout, stderr } = sandbox.recall(project, &[&["--json"], arguments].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {stdout}{stderr}");
    serde_json::from_str(&stdout).expect("JSON")
}

/// Commits all files and tags the commit as `v2.3`.
fn release(root: &Path) {
    let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "release"], &["tag", "v2.3"]] {
        let git = Command::new("git").current_dir(root).args(identity).args(arguments).output().expect("git runs");
        assert!(git.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&git.stderr));
    }
}

#[test]
fn every_example_of_the_page_has_a_row() {
    let sandbox = sandbox!().with_variable("PATH", &std::env::var("PATH").expect("a PATH"));
    let project = project(&sandbox);
    let decision = ["remember", "Requests are sent by one client.", "--type", "decision"];
    assert_eq!(sandbox.recall(&project, &decision).code, Some(0));
    release(project.root());
    let statements = blocks("rql");
    assert!(statements.len() >= 14, "{statements:?}");
    for statement in &statements {
        let answer = json(&sandbox, &project, &["query", "--rql", statement]);
        let fields = answer["fields"].as_array().expect("a list");
        let warnings = answer["warnings"].as_array().expect("a list");
        assert!(warnings.iter().all(|warning| warning["code"] != "UNKNOWN_FIELD"), "{statement}: {answer}");
        for row in answer["results"].as_array().expect("a list") {
            let cells: usize = row
                .as_object()
                .expect("a row")
                .values()
                .map(|part| part.as_object().map_or(1, serde_json::Map::len))
                .sum();
            assert_eq!(cells, fields.len(), "{statement}: {row}");
        }
    }
    let filters = blocks("filter");
    assert_eq!(filters.len(), 2);
    for filter in &filters {
        let answer = json(&sandbox, &project, &["search", "retry", "--filter", filter]);
        assert_eq!(answer["query"]["filter"], **filter);
    }
}

#[test]
fn every_error_of_the_page_has_a_valid_example() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let statements = blocks("error");
    assert_eq!(statements.len(), 3);
    for statement in &statements {
        let Outcome { code, stdout, stderr } = sandbox.recall(&project, &["query", "--rql", statement]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{statement}: {stderr}");
        assert!(stderr.contains("line 1, column ") && stderr.contains("; expected "), "{stderr}");
        // Long lines are wrapped only on a terminal.
        let example = stderr.split("hint: for example: ").nth(1).expect("an example").trim();
        let corrected = sandbox.recall(&project, &["query", "--rql", example]);
        assert!(matches!(corrected.code, Some(0 | 1)), "{example}: {}", corrected.stderr);
    }
    let Outcome { code, stderr, .. } = sandbox.recall(&project, &["search", "x", "--filter", "doc.pth = 'a'"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("`doc.pth`, the nearest is `doc.path`"), "{stderr}");
}

#[test]
fn a_statement_is_read_from_a_file_and_shown_for_a_person() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let mut file = fs::File::create(project.path("one.rql")).expect("created");
    writeln!(file, "SELECT path, nonsense, kind FROM chunk\nFILTER chunk.symbol = 'fn close_session';")
        .expect("written");
    let path = project.path("one.rql");
    let from = format!("@{}", path.display());
    let Outcome { code, stdout, stderr } = sandbox.recall(&project, &["query", "--rql", &from, "--explain"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.starts_with("doc.path    src/session.rs\nchunk.kind  function\n"), "{stdout}");
    assert!(stdout.contains("catalog           chunk.symbol = 'fn close_session'"), "{stdout}");
    assert!(stderr.contains("`nonsense` in SELECT is not a field and is ignored"), "{stderr}");
    let nothing = sandbox.recall(&project, &["query", "--rql", "SELECT path FROM doc FILTER doc.path = 'nowhere'"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), ""));
    let missing = sandbox.recall(&project, &["query", "--rql", "@nowhere.rql"]);
    assert_eq!(missing.code, Some(4), "{}", missing.stderr);
}

#[test]
fn pages_and_plans_are_in_the_json() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let first = json(&sandbox, &project, &["query", "--rql", "SELECT path FROM doc LIMIT 2", "--explain"]);
    let paths = |answer: &Value| {
        let rows = answer["results"].as_array().expect("a list").iter();
        rows.map(|row| row["doc"]["path"].as_str().expect("a path").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(first["next_offset"], 2);
    assert_eq!(first["plan"]["order"], "read in order");
    let rest = json(&sandbox, &project, &["query", "--rql", "SELECT path FROM doc LIMIT 10 OFFSET 2"]);
    assert!(rest["next_offset"].is_null() && rest.get("plan").is_none(), "{rest}");
    let all = [paths(&first), paths(&rest)].concat();
    assert!(all.is_sorted() && all.len() == 5, "{all:?}");
    let restricted = json(&sandbox, &project, &["search", "retry", "--filter", "doc.language = 'rust'"]);
    let hits = restricted["results"].as_array().expect("a list");
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit["doc"]["language"] == "rust"), "{restricted}");
}
