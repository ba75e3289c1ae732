//! Names that no file has any more: the answer says which commit removed them.

use std::path::PathBuf;
use std::time::Duration;

use recall_engine::{Engine, EngineSettings, Origin, RemovingCommit, Warning, WhySettings};

use crate::support::{Sandbox, request};
use crate::why::{commit, git};

/// A project whose second commit replaced `parse_frame` by `read_frame`, and whose third changed something else.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    git(&sandbox, &["init", "-q"]);
    sandbox.write("src/frames.py", "def parse_frame(text):\n    return text\n");
    commit(&sandbox, "Parse frames");
    sandbox.write("src/frames.py", "def decode(text):\n    return text\n");
    commit(&sandbox, "Decode frames instead");
    sandbox.write("src/other.py", "def other(frame):\n    return frame\n");
    commit(&sandbox, "Add others");
    sandbox
}

fn removals(sandbox: &Sandbox, engine: &Engine, query: &str) -> Vec<(String, String)> {
    let warnings = sandbox.search(engine, query).warnings.into_iter();
    let removed = warnings.filter_map(|warning| match warning {
        Warning::NameRemoved { name, commit: RemovingCommit { subject, .. } } => Some((name, subject)),
        _ => None,
    });
    removed.collect()
}

#[test]
fn a_name_that_a_commit_removed_is_told_with_the_commit() {
    let sandbox = project();
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let expected = [("parse_frame".to_owned(), "Decode frames instead".to_owned())];
    for query in ["what happened to parse_frame", "who calls Frames::parse_frame?", "parse_frame"] {
        assert_eq!(removals(&sandbox, &engine, query), expected, "{query}");
    }
    // The name is in a file again, in any form.
    sandbox.write("README.md", "# Frames\n\n`parse_frame` is gone.\n");
    sandbox.index(&engine);
    assert_eq!(removals(&sandbox, &engine, "what happened to parse_frame"), []);
}

#[test]
fn a_name_that_was_never_there_or_is_there_is_not_told() {
    let sandbox = project();
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["where is parse_request", "how does decode work", "how are frames parsed"] {
        let answer = sandbox.search(&engine, query);
        let is_about_a_name =
            |warning: &Warning| matches!(warning, Warning::NameRemoved { .. } | Warning::NameHistoryUnread { .. });
        assert!(!answer.warnings.iter().any(is_about_a_name), "{query}: {:?}", answer.warnings);
    }
}

#[test]
fn a_name_in_a_file_that_is_not_indexed_was_not_removed() {
    let sandbox = project();
    sandbox.write("data/blob.bin", "\0parse_frame\0");
    commit(&sandbox, "Keep a table of names");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    assert_eq!(removals(&sandbox, &engine, "what happened to parse_frame"), []);
}

#[test]
fn git_is_not_asked_for_names_if_a_search_is_not_to_wait() {
    let sandbox = project();
    let why = WhySettings { removed_wait: Duration::ZERO, ..WhySettings::default() };
    let engine = sandbox.engine_by(EngineSettings { why, ..EngineSettings::default() });
    sandbox.index(&engine);
    assert_eq!(removals(&sandbox, &engine, "what happened to parse_frame"), []);
}

#[test]
fn a_name_that_was_only_outside_the_folder_of_the_project_is_not_told() {
    let sandbox = Sandbox::new();
    git(&sandbox, &["init", "-q"]);
    sandbox.write("secret/plan.py", "def hidden_plan():\n    return 1\n");
    sandbox.write("app/main.py", "def open_plan():\n    return 1\n");
    commit(&sandbox, "Hide the plan");
    std::fs::remove_file(sandbox.root().join("secret/plan.py")).expect("removed");
    sandbox.write("app/main.py", "def main():\n    return 1\n");
    commit(&sandbox, "Burn the plans");
    let engine = sandbox.engine();
    let told = |project: PathBuf, name: &str| {
        let origin = Origin { directory: project.clone(), project: Some(project), ..sandbox.origin() };
        let answer = engine.search(&origin, &request(&format!("where is {name}"))).expect("an answer");
        answer.warnings.iter().any(|warning| matches!(warning, Warning::NameRemoved { .. }))
    };
    let below = || sandbox.root().join("app");
    assert!(!told(below(), "hidden_plan"));
    assert!(told(below(), "open_plan"));
    assert!(told(sandbox.root(), "hidden_plan"));
}
