//! Times.

use maud::{Markup, html};
use recall_api::json::rfc3339;
use serde::Deserialize;
use serde::de::Error;

/// The type of a time in messages.
pub(crate) type Time = prost_types::Timestamp;

/// A time in a request, in RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) Time);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        recall_api::json::timestamp(&text)
            .map(Self)
            .ok_or_else(|| D::Error::custom(format!("`{text}` is not a time in RFC 3339")))
    }
}

/// Shows a time to the minute, in UTC; the script shows it in the reader's zone.
pub(crate) fn time(time: Option<&Time>) -> Markup {
    let text = time.and_then(rfc3339).unwrap_or_default();
    let shown = text.get(..16).unwrap_or_default().replace('T', " ");
    html! { @if !shown.is_empty() { time datetime=(text) { (shown) " UTC" } } }
}
