//! Connecting to the shared daemon, and starting it if necessary.
//!
//! One loop with one deadline: try the sockets; if nobody listens, start a daemon, or wait for the client that starts one; try again.
//! Each round looks at the system again and believes nothing of the round before, because any of the processes may have ended since.
//!
//! The start lock covers a start and a replacement as a whole (ADR 25). Of many clients one does it, and none can shut the next
//! daemon down by mistake. The version decides, and only a newer program replaces: two versions never replace each other in turns.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_api::v1::ShutdownRequest;
use recall_api::v1::recall_client::RecallClient;
use recall_config::Dirs;
use tonic::transport::Channel;

use crate::MAX_MESSAGE_BYTES;
use crate::error::{ConnectError, Unreached};
use crate::handshake::{self, Compatibility, DaemonIdentity, KeptBecause, Successor};
use crate::holder::{DaemonSignal, Holder};
use crate::launch::{self, LaunchState, Starting};
use crate::options::{ConnectOptions, Launch};
use crate::socket::{self, OpenError};

/// A daemon usually listens a few milliseconds after its start, so the first retries come quickly...
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// ...and on a loaded machine the later ones must not add to the load.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How long to wait for a running daemon without a socket if none may be started. A daemon checks its socket every
/// second by default, and at once when signalled.
const REBIND_WAIT: Duration = Duration::from_secs(2);

/// How much longer an attempt may take if an older daemon finishes its work first. A daemon drains for five seconds by
/// default.
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// How long a service manager may take to start the next daemon. With a socket unit, the next connection starts it.
const SERVICE_TIME: Duration = Duration::from_secs(3);

/// A daemon that answered the handshake.
pub(crate) struct Reached {
    pub(crate) rpc: RecallClient<Channel>,
    pub(crate) daemon: DaemonIdentity,
    /// If it is older than this program: why it was not replaced.
    pub(crate) kept: Option<KeptBecause>,
}

/// Connects to the shared daemon as the options say.
pub(crate) async fn connect_shared(options: &ConnectOptions) -> Result<Reached, ConnectError> {
    let mut attempt = ConnectAttempt::new(options);
    loop {
        let Some(reached) = attempt.try_reach().await? else {
            attempt.start_or_wait()?;
            attempt.pause().await?;
            continue;
        };
        let DaemonIdentity { version, protocols, .. } = reached.daemon.clone();
        let compatibility = handshake::compatibility(&reached.daemon, &options.version);
        match compatibility {
            Compatibility::Compatible => return Ok(reached),
            Compatibility::Newer => return Err(ConnectError::Newer { version, protocols }),
            Compatibility::CompatibleButOlder | Compatibility::Older => match attempt.replace(reached).await? {
                Replacement::Again => {}
                Replacement::Kept(reached) if compatibility == Compatibility::CompatibleButOlder => {
                    return Ok(*reached);
                }
                Replacement::Kept(_) => return Err(ConnectError::Older { version, protocols }),
            },
        }
    }
}

/// The result of a try to replace an older daemon.
enum Replacement {
    /// It has ended, or another client is replacing it, or its identity must be checked again.
    Again,
    /// It keeps running.
    Kept(Box<Reached>),
}

/// The result of one try to take the start lock.
enum StartLock {
    Taken,
    /// Another client is starting a daemon.
    Held,
    /// Its folder does not exist, or the file system does not support locks.
    Unusable,
}

/// One attempt to reach the daemon, with its deadline.
pub(crate) struct ConnectAttempt<'o> {
    options: &'o ConnectOptions,
    socket: PathBuf,
    began: Instant,
    pause: Duration,
    starting: Option<Starting>,
    /// Held from the start of a daemon until it answers, so that other clients wait for it.
    start_lock: Option<File>,
    /// The daemon that was signalled to check its socket.
    asked: Option<Holder>,
    /// Who starts the daemon that this client waits for.
    starter: Starter,
    /// Whether this attempt has ended an older daemon. Once is enough: if an older one comes back, something else keeps
    /// starting it.
    has_ended_one: bool,
    /// The program that would take over from an older daemon, with its version.
    successor: Option<(PathBuf, Option<String>)>,
    /// The additional time for replacing an older daemon.
    extra: Duration,
    /// Until then, the service manager is expected to start the next daemon.
    awaits_service: Option<Instant>,
}

