//! One run of an agent: a process group of its own, with the prompt on its standard input; and the interrupts that end it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use recall_agents::Folders;
use recall_api::Reason;
use tokio::sync::oneshot;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::human::text::printable;

/// The greatest output of one run. An agent that writes more is ended: its answer would be cut. A long answer with all its
/// tool calls has less than a megabyte.
pub const OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// How long an agent may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How long to read what is left in the pipe after the agent and its group have ended. A process that left the group may
/// hold the pipe for ever.
const REST: Duration = Duration::from_secs(1);

/// How often a wait looks again.
const STEP: Duration = Duration::from_millis(20);

/// The variables besides [`Folders::VARIABLES`] that lead to files of the user, or to a session that is under way.
const VARIABLES_OF_A_HOME: &[&str] =
    &["CLAUDE_PROJECT_DIR", "EDI_SESSION_ID", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"];

/// An agent's command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// The surroundings of a run.
#[derive(Clone, Debug)]
pub struct Surroundings<'a> {
    /// The working directory.
    pub folder: &'a Path,
    /// The home folder; `None` for the user's. With another one, no variable leads to files in the user's.
    pub home: Option<&'a Path>,
    /// Further variables of the environment.
    pub variables: Vec<(&'static str, OsString)>,
    /// When the agent is ended.
    pub time_limit: Duration,
    /// Whether to repeat the output on standard output.
    pub shows: bool,
}

/// A finished run.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote to standard output and standard error.
    pub output: String,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The agent ended by itself.
    Exited(ExitStatus),
    /// It was ended because it took too long.
    TimeLimit,
    /// It was ended because it wrote too much.
    OutputLimit,
    /// It was ended because the user interrupted the loop.
    Interrupted,
}

impl Agent {
    /// Finds the program of a command line.
    ///
    /// # Errors
    /// The line is not one of a shell, or the program does not exist.
    pub fn parse(line: &str, context: &CommandContext) -> Result<Self, CommandError> {
        let words = shlex::split(line).filter(|words| !words.is_empty());
        let Some(mut arguments) = words else {
            let message = format!("the agent's command `{line}` is not a line of a shell");
            return Err(CliError::usage(message).with_hint("correct `--agent` or the setting loop.agent").into());
        };
        let name = arguments.remove(0);
        let program = if name.contains(['/', '\\']) {
            Some(context.absolute(Path::new(&name))).filter(|program| program.is_file())
        } else {
            context.process_env.programs.on_path(&name)
        };
        let Some(program) = program else {
            let message = format!("the agent's program `{name}` does not exist");
            return Err(CliError::new(Exit::Usage, Reason::NotFound, message)
                .with_hint("install it, or name another one with `--agent` or the setting loop.agent")
                .into());
        };
        Ok(Self { program, arguments })
    }

    /// Runs the agent to its end. `started` is told the process id; `interrupted` is what the user's interrupt completes.
    ///
    /// # Errors
    /// The program cannot be run, or the output not be written.
    pub async fn run(
        &self,
        prompt: File,
        output: File,
        surroundings: &Surroundings<'_>,
        started: impl FnOnce(u32) -> Result<(), CommandError>,
        interrupted: impl Future<Output = ()>,
    ) -> Result<Run, CommandError> {
        let refused = |source| CliError::refusal(format!("cannot run `{}`", self.program.display()), &source);
        let (reader, writer) = io::pipe().map_err(refused)?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(surroundings.folder).stdin(prompt);
        if let Some(home) = surroundings.home {
            for name in Folders::VARIABLES.iter().chain(VARIABLES_OF_A_HOME) {
                command.env_remove(name);
            }
            command.env("HOME", home).env("USERPROFILE", home);
        }
        command.envs(surroundings.variables.iter().map(|(name, value)| (name, value)));
        command.stdout(writer.try_clone().map_err(refused)?).stderr(writer);
        own_group(&mut command);
        let mut child = command.spawn().map_err(refused)?;
        // The command holds ends of the pipe, which would keep it open.
        drop(command);
        let (too_much, is_too_much) = oneshot::channel();
        let shows = surroundings.shows;
        let (read, all_read) = mpsc::channel();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let of_thread = Arc::clone(&kept);
        std::thread::spawn(move || read.send(copy(reader, output, &of_thread, shows, too_much)));
        let told = started(child.id());
        let ended = tokio::select! {
            exited = exit_of(&mut child) => exited.map(|()| None),
            () = tokio::time::sleep(surroundings.time_limit) => Ok(Some(Ended::TimeLimit)),
            Ok(()) = is_too_much => Ok(Some(Ended::OutputLimit)),
            () = interrupted => Ok(Some(Ended::Interrupted)),
        };
        // Whatever happened, nothing of the group is left when this returns.
        let status = end(&mut child).await.map_err(refused)?;
        told?;
        let ended = ended.map_err(refused)?.unwrap_or(Ended::Exited(status));
        // Without an answer in time, a process outside the group holds the pipe. What was read counts.
        if let Ok(Err(source)) = all_read.recv_timeout(REST) {
            return Err(CliError::refusal("cannot write the agent's output", &source).into());
        }
        let output = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Run { ended, output: String::from_utf8_lossy(&output).into_owned() })
    }
}

