//! What is there to know and to do about the daemon's process, without a handshake?

use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_config::Dirs;
use recall_proto::v1::ShutdownRequest;

use crate::connect;
use crate::error::ConnectError;
use crate::holder::Ask;
pub use crate::holder::{Holder, NotSignalled};

/// How often it is looked whether a daemon has ended.
const LOOK: Duration = Duration::from_millis(5);

/// How long a daemon may take to answer that it ends. It answers at once unless it hangs.
const ANSWER: Duration = Duration::from_secs(2);

/// How much longer than its drain a daemon may take to end.
const AFTER_DRAIN: Duration = Duration::from_secs(2);

/// How long the lock of a process that is ending may be held after its program is gone.
const VANISHING: Duration = Duration::from_secs(1);

/// How long the system may take to end a process that it kills.
const KILLING: Duration = Duration::from_secs(5);

/// The file that the daemon logs to. Older ones lie beside it with a number behind.
pub fn log_file(dirs: &Dirs) -> PathBuf {
    dirs.log_dir().join("recalld.log")
}

/// Whether a daemon holds its lock: it runs, be it that it answers or hangs, starts or ends.
pub fn is_running(dirs: &Dirs) -> bool {
    Holder::of(dirs).is_some()
}

/// How an attempt to stop the daemon went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It has ended.
    Ended {
        /// The process id that it had; 0 if it did not say.
        pid: u32,
        /// What it ended by.
        by: Means,
    },
    /// There was none.
    NotRunning,
}

/// What a daemon ended by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// A request over its socket.
    Request,
    /// A signal, because it did not answer: it finished what it did.
    Terminate,
    /// The system, because it did not end when it was asked to.
    Kill,
}

/// Asks the daemon to finish what it does, and waits until it has ended.
///
/// One that does not answer is sent a signal. One that has not ended when `drain`, the time that it has to finish, is over,
/// is killed. Understands a daemon of any version.
///
/// # Errors
/// The daemon refused; it does not answer, and nothing proves that the process that holds its lock is the daemon; or it
/// still runs.
pub async fn stop(dirs: &Dirs, reason: &str, drain: Duration) -> Result<Stopped, StopError> {
    let holder = Holder::of(dirs);
    let asked = ask(dirs, holder.as_ref(), reason).await?;
    let Some(holder) = holder else {
        return Ok(match asked {
            // Its locks were deleted: there is nothing to see its end by.
            Answer::Ends { pid } => Stopped::Ended { pid: pid.unwrap_or_default(), by: Means::Request },
            Answer::None => Stopped::NotRunning,
        });
    };
    let (told, by) = match asked {
        Answer::Ends { pid } => (pid, Means::Request),
        Answer::None => (None, Means::Terminate),
    };
    let pid = told.or(holder.pid()).unwrap_or_default();
    if by == Means::Terminate && !signal(dirs, &holder, Ask::End).await? {
        return Ok(Stopped::Ended { pid, by });
    }
    if has_ended(dirs, &holder, drain + AFTER_DRAIN).await {
        return Ok(Stopped::Ended { pid, by });
    }
    signal(dirs, &holder, Ask::Kill).await?;
    if has_ended(dirs, &holder, KILLING).await {
        return Ok(Stopped::Ended { pid, by: Means::Kill });
    }
    Err(StopError::StillRunning { holder, waited: KILLING })
}

/// What came of asking a daemon to end.
enum Answer {
    /// It ends.
    Ends {
        /// Its process id; `None` if it ended before it could say.
        pid: Option<u32>,
    },
    /// None came.
    None,
}

/// Asks a daemon to end over its socket.
async fn ask(dirs: &Dirs, holder: Option<&Holder>, reason: &str) -> Result<Answer, StopError> {
    let began = Instant::now();
    for socket in connect::sockets(dirs, holder) {
        let left = ANSWER.saturating_sub(began.elapsed());
        let Ok(opened) = tokio::time::timeout(left, connect::open(&socket)).await else { break };
        let mut rpc = match opened {
            Ok(Some(rpc)) => rpc,
            Ok(None) => continue,
            Err(error @ ConnectError::ForeignOwner { .. }) => return Err(error.into()),
            // It does not take connections; a signal may still reach it.
            Err(_) => break,
        };
        let request = ShutdownRequest { reason: reason.to_owned(), ..ShutdownRequest::default() };
        let left = ANSWER.saturating_sub(began.elapsed());
        return match tokio::time::timeout(left, rpc.shutdown(request)).await {
            Ok(Ok(answer)) => Ok(Answer::Ends { pid: Some(answer.into_inner().pid) }),
            // It is ending already, or ends before its answer gets here.
            Ok(Err(status)) if connect::is_broken(&status) => Ok(Answer::Ends { pid: None }),
            Ok(Err(status)) => Err(StopError::Refused { source: Box::new(status) }),
            Err(_) => Ok(Answer::None),
        };
    }
    Ok(Answer::None)
}

/// Sends a signal; false if the process has ended meanwhile.
async fn signal(dirs: &Dirs, holder: &Holder, ask: Ask) -> Result<bool, StopError> {
    match holder.signal(ask) {
        Ok(()) => Ok(true),
        // One that is just ending has no program any more, and its lock for a moment.
        Err(_) if has_ended(dirs, holder, VANISHING).await => Ok(false),
        Err(source) => Err(StopError::NotSignalled { holder: holder.clone(), source }),
    }
}

/// Waits until the holder has let the lock go. Another daemon may have it then.
async fn has_ended(dirs: &Dirs, holder: &Holder, patience: Duration) -> bool {
    let began = Instant::now();
    while holds(dirs, holder) {
        if began.elapsed() > patience {
            return false;
        }
        tokio::time::sleep(LOOK).await;
    }
    true
}

fn holds(dirs: &Dirs, holder: &Holder) -> bool {
    Holder::of(dirs).is_some_and(|now| now.is(holder))
}

/// The daemon was not stopped.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// Somebody else listens in its place.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It answered with an error.
    #[error("the daemon refused to stop: {}", source.message())]
    Refused {
        /// Its answer.
        #[source]
        source: Box<tonic::Status>,
    },
    /// It does not answer, and was not sent a signal.
    #[error("the daemon ({holder}) does not answer and was not sent a signal")]
    NotSignalled {
        /// Who holds its lock.
        holder: Holder,
        /// Why.
        #[source]
        source: NotSignalled,
    },
    /// It was killed, and still holds its lock.
    #[error("the daemon ({holder}) still runs {waited:?} after it was killed")]
    StillRunning {
        /// Who holds its lock.
        holder: Holder,
        /// How long it was waited for.
        waited: Duration,
    },
}
