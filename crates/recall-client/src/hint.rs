//! Hints for the errors that occur before a request: what a person at a shell, or an agent with tools, can do.
//!
//! The hints for the failures of requests are in [`recall_api::hint`].

use std::path::Path;

use recall_api::Failure;
pub use recall_api::hint::Audience;
use recall_api::hint::{CHECK_DAEMON, for_failure};
use recall_config::{DirsError, ProjectError};

use crate::{ConnectError, KeptBecause};

/// Returns the hint for a failed connection.
pub fn for_connect_error(error: &ConnectError, audience: Audience) -> Option<String> {
    let hint = match error {
        ConnectError::NotRunning { .. } => audience.pick("start it with `recall daemon start`", CHECK_DAEMON),
        ConnectError::NoBinary { .. } => audience.pick(
            "put `recalld` next to `recall` or on PATH, or set RECALL_DAEMON to its path",
            "install recall so that `recalld` is next to `recall-shim` or on PATH, or name it in RECALL_DAEMON; \
             `recall daemon start` in a shell shows what is missing",
        ),
        ConnectError::Spawn { .. } => {
            audience.pick("check that the file is a program for this machine and that you may run it", CHECK_DAEMON)
        }
        ConnectError::StartFailed { log, .. } => {
            return Some(audience.pick("see why with `recall daemon logs`".to_owned(), in_shell("start", log)));
        }
        ConnectError::Timeout { log, .. } => {
            let command = "see what it does with `recall daemon logs`, or try `recall daemon restart`";
            return Some(audience.pick(command.to_owned(), in_shell("start", log)));
        }
        ConnectError::Unreachable { log, .. } => {
            let command =
                "end it and start another with `recall daemon restart`; see what it did with `recall daemon logs`";
            return Some(audience.pick(command.to_owned(), in_shell("restart", log)));
        }
        ConnectError::Newer { .. } => audience.pick(
            "update `recall`, or stop the newer daemon with `recall daemon stop`",
            "recall was upgraded under this session: restart the MCP server (in Claude Code: /mcp)",
        ),
        ConnectError::Older { .. } => {
            audience.pick("replace it with `recall daemon restart`", "run `recall daemon restart` in a shell")
        }
        ConnectError::ForeignOwner { socket, .. } => {
            let tool = format!("find out who listens on {}, and remove it", socket.display());
            return Some(audience.pick("set RECALL_HOME to a folder that is yours alone".to_owned(), tool));
        }
        ConnectError::Socket { .. } | ConnectError::Transport { .. } => {
            audience.pick("try `recall daemon restart`", CHECK_DAEMON)
        }
        ConnectError::PrivateFolder { .. } => {
            audience.pick("set TMPDIR to a folder that you may write to", CHECK_DAEMON)
        }
        ConnectError::Refused { source } => return for_failure(&Failure::from_status(source), audience),
    };
    Some(hint.to_owned())
}

/// Returns the hint for an older daemon that keeps running; `None` if nobody expected it to be replaced.
pub fn for_older_daemon(why: KeptBecause) -> Option<&'static str> {
    match why {
        KeptBecause::NotAsked => None,
        KeptBecause::TurnedOff | KeptBecause::CameBack => Some("replace it with `recall daemon restart`"),
        KeptBecause::Foreground => Some("end it where it was started, and start the new program there"),
        KeptBecause::NoNewerProgram => Some("upgrade `recalld` too, then run `recall daemon restart`"),
    }
}

/// A model may be unable to run the command that prints the log, so the file is named.
fn in_shell(command: &str, log: &Path) -> String {
    format!("run `recall daemon {command}` in a shell; the log is {}", log.display())
}

/// Returns the hint for wrong folders in the environment.
pub fn for_dirs_error(error: &DirsError, audience: Audience) -> String {
    let hint = match error {
        DirsError::Relative { .. } => "set RECALL_HOME to an absolute path",
        DirsError::NoHome => {
            audience.pick("set HOME, or RECALL_HOME to a folder of your own", "set HOME or RECALL_HOME")
        }
        DirsError::SocketPathTooLong { .. } => "set RECALL_HOME to a shorter path",
    };
    format!("{hint}{}", audience.pick("", " in the MCP server's `env`"))
}

/// Returns the hint for a folder that cannot be a project.
pub fn for_project_error(error: &ProjectError, audience: Audience) -> Option<String> {
    match error {
        ProjectError::TooBroad { .. } => {
            let command = "name a directory below it, or insist with --allow-broad-root";
            Some(audience.pick(command, "start the agent in a folder below it").to_owned())
        }
        ProjectError::Missing { .. } | ProjectError::NotDirectory { .. } | ProjectError::Write { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use recall_api::Reason;

    use super::*;

    #[test]
    fn a_refused_handshake_has_the_hint_of_its_failure() {
        let refused = Failure::new(Reason::HomeMismatch, "another home");
        let error = ConnectError::Refused { source: Box::new(refused.into()) };
        for audience in [Audience::Command, Audience::Tool] {
            assert!(
                for_connect_error(&error, audience).is_some_and(|hint| hint.contains("RECALL_HOME")),
                "{audience:?}"
            );
        }
    }

    #[test]
    fn a_wrong_home_is_corrected_where_the_reader_can_correct_it() {
        let error = DirsError::Relative { path: "here".into() };
        assert_eq!(for_dirs_error(&error, Audience::Command), "set RECALL_HOME to an absolute path");
        let tool = "set RECALL_HOME to an absolute path in the MCP server's `env`";
        assert_eq!(for_dirs_error(&error, Audience::Tool), tool);
    }
}
