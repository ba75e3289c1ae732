//! The doctor reports problems, repairs derived data, and never changes a journal.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use recall_core::{MemoryType, Scope};
use recall_engine::{Check, DoctorReport, DoctorRequest, Engine, Fix, Problem, SecretScan};

use crate::support::{Sandbox, new_memory};

fn doctor(sandbox: &Sandbox, engine: &Engine, fix: Fix, secrets: SecretScan) -> DoctorReport {
    engine.doctor(&sandbox.origin(), &DoctorRequest { scope: Scope::All, fix, secrets }).expect("it can be checked")
}

/// Returns the problems that were found and not repaired.
fn problems(sandbox: &Sandbox, engine: &Engine, fix: Fix) -> Vec<Problem> {
    let findings = doctor(sandbox, engine, fix, SecretScan::Off).findings;
    findings.into_iter().filter(|finding| !finding.is_fixed).map(|finding| finding.problem).collect()
}

fn remember(sandbox: &Sandbox, engine: &Engine, content: &str) {
    let memory = new_memory(MemoryType::Lesson, content, content);
    engine.add_memory(&sandbox.origin(), &memory).expect("kept");
}

fn journal(sandbox: &Sandbox) -> PathBuf {
    let days = fs::read_dir(sandbox.root().join(".recall")).expect("there");
    let mut files = days.map(|day| day.expect("there").path().join("memories.jsonl"));
    files.find(|file| file.is_file()).expect("a journal")
}

#[test]
fn a_healthy_store_has_no_findings() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    remember(&sandbox, &engine, "Wombats dig.");
    sandbox.search(&engine, "wombats");
    let report = doctor(&sandbox, &engine, Fix::Nothing, SecretScan::On);
    assert_eq!(report.findings, []);
    assert_eq!(
        report.checked,
        [Check::Journal, Check::Selection, Check::Catalog, Check::Lexical, Check::Vectors, Check::Secrets]
    );
}

#[test]
fn unreadable_lines_and_conflict_markers_are_reported_and_stay() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    remember(&sandbox, &engine, "Wombats dig.");
    let file = journal(&sandbox);
    let mut open = fs::OpenOptions::new().append(true).open(&file).expect("there");
    open.write_all(b"<<<<<<< HEAD\n{\"event\":\"add\"\n=======\n>>>>>>> branch\n").expect("written");
    drop(open);
    let before = fs::read(&file).expect("there");
    for fix in [Fix::Nothing, Fix::Everything] {
        let found = problems(&sandbox, &engine, fix);
        let lines: Vec<(u64, bool)> = found
            .iter()
            .map(|problem| match problem {
                Problem::JournalLine { path, line, is_loss, .. } if *path == file => (*line, *is_loss),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(lines, [(3, true), (2, false), (4, false), (5, false)], "the worst first");
        assert!(fs::read(&file).expect("there") == before);
    }
}

#[test]
fn missing_lines_of_the_files_for_git_are_written_again() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    remember(&sandbox, &engine, "Wombats dig.");
    let file = sandbox.root().join(".recall/.gitattributes");
    fs::write(&file, "*.png binary\n").expect("written");
    let missing = Problem::GitLine { path: file.clone(), line: "*.jsonl merge=union" };
    assert_eq!(problems(&sandbox, &engine, Fix::Nothing), [missing]);
    assert_eq!(problems(&sandbox, &engine, Fix::Everything), []);
    assert_eq!(fs::read_to_string(&file).expect("there"), "*.png binary\n*.jsonl merge=union\n");
    assert_eq!(problems(&sandbox, &engine, Fix::Nothing), []);
}

#[test]
fn a_damaged_catalog_is_rebuilt_from_the_files() {
    let sandbox = Sandbox::new();
    for n in 0..200 {
        sandbox.write(&format!("src/f{n}.rs"), &format!("/// Burrow {n}.\nfn burrow_{n}() {{}}\n").repeat(20));
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    remember(&sandbox, &engine, "Wombats dig.");
    let index = engine.status(&sandbox.origin(), Scope::Project, 0).expect("told").stores[0].index.clone();
    engine.close();
    let catalog = index.join("catalog.db");
    let mut bytes = fs::read(&catalog).expect("there");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(&catalog, bytes).expect("written");
    let engine = sandbox.engine();
    let found = problems(&sandbox, &engine, Fix::Nothing);
    assert!(
        found.iter().any(|problem| matches!(problem, Problem::CatalogDamaged { .. } | Problem::Repaired { .. })),
        "{found:?}"
    );
    doctor(&sandbox, &engine, Fix::Everything, SecretScan::Off);
    let left = problems(&sandbox, &engine, Fix::Nothing);
    assert!(left.iter().all(|problem| matches!(problem, Problem::Repaired { .. })), "{left:?}");
    assert!(sandbox.search(&engine, "burrow_7").hits.iter().any(|hit| hit.document.path.as_str() == "src/f7.rs"));
    assert!(sandbox.search(&engine, "wombats").hits.iter().any(|hit| hit.memory.is_some()));
}

#[test]
fn files_with_secrets_are_reported_on_request() {
    // In parts, so that this file has no token.
    let token = format!("{}_{}", "ghp", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let sandbox = Sandbox::with(&[("a.rs", &format!("const TOKEN: &str = \"{token}\";\n")), ("b.rs", "fn b() {}\n")]);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    assert_eq!(problems(&sandbox, &engine, Fix::Nothing), []);
    let found = doctor(&sandbox, &engine, Fix::Nothing, SecretScan::On).findings;
    let expected = [("a.rs", 1, vec!["github-token"])];
    let found: Vec<_> = found
        .iter()
        .map(|finding| match &finding.problem {
            Problem::Secrets { path, count, rules } => (path.as_str(), *count, rules.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(found, expected);
}
