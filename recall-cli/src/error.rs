//! Errors of commands, with exit codes, reasons and hints.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;

use recall_api::hint::{self, Audience};
use recall_api::v1::Warning;
use recall_api::{Failure, INDEX, NOT_INDEXED_YET, Reason, is_not_indexed_yet};
use recall_client::daemon::StopError;
use recall_client::{ConnectError, hint as connection};
use recall_config::{ChangeError, ConfigError, DirsError, ProjectError};
use recall_text::error_causes;

/// Why a command failed.
#[derive(Debug)]
pub enum CommandError {
    /// The reader of standard output has closed it.
    ReaderGone,
    /// An error to report.
    Failed(Box<CliError>),
}

/// An error as it is reported to a person or a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    /// The exit code of the program.
    pub exit: Exit,
    /// The stable reason.
    pub reason: Reason,
    /// What failed, on what, and why.
    pub message: String,
    /// The chain of causes, the nearest first.
    pub causes: Vec<String>,
    /// What can be done about it.
    pub hint: Option<String>,
    /// Further values that identify the cause, by name.
    pub details: BTreeMap<String, String>,
}

impl CliError {
    /// Reports an error without causes, hint and details.
    pub fn new(exit: Exit, reason: Reason, message: impl Into<String>) -> Self {
        Self { exit, reason, message: message.into(), causes: Vec::new(), hint: None, details: BTreeMap::new() }
    }

    /// Reports wrong input of the user.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, Reason::InvalidArgument, message)
    }

    /// Reports an operation that the operating system refused.
    pub fn refusal(doing: impl Into<String>, source: &io::Error) -> Self {
        let reason = match source.kind() {
            io::ErrorKind::NotFound => Reason::NotFound,
            io::ErrorKind::PermissionDenied => Reason::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem => Reason::ReadOnly,
            io::ErrorKind::StorageFull => Reason::DiskFull,
            _ => Reason::Unavailable,
        };
        let mut cli_error = Self::new(Exit::Refused, reason, doing);
        cli_error.causes.push(source.to_string());
        cli_error
    }

    /// Reports a daemon that exited before an indexing run was over.
    pub fn indexing_broke_off() -> Self {
        Self::new(Exit::Unreachable, Reason::Unavailable, "the daemon ended before the run was over")
            .with_hint("run the command again: what was indexed stays indexed")
    }

    /// Reports a daemon that exited before a transfer was over.
    pub(crate) fn transfer_broke_off() -> Self {
        Self::new(Exit::Unreachable, Reason::Unavailable, "the daemon ended before everything was fetched")
            .with_hint("run the command again: what arrived is kept")
    }

    /// Adds what can be done about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the chain of sources of an error.
    #[must_use]
    pub fn with_causes_of(mut self, error: &dyn Error) -> Self {
        self.causes.extend(error_causes(&self.message, error));
        self
    }
}

impl CommandError {
    /// Turns a missing file into a refusal: the exit code for "nothing found" belongs to searches.
    #[must_use]
    pub(crate) fn into_refusal(self) -> Self {
        match self {
            Self::Failed(failed) if failed.exit == Exit::NothingFound => {
                CliError { exit: Exit::Refused, ..*failed }.into()
            }
            other => other,
        }
    }
}

impl From<CliError> for CommandError {
    fn from(cli_error: CliError) -> Self {
        Self::Failed(Box::new(cli_error))
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        let hint = hint::for_failure(&failure, Audience::Command);
        let Failure { reason, message, hint: _, details } = failure;
        let is_known = details.get(INDEX).is_none_or(|index| index != NOT_INDEXED_YET);
        let exit = if is_known { exit_of(reason) } else { Exit::NotIndexedYet };
        Self { exit, reason, message, causes: Vec::new(), hint, details }
    }
}

impl From<tonic::Status> for CommandError {
    fn from(status: tonic::Status) -> Self {
        let mut failure = Failure::from_status(&status);
        // A status from the daemon has no source. The transport sets one if the connection breaks; its code then has no
        // meaning.
        if status.source().is_some() {
            failure.reason = Reason::Unavailable;
            "the connection to the daemon broke before it answered".clone_into(&mut failure.message);
        }
        let cli_error = CliError::from(failure).with_causes_of(&status);
        cli_error.into()
    }
}

