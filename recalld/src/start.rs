//! From a process to a daemon that listens.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser as _;
use recall_config::{
    ConfigError, Dirs, DirsError, Environment, Loaded, LockNote, ProcessStart, RuntimeError, Settings,
};
use recall_core::Clock as _;
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::{self, Runtime};
use tokio::sync::Notify;

use crate::args::{Args, Tenure};
use crate::clock::SystemClock;
use crate::daemon::{Daemon, Identity, VERSION};
use crate::lock::LockError;
use crate::log::{self, Destination, LogError};
use crate::server::Server;
use crate::socket::{self, Bound, SocketError};
use crate::standing::{self, SocketMaker, Standing};
use crate::{blocking, event, lifecycle, models, notify, panic, pressure, wake, wiring};

/// Connections are served by one thread, which only passes on what the engine does; the other one takes over where a call keeps
/// the first.
const WORKERS: usize = 2;

/// Runs the daemon; returns when it has ended.
pub fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let message = recall_core::error_chain(&error);
            tracing::error!(error = message, "cannot start");
            report(&message);
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(args: &Args) -> Result<(), StartError> {
    let started = Instant::now();
    let tenure = args.tenure(notify::is_managed());
    // Whatever the daemon makes is its user's alone.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    if tenure == Tenure::Detached {
        // The terminal that started it may go. A process that leads its group already, as one run by hand, stays.
        let _ = rustix::process::setsid();
    }

    let environment = Environment::capture();
    let dirs = dirs(args, &environment)?;
    let loaded = Settings::load(&dirs, None, &environment, &[]);
    let log = log_destination(tenure, &dirs);
    let fallback = Settings::default();
    let settings = loaded.as_ref().map_or(&fallback, |loaded| &loaded.settings);
    log::start(&log, &settings.daemon)?;
    panic::install_hook();
    let Loaded { settings, warnings, .. } = loaded?;
    for warning in warnings {
        tracing::warn!(%warning, "a setting was passed over");
    }

    dirs.prepare_runtime()?;
    let inherited = listenfd::ListenFd::from_env().take_unix_listener(0).map_err(StartError::Inherit)?;
    let (pid, started_at) = (std::process::id(), SystemClock.now());
    let note = LockNote { pid, started: ProcessStart::of(pid), since: Some(started_at), socket: None };
    let maker = if inherited.is_some() { SocketMaker::ServiceManager } else { SocketMaker::Daemon };
    let Some(standing) = Standing::claim(&dirs, tenure, &note, maker)? else { return Ok(()) };
    raise_file_limit();
    let runtime = runtime()?;
    let socket = inherited.as_ref().and_then(socket::path_of).unwrap_or_else(|| dirs.socket());
    let (data_home, log_file) = (dirs.data.clone(), log.path().map(ToOwned::to_owned));
    let identity = Identity { pid, tenure, started_at, started, socket, data_home, log: log_file };
    let outcome = runtime.block_on(serve(identity, &dirs, standing, environment, settings, inherited));
    // What did not stop in time is not waited for.
    runtime.shutdown_background();
    if tenure == Tenure::Private {
        leave_nothing(&dirs, &log);
    }
    outcome
}

/// Serves from the bound socket to the end.
async fn serve(
    identity: Identity,
    dirs: &Dirs,
    mut standing: Standing,
    environment: Environment,
    settings: Settings,
    inherited: Option<std::os::unix::net::UnixListener>,
) -> Result<(), StartError> {
    let bound = listen(dirs, inherited)?;
    let (events, received) = event::queue();
    let tenure = identity.tenure;
    let daemon = Arc::new(wiring::daemon(identity, dirs, environment, settings, events.clone()));

    models::warm_up(daemon.settings.search.model);
    wake::on_signals(events.clone()).map_err(StartError::Signals)?;
    if tenure == Tenure::Private {
        wake::on_owner_gone(events.clone()).map_err(StartError::Thread)?;
    }
    if let (Tenure::Detached, Some(period)) = (tenure, daemon.settings.daemon.idle_exit) {
        let engine = Arc::clone(&daemon.engine);
        wake::on_idle(events.clone(), daemon.activity.clone(), period, move || engine.running_jobs() > 0);
    }
    pressure::watch(Arc::clone(&daemon));
    // Only now may clients send the signal that asks for a look: it would end a process that does not handle it.
    standing.listens(&bound)?;
    let look = Arc::new(Notify::new());
    let rebound = standing::keep(standing, tenure, &daemon, Arc::clone(&look), events);
    let server = Server::start(Arc::clone(&daemon), bound, rebound, &daemon.settings.daemon).await;
    log_start(&daemon);
    lifecycle::run(server, received, daemon.settings.daemon.drain, &look).await;
    Ok(())
}

