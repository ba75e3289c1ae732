//! Anchors of a memory are compared with the files when it is returned.

use std::fs;

use recall_core::{AddMemory, AnchorState, MemoryId, Scope, VerifyMemories, VerifyMode};
use recall_engine::{Engine, ItemRequest, Parent, VerifyReport};

use super::{add, agent, found, lesson, with_others};
use crate::support::Sandbox;

const SOURCE: &str = "pub fn open_store(path: &str) -> Store {\n    Store::at(path)\n}\n\npub fn close_store() {}\n";

fn about(files: &[&str], title: &str, content: &str) -> AddMemory {
    let related_files = files.iter().map(|file| (*file).to_owned()).collect();
    AddMemory { related_files, ..lesson(title, content) }
}

#[track_caller]
fn state(sandbox: &Sandbox, engine: &Engine, query: &str, id: MemoryId) -> AnchorState {
    let answer = sandbox.search(engine, query);
    let mut recalled = answer.hits.into_iter().filter_map(|hit| hit.memory);
    recalled.find(|recalled| recalled.memory.id == id).expect("found").verification.state
}

fn verify(sandbox: &Sandbox, engine: &Engine, ids: &[MemoryId], mode: VerifyMode) -> VerifyReport {
    let request =
        VerifyMemories { ids: ids.to_vec(), scope: Scope::Project, mode, with_changes: false, provenance: agent() };
    engine.verify_memories(&sandbox.origin(), &request).expect("told")
}

