//! Hints for the failures of requests: what a person at a shell, or an agent with tools, can do.
//!
//! The hint of a reason is here, for every program. A hint that fits one error only is where the daemon converts that error
//! into a [`Failure`], and takes precedence. The hints for a connection that fails are in `recall_client::hint`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{Failure, Reason};

/// The reader of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A person or a script that runs `recall`.
    Command,
    /// A model that calls the tools of the MCP server.
    Tool,
}

impl Audience {
    /// Returns the wording for this audience.
    #[must_use]
    pub fn pick<T>(self, command: T, tool: T) -> T {
        match self {
            Self::Command => command,
            Self::Tool => tool,
        }
    }
}

/// What a model can do if the daemon does not answer.
pub const CHECK_DAEMON: &str = "run `recall daemon start` in a shell; `recall daemon logs` shows the log";

/// Returns the hint of a failure: its own, otherwise that of its reason.
pub fn for_failure(failure: &Failure, audience: Audience) -> Option<String> {
    failure.hint.clone().or_else(|| for_reason(failure.reason, &failure.details, audience))
}

/// Returns the hint of a reason with these details; `None` if nothing can be advised.
pub fn for_reason(reason: Reason, details: &BTreeMap<String, String>, audience: Audience) -> Option<String> {
    let hint = match reason {
        Reason::NotFound => return for_missing(details, audience),
        Reason::InvalidArgument => match audience {
            Audience::Command => return for_wrong_argument(details).map(str::to_owned),
            Audience::Tool => "`tools/list` describes each argument",
        },
        Reason::InvalidScope => {
            "use `project`, `global` or `all`; or a domain that the project lists in `search.domains`, with its name if there are several"
        }
        Reason::LimitExceeded => return for_limit(details, audience),
        Reason::PermissionDenied | Reason::ReadOnly => match audience {
            Audience::Command => "check who may write the index; `recall status` shows where it is",
            Audience::Tool => return None,
        },
        Reason::Unavailable => {
            audience.pick("try again, or see what the daemon does with `recall daemon logs`", CHECK_DAEMON)
        }
        Reason::Internal => "`recall daemon logs` shows where; please report it",
        Reason::Unsupported => "update the daemon with `recall daemon restart`",
        Reason::VersionMismatch => "update recall and run `recall daemon restart`",
        Reason::HomeMismatch => "start this program with the HOME or RECALL_HOME of that daemon, or stop that daemon",
        Reason::StoreDamaged => "rebuild the index with `recall rebuild`",
        Reason::SchemaNewer => {
            "update recall, or delete the catalog's folder; the next search rebuilds it from the files"
        }
        Reason::DiskFull => "make room on the disk and try again",
        Reason::Cancelled | Reason::DeadlineExceeded | Reason::Conflict | Reason::FetchFailed => match audience {
            Audience::Command => return None,
            Audience::Tool => CHECK_DAEMON,
        },
        Reason::IndexFailed | Reason::EmbeddingFailed | Reason::SearchFailed => return None,
    };
    Some(hint.to_owned())
}

fn for_missing(details: &BTreeMap<String, String>, audience: Audience) -> Option<String> {
    if audience == Audience::Tool {
        return Some("`recall_search` and `recall_list` show what exists, with ids and paths".to_owned());
    }
    if let Some(folder) = details.get("folder") {
        return Some(format!("`recall list --path {folder}` shows what is in it"));
    }
    if details.get("id").is_some_and(|id| is_of_memory(id)) {
        return Some(
            "`recall search` shows memories with their ids; so does `recall list --type lesson`, or another type"
                .to_owned(),
        );
    }
    if details.contains_key("id") {
        return Some("`recall search` and `recall list` show what exists, with its path".to_owned());
    }
    let name = Path::new(details.get("path")?).file_name().unwrap_or_default();
    let text = if name.to_string_lossy().contains(' ') { "; to save a text, use `recall remember`" } else { "" };
    Some(format!("check the path; it is taken from the directory that the command runs in{text}"))
}

