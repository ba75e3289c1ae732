//! One parse worker, as its parent sees it.

#[cfg(unix)]
#[path = "process/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod platform;

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::frame::{self, HELLO};
use super::worker::COMMAND;

/// The longest time between the closing of a worker's pipes and its end.
const ENDING_TIME: Duration = Duration::from_millis(200);

/// A running worker. Dropping it kills the process and waits for its end.
pub(super) struct Worker {
    process: Process,
    input: ChildStdin,
    output: ChildStdout,
}

/// The process of a worker, which another thread may kill while a request runs.
#[derive(Clone)]
pub(super) struct Process {
    pub(super) pid: u32,
    child: Arc<Mutex<Child>>,
}

impl Worker {
    /// Starts a worker. It inherits nothing but its end of two pipes.
    ///
    /// With `PR_SET_PDEATHSIG`, a process ends with the *thread* that started it, so the calling thread must outlive it.
    pub(super) fn start() -> io::Result<Self> {
        let mut child = platform::command()?
            .arg(COMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let process = Process { pid: child.id(), child: Arc::new(Mutex::new(child)) };
        Ok(Self { process, input, output })
    }

    pub(super) fn process(&self) -> &Process {
        &self.process
    }

    /// Waits until it is ready.
    ///
    /// # Errors
    /// It ended, or is another version.
    pub(super) fn greet(&mut self) -> io::Result<()> {
        let said = frame::read(&mut self.output, HELLO.len())?;
        if said == HELLO { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// Sends a request and reads the answer.
    pub(super) fn exchange(&mut self, request: &[u8], most_bytes: usize) -> io::Result<Vec<u8>> {
        frame::write(&mut self.input, request)?;
        frame::read(&mut self.output, most_bytes)
    }

    /// Returns how it ended after a failed exchange, for a person.
    pub(super) fn ending(self) -> String {
        let mut child = self.process.child.lock();
        let began = Instant::now();
        let mut status = child.try_wait().ok().flatten();
        // It closed its pipes, so it is about to end, unless its answer is unreadable.
        while status.is_none() && began.elapsed() < ENDING_TIME {
            std::thread::sleep(Duration::from_millis(1));
            status = child.try_wait().ok().flatten();
        }
        drop(child);
        describe(status)
    }
}

impl Process {
    /// Kills it without waiting.
    pub(super) fn kill(&self) {
        // It may have ended.
        let _ = self.child.lock().kill();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut child = self.process.child.lock();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn describe(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "sent an unreadable answer".to_owned(), platform::describe)
}
