//! Backups and their restoration by the real programs.

#![cfg(unix)]

mod hostile;
mod writers;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use recall_testkit::{Outcome, Project, Sandbox};
use recall_tests::sandbox;
use serde_json::{Value, json};

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

#[track_caller]
fn refused(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let Outcome { code, stdout, stderr } = sandbox.recall(project, &[&["--json"], arguments].concat());
    assert!(code.is_some_and(|code| (1..=4).contains(&code)), "{arguments:?}: {code:?} {stdout}{stderr}");
    let error =
        serde_json::from_str::<Value>(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))["error"].clone();
    assert!(error["hint"].is_string(), "no hint: {error}");
    error
}

#[track_caller]
fn remember(sandbox: &Sandbox, project: &Project, text: &str, scope: &str) -> String {
    let answer = json_of(sandbox, project, &["remember", text, "--type", "lesson", "--scope", scope, "--force"]);
    answer["id"].as_str().expect("an id").to_owned()
}

fn zoo(sandbox: &Sandbox) -> Project {
    sandbox.project("zoo", &[("src/zoo.rs", "pub fn feed() {}\n")])
}

/// A project with memories, a session with a summary, a selection, and global memories. Returns it with the memories' ids.
fn filled(sandbox: &Sandbox) -> (Project, Vec<String>) {
    let project = zoo(sandbox);
    let ids = vec![
        remember(sandbox, &project, "Wombats are fed at midnight, never before.", "project"),
        remember(sandbox, &project, "Badgers dig under the northern fence.", "project"),
        remember(sandbox, &project, "Keepers write their notes in the evening.", "global"),
    ];
    json_of(sandbox, &project, &["feedback", &ids[0], "useful"]);
    json_of(sandbox, &project, &["session", "start", "--goal", "Feed the wombats"]);
    project.write(".recall/profile.md", "Feed first.\n");
    fs::write(sandbox.dirs().data.join("global/guide.md"), "# Guide\n\nOtters sleep by day.\n").expect("written");
    (project, ids)
}

fn path(sandbox: &Sandbox, name: &str) -> String {
    sandbox.path().join(name).to_string_lossy().into_owned()
}

/// What a project's memories say, without what depends on the moment.
fn memories(sandbox: &Sandbox, project: &Project, ids: &[String]) -> Vec<Value> {
    let search = |query: &str| {
        let answer = json_of(sandbox, project, &["search", query]);
        let hits = answer["results"].as_array().expect("hits").iter();
        let memories = hits.filter(|hit| !hit["memory"].is_null());
        json!(memories.map(|hit| [&hit["memory"]["id"], &hit["chunk"]["text"]]).collect::<Vec<_>>())
    };
    let get = |id: &String| {
        let memory = json_of(sandbox, project, &["get", id])["memory"].clone();
        ["id", "title", "trust", "ownership", "standing"].map(|name| memory[name].clone())
    };
    let listed = json_of(sandbox, project, &["list", "--type", "lesson", "--sort", "path"]);
    let titles = listed["results"].as_array().expect("entries").iter().map(|entry| entry["doc"]["title"].clone());
    vec![
        search("wombats midnight"),
        search("badgers dig fence"),
        search("keepers notes evening"),
        json!(ids.iter().map(get).collect::<Vec<_>>()),
        titles.collect(),
    ]
}

fn unpack(archive: &str, into: &Path) {
    fs::create_dir_all(into).expect("a folder");
    let tar = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(into).output().expect("tar runs");
    assert!(tar.status.success(), "{tar:?}");
}

