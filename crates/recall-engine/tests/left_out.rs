//! What is in a project is in its index, and what is left out is named with the reason.

use std::fmt::Write as _;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::support::{Sandbox, everything, paths, request};
use recall_core::{PathFilter, Scope};
use recall_engine::{
    Cancel, Engine, EngineSettings, FailureEntryKind, GetError, IndexReport, IndexRequest, ItemRequest, LeftOutFile,
    Parent, Warning,
};
use recall_text::FileKind;

/// Runs git in the project, without the user's own configuration.
fn git(sandbox: &Sandbox, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.excludesFile="])
        .args(arguments)
        .current_dir(sandbox.root())
        .env_remove("GIT_DIR")
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn add(sandbox: &Sandbox, engine: &Engine, path: &str) -> IndexReport {
    let request = IndexRequest { paths: vec![path.into()], ..everything() };
    engine.index(&sandbox.origin(), &request, &mut |_| {}, &Cancel::default()).expect("indexed")
}

/// Returns the reason why `get` does not show a file.
#[track_caller]
fn reason(sandbox: &Sandbox, engine: &Engine, path: &str) -> String {
    let request = ItemRequest { id: path.to_owned(), parent: Parent::Leave, scope: Scope::Project };
    match engine.get(&sandbox.origin(), &request) {
        Err(GetError::LeftOut { path: of, reason }) if of == path => reason,
        other => panic!("{path}: {other:?}"),
    }
}

/// Returns the reasons and counts of the warning that files are left out of an answer.
fn warned(sandbox: &Sandbox, engine: &Engine, query: &str) -> Vec<(String, u64)> {
    let answer = sandbox.search(engine, query);
    let groups = answer.warnings.into_iter().find_map(|warning| match warning {
        Warning::FilesLeftOut { groups } => Some(groups),
        _ => None,
    });
    groups.unwrap_or_default().into_iter().map(|group| (group.reason, group.files)).collect()
}

#[test]
fn what_git_tracks_is_found_and_a_later_git_add_is_seen() {
    let sandbox = Sandbox::with(&[(".gitignore", "conf/\n")]);
    git(&sandbox, &["init", "-q"]);
    for folder in ["build", "conf", ".githooks"] {
        let name = folder.trim_start_matches('.');
        sandbox.write(&format!("{folder}/f.py"), &format!("def heron_{name}():\n    return 1\n"));
        sandbox.write(&format!("{folder}/late.py"), &format!("def late_{name}():\n    return 1\n"));
    }
    git(&sandbox, &["add", "--force", "build/f.py", "conf/f.py", ".githooks/f.py"]);
    let engine = sandbox.engine();
    for (query, path) in
        [("heron_build", "build/f.py"), ("heron_conf", "conf/f.py"), ("heron_githooks", ".githooks/f.py")]
    {
        assert_eq!(paths(&sandbox.search(&engine, query)).first(), Some(&path), "{query}");
    }
    assert!(!paths(&sandbox.search(&engine, "late_conf")).contains(&"conf/late.py"));
    assert_eq!(reason(&sandbox, &engine, "conf/late.py"), "in `conf`, ignored: `conf/` in `.gitignore`");
    git(&sandbox, &["add", "--force", "conf/late.py"]);
    assert_eq!(paths(&sandbox.search(&engine, "late_conf")).first(), Some(&"conf/late.py"));
    git(&sandbox, &["rm", "-q", "--cached", "conf/late.py"]);
    assert!(!paths(&sandbox.search(&engine, "late_conf")).contains(&"conf/late.py"));
}

#[test]
fn what_rules_exclude_is_listed_in_the_status_after_all_problems() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n"), ("logo.png", "x"), ("build/out.rs", "fn b() {}\n")]);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let status = engine.status(&sandbox.origin(), Scope::Project, 100).expect("a status");
    let project = &status.stores[0];
    assert_eq!(project.ruled_out, 1);
    let failures: Vec<_> = project.failures.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect();
    assert_eq!(failures, [("logo.png", FailureEntryKind::Skipped), ("build/", FailureEntryKind::RuledOut)]);
    let groups: Vec<_> = project.left_out.iter().map(|group| (group.reason.as_str(), group.files)).collect();
    assert_eq!(groups, [("binary", 1)]);
}

#[test]
fn a_file_over_the_limit_is_named_wherever_it_is_missed() {
    let mut sandbox = Sandbox::with(&[("small.rs", "fn small() {}\n")]);
    sandbox.write("large.rs", &"fn heron_large() {}\n".repeat(1000));
    sandbox.limits.file_bytes = 1000;
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let expected = "too large: 19.5 KiB, the limit is 1000 B (setting `limits.file_bytes`)";
    assert_eq!(reason(&sandbox, &engine, "large.rs"), expected);
    let named = LeftOutFile { path: "large.rs".to_owned(), reason: expected.to_owned() };
    assert_eq!(add(&sandbox, &engine, "large.rs").left_out, [named]);
    assert_eq!(warned(&sandbox, &engine, "heron_large"), [("too large".to_owned(), 1)]);
    assert_eq!(warned(&sandbox, &engine, "small"), [], "an answer without doubt needs no warning");
    drop(engine);

    sandbox.limits.file_bytes = 100_000;
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "heron_large")), ["large.rs"]);
}

