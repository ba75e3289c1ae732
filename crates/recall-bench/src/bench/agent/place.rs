//! A place for one run of an agent: a copy of the repository, a home folder and a home of recall, in a temporary folder that is deleted.
//!
//! The copy has the history up to its commit and nothing later, so that no agent finds the solution there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, io};

use recall_cli::CliError;
use recall_cli::agent_process::Surroundings;
use recall_os::git::Program;
use tempfile::TempDir;

use super::task::AgentTask;
use crate::collection::temporary_folder;
use crate::error::BenchError;
use crate::quality::mine::GitError;

/// Files of a repository that tell agents something: instructions, and servers to register. They are left out in all arms.
const OTHER_MEMORY: [&str; 3] = ["CLAUDE.md", "AGENTS.md", ".mcp.json"];

/// The memory of recall in a repository.
const RECALL_MEMORY: &str = ".recall";

/// The time after which a daemon ends that nobody uses, in case that this program is killed.
const IDLE_EXIT: &str = "15m";

/// What an agent has to remember with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Arm {
    /// Nothing.
    None,
    /// A file that a person wrote.
    File,
    /// Recall's MCP server over an index of the copy, with the memories of the task.
    Recall,
}

impl Arm {
    /// All arms, the one that is measured last.
    pub(super) const ALL: [Self; 3] = [Self::None, Self::File, Self::Recall];

    /// Returns the name for a person.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::None => "no memory",
            Self::File => "memory file",
            Self::Recall => "recall",
        }
    }

    /// Returns the name in raw lines and names of files.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::File => "file",
            Self::Recall => "recall",
        }
    }
}

/// A place for one run.
#[derive(Debug)]
pub(super) struct Place {
    folder: TempDir,
    work: PathBuf,
}

impl Place {
    /// Lays a copy of the task's repository without the memory that the arm does not have, and a home that is a copy of `home`.
    pub(super) fn lay(task: &AgentTask, arm: Arm, home: Option<&Path>) -> Result<Self, BenchError> {
        let folder = temporary_folder()?;
        // Some agents show the name of the folder to their model.
        let name = task.repository.file_name().unwrap_or("work".as_ref());
        let place = Self { work: folder.path().join("work").join(name), folder };
        let refused = |error: io::Error| CliError::refusal("cannot copy what a run needs", &error);
        fs::create_dir_all(&place.work).map_err(refused)?;
        fs::create_dir_all(place.home()).map_err(refused)?;
        if let Some(home) = home {
            copy_folder(home, &place.home(), &[]).map_err(refused)?;
        }
        let mut absent = OTHER_MEMORY.to_vec();
        absent.extend((arm != Arm::Recall).then_some(RECALL_MEMORY));
        if is_repository(&task.repository) {
            check_out(task, &place.work, &absent)?;
        } else if task.commit.is_some() {
            let message = format!("task `{}` names a commit, and {} has none", task.id, task.repository.display());
            return Err(CliError::usage(message).into());
        } else {
            copy_folder(&task.repository, &place.work, &absent).map_err(refused)?;
        }
        Ok(place)
    }

    /// The copy of the repository.
    pub(super) fn work(&self) -> &Path {
        &self.work
    }

    /// The home folder.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The home of recall. Every arm has one, so that none reaches the user's.
    pub(super) fn recall_home(&self) -> PathBuf {
        self.folder.path().join("r")
    }

    /// A file in the place, which is neither in the copy nor in the home.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes such a file.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<fs::File, BenchError> {
        let path = self.file(name);
        let refused = |error: io::Error| CliError::refusal(format!("cannot write {}", path.display()), &error);
        fs::write(&path, text).map_err(refused)?;
        Ok(fs::File::open(&path).map_err(refused)?)
    }

    /// Returns the surroundings of a program that runs in the copy.
    pub(super) fn surroundings<'a>(&'a self, home: &'a Path, time_limit: Duration) -> Surroundings<'a> {
        let variables = vec![
            ("RECALL_HOME", self.recall_home().into_os_string()),
            ("RECALL_DAEMON__IDLE_EXIT", OsString::from(IDLE_EXIT)),
        ];
        Surroundings { folder: &self.work, home: Some(home), variables, time_limit, shows: false }
    }
}