/// Whether an id looks like that of a memory, such as `L-8aabfd31`, or its beginning.
fn is_of_memory(id: &str) -> bool {
    id.split_once('-').is_some_and(|(kind, rest)| {
        kind.len() == 1
            && kind.starts_with(|c: char| c.is_ascii_uppercase())
            && rest.chars().all(|c| c.is_ascii_hexdigit())
    })
}

/// Returns the hint for an argument of a command. A tool's arguments are described by their schema.
fn for_wrong_argument(details: &BTreeMap<String, String>) -> Option<&'static str> {
    if details.contains_key("item") {
        return Some("name a file by its path below the project's root, as `recall list` shows it");
    }
    if details.contains_key("glob") {
        return Some("name a file whose name holds `*`, `?` or `[` by the folder that it is in");
    }
    match details.get("field")?.as_str() {
        "id" | "node" => Some("name a path, a symbol or an id; `recall search` and `recall list` show them"),
        "query" => Some("say what you look for: words, a symbol or a path"),
        "limit" | "depth" => Some("leave it out for the usual number"),
        _ => None,
    }
}

/// An agent does not raise the limits: they are settings of the user.
fn for_limit(details: &BTreeMap<String, String>, audience: Audience) -> Option<String> {
    match (audience, details.get("setting")) {
        (Audience::Tool, _) => Some("ask for less; the limits are settings of the user".to_owned()),
        (Audience::Command, Some(setting)) => Some(format!("ask for less, or raise `{setting}` in your recall.toml")),
        (Audience::Command, None) => Some(format!("ask for {} at most", details.get("limit")?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_its_own_hint() {
        let failure = Failure::new(Reason::StoreDamaged, "the index is damaged");
        let hint = |failure: &Failure| for_failure(failure, Audience::Command);
        assert_eq!(hint(&failure).as_deref(), Some("rebuild the index with `recall rebuild`"));
        assert_eq!(hint(&failure.with_hint("restore it")).as_deref(), Some("restore it"));
    }

    #[test]
    fn a_hint_names_what_its_reader_can_use() {
        for reason in Reason::ALL {
            let details = [("id", "x"), ("field", "id")].map(|(name, value)| (name.to_owned(), value.to_owned()));
            let hint = |audience| for_reason(reason, &BTreeMap::from(details.clone()), audience).unwrap_or_default();
            let (command, tool) = (hint(Audience::Command), hint(Audience::Tool));
            assert!(!command.contains("recall_") && !command.contains("tools/list"), "{reason}: {command}");
            assert!(!tool.contains("`recall search") && !tool.contains("`recall list"), "{reason}: {tool}");
        }
    }

    #[test]
    fn an_unknown_memory_is_not_looked_for_by_its_path() {
        let hint = |id: &str| {
            let details = BTreeMap::from([("id".to_owned(), id.to_owned())]);
            for_reason(Reason::NotFound, &details, Audience::Command).expect("a hint")
        };
        assert!(hint("L-8aab").contains("--type"));
        assert!(hint("src/L-8aab.rs").contains("path") && hint("X-ray").contains("path"));
    }

    #[test]
    fn a_text_in_place_of_a_path_gets_a_hint_to_remember() {
        let hint = |path: &str| {
            let details = BTreeMap::from([("path".to_owned(), path.to_owned())]);
            for_reason(Reason::NotFound, &details, Audience::Command).expect("a hint")
        };
        assert!(hint("/home/ada/queue/the queue is drained first").contains("recall remember"));
        assert!(!hint("/home/ada/my queue/src/lib.rs").contains("remember"));
    }

    #[test]
    fn only_a_person_is_told_to_raise_a_limit() {
        let failure =
            |name: &str, value: &str| Failure::new(Reason::LimitExceeded, "too many").with_detail(name, value);
        let hint = |failure, audience| for_failure(&failure, audience).expect("a hint");
        let command = Audience::Command;
        assert!(hint(failure("setting", "limits.hits"), command).contains("raise `limits.hits`"));
        assert_eq!(hint(failure("limit", "64"), command), "ask for 64 at most");
        assert!(!hint(failure("setting", "limits.hits"), Audience::Tool).contains("raise"));
    }
}
