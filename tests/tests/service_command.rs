//! `recall service` with a recorded `systemctl`, and clients while a service manager listens.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read as _;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use recall_client::{Client, ConnectError, ConnectOptions, Launch, Replace};
use recall_config::Dirs;
use recall_testkit::{Outcome, Running, Sandbox};
use recall_tests::sandbox;

/// A user with a fake `systemctl`.
struct User {
    sandbox: Sandbox,
    path: PathBuf,
}

impl User {
    /// `script` is the body of the fake program; `$*` are its arguments.
    fn new(script: &str) -> Self {
        let sandbox = sandbox!();
        let path = sandbox.path().join("fake bin");
        fs::create_dir_all(&path).expect("writable");
        let calls = sandbox.path().join("calls");
        let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\n{script}\n", calls.display());
        // Written by another process, so that no child of this one inherits a file that is open for writing.
        let written = Command::new("/bin/sh")
            .args(["-c", r#"printf '%s' "$2" > "$1" && chmod 700 "$1""#, "sh"])
            .arg(path.join("systemctl"))
            .arg(script)
            .status();
        assert!(written.expect("there is a shell").success());
        Self { sandbox, path }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let recall = &self.sandbox.binaries().recall;
        let mut command = self.sandbox.command(recall, self.sandbox.path());
        command.env_remove("RECALL_HOME").env("PATH", &self.path).arg("service").args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        Running::to_end(self.command(arguments))
    }

    /// Returns the calls of the fake program and forgets them.
    fn calls(&self) -> Vec<String> {
        let path = self.sandbox.path().join("calls");
        let calls = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        calls.lines().map(ToOwned::to_owned).collect()
    }

    fn unit(&self, name: &str) -> PathBuf {
        self.sandbox.user_home().join(".config/systemd/user").join(name)
    }

    fn has_units(&self) -> [bool; 2] {
        ["recalld.service", "recalld.socket"].map(|name| self.unit(name).exists())
    }
}

#[test]
fn the_service_is_installed_reported_and_removed() {
    let user = User::new("");
    let outcome = user.run(&["install", "--dry-run"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.contains("would run systemctl --user enable --now recalld.socket"), "{outcome:?}");
    assert!(outcome.stdout.contains("ListenStream=%t/recall/recalld.sock"), "{outcome:?}");
    assert_eq!((user.has_units(), user.calls().len()), ([false; 2], 0));
    assert_eq!(user.run(&["status"]).code, Some(1));
    user.calls();

    let outcome = user.run(&["install"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(user.calls(), ["--user daemon-reload", "--user enable --now recalld.socket"]);
    let service = fs::read_to_string(user.unit("recalld.service")).expect("written");
    assert!(service.contains(&format!("ExecStart=:\"{}\"", user.sandbox.binaries().recalld.display())), "{service}");
    assert!(service.contains(&format!("Environment=\"HOME={}\"", user.sandbox.user_home().display())), "{service}");
    let outcome = user.run(&["status", "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for expected in ["\"installed\":true", "\"program_exists\":true", "\"version_matches\":true", "\"active\":true"] {
        assert!(outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
    }
    user.calls();

    let outcome = user.run(&["uninstall"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(user.calls(), ["--user disable --now recalld.socket recalld.service", "--user daemon-reload"]);
    assert_eq!(user.has_units(), [false; 2]);
}

#[cfg(feature = "systemd-tests")]
#[test]
fn systemd_accepts_the_units() {
    let user = User::new("");
    assert_eq!(user.run(&["install"]).code, Some(0));
    for unit in ["recalld.service", "recalld.socket"] {
        let mut command = user.sandbox.command(std::path::Path::new("systemd-analyze"), user.sandbox.path());
        command.env("PATH", "/usr/bin:/bin").env("XDG_RUNTIME_DIR", user.sandbox.path());
        let ended = command.args(["verify", "--user"]).arg(user.unit(unit)).output().expect("systemd is installed");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success() && !said.contains("recalld."), "{unit}: {said}");
    }
}

#[test]
fn a_failed_installation_leaves_nothing() {
    let user = User::new("case \"$*\" in *enable*) echo 'Failed to connect to bus' >&2; exit 1;; esac");
    let outcome = user.run(&["install"]);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stderr.contains("Failed to connect to bus") && outcome.stderr.contains("hint"), "{outcome:?}");
    assert_eq!(user.has_units(), [false; 2]);

    let mut command = user.command(&["install"]);
    command.env("PATH", "/nonexistent");
    let outcome = Running::to_end(command);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stderr.contains("`systemctl` was not found"), "{outcome:?}");
    assert_eq!(user.has_units(), [false; 2]);
}

#[test]
fn an_edited_file_is_kept() {
    let user = User::new("");
    assert_eq!(user.run(&["install"]).code, Some(0));
    let mut edited = fs::read_to_string(user.unit("recalld.service")).expect("written");
    edited.insert_str(0, "# mine\n");
    fs::write(user.unit("recalld.service"), &edited).expect("writable");
    let outcome = user.run(&["install"]);
    assert!(outcome.code == Some(4) && outcome.stderr.contains("changed since"), "{outcome:?}");
    let outcome = user.run(&["uninstall"]);
    assert!(outcome.code == Some(0) && outcome.stderr.contains("it is kept"), "{outcome:?}");
    assert_eq!(user.has_units(), [true, false]);
}

#[test]
fn another_data_home_is_refused() {
    let user = User::new("");
    let mut command = user.command(&["install"]);
    command.env("RECALL_HOME", user.sandbox.recall_home());
    let outcome = Running::to_end(command);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("RECALL_HOME"), "{outcome:?}");
    assert_eq!((user.has_units(), user.calls().len()), ([false; 2], 0));
}

#[test]
fn a_dry_run_from_another_data_home_shows_the_service_of_the_default_one() {
    let user = User::new("");
    let expected = user.run(&["install", "--dry-run"]);
    let mut command = user.command(&["install", "--dry-run"]);
    command.env("RECALL_HOME", user.sandbox.recall_home());
    let outcome = Running::to_end(command);
    assert_eq!((outcome.code, &outcome.stdout), (Some(0), &expected.stdout), "{outcome:?}");
    assert!(outcome.stderr.contains("unset RECALL_HOME"), "{outcome:?}");
    assert_eq!((user.has_units(), user.calls().len()), ([false; 2], 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_client_starts_a_daemon_while_the_service_manager_listens() {
    let sandbox = sandbox!();
    let socket = sandbox.path().join("service.sock");
    let listener = UnixListener::bind(&socket).expect("free");
    // Like a daemon that crashes: each connection is accepted and broken after the first bytes.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = stream.expect("accepted").read(&mut [0; 16]);
        }
    });
    let options = ConnectOptions {
        dirs: Dirs { service_socket: Some(socket), ..sandbox.dirs() },
        launch: Launch::IfNeeded,
        daemon_binary: Some(sandbox.binaries().recalld.clone()),
        daemon_home: None,
        client_name: "recall-tests".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        replace: Replace::Older,
        deadline: Duration::from_secs(2),
        attempts: 1,
    };
    let outcome = Client::connect(&options).await;
    assert!(matches!(outcome, Err(ConnectError::Timeout { .. })), "{outcome:?}");
    assert!(!sandbox.dirs().data_lock().exists(), "no daemon was started");
}
