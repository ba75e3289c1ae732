//! Why was a request not answered, in a word that stays?

use std::fmt;

use tonic::Code;

/// Why a request was not answered. The names are stable; clients may tell cases apart by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// There is nothing of that id, path or name.
    NotFound,
    /// A field of the request is wrong.
    InvalidArgument,
    /// The scope is unknown, or has no store here.
    InvalidScope,
    /// Files could not be brought into the index.
    IndexFailed,
    /// A text could not be embedded.
    EmbeddingFailed,
    /// The index could not be asked.
    SearchFailed,
    /// The request is larger than a limit allows.
    LimitExceeded,
    /// The client may not read or change that.
    PermissionDenied,
    /// The daemon cannot answer at present; later it may.
    Unavailable,
    /// A defect of recall.
    Internal,
    /// This daemon does not offer it.
    Unsupported,
    /// Client and daemon have no protocol revision in common.
    VersionMismatch,
    /// The client gave up.
    Cancelled,
    /// The request took longer than it may.
    DeadlineExceeded,
    /// The store's files are damaged.
    StoreDamaged,
    /// The store was written by a newer version.
    SchemaNewer,
    /// There is no space left on the disk.
    DiskFull,
    /// The store or the project cannot be written.
    ReadOnly,
    /// Something else is being done to the same thing.
    Conflict,
    /// A file could not be fetched over the network, or is not the one that was expected.
    FetchFailed,
    /// The daemon serves another data home than the client means.
    HomeMismatch,
}

impl Reason {
    /// Every reason, in a fixed order.
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

    /// The reason's name, as interfaces write it.
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

    /// The reason of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// The gRPC code that goes with the reason, for clients that know no reasons.
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

    /// The nearest reason for an error that carries a gRPC code alone: one of the transport, or of a foreign service.
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

#[cfg(test)]
mod tests {
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
}
