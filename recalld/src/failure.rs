//! The mapping of the engine's errors to reasons for clients, with a hint if the error needs one of its own.
//!
//! The hints of the reasons are in [`recall_api::hint`].

mod left_out;
mod models;
mod transfer;

use recall_api::{CLOSING, Failure, Reason};
use recall_core::rql::{Problem as RqlProblem, RqlError};
use recall_engine::{
    ContextError, Fault, GetError, GraphError, IndexError, ListError, MemoryError, NoProposal, OutsideFilter,
    PastError, PatternError, RemoveError, SearchError, SessionError, StatusError, StoreError, UnknownTime,
};
use recall_shared::StoreError as SharedError;
use recall_text::{UnknownLanguage, error_chain};
use tonic::Status;

/// The hint if a file belongs to another project.
const OUTSIDE: &str = "name files below the project's root, or run the command in the project that they belong to";

/// The hint if a memory does not wait for a review.
const WAITING: &str = "`recall review` shows what waits for a review";

/// The conversion of a use case's error into a failure for its client.
pub(crate) trait IntoFailure {
    fn into_failure(self) -> Failure;
}

impl IntoFailure for Failure {
    fn into_failure(self) -> Failure {
        self
    }
}

impl IntoFailure for SearchError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::EmptyQuery => Failure::new(Reason::InvalidArgument, message).with_detail("field", "query"),
            Self::NoStore { .. } => no_store(message),
            Self::Language(unknown) => no_language(&unknown, message),
            Self::Pattern(error) => no_pattern(&error, message),
            Self::Outside(OutsideFilter { path }) => outside(message, path),
            Self::Time(error) => no_time(error, message),
            Self::Store(error) => store_failure(&error, message, Reason::SearchFailed),
        }
    }
}

/// Returns the failure of a text that names no time.
fn no_time(UnknownTime { text }: UnknownTime, message: String) -> Failure {
    Failure::new(Reason::InvalidArgument, message)
        .with_detail("time", text)
        .with_hint("for example `2026-11-20`, `3d`, `last week`, `2 weeks ago`, a commit, a tag or a branch")
}

impl IntoFailure for PastError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::Time(error) => no_time(error, message),
            Self::TooLarge { .. } => Failure::new(Reason::LimitExceeded, message)
                .with_hint("`past.files` and `past.bytes` in the settings are the bounds"),
            Self::Unlisted { commit } => Failure::new(Reason::Unavailable, message).with_detail("commit", commit),
            Self::Write { path, .. } => {
                Failure::new(Reason::Unavailable, message).with_detail("path", path.display().to_string())
            }
            Self::Memory(error) => error.into_failure(),
            Self::Store(error) => store_failure(&error, message, Reason::SearchFailed),
        }
    }
}

/// Returns the failure of a text that is not a pattern.
fn no_pattern(error: &PatternError, message: String) -> Failure {
    match error {
        PatternError::Empty => Failure::new(Reason::InvalidArgument, message),
        PatternError::TooLong { .. } => Failure::new(Reason::LimitExceeded, message),
        PatternError::TooLarge { .. } => Failure::new(Reason::LimitExceeded, message)
            .with_hint("repeat less: `{n,m}` with large numbers makes an expression large"),
        PatternError::Syntax { .. } => Failure::new(Reason::InvalidArgument, message)
            .with_hint("a literal is searched for as it is, without escapes: `recall search --exact TEXT`"),
        PatternError::LineBreak => Failure::new(Reason::InvalidArgument, message)
            .with_hint("a literal may have several lines: `recall search --exact TEXT`"),
        PatternError::MatchesEmpty => Failure::new(Reason::InvalidArgument, message)
            .with_hint("ask for at least one character: `x+` instead of `x*`"),
    }
}

impl IntoFailure for RqlError {
    fn into_failure(self) -> Failure {
        let Self { at, problem, expected, example } = self;
        let reason = match problem {
            RqlProblem::TooLong { .. }
            | RqlProblem::TooDeep
            | RqlProblem::TooManyTerms
            | RqlProblem::TooManyComparisons { .. } => Reason::LimitExceeded,
            RqlProblem::Character { .. }
            | RqlProblem::OpenText
            | RqlProblem::Unexpected { .. }
            | RqlProblem::UnknownField { .. }
            | RqlProblem::ForeignField { .. }
            | RqlProblem::WrongOperator { .. }
            | RqlProblem::WrongValue { .. }
            | RqlProblem::NotIndexed { .. }
            | RqlProblem::NoOrder { .. }
            | RqlProblem::NoScore
            | RqlProblem::Twice { .. }
            | RqlProblem::Query { .. }
            | RqlProblem::OutOfBounds { .. } => Reason::InvalidArgument,
        };
        Failure::new(reason, format!("{at}: {problem}; expected {expected}"))
            .with_detail("line", at.line.to_string())
            .with_detail("column", at.column.to_string())
            .with_hint(format!("for example: {example}"))
    }
}

