//! The way from nothing to a daemon that answers.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_config::Dirs;
use recall_proto::v1::ShutdownRequest;
use recall_proto::v1::recall_client::RecallClient;
use tonic::transport::Channel;

use crate::MAX_MESSAGE_BYTES;
use crate::daemon;
use crate::error::{ConnectError, Unreached};
use crate::handshake::{self, DaemonIdentity, Verdict};
use crate::holder::{Ask, Holder};
use crate::launch::{self, Fate, Starting};
use crate::options::{ConnectOptions, Launch};
use crate::socket::{self, OpenError};

/// A daemon usually listens a few milliseconds after it was started, so that the first looks come quickly...
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// ...and on a machine under load later ones must not add to it.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How long a daemon that runs without a socket is waited for where none may be started. It looks for its socket every
/// second unless the user set that otherwise, and at once when it is asked to.
const REBINDING: Duration = Duration::from_secs(2);

/// A daemon that answered.
pub(crate) struct Reached {
    pub(crate) rpc: RecallClient<Channel>,
    pub(crate) daemon: DaemonIdentity,
}

/// Reaches the shared daemon, as the options say.
pub(crate) async fn shared(options: &ConnectOptions) -> Result<Reached, ConnectError> {
    let mut way = Way::new(options);
    let mut replaced = Replaced::No;
    loop {
        let Some(reached) = way.look().await? else {
            way.start_or_wait()?;
            way.pause().await?;
            continue;
        };
        let DaemonIdentity { version, protocols, .. } = reached.daemon.clone();
        match handshake::judge(&reached.daemon) {
            Verdict::Fits => return Ok(reached),
            Verdict::OlderButFits if options.launch == Launch::Never || replaced == Replaced::Yes => {
                return Ok(reached);
            }
            Verdict::OlderButFits | Verdict::Older if options.launch != Launch::Never && replaced == Replaced::No => {
                replaced = Replaced::Yes;
                way.end(reached).await?;
            }
            Verdict::OlderButFits | Verdict::Older => return Err(ConnectError::Older { version, protocols }),
            Verdict::Newer => return Err(ConnectError::Newer { version, protocols }),
        }
    }
}

/// Whether an older daemon was asked to end on this way. Once is enough: who comes back is kept by somebody else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replaced {
    No,
    Yes,
}

/// One attempt to reach the daemon, with its deadline.
pub(crate) struct Way<'o> {
    options: &'o ConnectOptions,
    socket: PathBuf,
    began: Instant,
    pause: Duration,
    starting: Option<Starting>,
    /// Held from the start of a daemon until it answers, so that other clients wait for that one.
    start_lock: Option<File>,
    /// Who was asked to look after its socket.
    asked: Option<Holder>,
}

impl<'o> Way<'o> {
    pub(crate) fn new(options: &'o ConnectOptions) -> Self {
        Self {
            options,
            socket: options.dirs.socket(),
            began: Instant::now(),
            pause: FIRST_PAUSE,
            starting: None,
            start_lock: None,
            asked: None,
        }
    }

    /// Looks once whether a daemon answers; `None` when nobody listens.
    pub(crate) async fn look(&self) -> Result<Option<Reached>, ConnectError> {
        if let Some(reached) = self.look_at(&self.socket).await? {
            return Ok(Some(reached));
        }
        // The daemon of this user's data may listen elsewhere, as one of another version or of the service manager.
        let holder = self.holder();
        for elsewhere in &sockets(&self.options.dirs, holder.as_ref())[1..] {
            if let Some(reached) = self.look_at(elsewhere).await? {
                return Ok(Some(reached));
            }
        }
        match &self.options.dirs.service_socket {
            // A connection to it starts the daemon of the service manager, unless another one serves these data.
            Some(socket) if holder.is_none() => self.look_at_service(socket).await,
            _ => Ok(None),
        }
    }

    /// Looks at the socket of the service manager, whose daemon may serve the data of other dirs: that one is nobody.
    async fn look_at_service(&self, socket: &std::path::Path) -> Result<Option<Reached>, ConnectError> {
        match self.look_at(socket).await {
            // One that does not say what it serves may serve anything.
            Ok(Some(reached)) => Ok(Some(reached).filter(|reached| reached.daemon.says_data_home)),
            Err(ConnectError::Refused { source }) if handshake::is_other_home(&source) => Ok(None),
            answer => answer,
        }
    }

    async fn look_at(&self, socket: &std::path::Path) -> Result<Option<Reached>, ConnectError> {
        let left = self.left()?;
        let reached = tokio::time::timeout(left, reach(socket, self.options)).await;
        // The last look may have too little time left even to find nobody.
        let why = if socket.exists() { Unreached::Silent } else { Unreached::NoSocket };
        match reached.map_err(|_| self.timed_out(why))? {
            // A daemon that is just ending may still take connections, and then breaks them.
            Err(ConnectError::Transport { .. }) if self.options.launch != Launch::Never => Ok(None),
            answer => answer,
        }
    }

    /// Starts a daemon, unless one runs or is on its way.
    fn start_or_wait(&mut self) -> Result<(), ConnectError> {
        match self.starting.as_mut().map(Starting::fate) {
            Some(Fate::Running) => return Ok(()),
            Some(Fate::Failed { status, message }) => {
                return Err(ConnectError::StartFailed { status: status.to_string(), message, log: self.log() });
            }
            // The one that it yielded to has ended since, or is about to be reached.
            None | Some(Fate::Yielded) => {}
        }
        if let Some(holder) = self.holder() {
            return self.wait_for(holder);
        }
        if self.options.launch == Launch::Never {
            return Err(ConnectError::NotRunning { socket: self.socket.clone() });
        }
        if self.may_start() {
            let binary = launch::binary(self.options.daemon_binary.as_deref())?;
            self.starting = Some(Starting::detached(&binary)?);
        }
        Ok(())
    }