#[test]
fn a_memory_about_a_file_holds_until_the_file_changes() {
    let sandbox = Sandbox::with(&[("config.toml", "[server]\nport = 1\n"), ("b.rs", "fn b() {}\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "port");
    let id = add(&sandbox, &engine, &about(&["config.toml"], "The wombat port", "It listens on a low port."));
    assert_eq!(state(&sandbox, &engine, "wombat", id), AnchorState::Verified);
    sandbox.write("config.toml", "[server]\nport = 8080\n");
    assert_eq!(state(&sandbox, &engine, "wombat", id), AnchorState::Changed);
    let report = verify(&sandbox, &engine, &[], VerifyMode::Check);
    assert_eq!((report.broken(), report.memories.len()), (1, 1));
    assert_eq!(report.memories[0].verification.broken[0].0.path.as_str(), "config.toml");

    let confirmed = verify(&sandbox, &engine, &[id], VerifyMode::Confirm);
    assert_eq!((confirmed.broken(), confirmed.memories[0].verification.state), (0, AnchorState::Verified));
    assert!(confirmed.memories[0].verification.verified.is_some());
    fs::remove_file(sandbox.root().join("config.toml")).expect("removed");
    assert_eq!(state(&sandbox, &engine, "wombat", id), AnchorState::Gone);
}

#[test]
fn a_memory_about_a_symbol_ignores_other_changes_of_the_file() {
    let sandbox = Sandbox::with(&[("src/store.rs", SOURCE)]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "store");
    let memory = about(&["src/store.rs"], "Opening waits", "`open_store` waits for the wombat lock.");
    let id = add(&sandbox, &engine, &memory);
    assert_eq!(state(&sandbox, &engine, "wombat", id), AnchorState::Verified);
    sandbox.write("src/store.rs", &SOURCE.replace("pub fn close_store() {}", "pub fn close_store() { flush(); }"));
    assert_eq!(state(&sandbox, &engine, "wombat", id), AnchorState::Verified);
    sandbox.write("src/store.rs", &SOURCE.replace("Store::at(path)", "Store::beside(path)"));
    assert_eq!(state(&sandbox, &engine, "wombat", id), AnchorState::Changed);
    sandbox.write("src/store.rs", "pub fn close_store() {}\n");
    assert_eq!(state(&sandbox, &engine, "wombat", id), AnchorState::Gone);
}

#[test]
fn a_renamed_file_that_is_unchanged_keeps_its_anchors() {
    let sandbox = Sandbox::with(&[("src/store.rs", SOURCE), ("config.toml", "port = 1\n"), ("empty.txt", "")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "store");
    let whole = add(&sandbox, &engine, &about(&["config.toml"], "The port", "It is one, as every wombat knows."));
    let symbol = about(&["src/store.rs"], "Opening waits", "`open_store` waits for the wombat lock.");
    let symbol = add(&sandbox, &engine, &symbol);
    let empty = add(&sandbox, &engine, &about(&["empty.txt"], "Nothing", "It is as empty as a wombat's burrow."));
    let rename = |from: &str, to: &str| {
        let to = sandbox.root().join(to);
        fs::create_dir_all(to.parent().expect("below the root")).expect("a folder");
        fs::rename(sandbox.root().join(from), to).expect("renamed");
    };
    rename("config.toml", "conf/config.toml");
    rename("src/store.rs", "src/store/open.rs");
    rename("empty.txt", "void.txt");
    let moved = |id: MemoryId| {
        let request = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::Project };
        let memory = engine.get(&sandbox.origin(), &request).expect("there").memory.expect("a memory");
        let moved = memory.verification.moved.iter().map(|file| file.to.as_str().to_owned()).collect::<Vec<_>>();
        (memory.verification.state, moved)
    };
    assert_eq!(moved(whole), (AnchorState::Verified, vec!["conf/config.toml".to_owned()]));
    assert_eq!(moved(symbol), (AnchorState::Verified, vec!["src/store/open.rs".to_owned()]));
    assert_eq!(moved(empty), (AnchorState::Gone, Vec::new()), "all empty files are alike");
    assert_eq!(state(&sandbox, &engine, "wombat", whole), AnchorState::Verified);
    sandbox.write("conf/config.toml", "port = 2\n");
    assert_eq!(state(&sandbox, &engine, "wombat", whole), AnchorState::Gone);
}

#[test]
fn missing_and_outside_files_are_reported() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let report = engine.add_memory(&sandbox.origin(), &about(&["nowhere.rs"], "A wombat", "It is nowhere."));
    let report = report.expect("kept");
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
    assert_eq!(state(&sandbox, &engine, "wombat", report.id), AnchorState::Unanchored);
    let outside = engine.add_memory(&sandbox.origin(), &about(&["../../etc/passwd"], "Another", "It is outside."));
    assert!(outside.is_err(), "{outside:?}");
}

#[test]
fn a_memory_that_no_longer_holds_is_ranked_after_one_that_does() {
    let sandbox = with_others(&[("one.toml", "port = 1\n"), ("two.toml", "port = 2\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "port");
    // The same words at the same places as far as the question goes, so that nothing but the files tells them apart.
    let force = |memory: AddMemory| AddMemory { repeats: recall_core::Repeats::Accept, ..memory };
    let one = about(&["one.toml"], "About wombats", "Here wombats dig their burrows by night in spring.");
    let two = about(&["two.toml"], "About wombats", "Here wombats by night in spring dig their burrows.");
    let (one, two) = (add(&sandbox, &engine, &force(one)), add(&sandbox, &engine, &force(two)));
    let order = || {
        let ids = found(&sandbox, &engine, "wombats");
        engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
        ids
    };
    order();
    let before = order();
    assert_eq!(before.len(), 2, "{before:?}");
    let file = if before[0] == one { "one.toml" } else { "two.toml" };
    sandbox.write(file, "port = 8080\n");
    order();
    assert_eq!(order(), [before[1], before[0]]);
    let answer = sandbox.search(&engine, "wombats");
    let hit = answer.hits.iter().rfind(|hit| hit.memory.is_some()).expect("a memory");
    let priors = &hit.explanation.as_ref().expect("explained").priors;
    assert!(priors.iter().any(|factor| factor.name == "anchors" && factor.value < 1.0), "{priors:?}");
    verify(&sandbox, &engine, &[one, two], VerifyMode::Confirm);
    order();
    assert_eq!(order(), before);
}
