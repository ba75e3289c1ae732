//! The daemon, however often it is restarted meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use recall_client::{Client, ConnectOptions, Launch, is_gone};
use recall_config::{Dirs, DirsError};
use tokio::sync::Mutex;
use tonic::Status;

use crate::error::{Doing, ToolError};

/// A start takes 50 ms; a machine that is busy or upgrading may take a hundred times as long.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// How often a call is made. The connection that it is made on first may have broken long ago, and the daemon that is started
/// for it may be killed as well; a call that breaks every daemon is given up.
const ATTEMPTS: u32 = 3;

/// The connection to the daemon: made by the first call, shared by all, and made again when it broke.
#[derive(Debug)]
pub(crate) struct Daemon {
    options: Result<ConnectOptions, ToolError>,
    link: Mutex<Link>,
    /// Held by the one call that asks how far the indexing is. Were each of many slow searches to ask, and to give up
    /// asking when its answer comes, the daemon would take the given up streams for an attack and end the connection.
    pub(crate) asking: Mutex<()>,
    has_reminded: AtomicBool,
}

/// What became of the attempts to connect.
#[derive(Debug, Default)]
struct Link {
    client: Option<Client>,
    /// Counts the connections, so that a caller only takes down the one that failed it.
    number: u64,
    /// The last failure. Calls that waited for that attempt share it rather than trying one after the other.
    failure: Option<(Instant, ToolError)>,
}

impl Daemon {
    /// Connects to nothing yet.
    pub(crate) fn new(dirs: Result<Dirs, DirsError>) -> Self {
        let options = dirs.map(|dirs| ConnectOptions {
            dirs,
            launch: Launch::IfNeeded,
            daemon_binary: None,
            daemon_home: None,
            client_name: "recall-shim".to_owned(),
            deadline: CONNECT_DEADLINE,
            // They are counted here, for streams too.
            attempts: 1,
        });
        Self {
            options: options.map_err(|error| ToolError::from(&error)),
            link: Mutex::default(),
            asking: Mutex::default(),
            has_reminded: AtomicBool::new(false),
        }
    }

    /// Whether the model is to be reminded to judge what it found: once, with the first hits.
    pub(crate) fn reminds(&self) -> bool {
        !self.has_reminded.swap(true, Ordering::Relaxed)
    }

    /// Makes a call, which must be safe to repeat: when the connection breaks it is made again on a new one.
    ///
    /// The call is given up by dropping the future.
    ///
    /// # Errors
    /// The daemon is not reached, or it refuses.
    pub(crate) async fn call<T, F>(&self, doing: Doing, call: impl Fn(Client) -> F) -> Result<T, ToolError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let mut attempt = 1;
        let result = loop {
            let (number, client) = self.connected().await?;
            match call(client).await {
                Err(status) if is_gone(&status) && attempt < ATTEMPTS => {
                    self.forget(number).await;
                    attempt += 1;
                }
                result => break result,
            }
        };
        result.map_err(|status| ToolError::of_status(&status, doing))
    }

    /// The connection, if there is one.
    pub(crate) async fn connection(&self) -> Option<Client> {
        self.link.lock().await.client.clone()
    }

    async fn connected(&self) -> Result<(u64, Client), ToolError> {
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
                Ok((link.number, client))
            }
            Err(error) => {
                let error = ToolError::from(&error);
                link.failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn forget(&self, number: u64) {
        let mut link = self.link.lock().await;
        if link.number == number {
            link.client = None;
        }
    }
}
