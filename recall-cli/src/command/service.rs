//! `recall service`
//!
//! An installation is a plan of files and commands that is shown or made. Only files that recall wrote and nobody changed since are
//! replaced or removed; a failed installation is undone.

mod report;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output as ProcessOutput};

use clap::{Args, Subcommand};
use recall_api::Reason;
use recall_client::daemon::{self, Stopped};
use recall_config::{Dirs, Environment};
use recall_os::{Folder, OpenError};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::service::sealed_file::{FileState, SealedFile};
use crate::service::{ServiceInput, ServicePlan, StopTime, launchd, systemd, task_scheduler};
use report::{FileChange, FileStatus, ServiceState, state_text};

pub(super) use report::{ServiceChange, change_text};

/// The commands of `recall service`.
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Install the daemon as a service of your login: systemd on Linux, launchd on macOS, a task at logon on Windows.
    ///
    /// A running daemon is stopped, and the next client starts the one of the service.
    #[command(after_help = examples!("recall service install", "recall service install --dry-run"))]
    Install(ChangeArgs),
    /// Disable the service, stop its daemon and remove the files that `install` wrote.
    #[command(after_help = examples!("recall service uninstall", "recall service uninstall --dry-run"))]
    Uninstall(ChangeArgs),
    /// Show whether the service is installed, for which program, and whether it is active. Exits with 1 if it is not installed.
    #[command(after_help = examples!("recall service status", "recall service status --json"))]
    Status,
}

/// Arguments of `recall service install` and `uninstall`.
#[derive(Debug, Args)]
pub(crate) struct ChangeArgs {
    /// Show the files and the commands, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

/// A service manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServiceManager {
    Systemd,
    Launchd,
    TaskScheduler,
}

impl ServiceManager {
    fn name(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
            Self::TaskScheduler => "task scheduler",
        }
    }
}

pub(super) async fn run(command: ServiceCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    match command {
        ServiceCommand::Install(args) => install(&args, context).await,
        ServiceCommand::Uninstall(args) => uninstall(&args, context),
        ServiceCommand::Status => status(context),
    }
}

async fn install(args: &ChangeArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    if !args.dry_run {
        check_home(context)?;
    }
    let manager = manager()?;
    let plan = plan(manager, &program(manager, context)?, context)?;
    let mut before = Vec::new();
    for file in &plan.files {
        match read(file)? {
            FileState::Foreign => return Err(foreign(&file.path).into()),
            state => before.push(state),
        }
    }
    let changed = |(file, state): (&SealedFile, &FileState)| {
        let is_same = matches!(state, FileState::Ours(text) if *text == file.content);
        let action = if is_same { "unchanged" } else { "write" };
        FileChange { path: text(&file.path), action, content: (!is_same).then(|| file.content.clone()) }
    };
    let files: Vec<_> = plan.files.iter().zip(&before).map(changed).collect();
    let commands = plan.enable.iter().map(|words| words.join(" ")).collect();
    let mut change = ServiceChange { dry_run: args.dry_run, changed: false, files, commands, stopped_pid: None };
    if !args.dry_run {
        let program = manager_program(manager, context)?;
        if plan.stop == StopTime::BeforeEnable {
            // An earlier agent of the same name must be unloaded before it can be loaded again.
            plan.disable.iter().for_each(|words| drop(run_words(&program, words)));
            change.stopped_pid = stop(context).await?;
        }
        if let Err(error) = enable(&program, &plan) {
            restore(&program, &plan, &before);
            return Err(error);
        }
        if plan.stop == StopTime::AfterEnable {
            change.stopped_pid = stop(context).await?;
        }
        change.changed = true;
    }
    report(context, &change)?;
    if let (true, Some(home)) = (args.dry_run, &context.process_env.environment.recall_home) {
        let home = home.display();
        context
            .output
            .note(&format!("this service serves the default data home; unset RECALL_HOME ({home}) to install it"));
    }
    Ok(Exit::Done)
}