/// Who starts a daemon for the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starter {
    /// A client.
    Client,
    /// The service manager, which listens on its socket while its daemon restarts.
    ServiceManager,
}

impl<'o> ConnectAttempt<'o> {
    pub(crate) fn new(options: &'o ConnectOptions) -> Self {
        Self {
            options,
            socket: options.dirs.socket(),
            began: Instant::now(),
            pause: FIRST_PAUSE,
            starting: None,
            start_lock: None,
            asked: None,
            starter: Starter::Client,
            has_ended_one: false,
            successor: None,
            extra: Duration::ZERO,
            awaits_service: None,
        }
    }

    /// Tries once to reach a daemon; `None` if no process listens.
    pub(crate) async fn try_reach(&mut self) -> Result<Option<Reached>, ConnectError> {
        if let Some(reached) = self.try_socket(&self.socket).await? {
            return Ok(Some(reached));
        }
        // The daemon may listen on another socket if it is of another version or was started by the service manager.
        let holder = self.holder();
        for elsewhere in &sockets(&self.options.dirs, holder.as_ref())[1..] {
            if let Some(reached) = self.try_socket(elsewhere).await? {
                return Ok(Some(reached));
            }
        }
        self.starter = Starter::Client;
        match &self.options.dirs.service_socket {
            // Connecting to it starts the service manager's daemon, so it is skipped if another daemon serves this data.
            Some(socket) if holder.is_none() => self.try_service_socket(socket).await,
            _ => Ok(None),
        }
    }

    /// Tries the socket of the service manager. A daemon there that serves another data home does not count.
    async fn try_service_socket(&mut self, socket: &std::path::Path) -> Result<Option<Reached>, ConnectError> {
        match self.try_socket(socket).await {
            // A daemon that does not report its data home may serve another one.
            Ok(Some(reached)) => Ok(Some(reached).filter(|reached| reached.daemon.says_data_home)),
            Err(ConnectError::Refused { source }) if handshake::is_other_home(&source) => Ok(None),
            // The service manager accepts connections, but its daemon broke this one: it was ending or has crashed. A
            // daemon that this client started now would hold the data before the next one of the service manager.
            Ok(None) if socket::open(socket).await.is_ok() => {
                self.starter = Starter::ServiceManager;
                Ok(None)
            }
            answer => answer,
        }
    }

    async fn try_socket(&self, socket: &std::path::Path) -> Result<Option<Reached>, ConnectError> {
        let left = self.time_left()?;
        let reached = tokio::time::timeout(left, reach(socket, self.options)).await;
        // The last try may have too little time left even to find that no process listens.
        let why = if socket::exists(socket) { Unreached::Silent } else { Unreached::NoSocket };
        match reached.map_err(|_| self.timed_out(why))? {
            // A daemon that is shutting down may still accept connections and then break them.
            Err(ConnectError::Transport { .. }) if self.options.launch != Launch::Never => Ok(None),
            answer => answer,
        }
    }

    /// Starts a daemon, unless one is running or starting.
    fn start_or_wait(&mut self) -> Result<(), ConnectError> {
        match self.starting.as_mut().map(Starting::state) {
            Some(LaunchState::Running) => return Ok(()),
            Some(LaunchState::Failed { status, message }) => {
                return Err(ConnectError::StartFailed { status: status.to_string(), message, log: self.log() });
            }
            // The daemon that it yielded to has ended since, or will answer soon.
            None | Some(LaunchState::Yielded) => {}
        }
        // A lock that is held means a daemon that starts, ends or has lost its socket. A second one would be refused by the lock.
        if let Some(holder) = self.holder() {
            return self.wait_for(holder);
        }
        if self.awaits_service.is_some_and(|until| Instant::now() < until) {
            return Ok(());
        }
        if self.options.launch == Launch::Never {
            return Err(ConnectError::NotRunning { socket: self.socket.clone() });
        }
        if self.starter == Starter::Client && self.may_start() {
            let binary = launch::binary(self.options.daemon_binary.as_deref())?;
            self.starting = Some(Starting::start_detached(&binary)?);
        }
        Ok(())
    }

