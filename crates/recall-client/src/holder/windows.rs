//! The daemon's process and its note on Windows.

use std::fs::File;
use std::io;
use std::path::Path;

use recall_config::LockNote;

/// A process that can be ended.
pub(super) struct Process {
    pid: u32,
}

impl Process {
    #[expect(clippy::unnecessary_wraps, reason = "on Unix, not every number is a process id")]
    pub(super) fn open(pid: u32) -> Option<Self> {
        Some(Self { pid })
    }

    /// A pipe cannot be deleted, so no daemon needs to check it.
    #[expect(clippy::unused_self, reason = "the same function as on Unix")]
    pub(super) fn hang_up(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A process without a console cannot be asked to end. What it acknowledged is on the disk.
    pub(super) fn terminate(&self) -> io::Result<()> {
        self.kill()
    }

    pub(super) fn kill(&self) -> io::Result<()> {
        if recall_config::kill(self.pid) { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }
}

/// Returns the file with the holder's note, which is next to the locked file.
pub(super) fn note_of(_lock: File, path: &Path) -> Option<File> {
    File::open(LockNote::file_of(path)).ok()
}