impl From<ConnectError> for CommandError {
    fn from(error: ConnectError) -> Self {
        if let ConnectError::Refused { source } = error {
            return (*source).into();
        }
        let reason = match &error {
            ConnectError::Newer { .. } | ConnectError::Older { .. } => Reason::VersionMismatch,
            ConnectError::ForeignOwner { .. } => Reason::PermissionDenied,
            _ => Reason::Unavailable,
        };
        let mut cli_error = CliError::new(Exit::Unreachable, reason, error.to_string()).with_causes_of(&error);
        cli_error.hint = connection::for_connect_error(&error, Audience::Command);
        cli_error.into()
    }
}

impl From<StopError> for CommandError {
    fn from(error: StopError) -> Self {
        match error {
            StopError::Connect(error) => error.into(),
            StopError::Refused { source } => (*source).into(),
            StopError::NotSignalled { ref holder, .. } => {
                let hint = match holder.pid() {
                    Some(pid) => format!("look at it with `ps -p {pid}`; if it is recalld, end it with `kill {pid}`"),
                    None => "find recalld with `ps -e`, and end it with `kill`".to_owned(),
                };
                let cli_error = CliError::new(Exit::Refused, Reason::Unavailable, error.to_string());
                cli_error.with_causes_of(&error).with_hint(hint).into()
            }
            StopError::StillRunning { .. } => CliError::new(Exit::Refused, Reason::Unavailable, error.to_string())
                .with_hint("the system has not ended it yet: look at it with `ps`, and try again")
                .into(),
        }
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.to_string()).with_causes_of(&error)
    }
}

impl From<ChangeError> for CommandError {
    fn from(error: ChangeError) -> Self {
        let message = error.to_string();
        match error {
            ChangeError::UnknownKey { .. } => {
                CliError::usage(message).with_hint("`recall config list` shows all settings").into()
            }
            ChangeError::NotForProjects { .. } => {
                CliError::usage(message).with_hint("leave `--layer` out to set it for yourself").into()
            }
            ChangeError::Config(error) => CliError::from(error).into(),
            ChangeError::NotATable { .. } => CliError::new(Exit::Refused, Reason::Conflict, message)
                .with_hint("correct the file with `recall config edit`")
                .into(),
            ChangeError::Meanwhile { .. } => {
                CliError::new(Exit::Refused, Reason::Conflict, message).with_hint("run the command again").into()
            }
            ChangeError::Write(source) => CliError::refusal(message, &source.into()).into(),
            ChangeError::Project(error) => error.into(),
        }
    }
}

impl From<DirsError> for CommandError {
    fn from(error: DirsError) -> Self {
        let hint = connection::for_dirs_error(&error, Audience::Command);
        CliError::usage(error.to_string()).with_hint(hint).into()
    }
}

impl From<ProjectError> for CommandError {
    fn from(error: ProjectError) -> Self {
        let (message, hint) = (error.to_string(), connection::for_project_error(&error, Audience::Command));
        let reason = match error {
            ProjectError::Missing { .. } => Reason::NotFound,
            ProjectError::NotDirectory { .. } => Reason::InvalidArgument,
            ProjectError::TooBroad { .. } => Reason::PermissionDenied,
            ProjectError::Write { source, .. } => return CliError::refusal(message, &source.into()).into(),
        };
        CliError { hint, ..CliError::new(Exit::Refused, reason, message) }.into()
    }
}

/// Returns the exit code for a reason reported by the daemon.
fn exit_of(reason: Reason) -> Exit {
    match reason {
        Reason::NotFound => Exit::NothingFound,
        Reason::InvalidArgument | Reason::InvalidScope => Exit::Usage,
        Reason::Unavailable | Reason::VersionMismatch | Reason::HomeMismatch => Exit::Unreachable,
        Reason::Internal => Exit::Internal,
        Reason::IndexFailed
        | Reason::EmbeddingFailed
        | Reason::SearchFailed
        | Reason::LimitExceeded
        | Reason::PermissionDenied
        | Reason::Unsupported
        | Reason::Cancelled
        | Reason::DeadlineExceeded
        | Reason::StoreDamaged
        | Reason::SchemaNewer
        | Reason::DiskFull
        | Reason::ReadOnly
        | Reason::Conflict
        | Reason::FetchFailed => Exit::Refused,
    }
}

