//! Conversions between failures and gRPC statuses.

use std::collections::{BTreeMap, HashMap};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::{Failure, InvalidRequest, Reason};

/// The `ErrorInfo` domain of recall's reasons.
const DOMAIN: &str = "recall";

/// The metadata key of the hint.
const HINT: &str = "hint";

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
