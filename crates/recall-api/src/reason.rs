//! Stable reasons of errors, and errors as they cross the socket, in gRPC statuses.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::InvalidRequest;

/// The reason of an error. The names are stable, and clients may depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Nothing has that id, path or name.
    NotFound,
    /// A field of the request is invalid.
    InvalidArgument,
    /// The scope is unknown, or has no store.
    InvalidScope,
    /// Files could not be indexed.
    IndexFailed,
    /// A text could not be embedded.
    EmbeddingFailed,
    /// The index could not be searched.
    SearchFailed,
    /// A limit was exceeded.
    LimitExceeded,
    /// The client may not access that.
    PermissionDenied,
    /// The daemon cannot answer now; a retry may succeed.
    Unavailable,
    /// A bug in recall.
    Internal,
    /// This daemon does not support the request.
    Unsupported,
    /// Client and daemon have no protocol revision in common.
    VersionMismatch,
    /// The client cancelled the request.
    Cancelled,
    /// The request exceeded its deadline.
    DeadlineExceeded,
    /// The store's files are damaged.
    StoreDamaged,
    /// The store was written by a newer version.
    SchemaNewer,
    /// The disk or the user's quota is full.
    DiskFull,
    /// The store or the project cannot be written.
    ReadOnly,
    /// The request conflicts with another operation in progress.
    Conflict,
    /// A download failed, or its checksum is wrong.
    FetchFailed,
    /// The daemon serves another data home than the client expects.
    HomeMismatch,
}

impl Reason {
    /// All reasons, in a fixed order.
    pub const ALL: [Self; 21] = [
        Self::NotFound,
        Self::InvalidArgument,
        Self::InvalidScope,
        Self::IndexFailed,
        Self::EmbeddingFailed,
        Self::SearchFailed,
        Self::LimitExceeded,
        Self::PermissionDenied,
        Self::Unavailable,
        Self::Internal,
        Self::Unsupported,
        Self::VersionMismatch,
        Self::Cancelled,
        Self::DeadlineExceeded,
        Self::StoreDamaged,
        Self::SchemaNewer,
        Self::DiskFull,
        Self::ReadOnly,
        Self::Conflict,
        Self::FetchFailed,
        Self::HomeMismatch,
    ];

    /// Returns the reason's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::InvalidScope => "INVALID_SCOPE",
            Self::IndexFailed => "INDEX_FAILED",
            Self::EmbeddingFailed => "EMBEDDING_FAILED",
            Self::SearchFailed => "SEARCH_FAILED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::Unavailable => "UNAVAILABLE",
            Self::Internal => "INTERNAL",
            Self::Unsupported => "UNSUPPORTED",
            Self::VersionMismatch => "VERSION_MISMATCH",
            Self::Cancelled => "CANCELLED",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::StoreDamaged => "STORE_DAMAGED",
            Self::SchemaNewer => "SCHEMA_NEWER",
            Self::DiskFull => "DISK_FULL",
            Self::ReadOnly => "READ_ONLY",
            Self::Conflict => "CONFLICT",
            Self::FetchFailed => "FETCH_FAILED",
            Self::HomeMismatch => "HOME_MISMATCH",
        }
    }

    /// Returns the reason that interfaces write like this; `None` for a name of a newer version.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Returns the gRPC code of the reason, for clients that do not know the reasons.
    pub fn code(self) -> Code {
        match self {
            Self::NotFound => Code::NotFound,
            Self::InvalidArgument | Self::InvalidScope => Code::InvalidArgument,
            Self::LimitExceeded => Code::OutOfRange,
            Self::PermissionDenied => Code::PermissionDenied,
            Self::Unavailable => Code::Unavailable,
            Self::IndexFailed | Self::EmbeddingFailed | Self::SearchFailed | Self::Internal => Code::Internal,
            Self::Unsupported => Code::Unimplemented,
            Self::VersionMismatch | Self::SchemaNewer | Self::ReadOnly | Self::FetchFailed | Self::HomeMismatch => {
                Code::FailedPrecondition
            }
            Self::Cancelled => Code::Cancelled,
            Self::DeadlineExceeded => Code::DeadlineExceeded,
            Self::StoreDamaged => Code::DataLoss,
            Self::DiskFull => Code::ResourceExhausted,
            Self::Conflict => Code::Aborted,
        }
    }

    /// Returns the nearest reason for an error that has only a gRPC code, from the transport or another service.
    pub fn from_code(code: Code) -> Self {
        match code {
            Code::NotFound => Self::NotFound,
            Code::InvalidArgument => Self::InvalidArgument,
            Code::OutOfRange | Code::ResourceExhausted => Self::LimitExceeded,
            Code::PermissionDenied | Code::Unauthenticated => Self::PermissionDenied,
            Code::Unavailable => Self::Unavailable,
            Code::Unimplemented => Self::Unsupported,
            Code::Cancelled => Self::Cancelled,
            Code::DeadlineExceeded => Self::DeadlineExceeded,
            Code::DataLoss => Self::StoreDamaged,
            Code::Aborted | Code::AlreadyExists => Self::Conflict,
            Code::Ok | Code::Unknown | Code::Internal | Code::FailedPrecondition => Self::Internal,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error as it crosses the socket: the reason and details for programs, the message and the hint for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The reason, by which programs decide what to do.
    pub reason: Reason,
    /// What failed, on what, and why: one sentence, lower case, without a full stop.
    pub message: String,
    /// The remedy for this error, ready to paste; `None` if [`hint`](crate::hint) has one for the reason, or there is none.
    pub hint: Option<String>,
    /// Further facts by name: `field`, `path`, `limit`, `setting`. The name `hint` is reserved.
    pub details: BTreeMap<String, String>,
}

impl Failure {
    /// Creates a failure without a hint and details.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), hint: None, details: BTreeMap::new() }
    }

    /// Sets the remedy, which then takes precedence over that of the reason.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a fact by name, or replaces the one with that name.
    #[must_use]
    pub fn with_detail(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.details.insert(name.into(), value.into());
        self
    }
}

