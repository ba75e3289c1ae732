//! A daemon for a single client.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use recall_os::Folder;

use crate::connect::{self, ConnectAttempt, Reached};
use crate::error::ConnectError;
use crate::handshake::{self, Compatibility};
use crate::launch;
use crate::options::ConnectOptions;

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
