//! The `git` executable and its environment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The file name of the executable.
const EXECUTABLE: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// The prefix of git's environment variables, which may name another repository, another index, or programs to run.
const VARIABLES: &str = "GIT_";

/// A `git` executable, by its absolute path, and the folders in which it may look for other programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    executable: PathBuf,
    /// The value of `PATH` for the process.
    search_path: OsString,
}

/// No usable folder has a `git` executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no `git` executable found in PATH outside the project")]
pub struct MissingGit;

impl Program {
    /// Finds `git` for the repository of a folder, in the folders of this process's `PATH`.
    ///
    /// # Errors
    /// Those of [`find_in`](Self::find_in).
    pub fn find(root: &Path) -> Result<Self, MissingGit> {
        Self::find_in(&std::env::var_os("PATH").unwrap_or_default(), root)
    }

    /// Finds the first `git` in the folders of a search path.
    ///
    /// Empty and relative entries, such as `.`, are skipped: they name folders that the repository may control. Folders
    /// in or below `root`, and links into it, are skipped for the same reason.
    ///
    /// # Errors
    /// None of the remaining folders has a `git` executable.
    pub fn find_in(search_path: &OsStr, root: &Path) -> Result<Self, MissingGit> {
        let real_root = dunce::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let is_outside = |path: &Path| {
            !path.starts_with(root) && !dunce::canonicalize(path).is_ok_and(|real| real.starts_with(&real_root))
        };
        let folders: Vec<PathBuf> =
            std::env::split_paths(search_path).filter(|folder| folder.is_absolute() && is_outside(folder)).collect();
        let mut candidates = folders.iter().map(|folder| folder.join(EXECUTABLE));
        let executable = candidates.find(|file| is_executable(file) && is_outside(file)).ok_or(MissingGit)?;
        let search_path = std::env::join_paths(&folders).map_err(|_| MissingGit)?;
        Ok(Self { executable, search_path })
    }

    /// Returns the absolute path of the executable.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Creates a read-only command: it fetches nothing, runs no hook, file system monitor, pager or signature check,
    /// never prompts, and takes no optional lock. Standard output and standard error are piped; standard input is
    /// empty.
    ///
    /// Two things are left to the caller. A command that compares the content of files in the work tree runs the
    /// filters defined by the repository, unless they are disabled by name with [`without`](Self::without). A command
    /// that shows diffs needs `--no-ext-diff` and `--no-textconv`.
    pub fn command(&self) -> Command {
        let mut git = Command::new(&self.executable);
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(VARIABLES.as_bytes()) {
                git.env_remove(name);
            }
        }
        git.env("PATH", &self.search_path)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            // A partial clone would fetch the objects that it lacks.
            .env("GIT_NO_LAZY_FETCH", "1")
            // A list of the allowed protocols. It names no existing one.
            .env("GIT_ALLOW_PROTOCOL", "none")
            // Messages are parsed and shown.
            .env("LC_ALL", "C")
            .args(["--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
            .args(["-c", "core.quotePath=false", "-c", "log.showSignature=false"])
            .args(["-c", "core.pager=cat", "-c", "core.askPass=", "-c", "core.sshCommand=false"])
            .args(["-c", "gpg.program=false"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        git
    }

    /// Creates a command that may change the repository, as the user would run it: its hooks, filters and signatures take
    /// effect. Only for a repository that the user named for that.
    ///
    /// It never prompts, and no variable names another repository. Standard output and standard error are piped.
    pub fn writing_command(&self) -> Command {
        let mut git = Command::new(&self.executable);
        for (name, _) in std::env::vars_os() {
            let text = name.as_encoded_bytes();
            // The author and the committer are the user's choice.
            let is_identity = text.starts_with(b"GIT_AUTHOR_") || text.starts_with(b"GIT_COMMITTER_");
            if text.starts_with(VARIABLES.as_bytes()) && !is_identity {
                git.env_remove(name);
            }
        }
        git.env("PATH", &self.search_path)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .args(["--no-pager", "-c", "core.quotePath=false"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        git
    }

    /// Sets some configuration keys of a command to the empty string, or to `false` if the key ends in `.required`.
    ///
    /// The keys are passed in the environment: on the command line a key ends at the first `=`, which it may contain.
    pub fn without(git: &mut Command, settings: &[&str]) {
        for (at, name) in settings.iter().enumerate() {
            let value = if name.ends_with(".required") { "false" } else { "" };
            git.env(format!("GIT_CONFIG_KEY_{at}"), name).env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        if !settings.is_empty() {
            git.env("GIT_CONFIG_COUNT", settings.len().to_string());
        }
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn put_git(folder: &Path, mode: u32) {
        fs::create_dir_all(folder).expect("a folder");
        let file = folder.join(EXECUTABLE);
        fs::write(&file, "#!/bin/sh\n").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set");
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().expect("a folder");
        let real = dunce::canonicalize(place.path()).expect("there");
        (place, real)
    }

    #[test]
    fn git_is_found_in_the_first_absolute_folder_outside_the_root() {
        let (_place, at) = place();
        let root = at.join("project");
        put_git(&root.join("bin"), 0o755);
        put_git(&at.join("plain"), 0o644);
        put_git(&at.join("first"), 0o755);
        put_git(&at.join("second"), 0o755);
        std::os::unix::fs::symlink(root.join("bin"), at.join("link")).expect("linked");
        fs::create_dir(at.join("file-link")).expect("made");
        std::os::unix::fs::symlink(root.join("bin/git"), at.join("file-link/git")).expect("linked");
        let find = |entries: &[&str]| {
            let absolute = |entry: &&str| entry.replace('@', at.to_str().expect("text"));
            let search_path = entries.iter().map(absolute).collect::<Vec<_>>().join(":");
            Program::find_in(OsStr::new(&search_path), &root).map(|found| found.executable)
        };
        assert_eq!(find(&["", ".", "bin", "@/first", "@/second"]), Ok(at.join("first/git")));
        assert_eq!(find(&["@/project/bin", "@/link", "@/file-link", "@/plain", "@/second"]), Ok(at.join("second/git")));
        assert_eq!(find(&["", ".", "@/project/bin", "@/nowhere"]), Err(MissingGit));
        assert_eq!(find(&[]), Err(MissingGit));
    }

    #[test]
    fn the_process_does_not_search_relative_folders() {
        let (_place, at) = place();
        put_git(&at.join("bin"), 0o755);
        let search_path = format!(":.:{}:sub", at.join("bin").display());
        let program = Program::find_in(OsStr::new(&search_path), &at.join("project")).expect("there");
        let git = program.command();
        let path = git.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
        assert_eq!(path, Some(at.join("bin").as_os_str()));
    }
}
