//! The process environment.
//!
//! This is the only module of the crate that reads it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file name of the daemon's program.
const BINARY: &str = if cfg!(windows) { "recalld.exe" } else { "recalld" };

/// Variables that the daemon inherits: the folders of the user and of the agent whose memory is read, language and time zone.
const INHERITED: [&str; 26] = [
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "LANG",
    "TZ",
    "TMPDIR",
    "SHELL",
    "RUST_BACKTRACE",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "SYSTEMROOT",
    "WINDIR",
    "SYSTEMDRIVE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
];

/// Prefixes of further inherited variables: recall's own, the user's directories, the locale.
const INHERITED_PREFIXES: [&str; 3] = ["RECALL_", "XDG_", "LC_"];

/// The key of the page's API. `recall ui` sends it; the daemon reads no key from its environment.
const API_KEY: &str = "RECALL_API_KEY";

/// Returns the variables that the daemon inherits.
///
/// The daemon also serves later clients, so it must neither depend on the shell that started it nor keep the secrets of
/// that shell.
pub(crate) fn for_daemon() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_inherited))
}

fn is_inherited(name: &str) -> bool {
    // Windows spells `Path` and `SystemRoot` so, and ignores case.
    let upper = if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() };
    let name = upper.as_str();
    name != API_KEY && (INHERITED.contains(&name) || INHERITED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// Returns the paths where the daemon's program may be, in order of preference.
pub(crate) fn daemon_candidates() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os("RECALL_DAEMON") {
        return vec![named.into()];
    }
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|folder| folder.join(BINARY)));
    let on_path = std::env::var_os("PATH");
    let on_path = on_path.iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
    beside.into_iter().chain(on_path.map(|folder| folder.join(BINARY))).collect()
}

/// A folder of the system that nobody deletes or unmounts.
pub(crate) fn system_folder() -> PathBuf {
    let windows = std::env::var_os("SYSTEMROOT").filter(|_| cfg!(windows));
    windows.map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

/// The parent folder of the private daemons' folders.
pub(crate) fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}

/// Returns the first candidate that is a file.
pub(crate) fn first_file(candidates: &[PathBuf]) -> Option<&Path> {
    candidates.iter().map(PathBuf::as_path).find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_daemon_inherits_no_secrets() {
        for inherited in ["HOME", "RECALL_HOME", "RECALL_DAEMON__DRAIN", "XDG_RUNTIME_DIR", "LC_ALL"] {
            assert!(is_inherited(inherited), "{inherited}");
        }
        for left_out in
            ["AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "CLAUDE_CODE_SESSION_ID", "NOTIFY_SOCKET", API_KEY]
        {
            assert!(!is_inherited(left_out), "{left_out}");
        }
    }

    #[test]
    fn the_first_file_is_taken() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let [missing, folder, file] = ["missing", "folder", "file"].map(|name| directory.path().join(name));
        std::fs::create_dir(&folder).expect("writable");
        std::fs::write(&file, "").expect("writable");
        assert_eq!(first_file(&[missing.clone(), folder.clone(), file.clone()]), Some(file.as_path()));
        assert_eq!(first_file(&[missing, folder]), None);
    }
}