/// The result of the program. The codes are stable for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, or something was found.
    Done,
    /// Nothing was found.
    NothingFound,
    /// The arguments or the configuration are wrong.
    Usage,
    /// The daemon cannot be reached.
    Unreachable,
    /// The daemon refused, with a reason.
    Refused,
    /// A loop waits for a person's decision.
    Escalated,
    /// A loop ended with open tasks.
    Unfinished,
    /// Nothing was found in a project that is not indexed yet.
    NotIndexedYet,
    /// A bug in recall.
    Internal,
    /// The user interrupted the program.
    Interrupted,
}

impl Exit {
    /// All results, by their codes.
    pub const ALL: [Self; 10] = [
        Self::Done,
        Self::NothingFound,
        Self::Usage,
        Self::Unreachable,
        Self::Refused,
        Self::Escalated,
        Self::Unfinished,
        Self::NotIndexedYet,
        Self::Internal,
        Self::Interrupted,
    ];

    /// The result of a search without hits: they may be in a project that is not indexed yet.
    pub(crate) fn without_hits(warnings: &[Warning]) -> Self {
        if is_not_indexed_yet(warnings) { Self::NotIndexedYet } else { Self::NothingFound }
    }

    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NothingFound => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Refused => 4,
            Self::Escalated => 5,
            Self::Unfinished => 6,
            Self::NotIndexedYet => 7,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn cli_error_of(error: impl Into<CommandError>) -> CliError {
        match error.into() {
            CommandError::Failed(cli_error) => *cli_error,
            CommandError::ReaderGone => panic!("the reader is there"),
        }
    }

    #[test]
    fn an_answer_of_the_daemon_keeps_its_reason_message_and_hint() {
        let failure = Failure::new(Reason::PermissionDenied, "`/` is too broad a root")
            .with_hint("name a directory below it")
            .with_detail("path", "/");
        let cli_error = cli_error_of(tonic::Status::from(failure));
        assert_eq!((cli_error.exit, cli_error.reason), (Exit::Refused, Reason::PermissionDenied));
        assert_eq!(cli_error.message, "`/` is too broad a root");
        assert_eq!(cli_error.hint.as_deref(), Some("name a directory below it"));
        assert_eq!(cli_error.details["path"], "/");
    }

    #[test]
    fn a_daemon_that_is_not_there_is_unreachable_and_says_how_to_start_it() {
        let cli_error = cli_error_of(ConnectError::NotRunning { socket: PathBuf::from("/run/recalld.sock") });
        assert_eq!(cli_error.exit, Exit::Unreachable);
        assert!(cli_error.hint.expect("a hint").contains("recall daemon start"));
    }

    #[test]
    fn a_missing_file_is_no_fruitless_search() {
        let missing = CommandError::from(tonic::Status::from(Failure::new(Reason::NotFound, "no such file")));
        let CommandError::Failed(failed) = missing.into_refusal() else { panic!("an error") };
        assert_eq!((failed.exit, failed.reason), (Exit::Refused, Reason::NotFound));
    }

    #[test]
    fn every_reason_has_an_exit_code_that_says_something_went_wrong() {
        for reason in Reason::ALL {
            assert_ne!(exit_of(reason), Exit::Done, "{reason}");
        }
        assert_eq!(exit_of(Reason::NotFound), Exit::NothingFound);
        assert_eq!(exit_of(Reason::InvalidScope), Exit::Usage);
        assert_eq!(exit_of(Reason::LimitExceeded), Exit::Refused);
    }

    #[test]
    fn causes_are_listed_once_and_nearest_first() {
        let source = io::Error::new(io::ErrorKind::NotFound, "no such file or directory");
        let cli_error = cli_error_of(ConnectError::Spawn { binary: PathBuf::from("/x/recalld"), source });
        assert_eq!(cli_error.message, "cannot run `/x/recalld`");
        assert_eq!(cli_error.causes, ["no such file or directory"]);
    }

    #[test]
    fn the_codes_are_those_that_scripts_rely_on() {
        let codes = [
            Exit::Done,
            Exit::NothingFound,
            Exit::Usage,
            Exit::Unreachable,
            Exit::Refused,
            Exit::Escalated,
            Exit::Unfinished,
            Exit::Internal,
            Exit::Interrupted,
        ];
        assert_eq!(codes.map(Exit::code), [0, 1, 2, 3, 4, 5, 6, 70, 130]);
    }
}
