//! Values in words: times, and how far a memory is to be believed.

use maud::{Markup, html};
use recall_api::json::rfc3339;
use recall_api::v1::{Memory, MemoryStatus, MovedFile, Trust, Verification, VerificationState};
use serde::Deserialize;
use serde::de::Error;

/// Returns the name of a trust.
pub(crate) fn trust(memory: &Memory) -> &'static str {
    match memory.trust() {
        Trust::Unspecified => "",
        Trust::Low => "low",
        Trust::Medium => "medium",
        Trust::High => "high",
    }
}

/// Returns the name of a standing.
pub(crate) fn status(memory: &Memory) -> &'static str {
    match memory.status() {
        MemoryStatus::Unspecified | MemoryStatus::Current => "current",
        MemoryStatus::Stale => "stale",
        MemoryStatus::Deprecated => "deprecated",
    }
}

/// Returns what the comparison with the files said.
pub(crate) fn state(state: VerificationState) -> &'static str {
    match state {
        VerificationState::Unspecified => "not checked",
        VerificationState::Verified => "unchanged",
        VerificationState::Changed => "changed since",
        VerificationState::Gone => "gone",
        VerificationState::Unanchored => "no files",
    }
}

/// Returns the files of a memory that were moved.
pub(crate) fn moved_files(memory: &Memory) -> &[MovedFile] {
    memory.verification.as_ref().map_or(&[], |verification| &verification.moved)
}

/// Shows the standing of a memory as labels.
pub(crate) fn standing_labels(memory: &Memory) -> Markup {
    let verified = memory.verification.as_ref().map(Verification::state).unwrap_or_default();
    let is_broken = matches!(verified, VerificationState::Changed | VerificationState::Gone);
    let is_flagged = memory.stats.as_ref().is_some_and(|stats| stats.flagged);
    html! {
        span.label { (memory.r#type) }
        span.label.warn[memory.status() != MemoryStatus::Current && memory.status() != MemoryStatus::Unspecified] { (status(memory)) }
        @if is_broken { span.label.warn { "files " (state(verified)) } }
        @for moved in moved_files(memory) { span.label.warn { "moved to " (moved.to) } }
        @if !trust(memory).is_empty() { span.label.warn[memory.trust() == Trust::Low] { "trust " (trust(memory)) } }
        @if !memory.standing.is_empty() { span.label { (memory.standing) } }
        @if is_flagged { span.label.warn { "flagged" } }
    }
}

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