fn ambiguous(message: String, id: String) -> Failure {
    Failure::new(Reason::InvalidArgument, message).with_detail("id", id).with_hint("give more of it, or one of these")
}

impl IntoFailure for GetError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NotFound { id, near } => not_found_near(message, id, &near),
            Self::LeftOut { path, reason } => {
                Failure::new(Reason::NotFound, message).with_detail("path", path).with_hint(left_out::hint(&reason))
            }
            Self::Folder { path } => Failure::new(Reason::NotFound, message).with_detail("folder", path),
            Self::Outside { path, root: _ } => {
                Failure::new(Reason::NotFound, message).with_detail("path", path).with_hint(OUTSIDE)
            }
            Self::Ambiguous { id, .. } => ambiguous(message, id),
            Self::Memory(error) => fault_failure(error.fault(), message, Reason::SearchFailed),
            Self::Store(error) => store_failure(&error, message, Reason::SearchFailed),
            Self::NotPublished { path, .. } => not_published(message, path),
            Self::Shared { source, .. } => shared_failure(&source, message, "try again when the server answers"),
        }
    }
}

/// What is asked about a published document is known only where its repository is.
fn not_published(message: String, path: String) -> Failure {
    let hint = "clone the repository and ask there; `recall get` and `recall related` read what is published";
    Failure::new(Reason::NotFound, message).with_detail("path", path).with_hint(hint)
}

impl IntoFailure for MemoryError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NotFound { id } => not_found(message, id),
            Self::NoStore { .. } => no_store(message),
            Self::Time(error) => no_time(error, message),
            Self::Outside { path, .. } => Failure::new(Reason::PermissionDenied, message)
                .with_detail("path", path)
                .with_hint("name files below the project's root"),
            Self::Unconfirmed { id } => Failure::new(Reason::PermissionDenied, message)
                .with_detail("id", id.to_string())
                .with_hint("a person looks at it first, and confirms it with `recall verify`"),
            Self::Refused { .. } => Failure::new(Reason::PermissionDenied, message)
                .with_hint("the settings `review.agent` and `review.import` decide; a person can still add it"),
            Self::NeedsPerson => Failure::new(Reason::PermissionDenied, message)
                .with_hint("propose a memory that supersedes the other one, and a person reviews it"),
            Self::Proposed { id } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("id", id.to_string())
                .with_hint("accept it first, with `recall review`"),
            Self::NotProposed { id, why } => {
                let reason = if why == NoProposal::Unknown { Reason::NotFound } else { Reason::InvalidArgument };
                Failure::new(reason, message).with_detail("id", id.to_string()).with_hint(WAITING)
            }
            Self::Amended { id } => Failure::new(Reason::Conflict, message)
                .with_detail("id", id.to_string())
                .with_hint("read it again, then repeat the change if it is still right"),
            error @ (Self::ReadJournal { .. }
            | Self::OpenJournal { .. }
            | Self::Write { .. }
            | Self::HandOver { .. }
            | Self::Confirm { .. }
            | Self::GitFile(_)
            | Self::Store(_)) => fault_failure(error.fault(), message, Reason::Unavailable),
        }
    }
}

impl IntoFailure for SessionError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NoSession => {
                Failure::new(Reason::InvalidArgument, message).with_detail("field", "context.session_id")
            }
            Self::NotFound { id } => {
                not_found(message, id).with_hint("`recall session list` shows those of the project")
            }
            Self::NothingToHandOff { id, reads_transcripts } => not_found(message, id).with_hint(if reads_transcripts {
                "`recall session list` shows those that recall recorded; `recall session search` finds transcripts"
            } else {
                "`recall session list` shows those that recall recorded; `recall config set transcripts.read true` reads \
                 those of agents too"
            }),
            Self::Ambiguous { id, .. } => ambiguous(message, id),
            Self::Trivial { id } => Failure::new(Reason::Conflict, message)
                .with_detail("id", id)
                .with_hint("`recall session end --summary` gives it a summary of yours"),
            Self::Memory(error) => error.into_failure(),
            error @ (Self::Write { .. }
            | Self::Read { .. }
            | Self::Summary { .. }
            | Self::Folder(_)
            | Self::Store(_)) => fault_failure(error.fault(), message, Reason::Unavailable),
        }
    }
}

