//! What changed in the files of a memory is shown from git, and an amendment can require that nobody else amended.

use std::fs;
use std::process::Command;

use recall_core::{AddMemory, MemoryId, Scope, Timestamp, UpdateMemory, VerifyMemories, VerifyMode};
use recall_engine::{AnchorChange, Engine, MemoryError};

use super::{add, agent, lesson};
use crate::support::Sandbox;

const SOURCE: &str = "pub fn open() -> u32 {\n    1\n}\n\npub fn close() {}\n";

fn git(sandbox: &Sandbox, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(sandbox.root()).args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]).args(arguments);
    let output = git.output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(sandbox: &Sandbox) {
    git(sandbox, &["add", "--all"]);
    git(sandbox, &["commit", "--quiet", "--message", "a commit"]);
}

fn committed(path: &str, text: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[(path, text)]);
    git(&sandbox, &["init", "--quiet"]);
    commit(&sandbox);
    sandbox
}

fn about(file: &str, content: &str) -> AddMemory {
    AddMemory { related_files: vec![file.to_owned()], ..lesson("A wombat", content) }
}

#[track_caller]
fn change(sandbox: &Sandbox, engine: &Engine, id: MemoryId) -> AnchorChange {
    let (scope, mode) = (Scope::Project, VerifyMode::Check);
    let request = VerifyMemories { ids: vec![id], scope, mode, with_changes: true, provenance: agent() };
    let mut report = engine.verify_memories(&sandbox.origin(), &request).expect("told");
    let changes = report.changes.remove(&id).expect("it changed");
    let [change] = <[AnchorChange; 1]>::try_from(changes).expect("one");
    change
}

#[test]
fn the_change_of_a_file_is_shown_since_the_commit_of_the_memory() {
    let sandbox = committed("port.toml", "[server]\nport = 1\n");
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &about("port.toml", "It listens on a low port."));
    sandbox.write("port.toml", "[server]\nport = 8080\n");
    commit(&sandbox);
    let AnchorChange { path, symbol, commit, is_exact, diff, is_cut } = change(&sandbox, &engine, id);
    assert_eq!((path.as_str(), symbol, is_exact, is_cut), ("port.toml", None, true, false));
    assert!(commit.is_some_and(|commit| commit.len() >= 7));
    assert_eq!(diff, "@@ -1,2 +1,2 @@\n [server]\n-port = 1\n+port = 8080\n");
    fs::remove_file(sandbox.root().join("port.toml")).expect("removed");
    assert_eq!(change(&sandbox, &engine, id).diff, "@@ -1,2 +0,0 @@\n-[server]\n-port = 1\n");
}

#[test]
fn the_change_of_a_symbol_leaves_out_the_rest_of_its_file() {
    let sandbox = committed("src/door.rs", SOURCE);
    let engine = sandbox.engine();
    sandbox.search(&engine, "open");
    let id = add(&sandbox, &engine, &about("src/door.rs", "`open` answers 1."));
    sandbox.write("src/door.rs", &SOURCE.replace("    1", "    2").replace("close() {}", "close() { bang(); }"));
    let AnchorChange { symbol, is_exact, diff, .. } = change(&sandbox, &engine, id);
    assert_eq!((symbol.as_deref(), is_exact), (Some("open"), true));
    assert_eq!(diff, "@@ -1,3 +1,3 @@\n pub fn open() -> u32 {\n-    1\n+    2\n }\n");
}

#[test]
fn a_text_that_was_committed_after_the_memory_is_found() {
    let sandbox = committed("a.txt", "one\n");
    let engine = sandbox.engine();
    sandbox.write("a.txt", "two\n");
    let id = add(&sandbox, &engine, &about("a.txt", "It says two."));
    commit(&sandbox);
    sandbox.write("a.txt", "three\n");
    let told = change(&sandbox, &engine, id);
    assert_eq!((told.is_exact, told.diff.as_str()), (true, "@@ -1 +1 @@\n-two\n+three\n"));
}

