//! Errors of the commands: those of datasets, histories and training, reported as `recall` reports its own.

use crate::quality::mine::{CheckoutError, GitError, MineError};
use crate::quality::{DatasetError, ForeignQuery, QueryProblem, RunError};
use recall_api::Reason;
use recall_cli::{CliError, CommandError, Exit};

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct BenchError(pub(crate) CommandError);

impl From<BenchError> for CommandError {
    fn from(BenchError(error): BenchError) -> Self {
        error
    }
}

impl From<CommandError> for BenchError {
    fn from(error: CommandError) -> Self {
        Self(error)
    }
}

impl From<CliError> for BenchError {
    fn from(cli_error: CliError) -> Self {
        Self(cli_error.into())
    }
}

impl From<tonic::Status> for BenchError {
    fn from(status: tonic::Status) -> Self {
        Self(status.into())
    }
}

impl From<DatasetError> for BenchError {
    fn from(error: DatasetError) -> Self {
        let hint = match &error {
            DatasetError::Read { .. } => Some("a dataset is a folder with `dataset.toml` and `queries.jsonl`"),
            DatasetError::Exists { .. } => Some("name a folder that holds no dataset"),
            _ => None,
        };
        let cli_error = match &error {
            DatasetError::Write { path, source } => {
                CliError::refusal(format!("{} cannot be written", path.display()), source)
            }
            _ => CliError::usage(error.to_string()).with_causes_of(&error),
        };
        CliError { hint: hint.map(ToOwned::to_owned), ..cli_error }.into()
    }
}

impl From<QueryProblem> for BenchError {
    fn from(problem: QueryProblem) -> Self {
        CliError::usage(problem.to_string()).into()
    }
}

impl From<RunError> for BenchError {
    fn from(error: RunError) -> Self {
        match &error {
            RunError::Write { path, source } => {
                CliError::refusal(format!("{} cannot be written", path.display()), source).into()
            }
            RunError::Read { .. } | RunError::Line { .. } | RunError::Repeated { .. } => {
                CliError::usage(error.to_string()).with_causes_of(&error).into()
            }
        }
    }
}

impl From<ForeignQuery> for BenchError {
    fn from(error: ForeignQuery) -> Self {
        CliError::usage(error.to_string()).with_hint("compare with a run of the same dataset").into()
    }
}

impl From<MineError> for BenchError {
    fn from(error: MineError) -> Self {
        let (message, refused) = (error.to_string(), |message, hint: &str| {
            CliError::new(Exit::Refused, Reason::NotFound, message).with_hint(hint).into()
        });
        match error {
            MineError::NotARepository { message: said, .. } => {
                let cli_error = CliError { causes: vec![said], ..CliError::usage(message) };
                cli_error.with_hint("name a folder of a git repository: `recall bench --mine PATH`").into()
            }
            MineError::NoCommit { .. } => refused(message, "commit something first"),
            MineError::Shallow { .. } => refused(message, "get the whole history with `git fetch --unshallow`"),
            MineError::TooFew { .. } => {
                refused(message, "a query is a commit whose message says what one to five code files are about")
            }
            MineError::Git(error) => error.into(),
        }
    }
}

impl From<CheckoutError> for BenchError {
    fn from(error: CheckoutError) -> Self {
        match error {
            CheckoutError::Git(error) => error.into(),
            CheckoutError::Write { path, source } => {
                CliError::refusal(format!("{} cannot be written", path.display()), &source).into()
            }
            CheckoutError::NotEmpty { .. } => CliError::usage(error.to_string()).into(),
        }
    }
}

impl From<GitError> for BenchError {
    fn from(error: GitError) -> Self {
        let hint = match &error {
            GitError::Missing(_) | GitError::Broken { .. } => Some("install git, or put it on PATH"),
            GitError::Failed { .. } | GitError::Pipe { .. } | GitError::Output { .. } => None,
        };
        let cli_error = CliError::new(Exit::Refused, Reason::Unavailable, error.to_string()).with_causes_of(&error);
        CliError { hint: hint.map(ToOwned::to_owned), ..cli_error }.into()
    }
}
