//! The connection of a client, renewed when the daemon goes away; how often a call that is safe to repeat is made; and a daemon
//! for a single client.
//!
//! A daemon that is restarted or replaced breaks its connections. A call is repeated on a new one only if that is safe: it reads, it
//! has the same effect twice, or it has an idempotency key, under which the daemon does it once.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io};

use recall_api::v1::recall_client::RecallClient;
use recall_api::{CLOSING, Failure};
use recall_os::Folder;
use tokio::sync::Mutex;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::connect::{self, ConnectAttempt, Reached};
use crate::error::ConnectError;
use crate::handshake::{Compatibility, DaemonIdentity, KeptBecause};
use crate::options::{ConnectOptions, Launch};
use crate::socket::OpenError;
use crate::{handshake, launch};

/// A connection, with the options for renewing it.
#[derive(Debug)]
pub(crate) struct Link {
    options: ConnectOptions,
    current: Mutex<Current>,
}

/// The current connection.
#[derive(Debug)]
struct Current {
    rpc: RecallClient<Channel>,
    /// The number of the connection. If several calls fail on one connection, only one of them renews it.
    number: u64,
    /// Ends with the connection.
    _private: Option<PrivateDaemon>,
}

impl Link {
    /// Makes the first connection.
    pub(crate) async fn make(
        options: &ConnectOptions,
    ) -> Result<(Self, DaemonIdentity, Option<KeptBecause>), ConnectError> {
        let (Reached { rpc, daemon, kept }, private) = reach(options).await?;
        let current = Mutex::new(Current { rpc, number: 0, _private: private });
        Ok((Self { options: options.clone(), current }, daemon, kept))
    }

    /// Returns the current connection.
    pub(crate) async fn rpc(&self) -> RecallClient<Channel> {
        self.current.lock().await.rpc.clone()
    }

    /// Makes a call that is safe to repeat, and retries it on a new connection if the daemon goes away.
    pub(crate) async fn repeat<Q: Clone, A, F>(
        &self,
        request: Request<Q>,
        call: impl Fn(RecallClient<Channel>, Request<Q>) -> F,
    ) -> Result<A, Status>
    where
        F: Future<Output = Result<A, Status>>,
    {
        let (metadata, extensions, message) = request.into_parts();
        let mut attempts = Attempts::new(self.options.attempts, self.options.deadline);
        loop {
            let (number, rpc) = {
                let current = self.current.lock().await;
                (current.number, current.rpc.clone())
            };
            let request = Request::from_parts(metadata.clone(), extensions.clone(), message.clone());
            match Box::pin(call(rpc, request)).await {
                Err(status) if attempts.again_after(&status) => {
                    tokio::time::sleep(REPEAT_PAUSE).await;
                    Box::pin(self.renew(number)).await?;
                }
                answered => return answered,
            }
        }
    }

    /// Renews the connection, unless another call has done so.
    async fn renew(&self, failed: u64) -> Result<(), Status> {
        // Held while connecting: of several calls that failed on one connection, one renews it and the others use it.
        let mut current = self.current.lock().await;
        if current.number != failed {
            return Ok(());
        }
        match Box::pin(reach(&self.options)).await {
            Ok((Reached { rpc, daemon: _, kept: _ }, private)) => {
                *current = Current { rpc, number: failed + 1, _private: private };
                Ok(())
            }
            Err(error) => {
                let mut status = Status::unavailable("the daemon went away and could not be reached again");
                status.set_source(Arc::new(error));
                Err(status)
            }
        }
    }
}

async fn reach(options: &ConnectOptions) -> Result<(Reached, Option<PrivateDaemon>), ConnectError> {
    match options.launch {
        Launch::IfNeeded | Launch::Never => Ok((connect::connect_shared(options).await?, None)),
        Launch::Private => {
            let (reached, private) = start(options).await?;
            Ok((reached, Some(private)))
        }
    }
}