/// The `ErrorInfo` domain of recall's reasons.
const DOMAIN: &str = "recall";

/// The metadata key of the hint.
const HINT: &str = "hint";

/// The detail of a failure by which the daemon says that it ends and did nothing, so that the call may be made again.
pub const CLOSING: &str = "daemon";

/// The longest text of an error. A status travels in HTTP/2 headers, which hyper limits to 16 KiB in total, and its
/// message is sent twice, once with every other byte percent-encoded.
const TEXT_BYTES: usize = 1024;

/// The maximum number of details of an error, for the same reason.
const DETAILS: usize = 6;

impl From<Failure> for Status {
    /// Encodes the failure as a code, a message and an `ErrorInfo`. Texts longer than 1 KiB are truncated.
    fn from(failure: Failure) -> Self {
        let Failure { reason, message, hint, details } = failure;
        let metadata: HashMap<String, String> = details
            .into_iter()
            .filter(|(name, _)| name != HINT)
            .take(DETAILS)
            .chain(hint.map(|hint| (HINT.to_owned(), hint)))
            .map(|(name, value)| (name, cut(value)))
            .collect();
        let info = ErrorDetails::with_error_info(reason.as_str(), DOMAIN, metadata);
        Self::with_error_details(reason.code(), cut(message), info)
    }
}

impl From<InvalidRequest> for Status {
    fn from(invalid: InvalidRequest) -> Self {
        Failure::from(invalid).into()
    }
}

impl Failure {
    /// Returns whether a status is a failure that the daemon reported, not one of the connection to it.
    pub fn is_in(status: &Status) -> bool {
        status.get_details_error_info().is_some_and(|info| info.domain == DOMAIN)
    }

    /// Decodes a status. One without recall's `ErrorInfo` gets the reason nearest to its code.
    pub fn from_status(status: &Status) -> Self {
        let info = status.get_details_error_info().filter(|info| info.domain == DOMAIN);
        let Some(info) = info else {
            return Self::new(Reason::from_code(status.code()), message_of(status));
        };
        // A newer daemon may use reasons that this client does not know.
        let reason = Reason::from_name(&info.reason).unwrap_or_else(|| Reason::from_code(status.code()));
        let mut details: BTreeMap<String, String> = info.metadata.into_iter().collect();
        let hint = details.remove(HINT);
        Self { reason, message: message_of(status), hint, details }
    }
}

/// Returns the status's message, or the description of its code if it is empty.
fn message_of(status: &Status) -> String {
    if status.message().is_empty() && status.code() != Code::Ok {
        status.code().description().to_lowercase()
    } else {
        status.message().to_owned()
    }
}

/// Truncates a long text on a character boundary, and marks it with `…`.
fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES {
        text.truncate(text.floor_char_boundary(TEXT_BYTES));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_reason_has_its_own_name_and_is_found_by_it() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_name(reason.as_str()), Some(reason));
            assert!(reason.as_str().bytes().all(|b| b.is_ascii_uppercase() || b == b'_'), "{reason}");
            assert_ne!(reason.code(), Code::Ok, "{reason}");
        }
        assert_eq!(Reason::from_name("not_found"), None);
    }

    fn failure() -> impl Strategy<Value = Failure> {
        let text = || "\\PC{1,80}";
        (
            proptest::sample::select(Reason::ALL.to_vec()),
            text(),
            proptest::option::of(text()),
            proptest::collection::btree_map(
                "[a-z_]{1,8}".prop_filter("taken", |name| name != HINT),
                text(),
                0..DETAILS,
            ),
        )
            .prop_map(|(reason, message, hint, details)| Failure { reason, message, hint, details })
    }

    proptest! {
        #[test]
        fn a_failure_survives_the_conversion(failure in failure()) {
            let status = Status::from(failure.clone());
            prop_assert_eq!(status.code(), failure.reason.code());
            prop_assert_eq!(Failure::from_status(&status), failure);
        }
    }

    #[test]
    fn a_foreign_status_gets_the_nearest_reason() {
        let read = Failure::from_status(&Status::new(Code::Unavailable, "connection reset"));
        assert_eq!(read, Failure::new(Reason::Unavailable, "connection reset"));
        let silent = Failure::from_status(&Status::new(Code::Unimplemented, ""));
        assert_eq!(silent.reason, Reason::Unsupported);
        assert!(!silent.message.is_empty());
    }

    #[test]
    fn a_long_text_is_truncated_on_a_character_boundary() {
        let long = "ß".repeat(600_001);
        let status = Status::from(Failure::new(Reason::NotFound, long.clone()).with_detail("path", long));
        let read = Failure::from_status(&status);
        assert!(read.message.ends_with("ß…") && read.message.len() <= TEXT_BYTES + "…".len());
        assert!(read.details["path"].len() <= TEXT_BYTES + "…".len());
    }
}