    /// Lets a daemon that runs and has no socket come back, or end; asks it to look after its socket.
    fn wait_for(&mut self, holder: Holder) -> Result<(), ConnectError> {
        if self.options.launch == Launch::Never && self.began.elapsed() > REBINDING {
            return Err(self.unreachable(holder, Unreached::NoSocket));
        }
        if self.asked.as_ref().is_none_or(|asked| !asked.is(&holder)) && holder.signal(Ask::Look).is_ok() {
            self.asked = Some(holder);
        }
        Ok(())
    }

    /// Whether this client is the one that starts the daemon.
    fn may_start(&mut self) -> bool {
        if self.start_lock.is_some() {
            return true;
        }
        let dirs = &self.options.dirs;
        // In a folder that cannot be used, the daemon says why it cannot be.
        let Some(lock) = dirs.prepare_runtime().ok().and_then(|()| open_lock(&dirs.start_lock()).ok()) else {
            return true;
        };
        match lock.try_lock() {
            Ok(()) => {
                self.start_lock = Some(lock);
                // Since this client looked, another one may have started a daemon and let the lock go.
                self.holder().is_none()
            }
            Err(TryLockError::WouldBlock) => false,
            // A file system that has no locks.
            Err(TryLockError::Error(_)) => true,
        }
    }

    /// Asks an older daemon to finish, and waits until it is gone.
    async fn end(&mut self, reached: Reached) -> Result<(), ConnectError> {
        let before = self.holder();
        let mut rpc = reached.rpc;
        let request = ShutdownRequest { reason: "upgrade".to_owned(), ..ShutdownRequest::default() };
        // It may end before its answer gets here.
        let _ = tokio::time::timeout(self.left()?, rpc.shutdown(request)).await;
        drop(rpc);
        while let (Some(before), Some(now)) = (&before, self.holder())
            && before.is(&now)
        {
            self.pause().await?;
        }
        self.pause = FIRST_PAUSE;
        Ok(())
    }

    /// Waits a little, longer each time.
    pub(crate) async fn pause(&mut self) -> Result<(), ConnectError> {
        let pause = self.pause.min(self.left()?);
        tokio::time::sleep(pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }

    fn left(&self) -> Result<Duration, ConnectError> {
        let left = self.options.deadline.saturating_sub(self.began.elapsed());
        if left.is_zero() { Err(self.timed_out(Unreached::NoSocket)) } else { Ok(left) }
    }

    fn timed_out(&self, why: Unreached) -> ConnectError {
        match self.holder() {
            Some(holder) => self.unreachable(holder, why),
            None => {
                ConnectError::Timeout { socket: self.socket.clone(), waited: self.options.deadline, log: self.log() }
            }
        }
    }

    fn unreachable(&self, holder: Holder, why: Unreached) -> ConnectError {
        let (socket, waited) = (self.socket.clone(), self.began.elapsed());
        ConnectError::Unreachable { holder: Box::new(holder), socket, why, waited, log: self.log() }
    }

    /// Who holds the lock of the daemon that is looked for. A private daemon has none of the user's data.
    fn holder(&self) -> Option<Holder> {
        match self.options.launch {
            Launch::Private => Holder::at_socket(&self.options.dirs),
            Launch::IfNeeded | Launch::Never => Holder::of(&self.options.dirs),
        }
    }

    fn log(&self) -> PathBuf {
        daemon::log_file(&self.options.dirs)
    }
}

/// Opens a lock of this user's alone.
fn open_lock(path: &std::path::Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Where a daemon may listen: where all programs look first, and where it says that it does.
pub(crate) fn sockets(dirs: &Dirs, holder: Option<&Holder>) -> Vec<PathBuf> {
    let mut sockets = vec![dirs.socket()];
    let noted = holder.and_then(Holder::socket).map(PathBuf::from);
    sockets.extend(noted.filter(|noted| *noted != sockets[0]));
    sockets
}

/// Connects and exchanges versions; `None` when nobody listens.
async fn reach(socket: &std::path::Path, options: &ConnectOptions) -> Result<Option<Reached>, ConnectError> {
    let Some(mut rpc) = open(socket).await? else { return Ok(None) };
    match handshake::greet(&mut rpc, &options.client_name, &options.dirs.data).await {
        Ok(daemon) => Ok(Some(Reached { rpc, daemon })),
        // The listener went away with the connection in its queue: nobody is there any more.
        Err(status) if status.code() == tonic::Code::Unavailable || is_broken(&status) => Ok(None),
        Err(status) => Err(ConnectError::Refused { source: Box::new(status) }),
    }
}

/// Whether the call failed because the connection broke, as against an answer of the daemon.
pub(crate) fn is_broken(status: &tonic::Status) -> bool {
    std::error::Error::source(status).is_some()
}

/// Connects without a word; `None` when nobody listens.
pub(crate) async fn open(path: &std::path::Path) -> Result<Option<RecallClient<Channel>>, ConnectError> {
    let stream = match socket::open(path).await {
        Ok(stream) => stream,
        Err(OpenError::Nobody) => return Ok(None),
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

/// The directories of a private daemon: everything of the user's, but a runtime folder of its own.
pub(crate) fn private_dirs(dirs: &Dirs, runtime: PathBuf) -> Dirs {
    Dirs { runtime, service_socket: None, ..dirs.clone() }
}
