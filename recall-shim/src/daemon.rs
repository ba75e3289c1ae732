//! The connection to the daemon, which survives restarts of the daemon.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use recall_client::{Attempts, Client, ConnectOptions, Launch, REPEAT_PAUSE, Replace, hint};
use recall_config::{Dirs, DirsError, McpSettings};
use tokio::sync::Mutex;
use tonic::Status;

use crate::error::{Doing, ToolError};
use crate::process_env::VERSION;

/// A start takes 50 ms; a busy or upgrading machine may take a hundred times as long.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// The connection to the daemon: opened by the first call, shared by all calls, and reopened if it breaks.
#[derive(Debug)]
pub(crate) struct Daemon {
    options: Result<ConnectOptions, ToolError>,
    link: Mutex<Link>,
    /// Held by the one call that polls the indexing progress. If each of many slow searches polled and cancelled its request
    /// at the end, the daemon would treat the resets as an attack and close the connection.
    pub(crate) asking: Mutex<()>,
    /// Whether the model was asked to judge its hits, or is not to be asked.
    has_reminded: AtomicBool,
    /// Whether an older daemon was reported.
    has_warned: AtomicBool,
}

/// The current connection and the latest failure to connect.
#[derive(Debug, Default)]
struct Link {
    client: Option<Client>,
    /// Counts the connections, so that a caller discards only the one that failed for it.
    number: u64,
    /// The latest failure. Calls that waited for that attempt share it instead of each trying again.
    failure: Option<(Instant, ToolError)>,
}

impl Daemon {
    /// Creates the link without connecting.
    pub(crate) fn new(dirs: Result<Dirs, DirsError>, replace: Replace, settings: &McpSettings) -> Self {
        let options = dirs.map(|dirs| ConnectOptions {
            dirs,
            launch: Launch::IfNeeded,
            daemon_binary: None,
            daemon_home: None,
            client_name: "recall-shim".to_owned(),
            version: VERSION.to_owned(),
            replace,
            deadline: CONNECT_DEADLINE,
            // `call` retries itself, because it covers streams too.
            attempts: 1,
        });
        Self {
            options: options.map_err(|error| ToolError::from(&error)),
            link: Mutex::default(),
            asking: Mutex::default(),
            has_reminded: AtomicBool::new(!settings.judge_reminder),
            has_warned: AtomicBool::new(false),
        }
    }

    /// Returns whether to remind the model to judge its hits: `true` for the first call if the settings ask for it.
    pub(crate) fn reminds(&self) -> bool {
        !self.has_reminded.swap(true, Ordering::Relaxed)
    }

    /// Makes a call, which must be safe to repeat: if the connection breaks, the call is repeated on a new one.
    ///
    /// Dropping the future cancels the call.
    ///
    /// # Errors
    /// The daemon cannot be reached, or it rejects the call.
    pub(crate) async fn call<T, F>(&self, doing: Doing, call: impl Fn(Client) -> F) -> Result<T, ToolError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let mut attempts = Attempts::new(ConnectOptions::ATTEMPTS, CONNECT_DEADLINE);
        let result = loop {
            let (number, client) = self.connect().await?;
            match call(client).await {
                Err(status) if attempts.again_after(&status) => {
                    tokio::time::sleep(REPEAT_PAUSE).await;
                    self.forget(number).await;
                }
                result => break result,
            }
        };
        result.map_err(|status| ToolError::from_status(&status, doing))
    }

    /// Returns the connection, if one is open.
    pub(crate) async fn connection(&self) -> Option<Client> {
        self.link.lock().await.client.clone()
    }

    async fn connect(&self) -> Result<(u64, Client), ToolError> {
        let options = self.options.as_ref().map_err(Clone::clone)?;
        let asked = Instant::now();
        let mut link = self.link.lock().await;
        if let Some(client) = &link.client {
            return Ok((link.number, client.clone()));
        }
        if let Some((at, error)) = &link.failure
            && *at >= asked
        {
            return Err(error.clone());
        }
        match Client::connect(options).await {
            Ok(client) => {
                link.number += 1;
                link.failure = None;
                link.client = Some(client.clone());
                self.warn_of_older_daemon(&client);
                Ok((link.number, client))
            }
            Err(error) => {
                let error = ToolError::from(&error);
                link.failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Reports once, in the log of the MCP client, an older daemon that could not be replaced.
    fn warn_of_older_daemon(&self, client: &Client) {
        let Some(older) = client.older_daemon() else { return };
        let Some(hint) = hint::for_older_daemon(older.why) else { return };
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            // Without a reader, the message is lost.
            let _ = writeln!(std::io::stderr(), "recall-shim: warning: {older}\nhint: {hint}");
        }
    }

    async fn forget(&self, number: u64) {
        let mut link = self.link.lock().await;
        if link.number == number {
            link.client = None;
        }
    }
}
