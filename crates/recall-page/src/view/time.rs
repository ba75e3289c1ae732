//! Times.

use maud::{Markup, html};
use recall_json::rfc3339;

/// The type of a time in messages.
pub(crate) type Time = prost_types::Timestamp;

/// Shows a time to the minute, in UTC; the script shows it in the reader's zone.
pub(crate) fn time(time: Option<&Time>) -> Markup {
    let text = time.and_then(rfc3339).unwrap_or_default();
    let shown = text.get(..16).unwrap_or_default().replace('T', " ");
    html! { @if !shown.is_empty() { time datetime=(text) { (shown) " UTC" } } }
}
