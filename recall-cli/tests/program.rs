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
    assert!(stdout(&output).starts_with("Claude Code: would add the MCP server to "), "{}", stdout(&output));
    assert!(stdout(&output).contains("    +    \"recall\": {"), "{}", stdout(&output));
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
    let adds = r#"test "$2" != add-json || printf '{"mcpServers":{"recall":%s}}' "$6" > "$HOME/.claude.json""#;
    home.program("claude", &format!(r#"printf '%s\n' "$@" >> "$HOME/said"; {adds}"#));
    let output = home.recall(&["mcp", "install"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let shim = home.path("bin/recall-shim");
    let said = fs::read_to_string(home.path("home/said")).expect("it was run");
    let (arguments, entry) = said.trim_end().rsplit_once('\n').expect("several arguments");
    assert_eq!(arguments, "mcp\nadd-json\n--scope\nuser\nrecall");
    let entry: Value = serde_json::from_str(entry).expect("JSON");
    assert_eq!((&entry["command"], &entry["alwaysLoad"]), (&shim.display().to_string().into(), &true.into()));

    // Nobody changed the file since, so it is as it was: not there.
    assert_eq!(code(&home.recall(&["mcp", "uninstall"])), Some(0));
    assert!(!home.path("home/.claude.json").exists());

    home.program("claude", "exit 0");
    let output = home.recall(&["mcp", "install"]);
    assert!(stderr(&output).contains("does not have the entry"), "{}", stderr(&output));
    home.program("claude", "echo it is Monday >&2; exit 1");
    let output = home.recall(&["mcp", "install"]);
    assert_eq!(code(&output), Some(4));
    assert!(stderr(&output).contains("caused by: it is Monday"), "{}", stderr(&output));
}

#[test]
fn without_recall_bench_its_commands_end_with_2_and_say_what_to_install() {
    let home = Home::new();
    for arguments in [&["bench", "--mine"][..], &["eval", "run", "--dataset", "x"], &["bench", "--help"]] {
        let output = home.recall(arguments);
        assert_eq!((code(&output), stdout(&output).as_str()), (Some(2), ""), "{arguments:?}");
        let said = stderr(&output);
        assert!(said.contains("recall-bench") && said.contains("hint: install it"), "{said}");
    }
    for arguments in [["--json", "bench", "--mine"], ["bench", "--mine", "--json"]] {
        let output = home.recall(&arguments);
        assert_eq!((code(&output), stderr(&output).as_str()), (Some(2), ""), "{arguments:?}");
        let told: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
        assert_eq!(told["error"]["code"], "NOT_FOUND");
    }
    let help = stdout(&home.recall(&["--help"]));
    assert_eq!(help.matches("  Measure search quality").count(), 2, "{help}");
}

#[cfg(unix)]
#[test]
fn recall_bench_gets_the_arguments_as_they_are_and_its_exit_code_counts() {
    let home = Home::new();
    home.program("recall-bench", r#"printf '%s\n' "$@"; exit 4"#);
    for arguments in [
        &["--json", "--project", "/x y", "bench", "--mine", "--no-daemon", "-k", "3"][..],
        &["eval", "run", "--json", "--dataset", "x", "--", "--project"],
        &["bench", "--help"],
        &["eval", "--version"],
        &["bench"],
    ] {
        let output = home.recall(arguments);
        assert_eq!((code(&output), stderr(&output).as_str()), (Some(4), ""), "{arguments:?}");
        assert_eq!(stdout(&output).lines().collect::<Vec<_>>(), arguments);
    }
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

/// Mirrors of what the command answers without the daemon. They reject unknown fields.
mod mirror {
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Prepared {
        pub(super) ok: bool,
        schema_version: String,
        root: String,
        pub(super) changed: bool,
        pub(super) written: Vec<String>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Registered {
        ok: bool,
        schema_version: String,
        pub(super) dry_run: bool,
        changed: bool,
        pub(super) agents: Vec<Agent>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Agent {
        #[serde(rename = "agent")]
        name: String,
        part: String,
        pub(super) action: String,
        file: Option<String>,
        commands: Vec<String>,
        diff: Option<String>,
        error: Option<String>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Listed {
        ok: bool,
        schema_version: String,
        pub(super) agents: Vec<Row>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Row {
        agent: String,
        title: String,
        found: bool,
        server: bool,
        hooks: Option<bool>,
        hook_events: Vec<HookEventRow>,
        rules: Option<bool>,
        file: String,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    struct HookEventRow {
        event: String,
        names: Vec<String>,
        adds_context: bool,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Undone {
        ok: bool,
        schema_version: String,
        pub(super) dry_run: bool,
        changed: bool,
        agents: Vec<Agent>,
        service: Option<serde_json::Value>,
        stopped_pid: Option<u32>,
        purged: Vec<Kept>,
        pub(super) kept: Vec<Kept>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Kept {
        what: String,
        pub(super) path: String,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    pub(super) struct Daemon {
        ok: bool,
        schema_version: String,
        pub(super) running: bool,
        changed: bool,
        pid: Option<u32>,
        version: Option<String>,
        unreachable: Option<String>,
        since: Option<String>,
        ended_by: Option<String>,
    }
}

#[test]
fn answers_without_the_daemon_are_read_with_their_schemas() {
    fn read<T: serde::de::DeserializeOwned>(home: &Home, arguments: &[&str]) -> T {
        let output = home.recall(arguments);
        let text = stdout(&output);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {}", stderr(&output)))
    }
    let home = Home::new();
    let prepared: mirror::Prepared = read(&home, &["init", "--json"]);
    assert!(prepared.ok && prepared.changed && !prepared.written.is_empty());
    let registered: mirror::Registered = read(&home, &["mcp", "install", "--target", "project", "--dry-run", "--json"]);
    assert!(registered.dry_run && registered.agents[0].action == "register");
    let listed: mirror::Listed = read(&home, &["mcp", "list", "--json"]);
    assert!(listed.agents.len() > 20);
    let undone: mirror::Undone = read(&home, &["uninstall", "--dry-run", "--json"]);
    assert!(undone.dry_run && undone.kept.iter().all(|kept| !kept.path.is_empty()));
    let daemon: mirror::Daemon = read(&home, &["daemon", "status", "--json"]);
    assert!(!daemon.running);
}
