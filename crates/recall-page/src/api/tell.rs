//! Answers: the JSON of the command line in the envelope of the API.

use axum::http::StatusCode;
use axum::response::Response;
use recall_api::{Failure, Reason};
use serde::Serialize;
use serde_json::Value;
use tonic::Status;

use crate::answer::{self, Shown};

/// The fields with which the command line surrounds an answer. The API has an envelope of its own.
const ENVELOPE: [&str; 2] = ["ok", "schema_version"];

/// The numbers of a request. One that is too large is an error of the request, not of its size.
const NUMBERS: [&str; 2] = ["limit", "depth"];

/// Returns what an answer of the command line says.
pub(super) fn data(answer: impl Serialize) -> Value {
    let mut data = serde_json::to_value(answer).unwrap_or_default();
    if let Value::Object(fields) = &mut data {
        for name in ENVELOPE {
            fields.remove(name);
        }
    }
    data
}

/// Returns the answer to a call of the service.
pub(super) fn json_answer<T>(outcome: Result<tonic::Response<T>, Status>, data: impl FnOnce(&T) -> Value) -> Response {
    match outcome {
        Ok(answer) => answer::done(data(answer.get_ref())),
        Err(status) => failure(&status),
    }
}

/// Returns the answer to a call that failed.
pub(super) fn failure(status: &Status) -> Response {
    let Failure { reason, details, .. } = Failure::from_status(status);
    let mut shown = Shown::from(status.clone());
    let is_number = details.get("field").is_some_and(|field| NUMBERS.contains(&field.as_str()));
    if reason == Reason::LimitExceeded && !is_number {
        shown.status = StatusCode::PAYLOAD_TOO_LARGE;
    }
    answer::failure_page(&shown)
}