fn uninstall(args: &ChangeArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let change = remove(args.dry_run, context)?;
    report(context, &change)?;
    for file in change.files.iter().filter(|file| file.action == "keep") {
        context.output.note(&format!("{} was not written by recall or was changed since: it is kept", file.path));
    }
    Ok(Exit::Done)
}

/// Disables the service and removes its files; a dry run only returns what would be done.
pub(super) fn remove(dry_run: bool, context: &CommandContext) -> Result<ServiceChange, CommandError> {
    let manager = manager()?;
    // The content does not matter here, so the program need not exist.
    let plan = plan(manager, Path::new("/"), context)?;
    let states = plan.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let is_ours = states.iter().any(|state| matches!(state, FileState::Ours(_)));
    let removed = |(file, state): (&SealedFile, &FileState)| {
        let action = match state {
            FileState::Missing => "missing",
            FileState::Ours(_) => "remove",
            FileState::Foreign => "keep",
        };
        FileChange { path: text(&file.path), action, content: None }
    };
    let files = plan.files.iter().zip(&states).map(removed).collect();
    let steps: Vec<_> = if is_ours { plan.disable.iter().chain(&plan.reload).collect() } else { Vec::new() };
    let commands = steps.iter().map(|words| words.join(" ")).collect();
    let change = ServiceChange { dry_run, changed: is_ours && !dry_run, files, commands, stopped_pid: None };
    if change.changed {
        let program = manager_program(manager, context)?;
        for words in &plan.disable {
            // launchd reports an error if the agent is not loaded, and the task scheduler if there is no task; the file is
            // removed all the same.
            let done = run_checked(&program, words);
            if manager == ServiceManager::Systemd || asks(context, &plan.is_enabled) {
                done?;
            }
        }
        for (file, state) in plan.files.iter().zip(&states) {
            if matches!(state, FileState::Ours(_)) {
                let refused = |source| CliError::refusal(format!("cannot remove {}", file.path.display()), &source);
                fs::remove_file(&file.path).map_err(refused)?;
            }
        }
        plan.reload.iter().try_for_each(|words| run_checked(&program, words))?;
    }
    Ok(change)
}

fn status(context: &CommandContext) -> Result<Exit, CommandError> {
    let manager = manager()?;
    let plan = plan(manager, Path::new("/"), context)?;
    let states = plan.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let installed = states.iter().all(|state| *state != FileState::Missing);
    let program = program_in(manager, states.first());
    let version = program.as_deref().and_then(version_of);
    let state = ServiceState {
        manager: manager.name(),
        installed,
        enabled: asks(context, &plan.is_enabled),
        active: asks(context, &plan.is_active),
        files: plan
            .files
            .iter()
            .zip(&states)
            .map(|(file, state)| FileStatus { path: text(&file.path), state: state.name() })
            .collect(),
        program_exists: program.as_deref().map(Path::is_file),
        program: program.as_deref().map(text),
        version_matches: program.as_ref().map(|_| version.as_deref() == Some(env!("CARGO_PKG_VERSION"))),
        program_version: version,
    };
    match context.output.format {
        Format::Json => context.output.answer(&state)?,
        Format::Human => context.output.text(&state_text(&state))?,
    }
    Ok(if installed { Exit::Done } else { Exit::NothingFound })
}

/// Returns the program that the installed service starts; `None` if there is no service, or its file is somebody else's.
pub(super) fn installed_program(context: &CommandContext) -> Option<PathBuf> {
    let manager = manager().ok()?;
    let plan = plan(manager, Path::new("/"), context).ok()?;
    program_in(manager, read(plan.files.first()?).ok().as_ref())
}

/// Returns the program that a file of the service starts.
fn program_in(manager: ServiceManager, file: Option<&FileState>) -> Option<PathBuf> {
    let Some(FileState::Ours(text)) = file else { return None };
    match manager {
        ServiceManager::Systemd => systemd::program(text),
        ServiceManager::Launchd => launchd::program(text),
        ServiceManager::TaskScheduler => task_scheduler::program(text),
    }
}

