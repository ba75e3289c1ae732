//! Freshness of a store whose files are watched.

#![cfg(target_os = "linux")]

use std::fs;
use std::time::Duration;

use recall_core::{MemoryType, Scope, title_of};
use recall_engine::{Engine, EngineSettings, Warning};

use crate::support::{Sandbox, new_memory, paths};

fn watched(sandbox: &Sandbox) -> Engine {
    sandbox.engine_by(EngineSettings { watch: true, ..EngineSettings::default() })
}

/// Returns the age of the last scan, as a status reports it.
fn scanned_ago(engine: &Engine, sandbox: &Sandbox) -> Duration {
    let status = engine.status(&sandbox.origin(), Scope::Project, 0).expect("a status");
    assert_eq!(status.stores[0].unwatched, None);
    status.stores[0].scanned_ago.expect("it was scanned")
}

fn remember(sandbox: &Sandbox, engine: &Engine, text: &str) -> String {
    let request = new_memory(MemoryType::Lesson, title_of(text), text);
    engine.add_memory(&sandbox.origin(), &request).expect("kept").id.to_string()
}

#[test]
fn every_search_sees_what_was_written_before_it() {
    let sandbox = Sandbox::with(&[("src/a.rs", "fn alpha_one() {}\n"), ("docs/b.md", "# Beta\n\nWombats.\n")]);
    let engine = watched(&sandbox);
    assert_eq!(paths(&sandbox.search(&engine, "alpha_one")), ["src/a.rs"]);
    for round in 0..20 {
        let name = format!("zeta{round}");
        let file = format!("new{}/c.rs", round / 4);
        sandbox.write(&file, &format!("fn {name}() {{}}\n"));
        assert_eq!(paths(&sandbox.search(&engine, &name)), [file.as_str()], "round {round}");
        assert_eq!(sandbox.search(&engine, &name).warnings, []);
    }
    fs::rename(sandbox.root().join("new0"), sandbox.root().join("moved")).expect("renamed");
    assert_eq!(paths(&sandbox.search(&engine, "zeta3")), ["moved/c.rs"]);
    sandbox.write("moved/c.rs", "fn eta() {}\n");
    assert_eq!(paths(&sandbox.search(&engine, "eta")), ["moved/c.rs"]);
    fs::remove_dir_all(sandbox.root().join("moved")).expect("removed");
    assert_eq!(paths(&sandbox.search(&engine, "eta")), Vec::<&str>::new());
    sandbox.write(".gitignore", "docs\n");
    assert_eq!(paths(&sandbox.search(&engine, "wombats")), Vec::<&str>::new());
}

#[test]
fn a_project_without_changes_is_not_scanned() {
    let sandbox = Sandbox::with(&[("src/a.rs", "fn alpha_one() {}\n")]);
    let engine = watched(&sandbox);
    for _ in 0..3 {
        sandbox.search(&engine, "alpha_one");
    }
    let before = scanned_ago(&engine, &sandbox);
    let pause = Duration::from_millis(20);
    std::thread::sleep(pause);
    sandbox.search(&engine, "alpha_one");
    assert!(scanned_ago(&engine, &sandbox) >= before + pause, "the search has scanned");
    sandbox.write("src/a.rs", "fn alpha_two() {}\n");
    let answer = sandbox.search(&engine, "alpha_two");
    assert_eq!(paths(&answer), ["src/a.rs"]);
    assert!(scanned_ago(&engine, &sandbox) < before + pause);
}

#[test]
fn a_search_after_a_save_waits_longer_than_for_a_scan_of_unknown_length() {
    let mut sandbox = Sandbox::with(&[("src/a.rs", "fn alpha_one() {}\n")]);
    sandbox.limits.scan_wait = Duration::ZERO;
    let settings = EngineSettings { few_files_wait: Duration::from_mins(1), watch: true, ..EngineSettings::default() };
    let engine = sandbox.engine_by(settings);
    sandbox.search(&engine, "alpha_one");
    for round in 0..5 {
        let name = format!("zeta{round}");
        sandbox.write("src/b.rs", &format!("fn {name}() {{}}\n"));
        let answer = sandbox.search(&engine, &name);
        assert_eq!((paths(&answer), answer.warnings.len()), (vec!["src/b.rs"], 0), "{:?}", answer.warnings);
    }
}

#[test]
fn memories_of_another_process_are_found_by_the_next_search() {
    let sandbox = Sandbox::with(&[("src/a.rs", "fn alpha_one() {}\n")]);
    let (engine, other) = (watched(&sandbox), sandbox.engine());
    sandbox.search(&engine, "alpha_one");
    for word in ["wombats", "quokkas"] {
        let id = remember(&sandbox, &other, &format!("The {word} are counted twice."));
        assert_eq!(paths(&sandbox.search(&engine, word)), [id.as_str()], "{word}");
    }
}

#[test]
fn a_search_reports_the_age_of_the_last_scan_if_files_are_not_watched() {
    let mut sandbox = Sandbox::with(&[("src/a.rs", "fn alpha_one() {}\n")]);
    // Every scan takes longer than this, so that the next one waits.
    sandbox.limits.scan_wait = Duration::ZERO;
    let engine = sandbox.engine();
    sandbox.search(&engine, "alpha_one");
    let is_told = |warning: &Warning| matches!(warning, Warning::NotCompared { .. } | Warning::ScanRunning);
    sandbox.write("src/b.rs", "fn beta() {}\n");
    let answer = sandbox.search(&engine, "beta");
    assert!(!paths(&answer).is_empty() || answer.warnings.iter().any(is_told), "{:?}", answer.warnings);
}
