//! The program as a shell runs it, in an environment of its own and without a daemon.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A home of its own, in which no daemon can be started.
struct Home {
    place: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a temporary folder");
        for folder in ["bin", "home", "project"] {
            fs::create_dir(place.path().join(folder)).expect("made");
        }
        let home = Self { place };
        // A folder of its own, so that no other program of the build stands beside it.
        let program = home.recall_program();
        let built = Path::new(env!("CARGO_BIN_EXE_recall"));
        fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).expect("installed");
        home
    }

    fn recall_program(&self) -> PathBuf {
        self.path("bin").join(format!("recall{}", std::env::consts::EXE_SUFFIX))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn recall(&self, arguments: &[&str]) -> Output {
        Command::new(self.recall_program())
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("RECALL_HOME", self.path("r"))
            .env("RECALL_DAEMON", self.path("bin/recalld"))
            .env("PATH", self.path("bin"))
            .current_dir(self.path("project"))
            .output()
            .expect("the program runs")
    }

    #[cfg(unix)]
    fn program(&self, name: &str, script: &str) {
        // Written by another process: a program that is started beside would inherit the open file from this one for
        // a moment, and a file that is open for writing cannot be run.
        let written = Command::new("/bin/sh")
            .args(["-c", r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#, "sh"])
            .arg(self.path("bin").join(name))
            .arg(script)
            .status();
        assert!(written.expect("there is a shell").success(), "{name} is written");
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("readable")).expect("JSON")
}

#[test]
fn wrong_arguments_end_with_2_and_say_why() {
    let home = Home::new();
    let output = home.recall(&["search", "x", "--scope", "everywhere"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (Some(2), ""));
    assert!(stderr(&output).contains("the scopes are project, global, domain, all"), "{}", stderr(&output));

    let output = home.recall(&["--json", "search", "x", "--type", "novel"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (Some(2), ""));
    let told: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!(told["ok"], false);
    assert_eq!(told["error"]["code"], "INVALID_ARGUMENT");
}

#[test]
fn help_and_version_are_data() {
    let home = Home::new();
    for arguments in [&["--help"][..], &["search", "--help"], &["--version"]] {
        let output = home.recall(arguments);
        assert_eq!((code(&output), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
        assert!(stdout(&output).contains("recall"), "{arguments:?}");
    }
}

#[test]
fn without_a_daemon_a_command_ends_with_3_and_a_hint() {
    let home = Home::new();
    let output = home.recall(&["search", "x"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (Some(3), ""));
    let said = stderr(&output);
    assert!(said.starts_with("error: ") && said.contains("\nhint: "), "{said}");
    assert!(!said.contains('\u{1b}'), "no colour into pipes: {said}");

    let output = home.recall(&["daemon", "status", "--json"]);
    assert_eq!(code(&output), Some(3));
    let told: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!(told["running"], false);

    let output = home.recall(&["daemon", "stop"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (Some(0), "recalld is not running\n"));
}

#[test]
fn a_wrong_configuration_ends_with_2_and_names_the_place() {
    let home = Home::new();
    let folder = home.path("r/config");
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("recall.toml"), "[client]\nstart_timeout = \"soon\"\n").expect("written");
    let output = home.recall(&["search", "x"]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("recall.toml:2"), "{}", stderr(&output));
}

#[test]
fn init_prepares_a_project_and_refuses_the_home_folder() {
    let home = Home::new();
    let output = home.recall(&["init"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(home.path("project/.recall/recall.toml").is_file());
    assert!(stdout(&home.recall(&["init"])).contains("already"));

    let folder = home.path("home").display().to_string();
    let output = home.recall(&["init", &folder]);
    assert_eq!(code(&output), Some(4));
    assert!(stderr(&output).contains("--allow-broad-root"), "{}", stderr(&output));
    assert!(!home.path("home/.recall").exists());
}

#[cfg(unix)]
#[test]
fn mcp_install_edits_the_file_where_claude_is_not_installed_and_uninstall_restores_it() {
    let home = Home::new();
    let file = home.path("home/.claude.json");
    let theirs = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n";
    fs::write(&file, theirs).expect("written");
    assert_eq!(code(&home.recall(&["mcp", "install"])), Some(4), "there is no shim to register");

    home.program("recall-shim", "");
    let output = home.recall(&["mcp", "install", "--dry-run"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("would set "), "{}", stdout(&output));
    assert!(stderr(&output).contains("mcp__recall"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&file).expect("readable"), theirs);

    assert_eq!(code(&home.recall(&["mcp", "install"])), Some(0));
    let entry = &read(&file)["mcpServers"]["recall"];
    assert_eq!(entry["command"], home.path("bin/recall-shim").display().to_string());
    assert_eq!(entry["alwaysLoad"], true);
    assert!(stdout(&home.recall(&["mcp", "install"])).contains("nothing to do"));

    assert_eq!(code(&home.recall(&["mcp", "uninstall"])), Some(0));
    assert_eq!(fs::read_to_string(&file).expect("readable"), theirs);
    assert!(stdout(&home.recall(&["mcp", "uninstall"])).contains("nothing to do"));
}

#[cfg(unix)]
#[test]
fn mcp_install_goes_through_claude_where_it_is_installed() {
    let home = Home::new();
    home.program("recall-shim", "");
    home.program("claude", r#"printf '%s\n' "$@" >> "$HOME/said""#);
    assert_eq!(code(&home.recall(&["mcp", "install"])), Some(0));
    let shim = home.path("bin/recall-shim");
    let said = fs::read_to_string(home.path("home/said")).expect("it was run");
    let (arguments, entry) = said.trim_end().rsplit_once('\n').expect("several arguments");
    assert_eq!(arguments, "mcp\nadd-json\n--scope\nuser\nrecall");
    let entry: Value = serde_json::from_str(entry).expect("JSON");
    assert_eq!((&entry["command"], &entry["alwaysLoad"]), (&shim.display().to_string().into(), &true.into()));

    home.program("claude", "echo it is Monday >&2; exit 1");
    let output = home.recall(&["mcp", "install"]);
    assert_eq!(code(&output), Some(4));
    assert!(stderr(&output).contains("caused by: it is Monday"), "{}", stderr(&output));
}

#[test]
fn a_project_s_registration_names_no_path_of_this_machine() {
    let home = Home::new();
    assert_eq!(code(&home.recall(&["mcp", "install", "--target", "project"])), Some(0));
    let file = home.path("project/.mcp.json");
    assert_eq!(read(&file)["mcpServers"]["recall"]["command"], "recall-shim");
    assert_eq!(code(&home.recall(&["mcp", "uninstall", "--target", "project"])), Some(0));
    assert!(!file.exists());
    let printed: Value = serde_json::from_str(&stdout(&home.recall(&["mcp", "print"]))).expect("JSON");
    assert_eq!(printed["mcpServers"]["recall"]["type"], "stdio");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    use std::process::Stdio;

    let home = Home::new();
    let mut child = Command::new(home.recall_program())
        .args(["completions", "bash"])
        .env_clear()
        .env("HOME", home.path("home"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .current_dir(home.path("project"))
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((code(&output), stderr(&output).as_str()), (Some(0), ""));
}