/// Runs a command that answers a question by its exit code.
fn asks(context: &CommandContext, words: &[String]) -> bool {
    let program = context.process_env.programs.on_path(&words[0]);
    program.is_some_and(|program| run_words(&program, words).is_ok_and(|ended| ended.status.success()))
}

fn manager() -> Result<ServiceManager, CommandError> {
    if cfg!(target_os = "linux") {
        Ok(ServiceManager::Systemd)
    } else if cfg!(target_os = "macos") {
        Ok(ServiceManager::Launchd)
    } else if cfg!(windows) {
        Ok(ServiceManager::TaskScheduler)
    } else {
        let message = "services are not supported on this system yet; clients start the daemon when they need it";
        Err(CliError::new(Exit::Refused, Reason::Unsupported, message).into())
    }
}

fn plan(manager: ServiceManager, program: &Path, context: &CommandContext) -> Result<ServicePlan, CommandError> {
    // The service has no `RECALL_HOME`, wherever it is installed from.
    let environment = Environment { recall_home: None, ..context.process_env.environment.clone() };
    let dirs = match &context.process_env.environment.recall_home {
        Some(_) => Dirs::from_environment(&environment)?,
        None => context.process_env.dirs.clone(),
    };
    let no_home = || CliError::usage("there is no home folder for the service's files").with_hint("set HOME");
    let home = environment.home.as_deref();
    let folder = match manager {
        ServiceManager::Systemd => {
            let config = context.process_env.xdg_config_home.clone();
            config.or_else(|| Some(home?.join(".config"))).map(|config| config.join("systemd/user"))
        }
        ServiceManager::Launchd => home.map(|home| home.join("Library/LaunchAgents")),
        ServiceManager::TaskScheduler => Some(dirs.config.clone()),
    };
    let folder = folder.ok_or_else(no_home)?;
    let variables = &context.process_env.home_variables;
    let socket = dirs.service_socket.as_deref();
    let input = ServiceInput { program, variables, folder: &folder, user: environment.user, socket };
    match manager {
        ServiceManager::Systemd => Ok(systemd::plan(input)),
        ServiceManager::Launchd => launchd::plan(input).map_err(|error| CliError::usage(error.to_string()).into()),
        ServiceManager::TaskScheduler => {
            let account = context.process_env.account().unwrap_or_default();
            task_scheduler::plan(input, &account).map_err(|error| CliError::usage(error.to_string()).into())
        }
    }
}

/// A client with `RECALL_HOME` uses a daemon of its own, never the one of the service.
fn check_home(context: &CommandContext) -> Result<(), CommandError> {
    let Some(home) = &context.process_env.environment.recall_home else { return Ok(()) };
    let message = format!("the service serves the default data home, but RECALL_HOME is {}", home.display());
    let hint =
        "unset RECALL_HOME for the service; clients with RECALL_HOME start a daemon of their own when they need it";
    Err(CliError::usage(message).with_hint(hint).into())
}

/// Whether this system has a service manager that recall knows.
pub(super) fn is_supported() -> bool {
    manager().is_ok()
}

/// Finds the daemon's program as clients find it, and makes its path absolute. A task starts it through `recall`.
fn program(manager: ServiceManager, context: &CommandContext) -> Result<PathBuf, CommandError> {
    let of_clients = daemon::program()?;
    let command =
        context.process_env.programs.own_program("recall").filter(|_| manager == ServiceManager::TaskScheduler);
    let program = command.unwrap_or(of_clients);
    Ok(context.absolute(&program))
}

