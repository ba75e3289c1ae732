//! The commits that changed a document.

use std::fs;
use std::process::Command;

use recall_core::{Filters, Lines, Scope};
use recall_engine::{
    ContextRequest, ContextSection, Engine, GetError, History, HistoryRequest, ItemRequest, Parent, Warning,
    WorkTreeChanges,
};

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

#[test]
fn a_document_may_be_named_by_the_end_of_its_path_if_no_other_ends_so() {
    let sandbox = Sandbox::with(&[
        ("src/time/sleep.rs", "fn first() {}\nfn second() {}\n"),
        ("src/time/mod.rs", "mod sleep;\n"),
        ("src/mod.rs", "mod time;\n"),
        ("src/oversleep.rs", "fn late() {}\n"),
        ("README.md", "# Time\n"),
        ("src/README.md", "# Sources\n"),
        ("src/Config.rs", "fn read() {}\n"),
        ("src/old/config.rs", "fn read_old() {}\n"),
    ]);
    let engine = sandbox.engine();
    let get = |id: &str| {
        let request = ItemRequest { id: id.to_owned(), parent: Parent::Leave, scope: Scope::All };
        engine.get_cited(&sandbox.origin(), &request)
    };
    for named in ["sleep.rs:2", "time/sleep.rs:2", "./sleep.rs:2"] {
        let cited = get(named).expect("found");
        let expected = Warning::NamedByEnd { path: "src/time/sleep.rs".to_owned() };
        assert_eq!(cited.item.document.path.as_str(), "src/time/sleep.rs", "{named}");
        assert_eq!(cited.lines, Some(Lines { start: 2, end: 2 }), "{named}");
        assert!(cited.item.warnings.contains(&expected), "{named}: {:?}", cited.item.warnings);
    }
    let several = get("mod.rs").expect_err("two files");
    let GetError::Ambiguous { candidates, .. } = &several else { panic!("{several:?}") };
    assert_eq!(candidates, &["src/mod.rs", "src/time/mod.rs"]);
    assert_eq!(get("src/mod.rs").expect("exact").item.warnings, []);
    let near = |id| match get(id) {
        Err(GetError::NotFound { near, .. }) => near,
        other => panic!("{other:?}"),
    };
    assert_eq!(near("leep.rs"), ["src/time/sleep.rs"], "no part of a name");
    assert_eq!(near("src/Slep.rs:3"), ["src/time/sleep.rs"]);
    assert_eq!(near("zebra.toml"), [""; 0]);
    // Letters may be in another case. If several files fit then, the name is ambiguous.
    for (named, path) in
        [("readme.md", "README.md"), ("SRC/Time/Sleep.rs", "src/time/sleep.rs"), ("Config.rs", "src/Config.rs")]
    {
        assert_eq!(get(named).expect("found").item.document.path.as_str(), path);
    }
    let GetError::Ambiguous { candidates, .. } = get("CONFIG.rs").expect_err("two files") else {
        panic!("not ambiguous")
    };
    assert_eq!(candidates, ["src/Config.rs", "src/old/config.rs"]);
    assert_eq!(history(&sandbox, &engine, "sleep.rs", 20).expect("found").path, "src/time/sleep.rs");
}

#[test]
fn a_context_shows_a_commit_that_was_made_after_the_one_before() {
    let sandbox = Sandbox::with(&[("src/store.rs", "pub fn open_the_store() {}\n")]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    commit(&sandbox, "Open the store");
    let engine = sandbox.engine();
    let request = ContextRequest {
        task: "open the store".to_owned(),
        files: Vec::new(),
        changes: WorkTreeChanges::Ignore,
        sections: vec![ContextSection::Code, ContextSection::Changes],
        budget_tokens: 1_000,
        diversity: None,
        scope: Scope::Project,
        filters: Filters::default(),
    };
    for subject in ["Count the visitors", "Lock the doors"] {
        let before = engine.context(&sandbox.origin(), &request).expect("a window");
        assert!(before.text.contains("Open the store") && !before.text.contains(subject), "{}", before.text);
        sandbox.write("src/store.rs", &format!("pub fn open_the_store() {{}}\n// {subject}\n"));
        commit(&sandbox, subject);
        let after = engine.context(&sandbox.origin(), &request).expect("a window");
        let changes = after.text.split("## Recent commits").nth(1).unwrap_or_default();
        assert!(changes.contains(subject), "{}", after.text);
    }
}