impl IntoFailure for GraphError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NotFound { node, near } => not_found_near(message, node, &near),
            Self::Outside { path } => outside(message, path),
            Self::NoLines { path, .. } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("path", path)
                .with_hint("leave the lines out for the whole document"),
            Self::NotPublished { path, .. } => not_published(message, path),
            Self::Shared { source, .. } => shared_failure(&source, message, "try again when the server answers"),
            Self::NoStore { .. } => no_store(message),
            Self::Store(error) => store_failure(&error, message, Reason::SearchFailed),
        }
    }
}

impl IntoFailure for ContextError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NoSubject { .. } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "task")
                .with_hint("say what the task is, or name a file"),
            Self::Search(error) => error.into_failure(),
            Self::File(error) => error.into_failure(),
            Self::Related(error) => error.into_failure(),
            Self::Store(error) => store_failure(&error, message, Reason::SearchFailed),
        }
    }
}

impl IntoFailure for ListError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NoStore { .. } => no_store(message),
            Self::Language(unknown) => no_language(&unknown, message),
            Self::Outside(OutsideFilter { path }) => outside(message, path),
            Self::Time(error) => no_time(error, message),
            Self::Store(error) => store_failure(&error, message, Reason::SearchFailed),
        }
    }
}

impl IntoFailure for IndexError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::Outside { path, .. } => Failure::new(Reason::PermissionDenied, message)
                .with_detail("path", path.to_string_lossy())
                .with_hint(OUTSIDE),
            Self::Missing { path } => {
                Failure::new(Reason::NotFound, message).with_detail("path", path.to_string_lossy())
            }
            Self::Glob { glob, .. } => Failure::new(Reason::InvalidArgument, message).with_detail("glob", glob),
            Self::IgnoreEverywhere => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "ignore")
                .with_hint("write the patterns into `.recallignore`, or name a directory"),
            Self::NoStore { .. } => no_store(message),
            Self::Store(error) => store_failure(&error, message, Reason::IndexFailed),
        }
    }
}

impl IntoFailure for RemoveError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NotFound { item } => not_found(message, item),
            Self::NoStore { .. } => no_store(message),
            Self::Path { item, .. } => Failure::new(Reason::InvalidArgument, message).with_detail("item", item),
            Self::Memory(error) => error.into_failure(),
            Self::Store(error) => store_failure(&error, message, Reason::IndexFailed),
        }
    }
}

impl IntoFailure for StatusError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::Store(error) => store_failure(&error, message, Reason::SearchFailed),
        }
    }
}

/// Converts a store's error; uses the reason `otherwise` if no more specific one applies.
fn store_failure(error: &StoreError, message: String, otherwise: Reason) -> Failure {
    fault_failure(error.fault(), message, otherwise)
}

/// Converts an error of the given kind; uses the reason `otherwise` if no more specific one applies.
fn fault_failure(fault: Fault, message: String, otherwise: Reason) -> Failure {
    match fault {
        Fault::NoProject => Failure::new(Reason::InvalidArgument, message)
            .with_hint("name an existing directory as the working directory or the project's root"),
        Fault::RefusedRoot => Failure::new(Reason::PermissionDenied, message)
            .with_hint("change into a project, or make one with `recall init`"),
        Fault::NoDomain => Failure::new(Reason::InvalidScope, message)
            .with_hint("list it in `search.domains` of the project's `.recall/recall.toml`, and its folder in `roots.domains` of yours"),
        Fault::Damaged => Failure::new(Reason::StoreDamaged, message),
        Fault::NewerSchema => Failure::new(Reason::SchemaNewer, message),
        Fault::ReadOnly => Failure::new(Reason::ReadOnly, message),
        Fault::DiskFull => Failure::new(Reason::DiskFull, message),
        Fault::NotPermitted => Failure::new(Reason::PermissionDenied, message),
        Fault::Busy => Failure::new(Reason::Conflict, message).with_hint("try again when the other process is done"),
        Fault::NetworkFileSystem => Failure::new(Reason::Unsupported, message)
            .with_hint("keep the index on a local disk: remove `.recall/` from the project, or set RECALL_HOME to one"),
        Fault::TooSlow => Failure::new(Reason::LimitExceeded, message).with_hint(
            "add a condition that selects, such as one on `doc.path` or `doc.language`, or raise `limits.filter_time`",
        ),
        Fault::Cancelled => Failure::new(Reason::Cancelled, message),
        Fault::Closing => Failure::new(Reason::Unavailable, message).with_detail(CLOSING, "closing"),
        Fault::Other => Failure::new(otherwise, message),
    }
}

