//! Answers: the JSON of the command line in the envelope of the API.

use axum::http::StatusCode;
use axum::response::Response;
use recall_api::{Failure, Reason};
use serde::Serialize;
use tonic::Status;

use crate::answer::{self, Shown};

/// The numbers of a request. One that is too large is an error of the request, not of its size.
const NUMBERS: [&str; 2] = ["limit", "depth"];

/// Returns the answer to a call of the service.
pub(super) fn json_answer(outcome: Result<tonic::Response<impl Serialize>, Status>) -> Response {
    match outcome {
        Ok(answer) => answer::done(answer.get_ref()),
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
