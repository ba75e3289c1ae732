//! One daemon for each data home, whatever variables a program was given.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use recall_api::v1;
use recall_client::{Client, ConnectError, ConnectOptions, Launch, Replace};
use recall_config::Dirs;
use recall_testkit::{Project, Running};
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::{Value, json};

/// A user's home folder, and the folder that `XDG_RUNTIME_DIR` names, if it is set.
struct User<'s> {
    sandbox: &'s Sandbox,
    home: PathBuf,
}

impl<'s> User<'s> {
    fn new(sandbox: &'s Sandbox, name: &str) -> Self {
        let home = sandbox.path().join(name);
        fs::create_dir(&home).expect("writable");
        Self { sandbox, home }
    }

    /// A program as the user runs it: with `HOME`, without `RECALL_HOME`.
    fn command(&self, program: &Path, project: &Project, runtime_dir: Option<&Path>) -> Command {
        let mut command = self.sandbox.command(program, project.root());
        command.env_remove("RECALL_HOME").env("HOME", &self.home);
        command.envs(runtime_dir.map(|folder| ("XDG_RUNTIME_DIR", folder)));
        command
    }

    fn recall(&self, project: &Project, runtime_dir: Option<&Path>, arguments: &[&str]) -> Value {
        let mut command = self.command(&self.sandbox.binaries().recall, project, runtime_dir);
        command.args(arguments).arg("--json");
        let outcome = Running::to_end(command);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
        serde_json::from_str(&outcome.stdout).expect("JSON")
    }

    /// The daemon that the command line reaches: its process and its socket.
    fn daemon(&self, project: &Project, runtime_dir: Option<&Path>) -> (u64, PathBuf) {
        daemon_in(&self.recall(project, runtime_dir, &["status"]))
    }

    /// The daemon that the shim reaches.
    fn daemon_of_shim(&self, project: &Project, runtime_dir: Option<&Path>) -> (u64, PathBuf) {
        let command = self.command(&self.sandbox.binaries().recall_shim, project, runtime_dir);
        let text = Agent::new(Running::start(command)).ask("recall_status", json!({"format": "json"}));
        daemon_in(&serde_json::from_str(&text).expect("JSON"))
    }
}

