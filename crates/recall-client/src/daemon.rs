//! Inspecting and stopping the daemon's process, without a handshake.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_api::v1::ShutdownRequest;
use recall_config::Dirs;

use crate::error::ConnectError;
use crate::holder::DaemonSignal;
pub use crate::holder::{Holder, NotSignalled};
pub use crate::launch::log_file;
use crate::{connect, launch};

/// The interval between checks whether a daemon has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long a daemon may take to acknowledge a shutdown. It answers at once unless it hangs.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// How much longer than its drain time a daemon may take to end.
const DRAIN_GRACE: Duration = Duration::from_secs(2);

/// How long the lock of a process may be held after its program has ended.
const LOCK_RELEASE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the system may take to kill a process.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a daemon holds its lock, in whatever state it is.
pub fn is_running(dirs: &Dirs) -> bool {
    Holder::find(dirs).is_some()
}

/// Returns the program that clients start as the daemon.
///
/// # Errors
/// The program was not found.
pub fn program() -> Result<PathBuf, ConnectError> {
    launch::binary(None)
}

/// The result of stopping the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It has ended; if its locks were deleted, it has answered that it ends.
    Ended {
        /// Its process id; 0 if unknown.
        pid: u32,
        /// How it was stopped.
        by: StopMethod,
    },
    /// No daemon was running.
    NotRunning,
}

/// How a daemon was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMethod {
    /// A request over its socket.
    Request,
    /// `SIGTERM`, because it did not answer; it finished its work.
    Terminate,
    /// `SIGKILL`, because it did not end in time.
    Kill,
}

/// Shuts the daemon down, and waits until it has ended.
///
/// A daemon that does not answer is sent a signal. One that has not ended after `drain`, the time that it has to finish
/// its work, is killed. Works with daemons of any version.
///
/// # Errors
/// The daemon refused; or it does not answer and the process that holds its lock cannot be verified to be the daemon;
/// or it still runs.
pub async fn stop(dirs: &Dirs, reason: &str, drain: Duration) -> Result<Stopped, StopError> {
    let holder = Holder::find(dirs);
    let asked = request_shutdown(dirs, holder.as_ref(), reason).await?;
    let Some(holder) = holder else {
        return Ok(match asked {
            // Its locks were deleted, so its end cannot be observed.
            Answer::Ends { pid } => Stopped::Ended { pid: pid.unwrap_or_default(), by: StopMethod::Request },
            Answer::None => Stopped::NotRunning,
        });
    };
    let (told, by) = match asked {
        Answer::Ends { pid } => (pid, StopMethod::Request),
        Answer::None => (None, StopMethod::Terminate),
    };
    let pid = told.or(holder.pid()).unwrap_or_default();
    if by == StopMethod::Terminate && !signal(dirs, &holder, DaemonSignal::Terminate).await? {
        return Ok(Stopped::Ended { pid, by });
    }
    if has_ended(dirs, &holder, drain + DRAIN_GRACE).await {
        return Ok(Stopped::Ended { pid, by });
    }
    signal(dirs, &holder, DaemonSignal::Kill).await?;
    if has_ended(dirs, &holder, KILL_TIMEOUT).await {
        return Ok(Stopped::Ended { pid, by: StopMethod::Kill });
    }
    Err(StopError::StillRunning { holder, waited: KILL_TIMEOUT })
}

/// The response to a shutdown request.
enum Answer {
    /// The daemon is shutting down.
    Ends {
        /// Its process id; `None` if it ended before it answered.
        pid: Option<u32>,
    },
    /// No response.
    None,
}

/// Requests a shutdown over the socket.
async fn request_shutdown(dirs: &Dirs, holder: Option<&Holder>, reason: &str) -> Result<Answer, StopError> {
    let began = Instant::now();
    for socket in connect::sockets(dirs, holder) {
        let left = ANSWER_TIMEOUT.saturating_sub(began.elapsed());
        let Ok(opened) = tokio::time::timeout(left, connect::open(&socket)).await else { break };
        let mut rpc = match opened {
            Ok(Some(rpc)) => rpc,
            Ok(None) => continue,
            Err(error @ ConnectError::ForeignOwner { .. }) => return Err(error.into()),
            // It does not accept connections; a signal may still reach it.
            Err(_) => break,
        };
        let request = ShutdownRequest { reason: reason.to_owned(), ..ShutdownRequest::default() };
        let left = ANSWER_TIMEOUT.saturating_sub(began.elapsed());
        return match tokio::time::timeout(left, rpc.shutdown(request)).await {
            Ok(Ok(answer)) => Ok(Answer::Ends { pid: Some(answer.into_inner().pid) }),
            // It is already shutting down, or ended before its answer arrived.
            Ok(Err(status)) if connect::is_broken(&status) => Ok(Answer::Ends { pid: None }),
            Ok(Err(status)) => Err(StopError::Refused { source: Box::new(status) }),
            Err(_) => Ok(Answer::None),
        };
    }
    Ok(Answer::None)
}

/// Sends a signal; returns false if the process has ended meanwhile.
async fn signal(dirs: &Dirs, holder: &Holder, kind: DaemonSignal) -> Result<bool, StopError> {
    match holder.signal(kind) {
        Ok(()) => Ok(true),
        // A process that is ending holds its lock for a moment after its program is gone.
        Err(_) if has_ended(dirs, holder, LOCK_RELEASE_TIMEOUT).await => Ok(false),
        Err(source) => Err(StopError::NotSignalled { holder: holder.clone(), source }),
    }
}

/// Waits until the holder has released the lock. Another daemon may then hold it.
async fn has_ended(dirs: &Dirs, holder: &Holder, patience: Duration) -> bool {
    let began = Instant::now();
    while holds(dirs, holder) {
        if began.elapsed() > patience {
            return false;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    true
}

fn holds(dirs: &Dirs, holder: &Holder) -> bool {
    Holder::find(dirs).is_some_and(|now| now.is(holder))
}

/// The daemon could not be stopped.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// Another user's process listens in its place.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It answered with an error.
    #[error("the daemon refused to stop: {}", source.message())]
    Refused {
        /// The status with which it answered the request to end.
        #[source]
        source: Box<tonic::Status>,
    },
    /// It does not answer, and could not be signalled.
    #[error("the daemon ({holder}) does not answer and was not sent a signal")]
    NotSignalled {
        /// The holder of its lock.
        holder: Holder,
        /// Why no signal was sent.
        #[source]
        source: NotSignalled,
    },
    /// It was killed, and still holds its lock.
    #[error("the daemon ({holder}) still runs {waited:?} after it was killed")]
    StillRunning {
        /// The holder of its lock.
        holder: Holder,
        /// How long the client waited.
        waited: Duration,
    },
}
