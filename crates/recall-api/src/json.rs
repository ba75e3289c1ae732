//! The JSON schema, version 1, of `recall --json` and of tools that offer JSON.
//!
//! An answer is its message: the build script lets `serde` serialise the messages, and the options of `proto/recall/json.proto` say
//! where the JSON differs from them. What is here are values of the protocol's types ([`rfc3339`], [`to_struct`]), the few fields
//! of another shape, and the answers that no message holds. Within a version, fields are only added. The module does not word
//! errors: callers pass them to [`failure`].

pub(crate) mod field;
mod rows;
pub(crate) mod shape;

pub use field::{rfc3339, timestamp, to_struct};
pub use rows::{cell, rows};
pub use shape::{SAVINGS_METHOD, saved_tokens};

use crate::v1;
use serde::Serialize;

/// The schemas of the answers by the names of their messages, a JSON object. They refer to each other as parts of an `OpenAPI` document.
pub const SCHEMAS: &str = include_str!(concat!(env!("OUT_DIR"), "/schemas.json"));

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

/// The summary of an indexing run: its last event, with the warnings of all events.
pub fn index_answer<'a>(finished: &'a v1::IndexFinished, warnings: &'a [v1::Warning]) -> impl Serialize + 'a {
    #[derive(Serialize)]
    struct Run<'a> {
        event: &'static str,
        #[serde(flatten)]
        finished: &'a v1::IndexFinished,
        warnings: &'a [v1::Warning],
    }
    answer(Run { event: "finished", finished, warnings })
}

/// A session with its events, in the order in which they are given.
pub fn session<'a>(session: &'a v1::Session, events: &'a [v1::SessionEvent]) -> impl Serialize + use<'a> {
    #[derive(Serialize)]
    struct Shown<'a> {
        session: &'a v1::Session,
        events: &'a [v1::SessionEvent],
    }
    answer(Shown { session, events })
}

/// What is here, and the commands to run next, each with its reason.
pub fn overview<'a>(
    status: &'a v1::StatusResponse,
    sessions: &'a [v1::Session],
    decisions: &'a [v1::ListEntry],
    flagged: Option<u64>,
    next: &[(&'a str, &'a str)],
) -> impl Serialize {
    #[derive(Serialize)]
    struct Overview<'a> {
        stores: &'a [v1::StoreStatus],
        at_work: &'a [v1::LiveSession],
        sessions: &'a [v1::Session],
        decisions: &'a [v1::ListEntry],
        flagged: Option<u64>,
        next: Vec<Next<'a>>,
        warnings: &'a [v1::Warning],
    }
    #[derive(Serialize)]
    struct Next<'a> {
        command: &'a str,
        reason: &'a str,
    }
    answer(Overview {
        stores: &status.stores,
        at_work: &status.sessions,
        sessions,
        decisions,
        flagged,
        next: next.iter().map(|&(command, reason)| Next { command, reason }).collect(),
        warnings: &status.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_are_null_and_unrequested_ones_are_omitted() {
        let message = v1::SearchResponse { results: vec![v1::Hit::default()], ..v1::SearchResponse::default() };
        let json = serde_json::to_value(answer(&message)).expect("serialisable");
        assert_eq!(json["ok"], true);
        assert_eq!(json["schema_version"], "1");
        assert!(json["next_offset"].is_null());
        let hit = json["results"][0].as_object().expect("a hit");
        assert!(hit["doc"].is_null());
        assert!(!hit.contains_key("explain") && !hit.contains_key("memory"));
    }

    #[test]
    fn a_run_includes_its_warnings() {
        let finished = v1::IndexFinished { added: 2, ..v1::IndexFinished::default() };
        let messages = [v1::Warning { code: "TOO_LARGE".to_owned(), ..v1::Warning::default() }];
        let json = serde_json::to_value(index_answer(&finished, &messages)).expect("serialisable");
        assert_eq!((&json["event"], &json["added"]), (&"finished".into(), &2.into()));
        assert_eq!(json["warnings"][0]["code"], "TOO_LARGE");
        assert!(json["warnings"][0]["hint"].is_null());
    }
}