    /// Waits for a running daemon without a socket to recover or end, and signals it to check its socket.
    fn wait_for(&mut self, holder: Holder) -> Result<(), ConnectError> {
        if self.options.launch == Launch::Never && self.began.elapsed() > REBIND_WAIT {
            return Err(self.unreachable(holder, Unreached::NoSocket));
        }
        if self.asked.as_ref().is_none_or(|asked| !asked.is(&holder))
            && holder.signal(DaemonSignal::CheckSocket).is_ok()
        {
            self.asked = Some(holder);
        }
        Ok(())
    }

    /// Whether this client starts the daemon.
    fn may_start(&mut self) -> bool {
        if self.start_lock.is_some() {
            return true;
        }
        match self.take_start_lock() {
            // Another client may have started a daemon and released the lock since the last try.
            StartLock::Taken => self.holder().is_none(),
            StartLock::Held => false,
            StartLock::Unusable => true,
        }
    }

    /// Tries once to take the lock that one client holds while it starts a daemon.
    fn take_start_lock(&mut self) -> StartLock {
        let dirs = &self.options.dirs;
        // If the folder is unusable, the daemon reports why.
        let Some(lock) = dirs.prepare_runtime().ok().and_then(|()| open_lock(&dirs.start_lock()).ok()) else {
            return StartLock::Unusable;
        };
        match lock.try_lock() {
            Ok(()) => {
                self.start_lock = Some(lock);
                StartLock::Taken
            }
            Err(TryLockError::WouldBlock) => StartLock::Held,
            // The file system does not support locks.
            Err(TryLockError::Error(_)) => StartLock::Unusable,
        }
    }

    /// Replaces an older daemon if this client may do so and a newer program is there.
    ///
    /// The start lock is held from before the daemon's version is checked until the next daemon answers, so that one of
    /// many clients replaces it, and none shuts the next one down.
    async fn replace(&mut self, mut reached: Reached) -> Result<Replacement, ConnectError> {
        let successor = match handshake::successor(&reached.daemon, self.options.launch, self.options.replace) {
            Ok(successor) if !self.has_ended_one => successor,
            kept => {
                reached.kept = Some(kept.err().unwrap_or(KeptBecause::CameBack));
                return Ok(Replacement::Kept(Box::new(reached)));
            }
        };
        // Compared with the daemon each time: another client may have started one of that version since.
        let version = self.version_of(&successor).await?;
        if !handshake::is_newer(version.as_deref(), &reached.daemon) {
            reached.kept = Some(KeptBecause::NoNewerProgram);
            return Ok(Replacement::Kept(Box::new(reached)));
        }
        self.extra = DRAIN_TIME;
        if self.start_lock.is_none() {
            match self.take_start_lock() {
                // Another client may have replaced it meanwhile.
                StartLock::Taken => {}
                StartLock::Held => self.pause().await?,
                StartLock::Unusable => return self.end_for(successor, reached).await,
            }
            return Ok(Replacement::Again);
        }
        self.end_for(successor, reached).await
    }

    /// Returns the version of the program that would take over; `None` if it is unknown.
    async fn version_of(&mut self, successor: &Successor) -> Result<Option<String>, ConnectError> {
        let program = match successor {
            Successor::Ours => launch::binary(self.options.daemon_binary.as_deref())?,
            Successor::Service { program } => PathBuf::from(program),
        };
        if let Some((known, version)) = &self.successor
            && *known == program
        {
            return Ok(version.clone());
        }
        let version = launch::version_of(&program, self.time_left()?).await;
        self.successor = Some((program, version.clone()));
        Ok(version)
    }

    async fn end_for(&mut self, successor: Successor, reached: Reached) -> Result<Replacement, ConnectError> {
        self.has_ended_one = true;
        self.end(reached).await?;
        if successor != Successor::Ours {
            self.awaits_service = Some(Instant::now() + SERVICE_TIME);
        }
        Ok(Replacement::Again)
    }

    /// Shuts an older daemon down, and waits until it has ended.
    async fn end(&mut self, reached: Reached) -> Result<(), ConnectError> {
        // The successor needs the lock of the data, so the process itself must have ended, not only its socket.
        let before = self.holder();
        let mut rpc = reached.rpc;
        let request = ShutdownRequest { reason: "upgrade".to_owned(), ..ShutdownRequest::default() };
        // The daemon may end before its answer arrives.
        let _ = tokio::time::timeout(self.time_left()?, rpc.shutdown(request)).await;
        drop(rpc);
        while let (Some(before), Some(now)) = (&before, self.holder())
            && before.is(&now)
        {
            self.pause().await?;
        }
        self.pause = FIRST_PAUSE;
        Ok(())
    }

