//! The commits that changed a document.

use std::fs;
use std::process::Command;

use recall_core::Scope;
use recall_engine::{Engine, GetError, History, HistoryRequest};

use crate::support::Sandbox;

fn git(sandbox: &Sandbox, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(arguments);
    assert!(git.current_dir(sandbox.root()).status().expect("git runs").success(), "{arguments:?}");
}

fn commit(sandbox: &Sandbox, subject: &str) {
    git(sandbox, &["add", "-A"]);
    git(sandbox, &["commit", "-q", "-m", subject]);
}

fn history(sandbox: &Sandbox, engine: &Engine, id: &str, limit: usize) -> Result<History, GetError> {
    let request = HistoryRequest { id: id.to_owned(), scope: Scope::All, limit };
    engine.history(&sandbox.origin(), &request)
}

fn subjects(history: &History) -> Vec<&str> {
    history.commits.iter().map(|commit| commit.subject.as_str()).collect()
}

#[test]
fn the_commits_of_a_file_are_listed_also_under_its_earlier_name() {
    let sandbox = Sandbox::with(&[("src/store.rs", "pub fn open() {}\n"), ("src/[a].rs", "fn literal() {}\n")]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    commit(&sandbox, "Open the store");
    sandbox.write("src/other.rs", "fn other() {}\n");
    commit(&sandbox, "Something else");
    fs::rename(sandbox.root().join("src/store.rs"), sandbox.root().join("src/shelf.rs")).expect("renamed");
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    commit(&sandbox, &format!("A shelf, with {token} in the message"));
    let engine = sandbox.engine();
    let found = history(&sandbox, &engine, "src/shelf.rs", 20).expect("found");
    let [shelf, open] = &found.commits[..] else { panic!("{found:?}") };
    assert!(shelf.subject.starts_with("A shelf, with [secret"), "{shelf:?}");
    assert_eq!((open.subject.as_str(), open.author.as_str(), open.day.len()), ("Open the store", "Ada", 10));
    assert!(found.warnings.is_empty() && found.path == "src/shelf.rs", "{found:?}");
    let one = history(&sandbox, &engine, "src/shelf.rs", 1).expect("found");
    assert_eq!(one.commits.len(), 1);
    let literal = history(&sandbox, &engine, "src/[a].rs", 20).expect("found");
    assert_eq!(subjects(&literal), ["Open the store"], "brackets in a path match themselves");
    let id = sandbox.search(&engine, "other").hits[0].document.id.to_string();
    assert_eq!(subjects(&history(&sandbox, &engine, &id, 20).expect("found")), ["Something else"]);
    sandbox.write("src/new.rs", "fn new() {}\n");
    assert_eq!(subjects(&history(&sandbox, &engine, "src/new.rs", 20).expect("found")), [""; 0], "not committed yet");
    let missing = history(&sandbox, &engine, "src/none.rs", 20);
    assert!(matches!(missing, Err(GetError::NotFound { .. })), "{missing:?}");
    let folder = history(&sandbox, &engine, "src", 20);
    assert!(matches!(folder, Err(GetError::Folder { .. })), "{folder:?}");
}

#[test]
fn a_file_outside_of_a_repository_has_no_commits() {
    let sandbox = Sandbox::with(&[("src/store.rs", "pub fn open() {}\n")]);
    let engine = sandbox.engine();
    let found = history(&sandbox, &engine, "src/store.rs", 20).expect("found");
    assert_eq!(found, History { path: "src/store.rs".to_owned(), ..History::default() });
}
