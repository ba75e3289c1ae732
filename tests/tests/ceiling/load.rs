//! Loads that use the daemon's memory: many projects at once, one large import, clients that do not read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{Running, Sandbox};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tonic::Status;

/// The connection of a test to the daemon of its sandbox.
pub(crate) fn options(sandbox: &Sandbox) -> ConnectOptions {
    ConnectOptions {
        dirs: sandbox.dirs(),
        launch: Launch::Never,
        daemon_binary: None,
        daemon_home: None,
        client_name: "test".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        replace: Replace::Older,
        deadline: Duration::from_secs(20),
        attempts: 1,
    }
}

/// A search in a project.
pub(crate) fn search(root: &Path, query: &str) -> v1::SearchRequest {
    let working_directory = root.to_string_lossy().into_owned();
    let context = v1::RequestContext { working_directory, ..v1::RequestContext::default() };
    v1::SearchRequest { context: Some(context), query: query.to_owned(), ..v1::SearchRequest::default() }
}

/// A search whose response contains fifty whole documents.
pub(crate) fn large_search(root: &Path, query: &str) -> v1::SearchRequest {
    v1::SearchRequest { limit: Some(50), include_parent: true, ..search(root, query) }
}

/// A single-threaded runtime, which runs only inside `block_on`.
pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Clients that have sent requests and do not read. They stay connected until this is dropped.
pub(crate) struct Stopped {
    runtime: Runtime,
    calls: JoinSet<Result<v1::SearchResponse, Status>>,
}

impl Stopped {
    /// Connects `clients` clients, each of which sends `calls` requests at once and does not read the responses.
    pub(crate) fn new(sandbox: &Sandbox, root: &Path, clients: usize, calls: usize) -> Self {
        let runtime = runtime();
        let mut asked = JoinSet::new();
        runtime.block_on(async {
            for number in 0..clients {
                let client = Client::connect(&options(sandbox)).await.expect("the daemon runs");
                for call in 0..calls {
                    let (client, request) =
                        (client.clone(), large_search(root, ["entry", "queue", "window"][(number + call) % 3]));
                    asked.spawn_on(async move { client.search(request).await }, runtime.handle());
                }
                // Each call has been written when the runtime has nothing more to do.
                for _ in 0..2 * calls {
                    tokio::task::yield_now().await;
                }
            }
        });
        Self { runtime, calls: asked }
    }

    /// Lets the clients read again; returns the number of responses.
    pub(crate) fn read(mut self) -> usize {
        self.runtime.block_on(async {
            let mut answered = 0;
            while let Some(outcome) = self.calls.join_next().await {
                answered += usize::from(outcome.expect("no panic").is_ok());
            }
            answered
        })
    }
}

/// Starts the first search of each project at once; returns the exit code and the output of each.
pub(crate) fn search_all(sandbox: &Sandbox, roots: &[PathBuf]) -> Vec<(Option<i32>, String)> {
    let start = |root: &PathBuf| {
        let mut command = sandbox.command(&sandbox.binaries().recall, root);
        command.args(["search", "merge the entries of a journal", "--json"]);
        Running::start(command)
    };
    let running: Vec<Running> = roots.iter().map(start).collect();
    running
        .into_iter()
        .map(|running| {
            let outcome = running.finish();
            (outcome.code, outcome.stdout + &outcome.stderr)
        })
        .collect()
}
