//! The loop's repository: what is not committed, and commits.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use recall_api::Reason;
use recall_os::git::{Program, Repository};
use recall_text::PROJECT_FOLDER;

use super::folder;
use crate::Exit;
use crate::error::{CliError, CommandError};

/// A repository that the user works in.
#[derive(Clone, Debug)]
pub(super) struct LoopRepository {
    git: Program,
    work_tree: PathBuf,
    /// The folder of the loop's files.
    ralph: PathBuf,
}

/// One entry of what is not committed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    /// The path below the work tree. A repository inside the work tree ends with `/`.
    path: String,
    is_untracked: bool,
}

impl LoopRepository {
    /// Finds the repository of a folder; `None` if there is none.
    ///
    /// # Errors
    /// There is one, and no `git`.
    pub(super) fn find(place: &Path) -> Result<Option<Self>, CommandError> {
        let Some(repository) = Repository::find(place) else { return Ok(None) };
        let git = Program::find(&repository.work_tree)
            .map_err(|error| CliError::new(Exit::Usage, Reason::NotFound, error.to_string()))?;
        check_own(&git, &repository)?;
        let place = dunce::canonicalize(place).unwrap_or_else(|_| place.to_owned());
        let ralph = place.join(folder::NAME);
        let ralph = ralph.strip_prefix(&repository.work_tree).unwrap_or(&ralph).to_owned();
        Ok(Some(Self { git, ralph, work_tree: repository.work_tree }))
    }

    /// Returns the current commit; `None` before the first one.
    pub(super) fn head(&self) -> Option<String> {
        let output = self.run(&["rev-parse", "--verify", "--quiet", "HEAD"]).ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Returns the paths that are not committed, except recall's own, the loop's, and those of `expected` files.
    ///
    /// # Errors
    /// `git` fails.
    pub(super) fn uncommitted_paths(&self, expected: &[&Path]) -> Result<Vec<String>, CommandError> {
        let is_expected = |path: &str| {
            let path = Path::new(path.trim_end_matches('/'));
            let real = self.work_tree.join(path);
            let is_listed = expected.iter().any(|expected| *expected == real);
            is_listed
                || path.starts_with(&self.ralph)
                || path.components().any(|part| part.as_os_str() == PROJECT_FOLDER)
        };
        let paths = self.changes()?.into_iter().map(|change| change.path);
        Ok(paths.filter(|path| !is_expected(path)).collect())
    }

    /// Commits everything in the work tree that belongs to this repository. Returns whether there was something.
    ///
    /// # Errors
    /// `git` fails, for example in a hook.
    pub(super) fn commit(&self, message: &str) -> Result<bool, CommandError> {
        let mut excluded = vec![exclusion(&self.ralph.to_string_lossy())];
        // A repository inside the work tree would be added as a link to one of its commits.
        let inner = self.changes()?.into_iter().filter(|change| change.is_untracked && change.path.ends_with('/'));
        excluded.extend(inner.map(|change| exclusion(change.path.trim_end_matches('/'))));
        let mut add: Vec<OsString> = ["add", "--all", "--", ":/"].map(OsString::from).to_vec();
        add.extend(excluded);
        check_success(&self.run(&add)?)?;
        let staged = self.run(&["diff", "--cached", "--quiet"])?;
        if staged.status.success() {
            return Ok(false);
        }
        check_success(&self.run(&["commit", "--quiet", "-m", message])?)?;
        Ok(true)
    }

    fn changes(&self) -> Result<Vec<Change>, CommandError> {
        let output = self.run(&["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"])?;
        check_success(&output)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let entries = text.split('\0').filter(|entry| entry.len() > 3);
        let change =
            |entry: &str| Some(Change { is_untracked: entry.starts_with("??"), path: entry.get(3..)?.to_owned() });
        Ok(entries.filter_map(change).collect())
    }

    /// Runs `git` as the user would: hooks, filters and signatures of the repository take effect.
    fn run(&self, arguments: &[impl AsRef<std::ffi::OsStr>]) -> Result<Output, CommandError> {
        let mut git: Command = self.git.writing_command();
        git.arg("-C").arg(&self.work_tree).args(arguments).stdin(Stdio::null());
        git.output().map_err(|error| {
            CliError::refusal(format!("cannot run `{}`", self.git.executable().display()), &error).into()
        })
    }
}

/// Refuses a repository in which git would name files of another folder, or commit them.
fn check_own(git: &Program, repository: &Repository) -> Result<(), CommandError> {
    let Repository { work_tree, git_dir, .. } = repository;
    let refused =
        |what: &str| CliError::new(Exit::Refused, Reason::PermissionDenied, format!("`{}` {what}", git_dir.display()));
    if !repository.keeps_to_itself() {
        let error = refused("has references or objects of another repository");
        return Err(error.with_hint("`recall doctor` says more").into());
    }
    let output = git.command().current_dir(work_tree).args(["rev-parse", "--show-toplevel"]).output();
    let named = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let named = named.and_then(|named| dunce::canonicalize(named.trim_end_matches(['\n', '\r'])).ok());
    if named.is_some_and(|named| named == *work_tree) {
        return Ok(());
    }
    let error = refused("is configured for the files of another folder");
    Err(error.with_hint("`git config --unset core.worktree` ends that").into())
}

/// A pattern of git that leaves a path out.
fn exclusion(path: &str) -> OsString {
    format!(":(top,exclude,literal){path}").into()
}

fn check_success(output: &Output) -> Result<(), CommandError> {
    if output.status.success() {
        return Ok(());
    }
    let mut cli_error = CliError::new(Exit::Refused, Reason::Unavailable, format!("git failed: {}", output.status));
    let text = [String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout)].concat();
    cli_error.causes.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).take(5).map(str::to_owned));
    Err(cli_error.into())
}