/// Returns the status of a request that panicked.
pub(crate) fn panic_status() -> Status {
    Failure::new(Reason::Internal, "the request failed because of a bug in recall").into()
}

fn no_language(unknown: &UnknownLanguage, message: String) -> Failure {
    let hint = match unknown.near.first() {
        Some(near) => format!("write `{near}`, or leave the language out"),
        None => "leave the language out, or use one that `recall status` lists".to_owned(),
    };
    Failure::new(Reason::InvalidArgument, message).with_detail("field", "languages").with_hint(hint)
}

fn no_store(message: String) -> Failure {
    Failure::new(Reason::InvalidScope, message)
}

fn outside(message: String, path: String) -> Failure {
    Failure::new(Reason::PermissionDenied, message).with_detail("path", path).with_hint(OUTSIDE)
}

fn not_found(message: String, id: String) -> Failure {
    Failure::new(Reason::NotFound, message).with_detail("id", id)
}

/// Returns the failure for an unknown name, with the names that are similar to it.
fn not_found_near(message: String, id: String, near: &[String]) -> Failure {
    let failure = not_found(message, id);
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() { failure } else { failure.with_hint(format!("near it are {}", near.join(", "))) }
}

/// Returns the failure of a shared store. `again` is the hint if a later request may succeed.
fn shared_failure(error: &SharedError, message: String, again: &str) -> Failure {
    match error {
        SharedError::Busy => Failure::new(Reason::Conflict, message).with_hint("wait for it, and publish again"),
        SharedError::Refused { .. } => Failure::new(Reason::PermissionDenied, message).with_hint(
            "check the address, the tenant and `RECALL_STORE_<NAME>_KEY`; docs/shared-store.md lists the rights",
        ),
        SharedError::Unusable { .. } => Failure::new(Reason::InvalidArgument, message)
            .with_hint("correct `[stores.NAME]` in your recall.toml, then `recall daemon restart`"),
        SharedError::Unreachable { .. }
        | SharedError::Late { .. }
        | SharedError::Overloaded { .. }
        | SharedError::Resting
        | SharedError::Lost { .. }
        | SharedError::Empty
        | SharedError::Invalid { .. } => Failure::new(Reason::Unavailable, message).with_hint(again),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn full_disk() -> StoreError {
        StoreError::Folder { path: "/p/index".into(), source: io::ErrorKind::StorageFull.into() }
    }

    #[test]
    fn a_failure_of_a_store_keeps_its_reason_in_every_use_case() {
        assert_eq!(SearchError::Store(full_disk()).into_failure().reason, Reason::DiskFull);
        assert_eq!(GetError::Store(full_disk()).into_failure().reason, Reason::DiskFull);
        assert_eq!(GraphError::Store(full_disk()).into_failure().reason, Reason::DiskFull);
        assert_eq!(ListError::Store(full_disk()).into_failure().reason, Reason::DiskFull);
        assert_eq!(IndexError::Store(full_disk()).into_failure().reason, Reason::DiskFull);
        assert_eq!(RemoveError::Store(full_disk()).into_failure().reason, Reason::DiskFull);
        assert_eq!(StatusError::Store(full_disk()).into_failure().reason, Reason::DiskFull);
    }

    #[test]
    fn a_message_names_what_failed_and_why() {
        let message = SearchError::Store(full_disk()).into_failure().message;
        assert_eq!(message, "the index folder `/p/index` cannot be used: no storage space");
    }

    #[test]
    fn an_unknown_node_is_reported_with_similar_names() {
        let unknown = |near: &[&str]| {
            let near = near.iter().map(|name| (*name).to_owned()).collect();
            GraphError::NotFound { node: "opn".to_owned(), near }.into_failure()
        };
        assert_eq!(unknown(&["open", "Store::open"]).hint.as_deref(), Some("near it are `open`, `Store::open`"));
        assert_eq!((unknown(&[]).hint, unknown(&[]).reason), (None, Reason::NotFound));
    }

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(Failure::from_status(&panic_status()).reason, Reason::Internal);
    }
}
