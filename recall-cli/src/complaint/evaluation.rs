//! Conversions of evaluation and training errors to complaints.

use recall_eval::mine::{CheckoutError, GitError, MineError};
use recall_eval::{DatasetError, ForeignQuery, QueryProblem, RunError};
use recall_proto::Reason;
use recall_rank::TrainError;

use super::{CommandError, Complaint};
use crate::Exit;

impl From<DatasetError> for CommandError {
    fn from(error: DatasetError) -> Self {
        let hint = match &error {
            DatasetError::Read { .. } => Some("a dataset is a folder with `dataset.toml` and `queries.jsonl`"),
            DatasetError::Exists { .. } => Some("name a folder that holds no dataset"),
            _ => None,
        };
        let complaint = match &error {
            DatasetError::Write { path, source } => {
                Complaint::refused(format!("{} cannot be written", path.display()), source)
            }
            _ => Complaint::usage(error.to_string()).with_causes_of(&error),
        };
        Complaint { hint: hint.map(ToOwned::to_owned), ..complaint }.into()
    }
}

impl From<QueryProblem> for CommandError {
    fn from(problem: QueryProblem) -> Self {
        Complaint::usage(problem.to_string()).into()
    }
}

impl From<RunError> for CommandError {
    fn from(error: RunError) -> Self {
        match &error {
            RunError::Write { path, source } => {
                Complaint::refused(format!("{} cannot be written", path.display()), source).into()
            }
            RunError::Read { .. } | RunError::Line { .. } | RunError::Repeated { .. } => {
                Complaint::usage(error.to_string()).with_causes_of(&error).into()
            }
        }
    }
}

impl From<ForeignQuery> for CommandError {
    fn from(error: ForeignQuery) -> Self {
        Complaint::usage(error.to_string()).with_hint("compare with a run of the same dataset").into()
    }
}

impl From<MineError> for CommandError {
    fn from(error: MineError) -> Self {
        let (message, refused) = (error.to_string(), |message, hint: &str| {
            Complaint::new(Exit::Refused, Reason::NotFound, message).with_hint(hint).into()
        });
        match error {
            MineError::NotARepository { message: said, .. } => {
                let complaint = Complaint { causes: vec![said], ..Complaint::usage(message) };
                complaint.with_hint("name a folder of a git repository: `recall bench --mine PATH`").into()
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

impl From<TrainError> for CommandError {
    fn from(error: TrainError) -> Self {
        let hint = match &error {
            TrainError::Features { .. } => Some("install `recall` and `recalld` of one version"),
            _ => None,
        };
        let message = format!("a ranker cannot be learnt: {error}");
        let complaint = Complaint::new(Exit::Refused, Reason::Unsupported, message).with_causes_of(&error);
        Complaint { hint: hint.map(ToOwned::to_owned), ..complaint }.into()
    }
}

impl From<CheckoutError> for CommandError {
    fn from(error: CheckoutError) -> Self {
        match error {
            CheckoutError::Git(error) => error.into(),
            CheckoutError::Write { path, source } => {
                Complaint::refused(format!("{} cannot be written", path.display()), &source).into()
            }
            CheckoutError::NotEmpty { .. } => Complaint::usage(error.to_string()).into(),
        }
    }
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        let hint = match &error {
            GitError::Missing(_) | GitError::Broken { .. } => Some("install git, or put it on PATH"),
            GitError::Failed { .. } | GitError::Pipe { .. } | GitError::Output { .. } => None,
        };
        let complaint = Complaint::new(Exit::Refused, Reason::Unavailable, error.to_string()).with_causes_of(&error);
        Complaint { hint: hint.map(ToOwned::to_owned), ..complaint }.into()
    }
}
