//! A sandbox whose daemon is used without the command line.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use recall_client::{Client, ConnectError, ConnectOptions, Launch, Replace, daemon};
use recall_config::Dirs;
use recall_tests::Sandbox;
use rustix::process::{Pid, Signal, kill_process};
use tonic::transport::{Channel, Endpoint};

/// A sandbox with a daemon's program that runs in the sandbox's environment, for any process that starts it.
pub(crate) struct Home {
    sandbox: Sandbox,
    program: PathBuf,
}

impl Home {
    /// Creates a home whose daemon has the given environment variables.
    pub(crate) fn new(variables: &[(&str, &str)]) -> Self {
        let sandbox = variables
            .iter()
            .fold(recall_tests::sandbox!(), |sandbox, (name, value)| sandbox.with_variable(name, value));
        let program = write_program(&sandbox);
        Self { sandbox, program }
    }

    pub(crate) fn path(&self) -> &Path {
        self.sandbox.path()
    }

    pub(crate) fn dirs(&self) -> Dirs {
        self.sandbox.dirs()
    }

    /// The processes of the home.
    pub(crate) fn processes(&self) -> Vec<i32> {
        self.sandbox.processes()
    }

    /// Connects to its daemon.
    pub(crate) fn connect(
        &self,
        launch: Launch,
    ) -> impl Future<Output = Result<Client, ConnectError>> + Send + 'static {
        self.connect_within(launch, Duration::from_mins(1))
    }

    /// Connects to its daemon within a time limit.
    pub(crate) fn connect_within(
        &self,
        launch: Launch,
        deadline: Duration,
    ) -> impl Future<Output = Result<Client, ConnectError>> + Send + 'static {
        let options = ConnectOptions { launch, deadline, ..self.options() };
        async move { Client::connect(&options).await }
    }

    /// Connects to its daemon as a command does: calls that are safe to repeat are repeated.
    pub(crate) async fn connect_persistently(&self) -> Result<Client, ConnectError> {
        Client::connect(&ConnectOptions { attempts: ConnectOptions::ATTEMPTS, ..self.options() }).await
    }

    /// The daemon's program.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn options(&self) -> ConnectOptions {
        ConnectOptions {
            dirs: self.dirs(),
            launch: Launch::IfNeeded,
            daemon_binary: Some(self.program.clone()),
            daemon_home: None,
            client_name: "recall-tests".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            replace: Replace::Older,
            deadline: Duration::from_mins(1),
            attempts: 1,
        }
    }

    /// The command of the daemon with arguments.
    pub(crate) fn daemon(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        command
    }

    /// The log of its daemons.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(daemon::log_file(&self.dirs())).unwrap_or_default()
    }

    /// A project with files.
    pub(crate) fn project(&self, files: &[(&str, &str)]) -> PathBuf {
        self.sandbox.project("project", files).root().to_owned()
    }

    /// Returns a connection for services other than recall's own.
    pub(crate) async fn channel(&self) -> Channel {
        let path = self.dirs().socket();
        let connector = tower::service_fn(move |_: tonic::transport::Uri| {
            let path = path.clone();
            async move { tokio::net::UnixStream::connect(path).await.map(hyper_util::rt::TokioIo::new) }
        });
        Endpoint::from_static("http://recall.local").connect_with_connector(connector).await.expect("it listens")
    }
}

/// Sends a signal to a process.
pub(crate) fn send_signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process id");
    kill_process(pid, signal).expect("it runs and is ours");
}

/// A script that runs the daemon without the test's own environment.
fn write_program(sandbox: &Sandbox) -> PathBuf {
    let command = sandbox.command(&sandbox.binaries().recalld, sandbox.path());
    let variables = command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)));
    let variables: Vec<_> = variables.map(|(name, value)| format!("{name}='{value}'")).collect();
    let recalld = sandbox.binaries().recalld.display();
    let script = format!("#!/bin/sh\nexec env -i {} '{recalld}' \"$@\"\n", variables.join(" "));
    let path = sandbox.path().join("recalld");
    // Written by another process: a program that another test starts meanwhile would inherit the open file from this one,
    // and a file that is open for writing cannot be run.
    let written = std::process::Command::new("/bin/sh")
        .args(["-c", r#"printf '%s' "$2" > "$1" && chmod 700 "$1""#, "sh"])
        .arg(&path)
        .arg(script)
        .status();
    assert!(written.expect("there is a shell").success(), "the sandbox can be written");
    path
}
