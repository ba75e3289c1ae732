//! Names in instructions for agents that the project no longer has.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use recall_core::{Provenance, Scope, VerifyMemories, VerifyMode};
use recall_engine::{DoubtKind, Owner};

use crate::support::{Sandbox, request};

fn git(at: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
    assert!(git.args(arguments).current_dir(at).status().expect("git runs").success(), "{arguments:?}");
}

fn commit(sandbox: &Sandbox) {
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    git(&sandbox.root(), &["add", "-A"]);
    git(&sandbox.root(), &["commit", "-q", "-m", "change"]);
}

/// Returns the number of claims, and the doubts as `line kind name: reason`.
fn verified(sandbox: &Sandbox) -> (u64, Vec<String>) {
    let all = VerifyMemories {
        ids: Vec::new(),
        scope: Scope::Project,
        mode: VerifyMode::Check,
        with_changes: false,
        provenance: Provenance::default(),
    };
    let report = sandbox.engine().verify_memories(&sandbox.origin(), &all).expect("verified");
    let adopted = report.adopted.expect("no ids were named");
    let text = |doubt: &recall_engine::Doubt| {
        let reason = doubt.reason.split(" (").next().and_then(|reason| reason.split(" in ").next()).unwrap_or_default();
        format!("{} {} {}: {reason}", doubt.line, doubt.kind.as_str(), doubt.name)
    };
    (adopted.claims, adopted.doubts.iter().map(text).collect())
}

const STORE: &str = "pub fn open_store() {}\npub fn close_store() {}\n";

#[test]
fn names_that_were_there_and_are_gone_are_doubted() {
    let sandbox = Sandbox::with(&[
        ("src/store.rs", STORE),
        ("src/old/cache.rs", "pub fn cache() {}\n"),
        ("Makefile", ".PHONY: check\ncheck:\n\ttrue\n"),
        (
            "AGENTS.md",
            "# Rules\n\n`open_store()` opens it, `close_store()` closes it.\nThe cache is in `src/old/cache.rs`, its ports in\n\
             `src/ports.rs`. Run `make check` or `make lint`.\n\nCreate `src/new.rs` for more. We use `useEffect` and `Node.js`.\n",
        ),
    ]);
    commit(&sandbox);
    sandbox.write("src/store.rs", "pub fn open_store() {}\n");
    std::fs::remove_file(sandbox.root().join("src/old/cache.rs")).expect("removed");
    commit(&sandbox);
    let (claims, doubts) = verified(&sandbox);
    assert_eq!(claims, 7);
    let expected = [
        "3 symbol close_store(): no file has it; it was there when this was written",
        "4 file src/old/cache.rs: deleted",
        "5 command make lint: no makefile has a target `lint`",
    ];
    assert_eq!(doubts, expected);
}

#[test]
fn without_git_only_what_the_files_show_is_doubted() {
    let sandbox = Sandbox::with(&[
        ("src/store.rs", STORE),
        ("CLAUDE.md", "See `src/gone.rs`, `lib/gone.rs`, `gone.rs`, `gone_for_good()` and `src/store.rs`.\n"),
    ]);
    let (claims, doubts) = verified(&sandbox);
    assert_eq!((claims, doubts.len()), (5, 1), "{doubts:?}");
    assert!(doubts[0].starts_with("1 file src/gone.rs"), "{doubts:?}");
}

#[test]
fn a_hit_says_whose_file_it_is() {
    let sandbox = Sandbox::with(&[("src/gone.rs", STORE), ("AGENTS.md", "Wombats see `src/gone.rs`.\n")]);
    commit(&sandbox);
    std::fs::rename(sandbox.root().join("src/gone.rs"), sandbox.root().join("src/store.rs")).expect("renamed");
    commit(&sandbox);
    sandbox.write("CLAUDE.md", "Quolls dance.\n");
    let engine = sandbox.engine();
    let adopted = |query: &str, path: &str| {
        let answer = engine.search(&sandbox.origin(), &request(query)).expect("an answer");
        let hit = answer.hits.into_iter().find(|hit| hit.document.path.as_str() == path).expect("a hit");
        hit.adopted
    };
    let committed = adopted("wombats", "AGENTS.md").expect("an instruction");
    assert_eq!((committed.owner, committed.doubts.len()), (Owner::Repository, 1));
    assert_eq!(committed.doubts[0].kind, DoubtKind::File);
    assert_eq!(adopted("quolls", "CLAUDE.md").expect("an instruction").owner, Owner::Local);
    assert_eq!(adopted("open_store", "src/store.rs"), None);
}
