//! The JSON schema, version 1, of `recall --json` and of tools that offer JSON.
//!
//! The types mirror the messages of the protocol. Conversions destructure every message without `..`, so that a new
//! field stops the build until somebody decides about it. Within a version, fields are only added. A text that is
//! absent, and therefore empty in the protocol, is `null`; timestamps are RFC 3339 in UTC. The module does not word
//! errors: callers pass them to [`failure`].

mod adopted;
mod backup;
mod context;
mod daemon;
mod doctor;
mod document;
mod exact;
mod graph;
mod index;
mod item;
mod list;
mod memory;
mod migrate;
mod models;
mod overview;
mod query;
mod remember;
mod search;
mod session;
mod stats;
mod status;

pub use backup::{backed_up, import_answer, restore_answer};
pub use context::context;
pub use doctor::doctor;
pub use exact::exact;
pub use graph::{graph, related_answer};
pub use index::{index_answer, index_line};
pub use item::{history, item};
pub use list::{listing, remove_answer};
pub use migrate::{audit_answer, migrate_answer};
pub use models::{add_model_answer, models, remove_model_answer, transfer_line, use_model_answer};
pub use overview::overview;
pub use query::{cell, rows};
pub use remember::{add_answer, feedback_answer, promote_answer, update_answer, verify_answer};
pub use search::search;
pub use session::{
    briefing, drafts, end_session_answer, events, keep_session_answer, log_event_answer, session, sessions,
    start_session_answer, to_struct,
};
pub use stats::{SAVINGS_METHOD, saved_tokens, stats};
pub use status::{compact_answer, publish_answer, status};

use crate::convert::scope;
use crate::v1;
use recall_core::{Scope, StoreScope};
use serde::Serialize;

const SCHEMA_VERSION: &str = "1";

/// The fields that surround every answer.
#[derive(Debug, Serialize)]
pub struct Envelope<T> {
    ok: bool,
    schema_version: &'static str,
    #[serde(flatten)]
    body: T,
}

/// Wraps an answer: `ok` is `true`.
pub fn answer<T: Serialize>(body: T) -> Envelope<T> {
    Envelope { ok: true, schema_version: SCHEMA_VERSION, body }
}

/// Wraps an error: `ok` is `false`.
pub fn failure<T: Serialize>(body: T) -> Envelope<T> {
    Envelope { ok: false, schema_version: SCHEMA_VERSION, body }
}

#[derive(Debug, Serialize)]
pub(crate) struct Warning<'a> {
    code: &'a str,
    message: &'a str,
    hint: Option<&'a str>,
    path: Option<&'a str>,
    severity: &'static str,
}

impl<'a> From<&'a v1::Warning> for Warning<'a> {
    fn from(message: &'a v1::Warning) -> Self {
        let v1::Warning { code, message, hint, path, severity } = message;
        Self { code, message, hint: non_empty(hint), path: non_empty(path), severity: self::severity(*severity) }
    }
}

/// Writes a warning as answers do.
pub fn warning(message: &v1::Warning) -> impl Serialize {
    Warning::from(message)
}

/// Returns the name of a severity.
fn severity(severity: i32) -> &'static str {
    match v1::Severity::try_from(severity) {
        Ok(v1::Severity::Notice) => "notice",
        Ok(v1::Severity::Error) => "error",
        Ok(v1::Severity::Warning | v1::Severity::Unspecified) | Err(_) => "warning",
    }
}

pub(crate) fn warnings(messages: &[v1::Warning]) -> Vec<Warning<'_>> {
    messages.iter().map(Warning::from).collect()
}

#[derive(Debug, Serialize)]
pub(crate) struct ItemFailure<'a> {
    item: &'a str,
    code: &'a str,
    reason: &'a str,
}

impl<'a> From<&'a v1::ItemFailure> for ItemFailure<'a> {
    fn from(message: &'a v1::ItemFailure) -> Self {
        let v1::ItemFailure { item, code, reason } = message;
        Self { item, code, reason }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Indexing {
    done: u64,
    total: u64,
    running: bool,
}

impl From<v1::Indexing> for Indexing {
    fn from(message: v1::Indexing) -> Self {
        let v1::Indexing { done, total, running } = message;
        Self { done, total, running }
    }
}

/// Returns `None` for an empty text.
fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Formats a timestamp as RFC 3339 in UTC; `None` if it is out of range.
pub fn rfc3339(message: &prost_types::Timestamp) -> Option<String> {
    timestamp_text(Some(message))
}

/// Reads a time in RFC 3339, as [`rfc3339`] writes it; `None` if it is none.
pub fn timestamp(text: &str) -> Option<prost_types::Timestamp> {
    let time: jiff::Timestamp = text.parse().ok()?;
    let nanos = time.as_nanosecond();
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    Some(prost_types::Timestamp { seconds, nanos: i32::try_from(nanos.rem_euclid(1_000_000_000)).ok()? })
}

/// Formats a timestamp as RFC 3339 in UTC.
fn timestamp_text(message: Option<&prost_types::Timestamp>) -> Option<String> {
    let prost_types::Timestamp { seconds, nanos } = *message?;
    jiff::Timestamp::new(seconds, nanos).ok().map(|time| time.to_string())
}

/// Returns the name of a store's scope.
fn store_scope(scope: i32) -> Option<&'static str> {
    scope::store_from_proto(scope).map(StoreScope::as_str)
}

/// Returns the name of a request's scope.
fn request_scope(scope: i32) -> &'static str {
    scope::from_proto(scope, Scope::All).unwrap_or(Scope::All).as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_it_was_written() {
        for (seconds, nanos) in [(0, 0), (1_795_000_000, 123_456_789), (-1, 999_999_999)] {
            let time = prost_types::Timestamp { seconds, nanos };
            let text = rfc3339(&time).expect("in range");
            assert_eq!(timestamp(&text), Some(time), "{text}");
        }
        assert_eq!(timestamp("yesterday"), None);
    }

    #[test]
    fn absent_values_are_null_and_unrequested_ones_are_omitted() {
        let message = v1::SearchResponse { results: vec![v1::Hit::default()], ..v1::SearchResponse::default() };
        let json = serde_json::to_value(super::search(&message)).expect("serialisable");
        assert_eq!(json["ok"], true);
        assert_eq!(json["schema_version"], "1");
        assert!(json["next_offset"].is_null());
        let hit = json["results"][0].as_object().expect("a hit");
        assert!(hit["doc"].is_null());
        assert!(!hit.contains_key("explain") && !hit.contains_key("memory"));
    }

    #[test]
    fn timestamps_are_rfc_3339() {
        let timestamp_text = |seconds, nanos| timestamp_text(Some(&prost_types::Timestamp { seconds, nanos }));
        assert_eq!(timestamp_text(1_700_000_000, 500_000_000).as_deref(), Some("2023-11-14T22:13:20.5Z"));
        assert_eq!(timestamp_text(i64::MAX, 0), None);
    }

    #[test]
    fn a_run_includes_its_warnings() {
        let finished = v1::IndexFinished { added: 2, ..v1::IndexFinished::default() };
        let messages = [v1::Warning { code: "TOO_LARGE".to_owned(), ..v1::Warning::default() }];
        let json = serde_json::to_value(super::index_answer(&finished, &messages)).expect("serialisable");
        assert_eq!((&json["event"], &json["added"]), (&"finished".into(), &2.into()));
        assert_eq!(json["warnings"][0]["code"], "TOO_LARGE");
        assert!(json["warnings"][0]["hint"].is_null());
    }
}
