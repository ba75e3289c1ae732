//! Errors of commands, with exit codes, reasons and hints.

mod evaluation;

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::time::Duration;

use recall_client::ConnectError;
use recall_client::daemon::StopError;
use recall_config::{ConfigError, DirsError, ProjectError};
use recall_core::error_causes;
use recall_proto::{Failure, Reason};

use crate::{Exit, hint};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The reader of standard output has closed it.
    ReaderGone,
    /// An error to report.
    Complaint(Box<Complaint>),
}

/// An error as it is reported to a person or a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// The exit code of the program.
    pub(crate) exit: Exit,
    /// The stable reason.
    pub(crate) reason: Reason,
    /// What failed, on what, and why.
    pub(crate) message: String,
    /// The chain of causes, the nearest first.
    pub(crate) causes: Vec<String>,
    /// What can be done about it.
    pub(crate) hint: Option<String>,
    /// Further values that identify the cause, by name.
    pub(crate) details: BTreeMap<String, String>,
}

impl Complaint {
    pub(crate) fn new(exit: Exit, reason: Reason, message: impl Into<String>) -> Self {
        Self { exit, reason, message: message.into(), causes: Vec::new(), hint: None, details: BTreeMap::new() }
    }

    /// Reports wrong input of the user.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, Reason::InvalidArgument, message)
    }

    /// Reports an operation that the operating system refused.
    pub(crate) fn refused(doing: impl Into<String>, source: &io::Error) -> Self {
        let reason = match source.kind() {
            io::ErrorKind::NotFound => Reason::NotFound,
            io::ErrorKind::PermissionDenied => Reason::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem => Reason::ReadOnly,
            io::ErrorKind::StorageFull => Reason::DiskFull,
            _ => Reason::Unavailable,
        };
        let mut complaint = Self::new(Exit::Refused, reason, doing);
        complaint.causes.push(source.to_string());
        complaint
    }

    /// Reports a daemon that exited before an indexing run was over.
    pub(crate) fn indexing_broke_off() -> Self {
        Self::new(Exit::Unreachable, Reason::Unavailable, "the daemon ended before the run was over")
            .with_hint("run the command again: what was indexed stays indexed")
    }

    /// Reports a daemon that exited before a transfer was over.
    pub(crate) fn transfer_broke_off() -> Self {
        Self::new(Exit::Unreachable, Reason::Unavailable, "the daemon ended before everything was fetched")
            .with_hint("run the command again: what arrived is kept")
    }

    /// Reports embeddings that were not computed in time.
    pub(crate) fn embedding_takes_long(waited: Duration) -> Self {
        Self::new(Exit::Refused, Reason::DeadlineExceeded, format!("the embeddings were not ready after {waited:?}"))
            .with_hint(
                "`recall status` shows their progress and what delays them; `search.model = \"none\"` turns them off",
            )
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn with_causes_of(mut self, error: &dyn Error) -> Self {
        self.causes.extend(error_causes(&self.message, error));
        self
    }
}

impl From<Complaint> for CommandError {
    fn from(complaint: Complaint) -> Self {
        Self::Complaint(Box::new(complaint))
    }
}

impl From<Failure> for Complaint {
    fn from(failure: Failure) -> Self {
        let Failure { reason, message, hint, details } = failure;
        let hint = hint.or_else(|| hint::of_reason(reason, &details));
        Self { exit: exit_of(reason), reason, message, causes: Vec::new(), hint, details }
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
        let complaint = Complaint::from(failure).with_causes_of(&status);
        complaint.into()
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
        let mut complaint = Complaint::new(Exit::Unreachable, reason, error.to_string()).with_causes_of(&error);
        complaint.hint = hint::of_connect_error(&error);
        complaint.into()
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
                let complaint = Complaint::new(Exit::Refused, Reason::Unavailable, error.to_string());
                complaint.with_causes_of(&error).with_hint(hint).into()
            }
            StopError::StillRunning { .. } => Complaint::new(Exit::Refused, Reason::Unavailable, error.to_string())
                .with_hint("the system has not ended it yet: look at it with `ps`, and try again")
                .into(),
        }
    }
}

impl From<ConfigError> for Complaint {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.to_string()).with_causes_of(&error)
    }
}

impl From<DirsError> for CommandError {
    fn from(error: DirsError) -> Self {
        let hint = match &error {
            DirsError::Relative { .. } => "set RECALL_HOME to an absolute path",
            DirsError::NoHome => "set HOME, or RECALL_HOME to a folder of your own",
            DirsError::SocketPathTooLong { .. } => "set RECALL_HOME to a shorter path",
        };
        Complaint::usage(error.to_string()).with_hint(hint).into()
    }
}

impl From<ProjectError> for CommandError {
    fn from(error: ProjectError) -> Self {
        let told = error.to_string();
        let refused = |reason| Complaint::new(Exit::Refused, reason, told.clone());
        match error {
            ProjectError::Missing { .. } => refused(Reason::NotFound).into(),
            ProjectError::NotDirectory { .. } => refused(Reason::InvalidArgument).into(),
            ProjectError::TooBroad { .. } => {
                let complaint = refused(Reason::PermissionDenied);
                complaint.with_hint("name a directory below it, or insist with --allow-broad-root").into()
            }
            ProjectError::Write { source, .. } => Complaint::refused(told, &source.into()).into(),
        }
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn complaint_of(error: impl Into<CommandError>) -> Complaint {
        match error.into() {
            CommandError::Complaint(complaint) => *complaint,
            CommandError::ReaderGone => panic!("the reader is there"),
        }
    }

    #[test]
    fn an_answer_of_the_daemon_keeps_its_reason_message_and_hint() {
        let failure = Failure::new(Reason::PermissionDenied, "`/` is too broad a root")
            .with_hint("name a directory below it")
            .with_detail("path", "/");
        let complaint = complaint_of(tonic::Status::from(failure));
        assert_eq!((complaint.exit, complaint.reason), (Exit::Refused, Reason::PermissionDenied));
        assert_eq!(complaint.message, "`/` is too broad a root");
        assert_eq!(complaint.hint.as_deref(), Some("name a directory below it"));
        assert_eq!(complaint.details["path"], "/");
    }

    #[test]
    fn a_daemon_that_is_not_there_is_unreachable_and_says_how_to_start_it() {
        let complaint = complaint_of(ConnectError::NotRunning { socket: PathBuf::from("/run/recalld.sock") });
        assert_eq!(complaint.exit, Exit::Unreachable);
        assert!(complaint.hint.expect("a hint").contains("recall daemon start"));
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
        let complaint = complaint_of(ConnectError::Spawn { binary: PathBuf::from("/x/recalld"), source });
        assert_eq!(complaint.message, "cannot run `/x/recalld`");
        assert_eq!(complaint.causes, ["no such file or directory"]);
    }
}