/// Lets the process open as many files as it may: each client is one, each store several, and many systems begin at 1024.
fn raise_file_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, current = current.unwrap_or(u64::MAX), "the limit on open files stays as it is");
    }
}

fn log_start(daemon: &Daemon) {
    let Identity { tenure, socket, .. } = &daemon.identity;
    let took_us = daemon.identity.uptime().as_micros() as u64;
    tracing::info!(version = VERSION, pid = daemon.identity.pid, ?tenure, socket = %socket.display(), took_us, "listening");
}

fn listen(dirs: &Dirs, inherited: Option<std::os::unix::net::UnixListener>) -> Result<Bound, SocketError> {
    match inherited {
        Some(listener) => socket::adopt(listener),
        None => socket::bind(&dirs.socket()),
    }
}

fn dirs(args: &Args, environment: &Environment) -> Result<Dirs, StartError> {
    let dirs = Dirs::from_environment(environment)?;
    Ok(match &args.runtime {
        Some(runtime) => Dirs { runtime: runtime.clone(), ..dirs },
        None => dirs,
    })
}

/// A private daemon logs beside its socket, so that nothing of it is left and nobody else's log is in its way.
fn log_destination(tenure: Tenure, dirs: &Dirs) -> Destination {
    match tenure {
        Tenure::Detached => Destination::File(dirs.log_dir().join("recalld.log")),
        Tenure::Kept => Destination::Stderr,
        Tenure::Private => Destination::File(dirs.runtime.join("recalld.log")),
    }
}

fn runtime() -> Result<Runtime, StartError> {
    let mut builder = runtime::Builder::new_multi_thread();
    builder.worker_threads(WORKERS).max_blocking_threads(blocking::THREADS).thread_name("recalld").enable_all();
    builder.build().map_err(StartError::Thread)
}

/// Removes what a private daemon made in its runtime folder, and the folder where nothing else is in it.
fn leave_nothing(dirs: &Dirs, log: &Destination) {
    let made = [Some(dirs.lock()), log.path().map(ToOwned::to_owned)];
    for path in made.into_iter().flatten() {
        let _ = std::fs::remove_file(path);
    }
    let _ = std::fs::remove_dir(&dirs.runtime);
}

/// Tells whoever started the daemon why it did not; the log may not be there to tell.
#[expect(clippy::print_stderr, reason = "standard error is where a program that cannot start says why")]
fn report(message: &str) {
    eprintln!("recalld: {message}");
}

/// The daemon cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// Nobody says where its files are.
    #[error("cannot tell where recall's files are")]
    Dirs(#[from] DirsError),
    /// The configuration is wrong.
    #[error("the configuration is wrong")]
    Config(#[from] ConfigError),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The runtime folder cannot be used.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The lock cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The socket of the service manager is none.
    #[error("what the service manager handed over is no socket")]
    Inherit(#[source] io::Error),
    /// The socket cannot be used.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The system does not tell about signals.
    #[error("cannot listen to signals")]
    Signals(#[source] io::Error),
    /// The system gives no threads.
    #[error("cannot start threads")]
    Thread(#[source] io::Error),
}

impl StartError {
    /// 2 for what the user set, 70 for what the system or the program did.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Dirs(_) | Self::Config(_) => 2,
            Self::Log(_)
            | Self::Runtime(_)
            | Self::Lock(_)
            | Self::Inherit(_)
            | Self::Socket(_)
            | Self::Signals(_)
            | Self::Thread(_) => 70,
        }
    }
}

impl Destination {
    /// The file, where it is one.
    fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Stderr => None,
        }
    }
}
