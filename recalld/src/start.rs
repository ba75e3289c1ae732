//! The start of the daemon, from the arguments to a listening server.
//!
//! The order matters: the log first, so that what fails is read somewhere; then the locks, because only their holder may remove the
//! socket of a killed daemon; then the socket, at which clients may wait from then on; the stores last, each when a request needs it.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::{CommandFactory as _, FromArgMatches as _};
use recall_config::{
    ConfigError, Dirs, DirsError, Environment, Loaded, LockNote, ProcessStart, RuntimeError, Settings,
};
use recall_core::Clock as _;
use tokio::runtime::{self, Runtime};
use tokio::sync::Notify;

use crate::configuration::{Args, Configuration, Tenure};
use crate::daemon::{Daemon, Identity};
use crate::lock::LockError;
use crate::log::{self, Destination, LogError};
use crate::process::{self, SystemClock};
use crate::server::Server;
use crate::socket::{self, Bound, Inherited, SocketError};
use crate::standing::{self, SocketMaker, Standing};
use crate::{blocking, event, lifecycle, middleware, models, parsers, wiring};

/// One thread serves the connections and runs short calls; the other takes over while a call occupies the first.
const WORKERS: usize = 2;

/// Runs the daemon of the given version; returns when it has ended.
pub fn main(version: &'static str) -> ExitCode {
    main_with(version, |_| {})
}

/// Like [`main`]. A parse worker calls `before_parse` with each text: a test lets it crash there.
#[doc(hidden)]
pub fn main_with(version: &'static str, before_parse: fn(&str)) -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == parsers::COMMAND) {
        return parsers::run(before_parse);
    }
    let parsed = Args::from_arg_matches(&Args::command().version(version).get_matches());
    match run(&parsed.unwrap_or_else(|error| error.exit()), version) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let message = recall_text::error_chain(&error);
            tracing::error!(error = message, "cannot start");
            report(&message);
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(args: &Args, version: &'static str) -> Result<(), StartError> {
    let started = Instant::now();
    let is_managed = lifecycle::is_managed();
    let tenure = args.tenure(is_managed);
    // Read at once: the file may be replaced while the daemon runs.
    let program = std::env::current_exe().ok();
    // Only the user may access the files that the daemon creates.
    process::keep_files_private();
    if tenure == Tenure::Detached {
        process::leave_terminal();
    }

    let environment = Environment::capture();
    let dirs = dirs(args, &environment)?;
    let loaded = Settings::load(&dirs, None, &environment, &[]);
    let log = log_destination(tenure, &dirs);
    let fallback = Settings::default();
    let settings = loaded.as_ref().map_or(&fallback, |loaded| &loaded.settings);
    log::start(&log, &settings.daemon)?;
    middleware::install_panic_hook();
    let Loaded { settings, table, warnings } = loaded?;
    for warning in warnings {
        tracing::warn!(%warning, "a setting was ignored");
    }

    dirs.prepare_runtime()?;
    let inherited = socket::inherit().map_err(StartError::Inherit)?;
    let (pid, started_at) = (std::process::id(), SystemClock.now());
    let note = LockNote { pid, started: ProcessStart::read(pid), since: Some(started_at), socket: None };
    let maker = if inherited.is_some() { SocketMaker::ServiceManager } else { SocketMaker::Daemon };
    // The locks before the socket: only their holder may remove the socket that a killed daemon left.
    let Some(standing) = Standing::claim(&dirs, tenure, &note, maker)? else { return Ok(()) };
    process::raise_file_limit();
    let runtime = runtime()?;
    let socket = inherited.as_ref().and_then(socket::path_of).unwrap_or_else(|| dirs.socket());
    let (data_home, log_file) = (dirs.data.clone(), log.path().map(ToOwned::to_owned));
    let identity =
        Identity { version, program, is_managed, pid, tenure, started_at, started, socket, data_home, log: log_file };
    let configuration = Configuration { dirs: dirs.clone(), environment, started: table };
    let outcome = runtime.block_on(serve(identity, standing, settings, configuration, inherited));
    // Does not wait for tasks that did not stop in time.
    runtime.shutdown_background();
    if tenure == Tenure::Private {
        remove_runtime_files(&dirs, &log);
    }
    outcome
}