/// The attempts of one call.
///
/// A call that broke the connection counts: it may break every daemon, and must not be repeated forever. A call that reached no
/// process, or a daemon that refused it because it ends, does not count as long as there is time, because it did nothing: while daemons
/// are replaced, it can meet one after the other that has just ended.
#[derive(Debug)]
pub struct Attempts {
    left: u32,
    deadline: Instant,
}

impl Attempts {
    /// Allows that many attempts, at least one. Those that reach no process do not count for that long.
    pub fn new(most: u32, patience: Duration) -> Self {
        Self { left: most, deadline: Instant::now() + if most > 1 { patience } else { Duration::ZERO } }
    }

    /// Records how the call failed. Returns whether to make it again, on a new connection.
    pub fn again_after(&mut self, status: &Status) -> bool {
        if !is_gone(status) {
            return false;
        }
        let did_nothing = reached_nobody(status) || is_closing(status);
        if !(did_nothing && Instant::now() < self.deadline) {
            self.left = self.left.saturating_sub(1);
        }
        self.left > 0
    }
}

/// Returns whether a call failed because the daemon has gone away or is shutting down. A daemon that says why something else is
/// unavailable, such as a shared store, has answered: the call would fail again.
fn is_gone(status: &Status) -> bool {
    let is_answer = || Failure::is_in(status) && !is_closing(status);
    status.source().is_some() || (status.code() == Code::Unavailable && !is_answer())
}

/// Returns whether the daemon refused a call because it ends.
fn is_closing(status: &Status) -> bool {
    status.source().is_none() && Failure::from_status(status).details.contains_key(CLOSING)
}

/// The pause before a call is repeated, so that a daemon that takes its time to end is not asked without end.
pub const REPEAT_PAUSE: Duration = Duration::from_millis(5);

/// Returns whether no process listened.
fn reached_nobody(status: &Status) -> bool {
    let mut causes = std::iter::successors(status.source(), |cause| (*cause).source());
    causes.any(|cause| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.is_some_and(|inner| matches!(inner.downcast_ref(), Some(OpenError::NoListener)))
    })
}

/// How long a private daemon may take to end; the same as a shared one.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The interval between checks whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A running private daemon. Dropping it stops the daemon and removes its folder.
#[derive(Debug)]
pub(crate) struct PrivateDaemon {
    child: Child,
    folder: PathBuf,
}

/// Starts a private daemon and connects to it.
pub(crate) async fn start(options: &ConnectOptions) -> Result<(Reached, PrivateDaemon), ConnectError> {
    let binary = launch::binary(options.daemon_binary.as_deref())?;
    let folder = make_folder(&crate::launch::temporary_folder())?;
    let options = ConnectOptions { dirs: connect::private_dirs(&options.dirs, folder.clone()), ..options.clone() };
    let mut daemon = spawn(&binary, folder, options.daemon_home.as_deref())?;
    let mut attempt = ConnectAttempt::new(&options);
    loop {
        if let Some(reached) = attempt.try_reach().await? {
            return match handshake::compatibility(&reached.daemon, &options.version) {
                Compatibility::Compatible | Compatibility::CompatibleButOlder => Ok((reached, daemon)),
                Compatibility::Older => {
                    let handshake::DaemonIdentity { version, protocols, .. } = reached.daemon;
                    Err(ConnectError::Older { version, protocols })
                }
                Compatibility::Newer => {
                    let handshake::DaemonIdentity { version, protocols, .. } = reached.daemon;
                    Err(ConnectError::Newer { version, protocols })
                }
            };
        }
        if let Ok(Some(status)) = daemon.child.try_wait() {
            let message = launch::read_stderr(&mut daemon.child);
            let log = launch::log_file(&options.dirs);
            return Err(ConnectError::StartFailed { status: status.to_string(), message, log });
        }
        attempt.pause().await?;
    }
}

/// Creates a folder under a unique name that no other user can access.
fn make_folder(parent: &Path) -> Result<PathBuf, ConnectError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("recall-private-{}-{number}", std::process::id()));
        match folder_builder().create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(ConnectError::PrivateFolder { path, source }),
        }
    }
}