fn manager_program(manager: ServiceManager, context: &CommandContext) -> Result<PathBuf, CommandError> {
    let (name, hint) = match manager {
        ServiceManager::Systemd => ("systemctl", "without systemd, clients start the daemon when they need it"),
        ServiceManager::Launchd => ("launchctl", "put /bin on PATH"),
        ServiceManager::TaskScheduler => ("schtasks", r"put C:\Windows\System32 on PATH"),
    };
    context.process_env.programs.on_path(name).ok_or_else(|| {
        let cli_error = CliError::new(Exit::Refused, Reason::NotFound, format!("the program `{name}` was not found"));
        cli_error.with_hint(hint).into()
    })
}

/// Writes the files and enables the service.
fn enable(program: &Path, plan: &ServicePlan) -> Result<(), CommandError> {
    for folder in &plan.folders {
        let refused = |error: OpenError| CliError::refusal(format!("cannot make {}", folder.display()), &error.into());
        Folder::private(folder).map_err(refused)?;
    }
    for file in &plan.files {
        let refused = |source| CliError::refusal(format!("cannot write {}", file.path.display()), &source);
        file.write().map_err(refused)?;
    }
    plan.enable.iter().try_for_each(|words| run_checked(program, words))
}

/// Puts the files back after a failure. The failure is reported, so errors here are not.
fn restore(program: &Path, plan: &ServicePlan, before: &[FileState]) {
    if !before.iter().any(|state| matches!(state, FileState::Ours(_))) {
        plan.disable.iter().for_each(|words| drop(run_words(program, words)));
    }
    for (file, state) in plan.files.iter().zip(before) {
        let _ = match state {
            FileState::Ours(text) => fs::write(&file.path, text),
            FileState::Missing | FileState::Foreign => fs::remove_file(&file.path),
        };
    }
    plan.reload.iter().for_each(|words| drop(run_words(program, words)));
}

/// Stops a running daemon; returns its process id.
async fn stop(context: &CommandContext) -> Result<Option<u32>, CommandError> {
    let drain = context.settings().daemon.drain;
    Ok(match daemon::stop(&context.process_env.dirs, "service install", drain).await? {
        Stopped::Ended { pid, .. } => Some(pid),
        Stopped::NotRunning => None,
    })
}

fn run_checked(program: &Path, words: &[String]) -> Result<(), CommandError> {
    let line = words.join(" ");
    let ended =
        run_words(program, words).map_err(|source| CliError::refusal(format!("cannot run `{line}`"), &source))?;
    if ended.status.success() {
        return Ok(());
    }
    let mut cli_error = CliError::new(Exit::Refused, Reason::Unavailable, format!("`{line}` failed: {}", ended.status));
    cli_error.causes.extend(String::from_utf8_lossy(&ended.stderr).lines().map(str::trim).map(ToOwned::to_owned));
    let hint = "run it in a login session of this user, not with `sudo` or `su`: it needs the user's service manager";
    Err(cli_error.with_hint(hint).into())
}

fn run_words(program: &Path, words: &[String]) -> std::io::Result<ProcessOutput> {
    Command::new(program).args(words.iter().skip(1).map(OsString::from)).output()
}

/// Returns the version that the program prints: the daemon, or `recall`, which starts it.
fn version_of(program: &Path) -> Option<String> {
    let ended = Command::new(program).arg("--version").output().ok()?;
    let said = String::from_utf8(ended.stdout).ok()?;
    let (program, version) = said.trim().split_once(' ')?;
    matches!(program, "recalld" | "recall").then(|| version.to_owned())
}

fn read(file: &SealedFile) -> Result<FileState, CommandError> {
    let refused = |source| CliError::refusal(format!("cannot read {}", file.path.display()), &source);
    Ok(file.state().map_err(refused)?)
}

fn foreign(path: &Path) -> CliError {
    let message = format!("{} exists, and was not written by recall or was changed since", path.display());
    CliError::new(Exit::Refused, Reason::Conflict, message).with_hint("move it away, and run the command again")
}

fn report(context: &CommandContext, change: &ServiceChange) -> Result<(), CommandError> {
    match context.output.format {
        Format::Json => context.output.answer(change),
        Format::Human => context.output.text(&change_text(change)),
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
