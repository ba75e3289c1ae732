//! The errors of tool calls, worded for a model.

use std::error::Error as _;
use std::fmt;

use recall_api::hint::{self, Audience, CHECK_DAEMON};
use recall_api::{Failure, Reason};
use recall_client::{ConnectError, hint as connection};
use recall_config::{DirsError, ProjectError};
use recall_text::{error_chain, error_chain_as};
use tonic::Status;

use crate::render::clean;

/// The code of a tool's error. Clients may rely on this closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// No item has that id, path or name.
    NotFound,
    /// An argument is wrong.
    InvalidArgument,
    /// The scope is unknown or has no store here.
    InvalidScope,
    /// Files could not be indexed.
    IndexFailed,
    /// A text could not be embedded.
    EmbeddingFailed,
    /// The index could not be searched.
    SearchFailed,
    /// An argument is larger than a limit allows.
    LimitExceeded,
    /// Reading or writing is not permitted.
    PermissionDenied,
    /// The daemon cannot answer at present.
    Unavailable,
}

impl Code {
    fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::InvalidScope => "INVALID_SCOPE",
            Self::IndexFailed => "INDEX_FAILED",
            Self::EmbeddingFailed => "EMBEDDING_FAILED",
            Self::SearchFailed => "SEARCH_FAILED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::Unavailable => "UNAVAILABLE",
        }
    }
}

/// The operation that failed. It determines the code of failures without a specific one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Indexing files.
    Indexing,
    /// Reading the index.
    Reading,
    /// Storing a memory, feedback or an event.
    Remembering,
}

/// The error of a tool call. Shown as `CODE: message`, with the hint on a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolError {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl ToolError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Converts the status of a failed call to the daemon.
    pub(crate) fn from_status(status: &Status, doing: Doing) -> Self {
        if is_lost(status) {
            let message = error_chain_as("the connection to the daemon broke repeatedly".to_owned(), status);
            return Self::new(Code::Unavailable, message).with_hint(CHECK_DAEMON);
        }
        let failure = Failure::from_status(status);
        let hint = hint::for_failure(&failure, Audience::Tool);
        Self { code: code(failure.reason, doing), message: failure.message, hint }
    }
}

/// Returns whether a call failed because the connection broke, not because of an answer of the daemon.
fn is_lost(status: &Status) -> bool {
    status.source().is_some()
}

fn code(reason: Reason, doing: Doing) -> Code {
    match reason {
        Reason::NotFound => Code::NotFound,
        Reason::InvalidArgument | Reason::Unsupported => Code::InvalidArgument,
        Reason::InvalidScope => Code::InvalidScope,
        Reason::IndexFailed | Reason::DiskFull => Code::IndexFailed,
        Reason::EmbeddingFailed => Code::EmbeddingFailed,
        Reason::SearchFailed => Code::SearchFailed,
        Reason::LimitExceeded => Code::LimitExceeded,
        Reason::PermissionDenied | Reason::ReadOnly => Code::PermissionDenied,
        Reason::Unavailable
        | Reason::VersionMismatch
        | Reason::HomeMismatch
        | Reason::Cancelled
        | Reason::DeadlineExceeded
        | Reason::SchemaNewer
        | Reason::Conflict
        | Reason::FetchFailed => Code::Unavailable,
        Reason::Internal | Reason::StoreDamaged => match doing {
            Doing::Indexing => Code::IndexFailed,
            Doing::Reading => Code::SearchFailed,
            Doing::Remembering => Code::Unavailable,
        },
    }
}

impl From<&ConnectError> for ToolError {
    fn from(error: &ConnectError) -> Self {
        let code = match error {
            ConnectError::ForeignOwner { .. } => Code::PermissionDenied,
            _ => Code::Unavailable,
        };
        let hint = connection::for_connect_error(error, Audience::Tool).unwrap_or_else(|| CHECK_DAEMON.to_owned());
        Self::new(code, error_chain(error)).with_hint(hint)
    }
}

impl From<&DirsError> for ToolError {
    fn from(error: &DirsError) -> Self {
        Self::new(Code::Unavailable, error.to_string()).with_hint(connection::for_dirs_error(error, Audience::Tool))
    }
}

impl From<&ProjectError> for ToolError {
    fn from(error: &ProjectError) -> Self {
        let code = match error {
            ProjectError::Missing { .. } => Code::NotFound,
            ProjectError::NotDirectory { .. } => Code::InvalidArgument,
            ProjectError::TooBroad { .. } | ProjectError::Write { .. } => Code::PermissionDenied,
        };
        Self { code, message: error_chain(error), hint: connection::for_project_error(error, Audience::Tool) }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), clean(&self.message))?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {}", clean(hint)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_error_is_a_code_a_message_and_a_hint() {
        let failure =
            Failure::new(Reason::NotFound, "nothing has the id `x\u{1b}[31m`").with_hint("list with recall_list");
        let error = ToolError::from_status(&failure.into(), Doing::Reading);
        insta::assert_snapshot!(error, @r"
        NOT_FOUND: nothing has the id `x`
        hint: list with recall_list
        ");
    }

    #[test]
    fn an_internal_error_has_the_code_of_the_operation() {
        let failed = |doing| ToolError::from_status(&Failure::new(Reason::Internal, "a defect").into(), doing).code;
        assert_eq!(failed(Doing::Indexing), Code::IndexFailed);
        assert_eq!(failed(Doing::Reading), Code::SearchFailed);
    }

    #[test]
    fn a_daemon_that_does_not_come_up_says_where_its_log_is() {
        let error = ConnectError::Timeout {
            socket: "/run/recalld.sock".into(),
            waited: Duration::from_secs(10),
            log: "/state/logs/recalld.log".into(),
        };
        insta::assert_snapshot!(ToolError::from(&error), @r"
        UNAVAILABLE: no daemon answered on `/run/recalld.sock` within 10s
        hint: run `recall daemon start` in a shell; the log is /state/logs/recalld.log
        ");
    }

    #[test]
    fn a_missing_daemon_says_how_to_install_it() {
        insta::assert_snapshot!(ToolError::from(&ConnectError::NoBinary { searched: vec!["/usr/bin/recalld".into()] }), @r"
        UNAVAILABLE: the program `recalld` was not found
        hint: install recall so that `recalld` is next to `recall-shim` or on PATH, or name it in RECALL_DAEMON; `recall daemon start` in a shell shows what is missing
        ");
    }

    #[test]
    fn a_wrong_home_says_what_to_set() {
        insta::assert_snapshot!(ToolError::from(&DirsError::Relative { path: "here".into() }), @r"
        UNAVAILABLE: RECALL_HOME is `here`, which is not an absolute path
        hint: set RECALL_HOME to an absolute path in the MCP server's `env`
        ");
    }
}
