//! Damaged, unreadable and manually edited files, reported or repaired by the real programs.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use recall_testkit::{Project, wait_until};
use recall_tests::{Sandbox, sandbox};
use serde_json::{Value, json};

fn project(sandbox: &Sandbox) -> Project {
    sandbox.project("shop", &[("src/store.rs", "pub fn open_store() {}\n"), ("docs/zoo.md", "# Zoo\n\nWombats.\n")])
}

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The warnings of a response that have a code.
fn warnings(answer: &Value, code: &str) -> Vec<Value> {
    let all = answer["warnings"].as_array().cloned().unwrap_or_default();
    all.into_iter().filter(|warning| warning["code"] == code).collect()
}

fn paths(answer: &Value) -> Vec<String> {
    let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    hits.iter().filter_map(|hit| hit["doc"]["path"].as_str()).map(str::to_owned).collect()
}

fn journal(project: &Project) -> PathBuf {
    let days = fs::read_dir(project.path(".recall")).expect("there");
    let mut files = days.map(|day| day.expect("there").path().join("memories.jsonl"));
    files.find(|file| file.is_file()).expect("a journal")
}

#[test]
fn unreadable_lines_of_a_journal_are_reported_once_until_they_change() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["remember", "Badgers dig at noon."]);
    let whole = fs::read(journal(&project)).expect("there");
    let damages: [&[u8]; 4] =
        [b"{\"event\":\"add\"\n", b"{\n  \"event\": \"add\"\n}\n", b"caf\xe9\n", b"{\"event\":\"fly\"}\n"];
    for damage in damages {
        fs::write(journal(&project), [&whole, damage].concat()).expect("written");
        let reported = wait_until("a warning", || {
            let answer = json_of(&sandbox, &project, &["search", "badgers"]);
            assert!(!paths(&answer).is_empty() || !answer["results"].as_array().expect("hits").is_empty(), "{answer}");
            warnings(&answer, "JOURNAL_LINES_UNREAD").pop()
        });
        let (message, hint) =
            (reported["message"].as_str().expect("a text"), reported["hint"].as_str().expect("a text"));
        assert!(message.contains("memories.jsonl") && message.contains("line 2"), "{reported}");
        assert!(hint.contains("recall doctor"), "{reported}");
        for arguments in [&["search", "badgers"][..], &["list"]] {
            let answer = json_of(&sandbox, &project, arguments);
            assert_eq!(warnings(&answer, "JOURNAL_LINES_UNREAD"), [] as [Value; 0], "reported twice: {answer}");
        }
    }
    // A listing reports it as well. A folder in place of a journal is reported too.
    fs::remove_file(journal(&project)).expect("removed");
    let day = project.path(".recall/2026-01-02/memories.jsonl");
    fs::create_dir_all(&day).expect("made");
    wait_until("a warning", || warnings(&json_of(&sandbox, &project, &["list"]), "JOURNAL_LINES_UNREAD").pop());
}

#[test]
fn a_bad_line_of_the_selection_affects_only_itself() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    sandbox.recall(&project, &["init"]);
    assert!(!paths(&json_of(&sandbox, &project, &["search", "wombats"])).is_empty());
    assert_eq!(json_of(&sandbox, &project, &["rm", "docs/zoo.md"])["documents"], 1);
    assert_eq!(sandbox.recall(&project, &["daemon", "restart"]).code, Some(0));
    let selection = project.path(".recall/selection.jsonl");
    let mut text = fs::read(&selection).expect("there");
    text.extend_from_slice(b"{\"event\":\"remove\",\"path\":\"caf\xe9.md\"}\n{\"event\":\n");
    fs::write(&selection, &text).expect("written");
    assert_eq!(sandbox.recall(&project, &["daemon", "restart"]).code, Some(0));
    let answer = json_of(&sandbox, &project, &["search", "wombats store"]);
    assert_eq!(paths(&answer), ["src/store.rs"], "{answer}");
    let reported = warnings(&answer, "SELECTION_LINES_UNREAD");
    assert!(
        reported.len() == 1 && reported[0]["message"].as_str().is_some_and(|reported| reported.contains("line 2")),
        "{answer}"
    );
    let doctor = sandbox.recall(&project, &["doctor"]);
    assert!(doctor.code == Some(1) && doctor.stdout.contains("line 3 cannot be read"), "{doctor:?}");
    let fixed = sandbox.recall(&project, &["doctor", "--fix"]);
    assert_eq!(fixed.code, Some(1), "{fixed:?}");
    json_of(&sandbox, &project, &["rm", "src/store.rs"]);
    let after = fs::read(&selection).expect("there");
    assert!(after.starts_with(&text) && after.len() > text.len(), "no line is changed");
}

