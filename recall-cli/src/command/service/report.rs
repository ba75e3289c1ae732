//! What the commands of the service say.

use std::fmt::Write as _;

use serde::Serialize;

/// What `install` and `uninstall` did, or would do with `--dry-run`.
#[derive(Debug, Serialize)]
pub(crate) struct ServiceChange {
    pub(crate) dry_run: bool,
    pub(crate) changed: bool,
    pub(crate) files: Vec<FileChange>,
    /// The commands, in their order.
    pub(crate) commands: Vec<String>,
    /// The process id of the daemon that was stopped.
    pub(crate) stopped_pid: Option<u32>,
}

impl ServiceChange {
    /// Whether there is something to remove, or to keep because somebody changed it.
    pub(crate) fn is_installed(&self) -> bool {
        self.files.iter().any(|file| file.action != "missing")
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct FileChange {
    pub(crate) path: String,
    /// `write`, `unchanged`, `remove`, `keep` or `missing`.
    pub(crate) action: &'static str,
    /// The content that is written.
    pub(crate) content: Option<String>,
}

/// The state of the service.
#[derive(Debug, Serialize)]
pub(crate) struct ServiceState {
    pub(crate) manager: &'static str,
    pub(crate) installed: bool,
    pub(crate) enabled: bool,
    pub(crate) active: bool,
    pub(crate) files: Vec<FileStatus>,
    /// The program that the service starts; `None` if the file is missing or somebody else's.
    pub(crate) program: Option<String>,
    pub(crate) program_exists: Option<bool>,
    pub(crate) program_version: Option<String>,
    /// Whether the program has the version of this command.
    pub(crate) version_matches: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileStatus {
    pub(crate) path: String,
    /// `installed`, `missing` or `foreign`.
    pub(crate) state: &'static str,
}

/// Formats what was done, or would be.
pub(crate) fn change_text(change: &ServiceChange) -> String {
    let would = if change.dry_run { "would " } else { "" };
    let mut text = String::new();
    for FileChange { path, action, content } in &change.files {
        let _ = match *action {
            "write" | "remove" => writeln!(text, "{would}{action} {path}"),
            action => writeln!(text, "{action}: {path}"),
        };
        if let Some(content) = content.as_ref().filter(|_| change.dry_run) {
            text.extend(content.lines().map(|line| format!("    {line}\n")));
        }
    }
    text.extend(change.commands.iter().map(|command| format!("{would}run {command}\n")));
    if let Some(pid) = change.stopped_pid {
        let _ = writeln!(text, "stopped the running daemon, pid {pid}; the service starts it for the next client");
    }
    text
}

/// Formats the state of the service.
pub(crate) fn state_text(state: &ServiceState) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let ServiceState { manager, installed, enabled, active, .. } = state;
    let mut text =
        format!("{manager}: installed {}, enabled {}, active {}\n", yes(*installed), yes(*enabled), yes(*active));
    text.extend(state.files.iter().map(|file| format!("{}: {}\n", file.path, file.state)));
    if let Some(program) = &state.program {
        let version = match (state.program_exists, &state.program_version, state.version_matches) {
            (Some(false), ..) => "does not exist: run `recall service install` again".to_owned(),
            (_, None, _) => "does not report its version".to_owned(),
            (_, Some(version), Some(true)) => format!("version {version}"),
            (_, Some(version), _) => {
                format!("version {version}, but this command has version {}", env!("CARGO_PKG_VERSION"))
            }
        };
        let _ = writeln!(text, "{program}: {version}");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    struct ChangeMirror {
        ok: bool,
        schema_version: String,
        dry_run: bool,
        changed: bool,
        files: Vec<FileChangeMirror>,
        commands: Vec<String>,
        stopped_pid: Option<u32>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "reading them is the test")]
    struct FileChangeMirror {
        path: String,
        action: String,
        content: Option<String>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, clippy::struct_excessive_bools, reason = "reading the fields of the schema is the test")]
    struct StateMirror {
        ok: bool,
        schema_version: String,
        manager: String,
        installed: bool,
        enabled: bool,
        active: bool,
        files: Vec<Value>,
        program: Option<String>,
        program_exists: Option<bool>,
        program_version: Option<String>,
        version_matches: Option<bool>,
    }

    #[test]
    fn changes_and_states_are_read_with_their_schemas() {
        let file = FileChange { path: "/etc/a".to_owned(), action: "write", content: None };
        let change = ServiceChange {
            dry_run: true,
            changed: true,
            files: vec![file],
            commands: Vec::new(),
            stopped_pid: Some(7),
        };
        let written = serde_json::to_string(&recall_api::json::answer(change)).expect("plain data");
        let read: ChangeMirror = serde_json::from_str(&written).expect("the schema");
        assert_eq!((read.files[0].action.as_str(), read.stopped_pid), ("write", Some(7)));
        let state = ServiceState {
            manager: "systemd",
            installed: true,
            enabled: false,
            active: false,
            files: vec![FileStatus { path: "/etc/a".to_owned(), state: "foreign" }],
            program: None,
            program_exists: None,
            program_version: None,
            version_matches: None,
        };
        let written = serde_json::to_string(&recall_api::json::answer(state)).expect("plain data");
        let read: StateMirror = serde_json::from_str(&written).expect("the schema");
        assert_eq!(read.files[0], serde_json::json!({"path": "/etc/a", "state": "foreign"}));
    }
}