    /// Sleeps with exponential backoff.
    pub(crate) async fn pause(&mut self) -> Result<(), ConnectError> {
        let pause = self.pause.min(self.time_left()?);
        tokio::time::sleep(pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }

    fn time_left(&self) -> Result<Duration, ConnectError> {
        let left = (self.options.deadline + self.extra).saturating_sub(self.began.elapsed());
        if left.is_zero() { Err(self.timed_out(Unreached::NoSocket)) } else { Ok(left) }
    }

    fn timed_out(&self, why: Unreached) -> ConnectError {
        match self.holder() {
            Some(holder) => self.unreachable(holder, why),
            None => ConnectError::Timeout {
                socket: self.socket.clone(),
                waited: self.options.deadline + self.extra,
                log: self.log(),
            },
        }
    }

    fn unreachable(&self, holder: Holder, why: Unreached) -> ConnectError {
        let (socket, waited) = (self.socket.clone(), self.began.elapsed());
        ConnectError::Unreachable { holder: Box::new(holder), socket, why, waited, log: self.log() }
    }

    /// Returns the holder of the daemon's lock. A private daemon does not lock the user's data.
    fn holder(&self) -> Option<Holder> {
        match self.options.launch {
            Launch::Private => Holder::at_socket(&self.options.dirs),
            Launch::IfNeeded | Launch::Never => Holder::find(&self.options.dirs),
        }
    }

    fn log(&self) -> PathBuf {
        launch::log_file(&self.options.dirs)
    }
}

/// Opens a lock file that only this user can access.
fn open_lock(path: &std::path::Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns the possible sockets of the daemon: the usual one, and the one in its lock's note.
pub(crate) fn sockets(dirs: &Dirs, holder: Option<&Holder>) -> Vec<PathBuf> {
    let mut sockets = vec![dirs.socket()];
    let noted = holder.and_then(Holder::socket).map(PathBuf::from);
    sockets.extend(noted.filter(|noted| *noted != sockets[0]));
    sockets
}

/// Connects and exchanges versions; `None` if no process listens.
async fn reach(socket: &std::path::Path, options: &ConnectOptions) -> Result<Option<Reached>, ConnectError> {
    let Some(mut rpc) = open(socket).await? else { return Ok(None) };
    match handshake::greet(&mut rpc, options).await {
        Ok(daemon) => Ok(Some(Reached { rpc, daemon, kept: None })),
        // The listener ended with the connection in its queue.
        Err(status) if status.code() == tonic::Code::Unavailable || is_broken(&status) => Ok(None),
        Err(status) => Err(ConnectError::Refused { source: Box::new(status) }),
    }
}

/// Whether the call failed because the connection broke, not because the daemon returned an error.
pub(crate) fn is_broken(status: &tonic::Status) -> bool {
    std::error::Error::source(status).is_some()
}

/// Connects without a handshake; `None` if no process listens.
pub(crate) async fn open(path: &std::path::Path) -> Result<Option<RecallClient<Channel>>, ConnectError> {
    let stream = match socket::open(path).await {
        Ok(stream) => stream,
        Err(OpenError::NoListener) => return Ok(None),
        Err(OpenError::ForeignOwner { owner }) => {
            return Err(ConnectError::ForeignOwner { socket: path.to_owned(), owner });
        }
        Err(OpenError::Io(source)) => return Err(ConnectError::Socket { socket: path.to_owned(), source }),
    };
    let channel = socket::channel(path, stream).await;
    let channel = channel.map_err(|source| ConnectError::Transport { socket: path.to_owned(), source })?;
    let rpc = RecallClient::new(channel);
    Ok(Some(rpc.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES)))
}

/// The folders of a private daemon: the user's, except for the runtime folder.
pub(crate) fn private_dirs(dirs: &Dirs, runtime: PathBuf) -> Dirs {
    Dirs { runtime, service_socket: None, ..dirs.clone() }
}