/// Binds the socket and serves until the daemon ends.
async fn serve(
    identity: Identity,
    mut standing: Standing,
    settings: Settings,
    configuration: Configuration,
    inherited: Option<Inherited>,
) -> Result<(), StartError> {
    let bound = listen(&configuration.dirs, inherited)?;
    let (events, received) = event::queue();
    let tenure = identity.tenure;
    let daemon = Arc::new(wiring::daemon(identity, settings, configuration, events.clone()));

    models::warm_up(daemon.settings.search.model);
    event::on_signals(events.clone()).map_err(StartError::Signals)?;
    if tenure == Tenure::Private {
        event::on_owner_gone(events.clone()).map_err(StartError::Thread)?;
    }
    if let (Tenure::Detached, Some(period)) = (tenure, daemon.settings.daemon.idle_exit) {
        let engine = Arc::clone(&daemon.engine);
        event::on_idle(events.clone(), daemon.activity.clone(), period, move || engine.running_jobs() > 0);
    }
    lifecycle::watch_memory(Arc::clone(&daemon));
    lifecycle::watch_histories(Arc::clone(&daemon));
    if tenure != Tenure::Private {
        lifecycle::watch_gone_roots(Arc::clone(&daemon));
    }
    // Recorded only after the signals are handled: clients send SIGHUP to the recorded process, which would end it otherwise.
    standing.listens(&bound)?;
    let look = Arc::new(Notify::new());
    let rebound = standing::keep(standing, tenure, &daemon, Arc::clone(&look), events);
    let server = Server::start(Arc::clone(&daemon), bound, rebound, &daemon.settings.daemon).await;
    log_start(&daemon);
    lifecycle::run(server, received, daemon.settings.daemon.drain, &look).await;
    Ok(())
}

fn log_start(daemon: &Daemon) {
    let Identity { version, tenure, socket, .. } = &daemon.identity;
    let took_us = daemon.identity.uptime().as_micros() as u64;
    tracing::info!(version, pid = daemon.identity.pid, ?tenure, socket = %socket.display(), took_us, "listening");
}

fn listen(dirs: &Dirs, inherited: Option<Inherited>) -> Result<Bound, SocketError> {
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

/// Returns the log of a daemon. A private daemon logs next to its socket, so that its log goes with its folder and is not
/// shared with another daemon.
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

/// Removes the files of a private daemon from its runtime folder, and the folder if it is then empty.
fn remove_runtime_files(dirs: &Dirs, log: &Destination) {
    let made = [Some(dirs.lock()), log.path().map(ToOwned::to_owned)];
    for path in made.into_iter().flatten() {
        let _ = std::fs::remove_file(path);
    }
    let _ = std::fs::remove_dir(&dirs.runtime);
}

/// Prints why the daemon did not start; the log may not be open yet.
#[expect(clippy::print_stderr, reason = "standard error is where a program that cannot start says why")]
fn report(message: &str) {
    eprintln!("recalld: {message}");
}

/// The daemon cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The locations of its files are unknown.
    #[error("cannot determine where recall's files are")]
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
    /// A lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The descriptor passed by the service manager is not a socket.
    #[error("the descriptor passed by the service manager is not a Unix socket")]
    Inherit(#[source] io::Error),
    /// The socket cannot be used.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The signal handlers cannot be installed.
    #[error("cannot install the signal handlers")]
    Signals(#[source] io::Error),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

impl StartError {
    /// Returns 2 for an error in the user's settings, 70 for a failure of the system or the program.
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
    /// Returns the log file; `None` for standard error.
    fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Stderr => None,
        }
    }
}