/// Whether a folder is a git repository, bare or not. A folder inside of one is not.
fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists() || (folder.join("HEAD").is_file() && folder.join("objects").is_dir())
}

/// Checks out the commit of a task with its history, but without these paths.
fn check_out(task: &AgentTask, work: &Path, absent: &[&str]) -> Result<(), BenchError> {
    let program = Program::find(work).map_err(GitError::from)?;
    let commit = format!("{}^{{commit}}", task.commit.as_deref().unwrap_or("HEAD"));
    let mut resolve = program.writing_command();
    resolve.current_dir(&task.repository).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    let Ok(commit) = git(resolve, "rev-parse", &task.repository) else {
        let message = format!("task `{}`: {} has no commit `{commit}`", task.id, task.repository.display());
        return Err(CliError::usage(message).into());
    };
    git(writing_git(&program, work, &["init", "--quiet"]), "init", work)?;
    let source = task.repository.to_string_lossy();
    git(
        writing_git(&program, work, &["fetch", "--quiet", "--no-tags", "--", &source, &commit]),
        "fetch",
        &task.repository,
    )?;
    git(writing_git(&program, work, &["checkout", "--quiet", "--detach", "FETCH_HEAD"]), "checkout", work)?;
    git(
        writing_git(&program, work, &[&["rm", "-r", "--quiet", "--ignore-unmatch", "--"], absent].concat()),
        "rm",
        work,
    )?;
    Ok(())
}

/// Returns a command of `git` in the copy.
fn writing_git(program: &Program, work: &Path, arguments: &[&str]) -> Command {
    let mut git = program.writing_command();
    // Housekeeping in the background would write into the copy while it is deleted.
    git.current_dir(work).args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]).args(arguments);
    git
}

/// Runs `git` to its end and returns its output.
fn git(mut command: Command, name: &'static str, repository: &Path) -> Result<String, GitError> {
    let output = command.output().map_err(|source| GitError::Broken { source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(GitError::Failed { command: name, repository: repository.to_owned(), message })
}

/// Copies the content of a folder, except entries at its top. Links are copied as links.
fn copy_folder(from: &Path, to: &Path, absent: &[&str]) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if absent.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            fs::create_dir_all(&target)?;
            copy_folder(&entry.path(), &target, &[])?;
        } else if kind.is_symlink() {
            copy_link(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

/// Copies what a link leads to: a link may need rights that a user does not have.
#[cfg(not(unix))]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        return copy_folder(from, to, &[]);
    }
    fs::copy(from, to).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_laid_without_the_memory_of_other_arms() {
        let place = tempfile::tempdir().expect("a folder");
        let repository = place.path().join("shop");
        for path in ["AGENTS.md", ".recall/x/memories.jsonl", "src/CLAUDE.md", "src/a.rs"] {
            let path = repository.join(path);
            fs::create_dir_all(path.parent().expect("below")).expect("made");
            fs::write(path, "text").expect("written");
        }
        let task = AgentTask {
            id: "a".to_owned(),
            instruction: String::new(),
            repository,
            commit: None,
            check: String::new(),
            memories: Vec::new(),
        };
        for (arm, has_recall) in [(Arm::None, false), (Arm::File, false), (Arm::Recall, true)] {
            let laid = Place::lay(&task, arm, None).expect("laid");
            let has = |path: &str| laid.work().join(path).exists();
            assert_eq!((has("AGENTS.md"), has(".recall"), has("src/a.rs")), (false, has_recall, true), "{arm:?}");
            // What is deeper is a part of the project.
            assert!(has("src/CLAUDE.md") && laid.work().ends_with("shop"));
        }
        let named = AgentTask { commit: Some("HEAD".to_owned()), ..task };
        assert!(Place::lay(&named, Arm::None, None).is_err(), "a plain folder has no commit");
    }
}
