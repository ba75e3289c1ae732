//! One parse worker, as its parent sees it.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::worker;
use super::worker::{COMMAND, HELLO};
use parking_lot::Mutex;

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
        let said = worker::read_frame(&mut self.output, HELLO.len())?;
        if said == HELLO { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// Sends a request and reads the answer.
    pub(super) fn exchange(&mut self, request: &[u8], most_bytes: usize) -> io::Result<Vec<u8>> {
        worker::write_frame(&mut self.input, request)?;
        worker::read_frame(&mut self.output, most_bytes)
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

#[cfg(unix)]
mod platform {
    //! The process of a parse worker on Unix.

    use std::io;
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::path::PathBuf;
    use std::process::{Command, ExitStatus};

    use rustix::process::Signal;

    /// Returns a command for the daemon's own program, without variables.
    pub(super) fn command() -> io::Result<Command> {
        let mut command = Command::new(program()?);
        command.arg0("recalld").env_clear().current_dir("/");
        Ok(command)
    }

    /// The daemon's own program. On Linux also if another version has replaced its file.
    fn program() -> io::Result<PathBuf> {
        if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() }
    }

    /// Describes the end of a worker for a person.
    pub(super) fn describe(status: ExitStatus) -> String {
        match (status.signal(), status.code()) {
            (Some(signal), _) => format!("crashed with {}", name_of(signal)),
            (None, Some(code)) => format!("ended with exit code {code}"),
            (None, None) => "ended".to_owned(),
        }
    }

    fn name_of(signal: i32) -> String {
        const NAMES: [(Signal, &str); 8] = [
            (Signal::SEGV, "SIGSEGV"),
            (Signal::ABORT, "SIGABRT"),
            (Signal::BUS, "SIGBUS"),
            (Signal::ILL, "SIGILL"),
            (Signal::FPE, "SIGFPE"),
            (Signal::TRAP, "SIGTRAP"),
            (Signal::KILL, "SIGKILL"),
            (Signal::TERM, "SIGTERM"),
        ];
        let known = NAMES.iter().find(|(known, _)| known.as_raw() == signal);
        known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
    }
}

#[cfg(windows)]
mod platform {
    //! The process of a parse worker on Windows.

    use std::io;
    use std::os::windows::process::CommandExt as _;
    use std::process::{Command, ExitStatus};

    /// `CREATE_NO_WINDOW`: no window opens for a worker of a daemon without a console.
    const NO_WINDOW: u32 = 0x0800_0000;

    /// The only variable of a worker: libraries of the system are found through it.
    const SYSTEM_FOLDER: &str = "SystemRoot";

    /// The smallest status of a process that an exception ended.
    const EXCEPTION: u32 = 0xC000_0000;

    /// Exceptions by which a parser may end.
    const EXCEPTIONS: [(u32, &str); 6] = [
        (0xC000_0005, "an access violation"),
        (0xC000_00FD, "a stack overflow"),
        (0xC000_001D, "an illegal instruction"),
        (0xC000_0094, "a division by zero"),
        (0xC000_0374, "a damaged heap"),
        (0xC000_0409, "an abort"),
    ];

    /// Returns a command for the daemon's own program, with one variable.
    pub(super) fn command() -> io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.env_clear().current_dir("/").creation_flags(NO_WINDOW);
        command.envs(std::env::var_os(SYSTEM_FOLDER).map(|folder| (SYSTEM_FOLDER, folder)));
        Ok(command)
    }

    /// Describes the end of a worker for a person.
    pub(super) fn describe(status: ExitStatus) -> String {
        let Some(code) = status.code().map(i32::cast_unsigned) else { return "ended".to_owned() };
        match EXCEPTIONS.iter().find(|(known, _)| *known == code) {
            Some((_, name)) => format!("crashed with {name}"),
            None if code >= EXCEPTION => format!("crashed with exception {code:#010x}"),
            None => format!("ended with exit code {code}"),
        }
    }
}