#[test]
fn a_file_excluded_while_the_daemon_runs_is_missing_from_the_next_search() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    assert_eq!(paths(&json_of(&sandbox, &project, &["search", "wombats"])), ["docs/zoo.md"]);
    project.write(".recall/recall.toml", "[index]\nexclude = [\"docs/**\"]\n");
    let answer = json_of(&sandbox, &project, &["search", "wombats"]);
    let is_told = ["SCAN_RUNNING", "INDEXING"].iter().any(|code| !warnings(&answer, code).is_empty());
    assert!(paths(&answer).is_empty() || is_told, "{answer}");
    wait_until("the exclusion", || {
        paths(&json_of(&sandbox, &project, &["search", "wombats"])).is_empty().then_some(())
    });
    project.write(".recall/recall.toml", "[index]\nexclude = []\n");
    wait_until("the document", || {
        (!paths(&json_of(&sandbox, &project, &["search", "wombats"])).is_empty()).then_some(())
    });
    project.write(".recall/recall.toml", "[index\n");
    let answer = json_of(&sandbox, &project, &["search", "wombats"]);
    assert!(!warnings(&answer, "CONFIGURATION").is_empty(), "{answer}");
}

/// The folder of the only index.
fn index(sandbox: &Sandbox, project: &Project) -> PathBuf {
    let status = json_of(sandbox, project, &["status"]);
    PathBuf::from(status["stores"][0]["index_path"].as_str().unwrap_or_else(|| panic!("{status}")))
}

#[test]
fn a_broken_user_configuration_does_not_prevent_searching_and_stopping_the_daemon() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    assert_eq!(sandbox.recall(&project, &["search", "wombats"]).code, Some(0));
    let file = sandbox.dirs().user_config();
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(&file, "[index\n").expect("written");
    for command in [&["daemon", "status"][..], &["status"], &["search", "wombats"], &["doctor"], &["daemon", "stop"]] {
        let outcome = sandbox.recall(&project, command);
        assert_eq!(outcome.code, Some(0), "{command:?}: {outcome:?}");
        assert!(outcome.stderr.contains("recall.toml:1: "), "{command:?}: {outcome:?}");
    }
    let refused = sandbox.recall(&project, &["search", "wombats"]);
    assert_eq!(refused.code, Some(2), "a daemon does not start: {refused:?}");
    assert!(refused.stderr.starts_with("error: ") && refused.stderr.contains("recall.toml:1: "), "{refused:?}");
    fs::remove_file(&file).expect("removed");
    let mended = sandbox.recall(&project, &["search", "wombats"]);
    assert!(mended.code == Some(0) && !mended.stderr.contains("recall.toml"), "{mended:?}");
}

/// Returns every regular file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

/// The words of a project; each document has one that no other has.
const WORDS: [&str; 8] = ["wombat", "badger", "heron", "otter", "lynx", "marmot", "beaver", "gannet"];

/// Changes bytes in the middle of an open file. Its length and its ends stay the same.
fn garble(file: &Path, bytes: &[u8], kind: &str) -> Vec<u8> {
    let mut garbled = bytes.to_vec();
    let (start, end) = (bytes.len() / 6, bytes.len() - bytes.len() / 6);
    // Single bits: most of the content stays readable with another meaning, and is not detected as damaged.
    garbled[start..end].iter_mut().step_by(37).for_each(|byte| *byte ^= 1);
    if kind == "replaced" {
        fs::write(file.with_extension("new"), &garbled).expect("written");
        fs::rename(file.with_extension("new"), file).expect("renamed");
    } else {
        let open = fs::File::options().write(true).open(file).expect("there");
        std::os::unix::fs::FileExt::write_all_at(&open, &garbled, 0).expect("written");
    }
    garbled
}

