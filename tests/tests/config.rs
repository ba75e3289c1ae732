//! `recall config`: layers, origins, changes of files, and what the daemon uses.

use std::fs;

use recall_testkit::{Outcome, Project, Sandbox};
use recall_tests::sandbox;
use serde_json::Value;

/// Where the editors of the tests are.
const PROGRAMS: &str = "/usr/bin:/bin";

fn run(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Outcome {
    sandbox.recall(project, &[&["config"], arguments].concat())
}

fn ok(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> String {
    let Outcome { code, stdout, stderr } = run(sandbox, project, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {stdout}{stderr}");
    stdout
}

fn json(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let answer = run(sandbox, project, &[arguments, &["--json"]].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

/// A project with a file of settings, and a user with one.
fn layered(sandbox: &Sandbox) -> Project {
    fs::create_dir_all(sandbox.dirs().config).expect("made");
    fs::write(sandbox.dirs().user_config(), "# mine\n[search]\nper_document = 3 # more\n").expect("written");
    sandbox.project("p", &[(".recall/recall.toml", "[search]\nper_document = 4\n\n[index]\nexclude = [\"x\"]\n")])
}

#[test]
fn a_value_is_shown_with_its_origin() {
    let sandbox = sandbox!();
    let project = layered(&sandbox);
    assert_eq!(ok(&sandbox, &project, &["get", "search.per_document"]), "4\n");
    let told = ok(&sandbox, &project, &["get", "search.per_document", "--origin"]);
    assert!(told.starts_with("4  # ") && told.ends_with("/p/.recall/recall.toml:2 (project)\n"), "{told}");
    let listed = ok(&sandbox, &project, &["list", "--changed", "--origin"]);
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert!(listed.starts_with("daemon.idle_exit = \"120s\"  # RECALL_DAEMON__IDLE_EXIT (environment)\n"), "{listed}");
    let found = json(&sandbox, &project, &["list", "search"]);
    let rows = found["settings"].as_array().expect("a list");
    assert!(rows.len() > 5 && rows.iter().all(|row| row["key"].as_str().is_some_and(|key| key.starts_with("search."))));
    let elsewhere = sandbox.project("q", &[]);
    let row = &json(&sandbox, &elsewhere, &["get", "search.per_document"])["settings"][0];
    assert_eq!((&row["value"], &row["layer"], &row["line"]), (&"3".into(), &"user".into(), &3.into()));
    assert_eq!(row["default"], "2");
    assert!(sandbox.processes().is_empty(), "no daemon was started");
}

#[test]
fn an_unknown_setting_is_named_with_its_place_and_the_nearest_name() {
    let sandbox = sandbox!();
    let project =
        sandbox.project("p", &[(".recall/recall.toml", "[index]\n\nexclud = []\n[daemon]\ndrain = \"1s\"\n")]);
    let answer = run(&sandbox, &project, &["list"]);
    assert_eq!(answer.code, Some(0));
    let expected = "/p/.recall/recall.toml:3: unknown setting `index.exclud`; did you mean `index.exclude`?";
    assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    assert!(answer.stderr.contains("recall.toml:5: `daemon.drain` has no effect in a project"), "{}", answer.stderr);
    assert_eq!(json(&sandbox, &project, &["list"])["warnings"].as_array().map(Vec::len), Some(2));
    let answer = json(&sandbox, &project, &["get", "daemon.idel_exit"]);
    assert_eq!(answer["error"]["message"], "unknown setting `daemon.idel_exit`; did you mean `daemon.idle_exit`?");
    assert_eq!(run(&sandbox, &project, &["get", "search"]).code, Some(2), "a section has no value");
    // What is wrong is reported with its place, and nothing is shown.
    fs::write(project.path(".recall/recall.toml"), "[search]\nper_document = \"many\"\n").expect("written");
    let answer = run(&sandbox, &project, &["list"]);
    assert_eq!((answer.code, &*answer.stdout), (Some(2), ""));
    assert!(answer.stderr.contains("recall.toml:2: `search.per_document` is \"many\""), "{}", answer.stderr);
}

#[test]
fn a_change_keeps_comments_and_is_checked_first() {
    let sandbox = sandbox!();
    let project = layered(&sandbox);
    let user = || fs::read_to_string(sandbox.dirs().user_config()).expect("a file");
    let changed = json(&sandbox, &project, &["set", "search.per_document", "5"]);
    assert_eq!((&changed["before"], &changed["after"], &changed["line"]), (&"3".into(), &"5".into(), &3.into()));
    assert_eq!((&changed["value"], &changed["layer"]), (&"4".into(), &"project".into()), "the project decides here");
    assert_eq!(user(), "# mine\n[search]\nper_document = 5 # more\n");
    ok(&sandbox, &project, &["set", "daemon.idle_exit", "1h"]);
    assert_eq!(user(), "# mine\n[search]\nper_document = 5 # more\n\n[daemon]\nidle_exit = \"1h\"\n");
    for (arguments, expected) in [
        (["set", "search.per_document", "many"], "expected a whole number from 1 to 1000"),
        (["set", "daemon.idel_exit", "1h"], "did you mean `daemon.idle_exit`?"),
        (["set", "daemon.idle_exit", "--layer=project"], "required"),
    ] {
        let before = user();
        let answer = run(&sandbox, &project, &arguments);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(answer.stderr.contains(expected), "{arguments:?}: {}", answer.stderr);
        assert_eq!(user(), before);
    }
    let answer = run(&sandbox, &project, &["set", "daemon.idle_exit", "1h", "--layer", "project"]);
    assert!(answer.stderr.contains("has no effect in a project"), "{}", answer.stderr);
    assert_eq!(answer.code, Some(2));
    ok(&sandbox, &project, &["unset", "daemon.idle_exit"]);
    ok(&sandbox, &project, &["unset", "search.per_document", "--layer", "project"]);
    assert_eq!(user(), "# mine\n[search]\nper_document = 5 # more\n\n[daemon]\n");
    assert_eq!(ok(&sandbox, &project, &["get", "search.per_document"]), "5\n");
    // A project without a file gets one, with the files for git.
    let fresh = sandbox.project("fresh", &[]);
    ok(&sandbox, &fresh, &["set", "index.exclude", "[\"vendored/**\"]", "--layer", "project"]);
    assert_eq!(ok(&sandbox, &fresh, &["get", "index.exclude"]), "[\"vendored/**\"]\n");
    assert!(fresh.path(".recall/.gitignore").exists());
}

#[cfg(unix)]
#[test]
fn links_are_kept_for_the_user_and_refused_in_a_project() {
    let sandbox = sandbox!();
    let project = layered(&sandbox);
    let kept = sandbox.path().join("dotfiles.toml");
    fs::rename(sandbox.dirs().user_config(), &kept).expect("moved");
    std::os::unix::fs::symlink(&kept, sandbox.dirs().user_config()).expect("linked");
    ok(&sandbox, &project, &["set", "search.per_document", "9"]);
    assert!(sandbox.dirs().user_config().is_symlink());
    assert!(fs::read_to_string(&kept).expect("there").contains("per_document = 9 # more"));
    let file = project.path(".recall/recall.toml");
    fs::remove_file(&file).expect("there");
    std::os::unix::fs::symlink(&kept, &file).expect("linked");
    let answer = run(&sandbox, &project, &["set", "search.per_document", "8", "--layer", "project"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(fs::read_to_string(&kept).expect("there").contains("per_document = 9 # more"));
}

#[test]
fn an_edit_is_checked_before_it_replaces_the_file() {
    let sandbox =
        sandbox!().with_variable("PATH", PROGRAMS).with_variable("EDITOR", "sed -i s/per_document/per_documents/");
    let project = layered(&sandbox);
    let answer = run(&sandbox, &project, &["edit"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stderr.contains("did you mean `search.per_document`?"), "{}", answer.stderr);

    let sandbox = sandbox!().with_variable("PATH", PROGRAMS).with_variable("EDITOR", "sed -i s/3/many/");
    let project = layered(&sandbox);
    let answer = run(&sandbox, &project, &["edit"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains(":3: ") && answer.stderr.contains("your text is in"), "{}", answer.stderr);
    assert_eq!(ok(&sandbox, &sandbox.project("q", &[]), &["get", "search.per_document"]), "3\n");

    let sandbox = sandbox!().with_variable("PATH", PROGRAMS).with_variable("VISUAL", "false");
    let project = layered(&sandbox);
    assert_eq!(run(&sandbox, &project, &["edit"]).code, Some(4));
    let left: Vec<_> = fs::read_dir(sandbox.dirs().config).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_running_daemon_tells_what_it_uses() {
    let sandbox = sandbox!();
    let project = layered(&sandbox);
    let hint = "it takes effect with `recall daemon restart`";
    let alone = run(&sandbox, &project, &["set", "daemon.drain", "4s"]);
    assert!(!alone.stderr.contains(hint), "no daemon runs: {}", alone.stderr);
    ok(&sandbox, &project, &["unset", "daemon.drain"]);
    assert_eq!(sandbox.recall(&project, &["daemon", "start"]).code, Some(0));
    let daemon = |key: &str| json(&sandbox, &project, &["get", key])["settings"][0]["daemon"].clone();
    assert_eq!((daemon("daemon.drain"), daemon("search.per_document")), (Value::Null, Value::Null));
    let changed = run(&sandbox, &project, &["set", "daemon.drain", "2s"]);
    assert!(changed.stderr.contains(hint), "{}", changed.stderr);
    ok(&sandbox, &project, &["set", "search.per_document", "7", "--layer", "project"]);
    ok(&sandbox, &project, &["set", "client.start_timeout", "9s"]);
    assert_eq!(daemon("daemon.drain"), "\"5s\"", "until it is restarted");
    assert_eq!(daemon("search.per_document"), Value::Null, "the next search has it");
    assert_eq!(daemon("client.start_timeout"), Value::Null);
    let answer = run(&sandbox, &project, &["get", "daemon.drain"]);
    assert_eq!(answer.stdout, "\"2s\"\n");
    assert!(answer.stderr.contains("the running daemon uses daemon.drain = \"5s\""), "{}", answer.stderr);
    assert_eq!(sandbox.recall(&project, &["daemon", "restart"]).code, Some(0));
    assert_eq!(daemon("daemon.drain"), Value::Null);
}

#[test]
fn the_files_are_named_and_have_a_schema() {
    let sandbox = sandbox!();
    let project = layered(&sandbox);
    let path = ok(&sandbox, &project, &["path", "--layer", "user"]);
    assert_eq!(path.trim_end(), sandbox.dirs().user_config().to_str().expect("text"));
    let files = json(&sandbox, &project, &["path"]);
    assert_eq!(files["files"].as_array().map(Vec::len), Some(2), "{files}");
    let schema: Value = serde_json::from_str(&ok(&sandbox, &project, &["schema"])).expect("JSON");
    assert_eq!(schema["properties"]["search"]["properties"]["ranker"]["anyOf"], Value::Null);
    assert_eq!(schema["properties"]["search"]["properties"]["ranker"]["enum"][0], "built-in");
}