#[test]
fn a_text_that_was_never_committed_is_replaced_by_that_of_its_commit_and_this_is_said() {
    let sandbox = committed("a.txt", "one\n");
    let engine = sandbox.engine();
    sandbox.write("a.txt", "two\n");
    let id = add(&sandbox, &engine, &about("a.txt", "It says two."));
    sandbox.write("a.txt", "three\n");
    let told = change(&sandbox, &engine, id);
    assert_eq!((told.is_exact, told.diff.as_str()), (false, "@@ -1 +1 @@\n-one\n+three\n"));
}

#[test]
fn secrets_of_both_texts_are_masked() {
    let secret = |tail: &str| format!("ghp_{tail}16C7e42F292c6912E7710c838347Ae17");
    let sandbox = committed("a.py", &format!("token = \"{}\"\nretries = 1\n", secret("8B4a")));
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &about("a.py", "It retries once."));
    sandbox.write("a.py", &format!("token = \"{}\"\nretries = 2\n", secret("9Cd1")));
    let told = change(&sandbox, &engine, id);
    assert!(told.diff.contains("+retries = 2") && told.diff.contains("[secret: "), "{}", told.diff);
    assert!(!told.diff.contains("C7e42F292c6912E771"), "{}", told.diff);
}

#[test]
fn a_commit_from_a_journal_is_no_option_of_git() {
    let sandbox = committed("a.txt", "one\n");
    let hash = "0".repeat(64);
    for (number, commit) in ["--output=stolen", "HEAD", "HEAD:a.txt", "0123", ""].into_iter().enumerate() {
        let anchor = format!(r#"{{"path":"a.txt","hash":"{hash}","commit":"{commit}"}}"#);
        let line = format!(
            r#"{{"event":"add","event_id":"{number:032x}","id":"L-{number:08x}","type":"lesson","title":"T{number}","content":"C","tags":[],"related_files":["a.txt"],"anchors":[{anchor}],"scope":"project","origin":"human","timestamp":"2026-11-20T12:00:00Z"}}"#
        ) + "\n";
        sandbox.write(".recall/2026-11-20/memories.jsonl", &line);
        let engine = sandbox.engine();
        sandbox.search(&engine, "anything");
        let told = change(&sandbox, &engine, format!("L-{number:08x}").parse().expect("an id"));
        assert_eq!((told.commit, told.diff.as_str()), (None, ""), "{commit}");
    }
    assert!(!sandbox.root().join("stolen").exists());
}

fn amendment(id: MemoryId, content: &str, expected: Option<Timestamp>) -> UpdateMemory {
    UpdateMemory {
        id,
        title: None,
        content: Some(content.to_owned()),
        tags: None,
        cues: None,
        related_files: None,
        expected,
        provenance: agent(),
        valid: recall_core::WordedTime::default(),
    }
}

#[test]
fn of_two_amendments_of_the_same_state_one_is_refused() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("The retry budget", "We try three times."));
    let update = |content: &str, expected| engine.update_memory(&sandbox.origin(), &amendment(id, content, expected));
    let mut seen = update("We try twice.", None).expect("amended").memory.memory.updated;
    for round in 0..20 {
        let contents = [format!("We try {round} times."), format!("Nobody tries {round} times.")];
        let results: Vec<_> = std::thread::scope(|scope| {
            let running = contents.each_ref().map(|content| scope.spawn(|| update(content, Some(seen))));
            running.map(|running| running.join().expect("no panic")).into_iter().collect()
        });
        let (done, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!((done.len(), refused.len()), (1, 1), "round {round}");
        assert!(matches!(refused[0], Err(MemoryError::Amended { .. })), "{refused:?}");
        seen = done.into_iter().flatten().next().expect("one").memory.memory.updated;
    }
}

#[test]
fn a_title_that_was_made_of_the_text_follows_it() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let updated = |title: &str| {
        let id = add(&sandbox, &engine, &lesson(title, "The cache lives for 5 minutes."));
        // A form sends the title as it was.
        let title = Some(title.to_owned());
        let request = UpdateMemory { title, ..amendment(id, "The cache lives for 10 minutes.", None) };
        let report = engine.update_memory(&sandbox.origin(), &request).expect("amended");
        report.memory.memory.title.to_string()
    };
    assert_eq!(updated("The cache lives for 5 minutes."), "The cache lives for 10 minutes.");
    assert_eq!(updated("About the cache"), "About the cache", "a title of its own stays");
}
