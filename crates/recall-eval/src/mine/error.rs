//! What can go wrong between a history and its queries?

use std::path::PathBuf;

/// `git` did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no program `git`.
    #[error("git cannot be run")]
    Missing(#[from] recall_git::MissingGit),
    /// The program `git` cannot be started.
    #[error("git cannot be run")]
    Broken {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// `git` ended with an error.
    #[error("`git {command}` failed in {}: {message}", repository.display())]
    Failed {
        /// What was asked of it.
        command: &'static str,
        /// The git directory, or the path that was to have one.
        repository: PathBuf,
        /// What it wrote to its standard error.
        message: String,
    },
    /// The pipe to or from `git` broke.
    #[error("`git {command}` broke off in {}", repository.display())]
    Pipe {
        /// What was asked of it.
        command: &'static str,
        /// The git directory.
        repository: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// `git` wrote what is not understood.
    #[error("`git {command}` wrote `{output}` in {}", repository.display())]
    Output {
        /// What was asked of it.
        command: &'static str,
        /// The git directory.
        repository: PathBuf,
        /// What was read, cut.
        output: String,
    },
}

/// A history yields no queries.
#[derive(Debug, thiserror::Error)]
pub enum MineError {
    /// The path is in no git repository.
    #[error("{} is not in a git repository", path.display())]
    NotARepository {
        /// The path that was given.
        path: PathBuf,
        /// What `git` said to that.
        message: String,
    },
    /// The repository has no commit yet.
    #[error("{} has no commit", git_dir.display())]
    NoCommit {
        /// The git directory.
        git_dir: PathBuf,
    },
    /// Too few of the commits make a query.
    #[error("{} commits of {} make {found} queries; {needed} are needed", looked_at, git_dir.display())]
    TooFew {
        /// The git directory.
        git_dir: PathBuf,
        /// The queries that were found.
        found: usize,
        /// The fewest that were asked for.
        needed: usize,
        /// The commits that were looked at.
        looked_at: usize,
    },
    /// The clone is shallow, and too few of the commits that it holds make a query.
    #[error("{} is a shallow clone: its {looked_at} commits make {found} queries; {needed} are needed", git_dir.display())]
    Shallow {
        /// The git directory.
        git_dir: PathBuf,
        /// The queries that were found.
        found: usize,
        /// The fewest that were asked for.
        needed: usize,
        /// The commits that were looked at.
        looked_at: usize,
    },
    /// `git` did not do what it was asked for.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The tree of a commit was not put into its folder.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// The folder holds files already, which would be lost.
    #[error("the folder {} is not empty", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file or folder cannot be made, written or removed.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// `git` did not do what it was asked for: there is no such commit, most likely.
    #[error(transparent)]
    Git(#[from] GitError),
}