#[test]
fn another_machine_gives_the_same_answers_after_a_restore() {
    let here = sandbox!();
    let (project, ids) = filled(&here);
    let file = path(&here, "zoo.tar.gz");
    let made = json_of(&here, &project, &["backup", &file]);
    assert_eq!((&made["path"], &made["left_out"]), (&json!(file), &json!([])));
    assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    unpack(&file, &here.path().join("unpacked"));
    let manifest = fs::read_to_string(here.path().join("unpacked/manifest.json")).expect("there");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!((&manifest["format_version"], &manifest["scope"]), (&json!(1), &json!("all")), "{manifest}");
    assert!(here.path().join("unpacked/global/guide.md").is_file(), "{manifest}");
    let before = memories(&here, &project, &ids);

    let there = sandbox!();
    let copy = zoo(&there);
    let dry = json_of(&there, &copy, &["restore", &file, "--trust", "--dry-run"]);
    assert!(!copy.path(".recall").exists(), "a dry run wrote");
    let restored = json_of(&there, &copy, &["restore", &file, "--trust"]);
    assert_eq!((&dry["added"], &restored["untrusted"]), (&restored["added"], &json!(0)), "{dry} {restored}");
    assert_eq!((&restored["conflicts"], &restored["left_out"]), (&json!([]), &json!([])));
    assert_eq!(memories(&there, &copy, &ids), before);
    assert_eq!(before[3][0][3], "own", "{before:?}");
    let sessions = json_of(&there, &copy, &["session", "list"]);
    assert_eq!(sessions["results"].as_array().map(Vec::len), Some(1), "{sessions}");
    assert!(fs::read_to_string(copy.path(".recall/.gitignore")).expect("there").contains("sessions/"));

    let again = json_of(&there, &copy, &["restore", &file, "--trust"]);
    assert_eq!((&again["added"], &again["conflicts"]), (&json!(0), &json!([])), "{again}");
    assert_eq!(again["known"], restored["added"].as_u64().unwrap_or(0) + restored["known"].as_u64().unwrap_or(0));
    assert_eq!(memories(&there, &copy, &ids), before);
}

#[test]
fn nothing_becomes_trusted_without_a_request_by_a_person() {
    let here = sandbox!();
    let (project, ids) = filled(&here);
    let file = path(&here, "zoo.tar.gz");
    json_of(&here, &project, &["backup", &file]);

    let there = sandbox!();
    let copy = zoo(&there);
    let plain = there.recall(&copy, &["restore", &file]);
    assert_eq!(plain.code, Some(0), "{plain:?}");
    assert!(plain.stdout.contains("not restored") && plain.stdout.contains("--trust"), "{}", plain.stdout);
    let memory = json_of(&there, &copy, &["get", &ids[0]])["memory"].clone();
    assert_eq!((&memory["ownership"], &memory["trust"]), (&json!("repository"), &json!("low")), "{memory}");
    assert!(!there.dirs().data.join("global/guide.md").exists());

    let agent = sandbox!().with_variable("CLAUDECODE", "1");
    let asked = refused(&agent, &zoo(&agent), &["restore", &file, "--trust"]);
    assert_eq!(asked["code"], "PERMISSION_DENIED", "{asked}");

    json_of(&there, &copy, &["restore", &file, "--trust"]);
    let memory = json_of(&there, &copy, &["get", &ids[0]])["memory"].clone();
    assert_eq!(memory["ownership"], "own", "{memory}");
    assert!(there.dirs().data.join("global/guide.md").is_file());
}

