//! What is there to know and to do about the daemon's process, without a handshake?

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_config::Homes;
use recall_proto::v1::ShutdownRequest;

use crate::connect;
use crate::error::ConnectError;

/// How often it is looked whether a daemon has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The file that the daemon logs to. Older ones lie beside it with a number behind.
pub fn log_file(homes: &Homes) -> PathBuf {
    homes.log_dir().join("recalld.log")
}

/// Whether a daemon holds its lock: it runs, be it that it answers or hangs, starts or ends.
pub fn is_running(homes: &Homes) -> bool {
    let Ok(lock) = File::open(homes.lock()) else { return false };
    matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// How an attempt to stop the daemon went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It has ended.
    Ended {
        /// The process id that it had.
        pid: u32,
    },
    /// There was none.
    NotRunning,
}

/// Asks the daemon to finish what it does, and waits until it has ended.
///
/// Understands a daemon of any version.
///
/// # Errors
/// The daemon was not reached, refused, or has not ended after `deadline`.
pub async fn stop(homes: &Homes, reason: &str, deadline: Duration) -> Result<Stopped, StopError> {
    let began = Instant::now();
    let Some(mut rpc) = connect::open(&homes.socket()).await? else {
        // Without a socket it is starting or ending, or nothing.
        return ended(homes, began, deadline).await.map(|()| Stopped::NotRunning);
    };
    let noted = noted_pid(homes);
    let request = ShutdownRequest { reason: reason.to_owned(), ..ShutdownRequest::default() };
    let answer = tokio::time::timeout(deadline, rpc.shutdown(request)).await;
    let pid = match answer.map_err(|_| StopError::StillRunning { waited: deadline })? {
        Ok(answer) => answer.into_inner().pid,
        // It may end before its answer gets here.
        Err(status) if connect::is_broken(&status) => noted,
        Err(status) => return Err(StopError::Refused { source: Box::new(status) }),
    };
    drop(rpc);
    ended(homes, began, deadline).await?;
    Ok(Stopped::Ended { pid })
}

/// The process id that the daemon noted in its lock; 0 without one.
fn noted_pid(homes: &Homes) -> u32 {
    std::fs::read_to_string(homes.lock()).ok().and_then(|note| note.trim().parse().ok()).unwrap_or_default()
}

async fn ended(homes: &Homes, began: Instant, deadline: Duration) -> Result<(), StopError> {
    while is_running(homes) {
        if began.elapsed() > deadline {
            return Err(StopError::StillRunning { waited: deadline });
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// The daemon was not stopped.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// It was not reached.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It answered with an error.
    #[error("the daemon refused to stop: {}", source.message())]
    Refused {
        /// Its answer.
        #[source]
        source: Box<tonic::Status>,
    },
    /// It took notice, if at all, but still runs.
    #[error("the daemon still runs after {waited:?}")]
    StillRunning {
        /// How long it was waited for.
        waited: Duration,
    },
}
