//! Hints for errors: what the user can do.

use std::collections::BTreeMap;
use std::path::Path;

use recall_client::ConnectError;
use recall_proto::Reason;

/// Returns the hint for a failed connection to the daemon.
pub(crate) fn of_connect_error(error: &ConnectError) -> Option<String> {
    let hint = match error {
        ConnectError::NotRunning { .. } => "start it with `recall daemon start`",
        ConnectError::NoBinary { .. } => "put `recalld` next to `recall` or on PATH, or set RECALL_DAEMON to its path",
        ConnectError::Spawn { .. } => "check that the file is a program for this machine and that you may run it",
        ConnectError::StartFailed { .. } => "see why with `recall daemon logs`",
        ConnectError::Unreachable { .. } => {
            "end it and start another with `recall daemon restart`; see what it did with `recall daemon logs`"
        }
        ConnectError::Timeout { .. } => "see what it does with `recall daemon logs`, or try `recall daemon restart`",
        ConnectError::Newer { .. } => "update `recall`, or stop the newer daemon with `recall daemon stop`",
        ConnectError::Older { .. } => "replace it with `recall daemon restart`",
        ConnectError::ForeignOwner { .. } => "set RECALL_HOME to a folder that is yours alone",
        ConnectError::Socket { .. } | ConnectError::Transport { .. } => "try `recall daemon restart`",
        ConnectError::PrivateFolder { .. } => "set TMPDIR to a folder that you may write to",
        // The status has its own hint.
        ConnectError::Refused { .. } => return None,
    };
    Some(hint.to_owned())
}

/// Returns the hint for a reason that the daemon reported without one.
pub(crate) fn of_reason(reason: Reason, details: &BTreeMap<String, String>) -> Option<String> {
    let hint = match reason {
        Reason::LimitExceeded => {
            return Some(match details.get("setting") {
                Some(setting) => format!("ask for less, or raise `{setting}` in your recall.toml"),
                None => format!("ask for {} at most", details.get("limit")?),
            });
        }
        Reason::InvalidScope => "the scopes are project, global, domain and all",
        Reason::Unavailable => "try again, or see what the daemon does with `recall daemon logs`",
        Reason::VersionMismatch => "restart the daemon with `recall daemon restart`",
        Reason::HomeMismatch => "set HOME or RECALL_HOME to those of that daemon, or stop that daemon",
        Reason::SchemaNewer => "update recall",
        Reason::StoreDamaged => "rebuild the index with `recall rebuild`",
        Reason::DiskFull => "free some space; nothing that was acknowledged is lost",
        Reason::Internal => "see what happened with `recall daemon logs`",
        Reason::Unsupported => "update the daemon with `recall daemon restart`",
        Reason::NotFound if details.contains_key("id") => {
            "`recall search` and `recall list` show what is known, with its path"
        }
        Reason::NotFound if details.contains_key("path") => {
            let name = Path::new(&details["path"]).file_name().unwrap_or_default();
            let text =
                if name.to_string_lossy().contains(' ') { "; to save a text, use `recall remember`" } else { "" };
            return Some(format!("check the path; it is taken from the directory that the command runs in{text}"));
        }
        Reason::InvalidArgument if details.contains_key("item") => {
            "name a file by its path below the project's root, as `recall list` shows it"
        }
        Reason::InvalidArgument if details.contains_key("glob") => {
            "name a file whose name holds `*`, `?` or `[` by the folder that it is in"
        }
        Reason::InvalidArgument => match details.get("field").map(String::as_str) {
            Some("id" | "node") => "name a path, a symbol or an id; `recall search` and `recall list` show them",
            Some("query") => "say what you look for: words, a symbol or a path",
            Some("limit" | "depth") => "leave it out for the usual number",
            _ => return None,
        },
        Reason::ReadOnly | Reason::PermissionDenied => {
            "check who may write the index; `recall status` shows where it is"
        }
        Reason::NotFound
        | Reason::IndexFailed
        | Reason::EmbeddingFailed
        | Reason::SearchFailed
        | Reason::Cancelled
        | Reason::DeadlineExceeded
        | Reason::Conflict
        | Reason::FetchFailed => return None,
    };
    Some(hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_place_of_a_path_gets_a_hint_to_remember() {
        let hint = |path: &str| of_reason(Reason::NotFound, &BTreeMap::from([("path".to_owned(), path.to_owned())]));
        assert!(
            hint("/home/ada/queue/the queue is drained first").is_some_and(|hint| hint.contains("recall remember"))
        );
        assert!(hint("/home/ada/my queue/src/lib.rs").is_some_and(|hint| !hint.contains("remember")));
    }
}