#[test]
fn what_is_here_is_kept_and_what_is_missing_is_added() {
    let sandbox = sandbox!();
    let (project, ids) = filled(&sandbox);
    let file = path(&sandbox, "zoo.tar.gz");
    json_of(&sandbox, &project, &["backup", &file]);
    let later = remember(&sandbox, &project, "Lynxes climb every tree in the park.", "project");
    project.write(".recall/profile.md", "Feed last.\n");
    // A journal loses a line, as after a mistake with an editor.
    let day = fs::read_dir(project.path(".recall"))
        .expect("there")
        .map(|entry| entry.expect("there").path().join("memories.jsonl"));
    let journal = day.into_iter().find(|path| path.is_file()).expect("a journal");
    let text = fs::read_to_string(&journal).expect("text");
    let kept: String = text.split_inclusive('\n').filter(|line| !line.contains("Badgers")).collect();
    fs::write(&journal, kept).expect("written");

    let restored = json_of(&sandbox, &project, &["restore", &file, "--trust"]);
    assert_eq!(restored["added"], 1, "{restored}");
    let conflicts = restored["conflicts"].as_array().expect("a list");
    assert_eq!(conflicts.len(), 1, "{restored}");
    assert!(conflicts[0]["item"].as_str().expect("a path").ends_with(".recall/profile.md"), "{restored}");
    assert_eq!(fs::read_to_string(project.path(".recall/profile.md")).expect("there"), "Feed last.\n");
    for id in ids.iter().chain([&later]) {
        json_of(&sandbox, &project, &["get", id]);
    }
    let badgers = fs::read_to_string(&journal).expect("text");
    assert_eq!(badgers.lines().filter(|line| line.contains("Badgers")).count(), 1, "{badgers}");
}

#[test]
fn a_scope_limits_what_is_backed_up_and_restored() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    for (scope, has, lacks) in [("project", "project", "global"), ("global", "global", "project")] {
        let file = path(&sandbox, &format!("{scope}.tar.gz"));
        json_of(&sandbox, &project, &["backup", &file, "--scope", scope]);
        let folder = sandbox.path().join(scope);
        unpack(&file, &folder);
        assert!(folder.join(has).is_dir() && !folder.join(lacks).exists(), "{scope}");
    }
    let there = sandbox!();
    let copy = zoo(&there);
    let file = path(&sandbox, "all.tar.gz");
    json_of(&sandbox, &project, &["backup", &file]);
    json_of(&there, &copy, &["restore", &file, "--scope", "global", "--trust"]);
    assert!(there.dirs().data.join("global/guide.md").is_file() && !copy.path(".recall").exists());
}

#[test]
fn a_backup_of_one_project_has_nothing_of_another() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    let other = sandbox.project("other", &[("a.md", "# A\n")]);
    remember(&sandbox, &other, "Penguins are a secret of the other project.", "project");
    let file = path(&sandbox, "zoo.tar.gz");
    json_of(&sandbox, &project, &["backup", &file]);
    let tar = Command::new("tar").args(["-xzOf", &file]).output().expect("tar runs");
    let text = String::from_utf8_lossy(&tar.stdout);
    assert!(text.contains("Wombats are fed") && !text.contains("Penguins"));
}

#[test]
fn an_existing_file_is_replaced_only_by_force() {
    let sandbox = sandbox!();
    let project = zoo(&sandbox);
    remember(&sandbox, &project, "Wombats are fed at midnight.", "project");
    let file = path(&sandbox, "zoo.tar.gz");
    fs::write(&file, "mine").expect("written");
    let error = refused(&sandbox, &project, &["backup", &file]);
    assert_eq!((&error["code"], fs::read(&file).expect("there")), (&json!("CONFLICT"), b"mine".to_vec()), "{error}");
    json_of(&sandbox, &project, &["backup", &file, "--force"]);
    json_of(&sandbox, &project, &["restore", &file]);
    let missing = refused(&sandbox, &project, &["backup", &path(&sandbox, "nowhere/zoo.tar.gz")]);
    assert_eq!(missing["code"], "NOT_FOUND", "{missing}");
    let link = path(&sandbox, "link.tar.gz");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    refused(&sandbox, &project, &["backup", &link, "--force"]);
    let names: Vec<_> =
        fs::read_dir(sandbox.path()).expect("there").map(|entry| entry.expect("there").file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with('.')), "temporary files are left: {names:?}");
    // Root may write everywhere.
    if !rustix::process::geteuid().is_root() {
        let closed = sandbox.path().join("closed");
        fs::create_dir(&closed).expect("a folder");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).expect("closed");
        let error = refused(&sandbox, &project, &["backup", &path(&sandbox, "closed/zoo.tar.gz")]);
        assert_eq!(error["code"], "PERMISSION_DENIED", "{error}");
    }
}