/// Copies the output of an agent into its file, into `kept`, and line by line to standard output.
fn copy(
    mut from: io::PipeReader,
    mut to: File,
    kept: &Mutex<Vec<u8>>,
    shows: bool,
    too_much: oneshot::Sender<()>,
) -> io::Result<()> {
    let mut too_much = Some(too_much);
    let mut line = Vec::new();
    let mut block = vec![0; 64 * 1024];
    loop {
        let read = match from.read(&mut block) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = &block[..read.min(OUTPUT_BYTES.saturating_sub(kept.len()))];
        kept.extend_from_slice(fitting);
        drop(kept);
        to.write_all(fitting)?;
        if let Some(too_much) = too_much.take_if(|_| fitting.len() < read) {
            let _ = too_much.send(());
        }
        if shows {
            line.extend_from_slice(fitting);
            let end = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |line_feed| line_feed + 1);
            show(&String::from_utf8_lossy(&line[..end]));
            line.drain(..end);
        }
    }
    show(&String::from_utf8_lossy(&line));
    Ok(())
}

/// Writes lines to standard output, safe for a terminal. A closed standard output must not stop the agent.
fn show(lines: &str) {
    let mut stdout = io::stdout().lock();
    for line in lines.lines() {
        let _ = writeln!(stdout, "{}", printable(line));
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;

    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

/// Waits until a process has ended, and leaves it to be waited for: until then its id, and that of its group, is not given
/// to another process.
#[cfg(unix)]
async fn exit_of(child: &mut Child) -> io::Result<()> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};

    let id = group_of(child);
    loop {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match waitid(WaitId::Pid(id), options) {
            Ok(Some(_)) => return Ok(()),
            Ok(None) | Err(rustix::io::Errno::INTR) => tokio::time::sleep(STEP).await,
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(unix)]
fn group_of(child: &Child) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(child.id() as i32).expect("a process id is not 0")
}

/// Ends the group of a process: asks it to end, waits, and kills what is left.
#[cfg(unix)]
async fn end(child: &mut Child) -> io::Result<ExitStatus> {
    use rustix::process::{Signal, kill_process_group};

    let group = group_of(child);
    // An error means that no process of the group is left but the ended one.
    let _ = kill_process_group(group, Signal::TERM);
    let _ = tokio::time::timeout(GRACE, exit_of(child)).await;
    let _ = kill_process_group(group, Signal::KILL);
    exit_of(child).await?;
    child.wait()
}

#[cfg(not(unix))]
async fn exit_of(child: &mut Child) -> io::Result<()> {
    while child.try_wait()?.is_none() {
        tokio::time::sleep(STEP).await;
    }
    Ok(())
}

/// Ends a process. Its children are not known here.
#[cfg(not(unix))]
async fn end(child: &mut Child) -> io::Result<ExitStatus> {
    if child.try_wait()?.is_none() {
        child.kill()?;
        let _ = tokio::time::timeout(GRACE, exit_of(child)).await;
    }
    child.wait()
}

/// The signals. While it exists, they do not end the process.
#[derive(Debug)]
pub struct Interrupts {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 3],
}

impl Interrupts {
    /// Listens to Ctrl+C, to a request to end, and to the end of the terminal.
    ///
    /// # Errors
    /// The system does not allow it.
    #[cfg(unix)]
    pub fn listen() -> Result<Self, CommandError> {
        use tokio::signal::unix::{SignalKind, signal};

        let listen = |kind| signal(kind).map_err(|error| CliError::refusal("cannot listen to signals", &error));
        let signals =
            [listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?];
        Ok(Self { signals })
    }

    /// Waits for one.
    #[cfg(unix)]
    pub async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }

    /// Listens to Ctrl+C.
    ///
    /// # Errors
    /// None: as on Unix.
    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub fn listen() -> Result<Self, CommandError> {
        Ok(Self {})
    }

    /// Waits for it.
    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as on Unix")]
    pub async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