fn folder_builder() -> fs::DirBuilder {
    #[cfg_attr(windows, expect(unused_mut, reason = "a folder has the access list of its parent"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// The daemon ends when its standard input is closed, which the system does even if this program is killed.
fn spawn(binary: &Path, folder: PathBuf, home: Option<&Path>) -> Result<PrivateDaemon, ConnectError> {
    let mut command = launch::command(binary);
    command.envs(home.map(|home| ("RECALL_HOME", home)));
    command.arg("--private").arg("--runtime").arg(&folder).stdin(Stdio::piped());
    // An interrupt at the terminal is for the client, which stops the daemon itself.
    launch::ignore_interrupts(&mut command);
    match command.spawn() {
        Ok(child) => Ok(PrivateDaemon { child, folder }),
        Err(source) => {
            let _ = fs::remove_dir(&folder);
            Err(ConnectError::Spawn { binary: binary.to_owned(), source })
        }
    }
}

impl Drop for PrivateDaemon {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let began = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if began.elapsed() > EXIT_TIMEOUT {
                // It did not end by itself; an error means that it has ended since.
                let _ = self.child.kill();
                let _ = self.child.wait();
                break;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        // The daemon removes its folder itself unless it is killed.
        if let (Some(parent), Some(name)) = (self.folder.parent(), self.folder.file_name()) {
            let _ = Folder::open(parent).and_then(|parent| parent.remove(name));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use recall_api::v1::StatusRequest;

    use super::*;
    use crate::connect::open;

    const PATIENCE: Duration = Duration::from_mins(1);

    /// The status of a call whose daemon has ended: of the first call, and of the next one, which opens the socket again.
    async fn statuses() -> [Status; 2] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("recalld.sock");
        let listener = tokio::net::UnixListener::bind(&path).expect("free");
        let mut rpc = open(&path).await.expect("opened").expect("a listener");
        drop(listener.accept().await.expect("connected"));
        drop(listener);
        let broken = rpc.status(StatusRequest::default()).await.expect_err("it has ended");
        [broken, rpc.status(StatusRequest::default()).await.expect_err("nobody listens")]
    }

    #[tokio::test]
    async fn a_call_that_reaches_nobody_does_not_count() {
        let [broken, unreached] = statuses().await;
        let mut attempts = Attempts::new(3, PATIENCE);
        assert!((0..20).all(|_| attempts.again_after(&unreached)), "{unreached:?}");
        assert!(attempts.again_after(&broken), "{broken:?}");
        assert!(attempts.again_after(&unreached));
        assert!(attempts.again_after(&broken));
        assert!(!attempts.again_after(&broken));
    }

    #[tokio::test]
    async fn without_time_or_retries_every_attempt_counts() {
        let [_, unreached] = statuses().await;
        let mut late = Attempts::new(3, Duration::ZERO);
        assert!([true, true, false].into_iter().all(|again| late.again_after(&unreached) == again));
        assert!(!Attempts::new(1, PATIENCE).again_after(&unreached));
    }

    #[test]
    fn a_call_that_a_closing_daemon_refuses_does_not_count() {
        let closing = Failure::new(recall_api::Reason::Unavailable, "it ends").with_detail(CLOSING, "closing").into();
        let mut attempts = Attempts::new(3, PATIENCE);
        assert!((0..20).all(|_| attempts.again_after(&closing)), "{closing:?}");
        assert!(!Attempts::new(1, PATIENCE).again_after(&closing));
    }

    #[test]
    fn an_error_of_the_daemon_is_final() {
        assert!(!Attempts::new(3, PATIENCE).again_after(&Status::invalid_argument("no words")));
        let answer = Failure::new(recall_api::Reason::Unavailable, "the shared store does not answer").into();
        assert!(!Attempts::new(3, PATIENCE).again_after(&answer));
        assert!(Attempts::new(3, PATIENCE).again_after(&Status::unavailable("shutting down")));
    }
}
