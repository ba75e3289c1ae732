//! The daemon's process and its note on Unix.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::process::{Pid, Signal};

/// A process that can be signalled.
pub(super) struct Process {
    pid: Pid,
    /// A descriptor of the process; `None` if the kernel has none.
    #[cfg(target_os = "linux")]
    descriptor: Option<std::os::fd::OwnedFd>,
}

impl Process {
    pub(super) fn open(pid: u32) -> Option<Self> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
        Some(Self {
            pid,
            #[cfg(target_os = "linux")]
            descriptor: rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok(),
        })
    }

    pub(super) fn hang_up(&self) -> io::Result<()> {
        self.send(Signal::HUP)
    }

    pub(super) fn terminate(&self) -> io::Result<()> {
        self.send(Signal::TERM)
    }

    pub(super) fn kill(&self) -> io::Result<()> {
        self.send(Signal::KILL)
    }

    fn send(&self, signal: Signal) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Some(process) = &self.descriptor {
            return Ok(rustix::process::pidfd_send_signal(process, signal)?);
        }
        Ok(rustix::process::kill_process(self.pid, signal)?)
    }
}

/// Returns the file with the holder's note: the locked file.
#[expect(clippy::unnecessary_wraps, reason = "on Windows there may be none")]
pub(super) fn note_of(lock: File, _path: &Path) -> Option<File> {
    Some(lock)
}