#[test]
fn a_large_source_file_is_parsed_in_parts_with_all_its_names() {
    let mut sandbox = Sandbox::with(&[]);
    let mut text = String::new();
    for number in 0..4000 {
        let _ = write!(text, "pub fn filler_{number}(x: u32) -> u32 {{\n    x + {number}\n}}\n\n");
    }
    sandbox.write("large.rs", &format!("{text}pub fn heron_checker() {{}}\n"));
    sandbox.limits.parse_bytes = 64 * 1024;
    let engine = sandbox.engine();
    let report = sandbox.index(&engine);
    assert_eq!((report.added, report.in_parts), (1, 1));
    let status = engine.status(&sandbox.origin(), Scope::Project, 0).expect("a status");
    assert_eq!(status.stores[0].symbols, 4001);
    let answer = sandbox.search(&engine, "heron_checker");
    assert_eq!(paths(&answer), ["large.rs"]);
    assert!(answer.hits[0].text.contains("pub fn heron_checker() {}"), "{:?}", answer.hits[0].text);
    let last = 4000 * 4 + 1;
    assert_eq!(answer.hits[0].chunk.span.end_line, last);
}

#[test]
fn one_long_line_costs_no_other_line() {
    let sandbox = Sandbox::with(&[]);
    let data = "QUJD".repeat(50_000);
    sandbox.write(
        "table.ts",
        &format!("const DATA = \"{data}\";\n\nexport function heronTable() {{\n    return DATA;\n}}\n"),
    );
    let engine = sandbox.engine();
    let answer = sandbox.search(&engine, "heronTable");
    assert_eq!(paths(&answer)[0], "table.ts");
    assert!(answer.hits[0].text.contains("function heronTable"), "{:?}", answer.hits[0].text);
}

#[test]
fn a_notebook_is_judged_without_its_pictures() {
    let mut sandbox = Sandbox::with(&[]);
    let picture = "QUJD".repeat(10_000);
    let cell = format!(
        r#"{{"cell_type": "code", "source": ["def heron_feature(df):\n"], "outputs": [{{"data": {{"image/png": "{picture}"}}}}]}}"#
    );
    sandbox.write("eda.ipynb", &format!(r#"{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4}}"#));
    sandbox.limits.file_bytes = 10_000;
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "heron_feature")), ["eda.ipynb"]);
}

#[test]
fn placeholders_are_no_hits() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
    let sandbox = Sandbox::with(&[
        ("heron.csv", pointer),
        ("heron/.gitkeep", ""),
        ("heron/notes.md", "\n"),
        ("a.rs", "fn a() {}\n"),
    ]);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["heron", "gitkeep", "heron.csv", "git-lfs"] {
        assert!(!paths(&sandbox.search(&engine, query)).iter().any(|path| path.starts_with("heron")), "{query}");
    }
    assert_eq!(reason(&sandbox, &engine, "heron.csv"), "a pointer of Git LFS");
}

#[test]
fn what_a_tool_wrote_and_git_tracks_is_found_as_a_generated_file() {
    let sandbox = Sandbox::with(&[
        ("Cargo.lock", "[[package]]\nname = \"heron_crate\"\nversion = \"1.2.3\"\n"),
        ("docs/heron.md", "# Heron\n\nheron_crate reads the wire.\n"),
    ]);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "."]);
    let engine = sandbox.engine();
    let answer = sandbox.search(&engine, "heron_crate");
    let kind = |path: &str| {
        let hit = answer.hits.iter().find(|hit| hit.document.path.as_str() == path);
        hit.map(|hit| hit.document.file_kind)
    };
    assert_eq!((kind("Cargo.lock"), kind("docs/heron.md")), (Some(FileKind::Generated), Some(FileKind::Main)));
}

#[test]
fn a_file_that_is_being_indexed_is_not_denied() {
    let sandbox = Sandbox::with(&[("src/kettle.rs", "fn kettle() {}\n")]);
    let engine = sandbox.engine_by(EngineSettings {
        first_index_wait: Duration::ZERO,
        ingest_wait: Duration::ZERO,
        few_files_wait: Duration::ZERO,
        embedding_wait: Duration::ZERO,
        ..EngineSettings::default()
    });
    let mut asked = request("kettle");
    asked.filters.paths = vec![PathFilter("src/kettle.rs".to_owned())];
    let (began, is_running) = mpsc::channel();
    let (answered, may_go_on) = mpsc::channel::<()>();
    let answer = thread::scope(|scope| {
        let (engine, sandbox) = (&engine, &sandbox);
        scope.spawn(move || {
            // The run is held up until the search has answered.
            let mut hold = |_| {
                let _ = began.send(());
                let _ = may_go_on.recv();
            };
            engine.index(&sandbox.origin(), &everything(), &mut hold, &Cancel::default())
        });
        is_running.recv().expect("the run begins");
        let answer = engine.search(&sandbox.origin(), &asked).expect("an answer");
        drop(answered);
        answer
    });
    let denied = answer.warnings.iter().any(|warning| matches!(warning, Warning::PathNotIndexed { .. }));
    // On a busy machine, a scan of the search itself may have found the file meanwhile.
    assert!(!denied, "{:?}", answer.warnings);
}

#[test]
fn a_folder_and_what_is_outside_are_not_just_missing() {
    let sandbox = Sandbox::with(&[("src/a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let get = |id: &str| {
        let request = ItemRequest { id: id.to_owned(), parent: Parent::Leave, scope: Scope::Project };
        engine.get(&sandbox.origin(), &request).expect_err("not an item").to_string()
    };
    assert_eq!(get("src"), "`src` is a folder, not a file");
    assert_eq!(get("./src/"), "`./src/` is a folder, not a file");
    assert_eq!(get("."), "`.` is a folder, not a file");
    assert_eq!(get("src/b.rs"), "not found: `src/b.rs`");
    let root = sandbox.root();
    let outside = root.parent().expect("a folder").join("other.rs");
    let (outside, root) = (outside.display().to_string(), root.display().to_string());
    assert_eq!(get(&outside), format!("not found: `{outside}`, which is outside the project `{root}`"));
    assert_eq!(get("../other.rs"), format!("not found: `../other.rs`, which is outside the project `{root}`"));
}
