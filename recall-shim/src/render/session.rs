//! Sessions and what happened in them.

use std::fmt::Write as _;

use recall_proto::v1::LogEventResponse;

use super::inline;
use super::notes::notes;

/// An event that was written.
pub(crate) fn logged(response: &LogEventResponse) -> String {
    let LogEventResponse { logged: _, event_id, timestamp, warnings } = response;
    let mut text = notes(warnings, None);
    let _ = write!(text, "Logged as {}", inline(event_id, 40));
    if let Some(at) = timestamp.as_ref().and_then(recall_json::moment_text) {
        let _ = write!(text, " at {at}");
    }
    text.push('.');
    text
}
