//! Errors of mining and checkouts.

use std::path::PathBuf;

/// A `git` command failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// `git` is not installed.
    #[error("git cannot be run")]
    Missing(#[from] recall_os::git::MissingGit),
    /// `git` cannot be started.
    #[error("git cannot be run")]
    Broken {
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// `git` exited with an error.
    #[error("`git {command}` failed in {}: {message}", repository.display())]
    Failed {
        /// The git subcommand.
        command: &'static str,
        /// The git directory, or the path that was searched for one.
        repository: PathBuf,
        /// The standard error of `git`.
        message: String,
    },
    /// The pipe to or from `git` broke.
    #[error("cannot read the output of `git {command}` in `{}`", repository.display())]
    Pipe {
        /// The git subcommand.
        command: &'static str,
        /// The git directory.
        repository: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The output of `git` does not have the expected format.
    #[error("unexpected output of `git {command}` in `{}`: `{output}`", repository.display())]
    Output {
        /// The git subcommand.
        command: &'static str,
        /// The git directory.
        repository: PathBuf,
        /// The output, truncated.
        output: String,
    },
}

/// No queries can be mined.
#[derive(Debug, thiserror::Error)]
pub enum MineError {
    /// The path is in no git repository.
    #[error("`{}` is not in a git repository", path.display())]
    NotARepository {
        /// The path.
        path: PathBuf,
        /// The message of `git`.
        message: String,
    },
    /// The repository has no commits.
    #[error("`{}` has no commits", git_dir.display())]
    NoCommit {
        /// The git directory.
        git_dir: PathBuf,
    },
    /// Too few commits become queries.
    #[error("{} commits of `{}` give {found} queries; {needed} are required", looked_at, git_dir.display())]
    TooFew {
        /// The git directory.
        git_dir: PathBuf,
        /// The number of queries.
        found: usize,
        /// The required number of queries.
        needed: usize,
        /// The number of commits that were read.
        looked_at: usize,
    },
    /// The clone is shallow, and too few of its commits become queries.
    #[error("`{}` is a shallow clone: its {looked_at} commits give {found} queries; {needed} are required", git_dir.display())]
    Shallow {
        /// The git directory.
        git_dir: PathBuf,
        /// The number of queries.
        found: usize,
        /// The required number of queries.
        needed: usize,
        /// The number of commits that were read.
        looked_at: usize,
    },
    /// A `git` command failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// A commit cannot be checked out.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// The folder has files, which would be lost.
    #[error("the folder `{}` is not empty", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file or folder cannot be created, written or removed.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A `git` command failed, most likely because the commit does not exist.
    #[error(transparent)]
    Git(#[from] GitError),
}