#[test]
fn a_replaced_or_overwritten_index_file_is_noticed_by_a_running_daemon() {
    // A check before every response, so that none is sent between two checks.
    let sandbox = sandbox!().with_variable("RECALL_LIMITS__LOOK_INTERVAL", "0s");
    let texts: Vec<(String, String)> = (0..40)
        .map(|number| {
            let word = WORDS[number % WORDS.len()];
            (format!("docs/{number}.md"), format!("# Page {number}\n\nThe {word}{number} lives beside the {word}.\n"))
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = sandbox.project("zoo", &texts);
    let ask = || {
        WORDS.map(|word| {
            let answer = json_of(&sandbox, &project, &["search", word, "--limit", "5"]);
            let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
            let mut found: Vec<_> =
                hits.iter().map(|hit| (hit["doc"]["path"].to_string(), hit["chunk"]["text"].to_string())).collect();
            found.sort();
            found
        })
    };
    wait_until("the first answer", || (!ask()[0].is_empty()).then_some(()));
    assert_eq!(sandbox.recall(&project, &["daemon", "restart"]).code, Some(0));
    let expected = ask();
    assert!(expected.iter().all(|found| found.len() == 5), "{expected:?}");
    let daemon = json_of(&sandbox, &project, &["status"])["daemon"]["pid"].clone();
    let mut wrong = Vec::new();
    for kind in ["overwritten", "replaced"] {
        let mut all = Vec::new();
        files(&index(&sandbox, &project), &mut all);
        let is_lexical = |file: &Path| file.parent().is_some_and(|folder| folder.ends_with("lexical"));
        all.retain(|file| {
            (is_lexical(file) && !file.ends_with("seal") && !file.ends_with(".managed.json"))
                || file.ends_with("catalog.db")
        });
        assert!(all.len() > 5, "{all:?}");
        for file in all {
            // A rebuilt file has another name.
            let Ok(bytes) = fs::read(&file) else { continue };
            if !bytes.is_empty() {
                let garbled = garble(&file, &bytes, kind);
                let found = ask();
                let stays = fs::read(&file).is_ok_and(|now| now == garbled);
                let names = || (kind, file.file_name().map(ToOwned::to_owned));
                wrong.extend((found != expected || stays).then(names));
            }
        }
    }
    assert_eq!(wrong, [], "answers changed, or the damage is still there");
    assert_eq!(json_of(&sandbox, &project, &["status"])["daemon"]["pid"], daemon, "the daemon ended");
}

#[test]
fn a_folder_a_pipe_or_a_link_in_place_of_an_index_file_is_repaired() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let right = |what: &str| {
        let answer = json_of(&sandbox, &project, &["search", "wombats"]);
        assert!(answer["results"].is_array() && paths(&answer) == ["docs/zoo.md"], "{what}: {answer}");
    };
    right("first");
    let index = index(&sandbox, &project);
    let outside = sandbox.path().join("precious");
    fs::write(&outside, "precious").expect("written");
    assert_eq!(sandbox.recall(&project, &["daemon", "stop"]).code, Some(0));
    for name in [
        "catalog.db",
        "catalog.db-wal",
        "catalog.db-shm",
        "lexical",
        "lexical/meta.json",
        "lexical/.managed.json",
        "vectors",
        "retrievals",
        "vectors.lock",
    ] {
        for kind in ["folder", "pipe", "link"] {
            let file = index.join(name);
            drop(fs::remove_file(&file).or_else(|_| fs::remove_dir_all(&file)));
            fs::create_dir_all(file.parent().expect("below")).expect("made");
            match kind {
                "folder" if name != "lexical" && name != "vectors" => {
                    fs::create_dir(&file).expect("made");
                    fs::write(file.join("inside"), "x").expect("written");
                }
                "link" => std::os::unix::fs::symlink(&outside, &file).expect("linked"),
                _ => {
                    let made = std::process::Command::new("mkfifo").arg(&file).status();
                    assert!(made.is_ok_and(|status| status.success()));
                }
            }
            right(&format!("{name} is a {kind}"));
            assert_eq!(sandbox.recall(&project, &["daemon", "stop"]).code, Some(0));
            assert_eq!(fs::read_to_string(&outside).expect("there"), "precious", "{name} is a {kind}");
        }
    }
}

#[test]
fn everything_that_init_writes_is_private() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let outcome = sandbox.recall(&project, &["init"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let mut written = Vec::new();
    files(&project.path(".recall"), &mut written);
    assert!(written.iter().any(|file| file.ends_with("recall.toml")), "{written:?}");
    for file in written {
        let mode = fs::metadata(&file).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.display());
    }
}

#[test]
fn a_program_named_git_in_the_project_is_never_run() {
    let place = tempfile::tempdir().expect("a folder");
    let ran = place.path().join("ran");
    for search_path in [":/usr/bin:/bin", ".:/usr/bin:/bin", "/usr/bin:/bin:", "bin:.::/usr/bin"] {
        let sandbox = sandbox!().with_variable("PATH", search_path);
        let project = project(&sandbox);
        for name in ["git", "bin/git"] {
            project.write(name, format!("#!/bin/sh\ntouch '{}'\n", ran.display()));
            fs::set_permissions(project.path(name), fs::Permissions::from_mode(0o755)).expect("set");
        }
        fs::create_dir_all(project.path(".git/objects")).expect("made");
        fs::create_dir_all(project.path(".git/refs")).expect("made");
        project.write(".git/HEAD", "ref: refs/heads/main\n");
        let started = json_of(&sandbox, &project, &["session", "start", "--briefing"]);
        assert!(started["session_id"].is_string(), "{started}");
        json_of(&sandbox, &project, &["session", "stop"]);
        assert!(!ran.exists(), "{search_path}");
        assert_eq!(
            json!(fs::read_to_string(project.path(".git/HEAD")).expect("there")),
            json!("ref: refs/heads/main\n")
        );
    }
}
