//! The files with which agents are launched. They are private to the user, and removed when they are old.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use recall_config::Dirs;
use recall_os::{Access, Folder, OpenError};

/// The folder in the state folder. The cache may be deleted at any time, and a resumed conversation reads its file again.
const FOLDER: &str = "launch";

/// The beginning of each file's name.
const PREFIX: &str = "session-";

/// Writes the file of a session, and removes those that are older than `kept_for`.
///
/// # Errors
/// The folder is not the user's alone, or the system refuses.
pub(super) fn write(
    dirs: &Dirs,
    session: &str,
    text: &str,
    now: SystemTime,
    kept_for: Duration,
) -> Result<PathBuf, OpenError> {
    let folder = Folder::private(&dirs.state.join(FOLDER))?;
    remove_old(&folder, now, kept_for);
    let name = format!("{PREFIX}{session}.md");
    folder.replace(&name, text.as_bytes())?;
    Ok(folder.path().join(name))
}

/// Removes old files. One that cannot be removed is left for the next time.
fn remove_old(folder: &Folder, now: SystemTime, kept_for: Duration) {
    let is_ours = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(PREFIX));
    for name in folder.names().unwrap_or_default().into_iter().filter(|name| is_ours(name)) {
        let written = folder.file(&name, Access::Read).and_then(|file| {
            let read = file.metadata().and_then(|found| found.modified());
            read.map_err(|source| OpenError::Io { path: folder.path().join(&name), source })
        });
        let is_old = written.is_ok_and(|written| now.duration_since(written).is_ok_and(|age| age > kept_for));
        if is_old {
            let _ = folder.remove(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use recall_config::Environment;

    use super::*;

    #[test]
    fn files_are_private_and_old_ones_are_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        #[expect(clippy::disallowed_methods, reason = "compared with the times of files")]
        let now = SystemTime::now();
        let day = Duration::from_hours(24);
        let first = write(&dirs, "a", "one", now, day).expect("written");
        assert_eq!(std::fs::read_to_string(&first).expect("readable"), "one");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;

            assert_eq!(first.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        }
        let second = write(&dirs, "b", "two", now + day / 2, day).expect("written");
        assert!(first.exists() && second.exists());
        write(&dirs, "c", "three", now + day * 2, day).expect("written");
        assert!(!first.exists() && !second.exists());
    }
}