fn daemon_in(status: &Value) -> (u64, PathBuf) {
    let daemon = &status["daemon"];
    (daemon["pid"].as_u64().expect("reported"), daemon["socket"].as_str().expect("reported").into())
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        let project = self.sandbox.project("any", &[]);
        let mut command = self.command(&self.sandbox.binaries().recall, &project, None);
        command.args(["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&Running::to_end(command).stdout).unwrap_or_default();
        let mut command = self.command(&self.sandbox.binaries().recall, &project, None);
        command.args(["daemon", "stop"]);
        Running::to_end(command);
        // The folder of the socket is outside the sandbox.
        if let Some(folder) = status["daemon"]["socket"].as_str().and_then(|socket| Path::new(socket).parent()) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

#[test]
fn clients_with_and_without_a_runtime_folder_in_their_environment_reach_one_daemon() {
    let sandbox = sandbox!();
    let user = User::new(&sandbox, "u");
    let project = sandbox.project("p", &[("a.txt", "alpha")]);
    let session = sandbox.path().join("session");
    fs::DirBuilder::new().mode(0o700).create(&session).expect("writable");

    let first = user.daemon(&project, Some(&session));
    assert_eq!(user.daemon(&project, None), first);
    assert_eq!(user.daemon_of_shim(&project, Some(&session)), first);
    assert_eq!(user.daemon_of_shim(&project, None), first);
    assert_eq!(fs::read_dir(&session).expect("there").count(), 0, "the variable does not decide");
}

#[test]
fn two_homes_of_one_user_have_two_daemons_and_two_global_stores() {
    let sandbox = sandbox!();
    let users = ["one", "two"].map(|name| User::new(&sandbox, name));
    let project = sandbox.project("p", &[("a.txt", "alpha")]);
    let daemons = [0, 1].map(|number| users[number].daemon(&project, None));
    assert_ne!(daemons[0].0, daemons[1].0);
    assert_ne!(daemons[0].1, daemons[1].1);

    let fact = "The second home alone keeps this fact";
    users[1].recall(&project, None, &["remember", fact, "--scope", "global"]);
    let kept = users.each_ref().map(|user| journals(&user.home).contains(fact));
    assert_eq!(kept, [false, true]);
}

/// The text of all journals of memories below a folder.
fn journals(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable")) {
        if entry.file_type().expect("reported").is_dir() {
            text += &journals(&entry.path());
        } else if entry.file_name() == "memories.jsonl" {
            text += &fs::read_to_string(entry.path()).expect("text");
        }
    }
    text
}

/// Returns the process id of the daemon that serves these directories.
async fn ask(dirs: Dirs, launch: Launch) -> Result<u32, ConnectError> {
    let options = ConnectOptions {
        dirs,
        launch,
        daemon_binary: None,
        daemon_home: None,
        client_name: "recall-tests".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        replace: Replace::Older,
        deadline: Duration::from_mins(1),
        attempts: 1,
    };
    let client = Client::connect(&options).await?;
    let status = client.status(v1::StatusRequest::default()).await.expect("it answers");
    Ok(status.daemon.expect("reported").pid)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_refuses_a_client_of_another_data_home() {
    let sandbox = sandbox!();
    let daemon = sandbox.start_daemon(&["--foreground"]);
    let dirs = sandbox.dirs();
    assert_eq!(ask(dirs.clone(), Launch::Never).await.expect("the same data"), daemon.id());
    let other = Dirs { data: sandbox.path().join("other"), ..dirs };
    match ask(other, Launch::Never).await {
        Err(ConnectError::Refused { source }) => {
            assert!(source.message().contains("serves the data in"), "{source}");
        }
        answer => panic!("it serves other data: {answer:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daemon_of_a_service_manager_is_found_by_the_clients_of_its_data() {
    let sandbox = sandbox!();
    let socket = sandbox.path().join("service.sock");
    let listener = UnixListener::bind(&socket).expect("free");
    let mut command = sandbox.command(Path::new("/bin/sh"), sandbox.path());
    let script = r#"LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" 3<&0 0</dev/null"#;
    command.arg("-c").arg(script).arg(&sandbox.binaries().recalld);
    let mut daemon = command.stdin(Stdio::from(OwnedFd::from(listener))).spawn().expect("it runs");

    let dirs = Dirs { service_socket: Some(socket.clone()), ..sandbox.dirs() };
    assert_eq!(ask(dirs.clone(), Launch::Never).await.expect("it is found"), daemon.id());
    assert_eq!(ask(sandbox.dirs(), Launch::Never).await.expect("its note says where"), daemon.id());
    assert!(!dirs.socket().exists(), "one socket is enough");
    let other = Dirs { data: sandbox.path().join("other"), runtime: sandbox.path().join("run"), ..dirs };
    assert!(matches!(ask(other, Launch::Never).await, Err(ConnectError::NotRunning { .. })));
    daemon.kill().expect("ours");
    daemon.wait().expect("ours");
}

#[test]
fn a_purge_deletes_what_is_recalls_and_nothing_else() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("a.rs", "fn a() {}\n")]);
    let saved = sandbox.recall(&project, &["remember", "Wombats dig.", "--scope", "global"]);
    assert_eq!(saved.code, Some(0), "{saved:?}");
    sandbox.recall(&project, &["remember", "Wombats sleep."]);
    let home = sandbox.recall_home();
    let unasked = sandbox.recall(&project, &["uninstall", "--purge"]);
    assert!(unasked.code == Some(4) && unasked.stderr.contains("--yes"), "{unasked:?}");
    let shown = sandbox.recall(&project, &["uninstall", "--purge", "--dry-run"]);
    assert!(shown.code == Some(0) && shown.stdout.contains("would delete"), "{shown:?}");
    std::fs::write(home.join("letter.txt"), "mine").expect("written");
    let refused = sandbox.recall(&project, &["uninstall", "--purge", "--yes"]);
    assert!(refused.code == Some(4) && refused.stderr.contains("letter.txt"), "{refused:?}");
    assert!(home.join("data/global").exists(), "nothing was deleted");
    std::fs::remove_file(home.join("letter.txt")).expect("deleted");
    let purged = sandbox.recall(&project, &["uninstall", "--purge", "--yes"]);
    assert!(purged.code == Some(0) && purged.stdout.contains("deleted"), "{purged:?}");
    assert!(["data", "config", "cache", "state"].iter().all(|folder| !home.join(folder).exists()));
    assert!(project.root().join(".recall").exists(), "a project keeps its memories");
}
