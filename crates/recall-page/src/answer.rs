//! Answers: pages, JSON, and failures in both.

use axum::Json;
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use recall_api::hint::{self, Audience};
use recall_api::{Failure, Reason};
use serde::Serialize;
use serde_json::json;
use tonic::Status;

/// A failure to show.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) status: StatusCode,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl From<Status> for Shown {
    fn from(status: Status) -> Self {
        let failure = Failure::from_status(&status);
        let hint = match failure.reason {
            Reason::NotFound if failure.hint.is_none() => {
                Some("search for it, or look in Browse and Memories".to_owned())
            }
            _ => hint::for_failure(&failure, Audience::Command),
        };
        let status = match failure.reason {
            Reason::NotFound => StatusCode::NOT_FOUND,
            Reason::InvalidArgument | Reason::InvalidScope | Reason::LimitExceeded => StatusCode::BAD_REQUEST,
            Reason::PermissionDenied => StatusCode::FORBIDDEN,
            Reason::Conflict | Reason::VersionMismatch | Reason::HomeMismatch => StatusCode::CONFLICT,
            Reason::Unsupported => StatusCode::NOT_IMPLEMENTED,
            Reason::DeadlineExceeded | Reason::Cancelled => StatusCode::GATEWAY_TIMEOUT,
            Reason::Unavailable
            | Reason::DiskFull
            | Reason::ReadOnly
            | Reason::StoreDamaged
            | Reason::SchemaNewer
            | Reason::FetchFailed => StatusCode::SERVICE_UNAVAILABLE,
            Reason::IndexFailed | Reason::EmbeddingFailed | Reason::SearchFailed | Reason::Internal => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        Self { status, reason: failure.reason.as_str(), message: failure.message, hint }
    }
}

pub(crate) fn page(status: StatusCode, markup: Markup) -> Response {
    (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], markup.into_string()).into_response()
}

/// Returns a file of the page.
pub(crate) fn file(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// Returns the answer to a change.
pub(crate) fn done(data: impl Serialize) -> Response {
    Json(json!({ "success": true, "data": data, "error": null })).into_response()
}

/// Returns the answer to a change that failed.
pub(crate) fn failure_page(shown: &Shown) -> Response {
    let Shown { status, reason, message, hint } = shown;
    let error = json!({ "reason": reason, "message": message, "hint": hint });
    (*status, Json(json!({ "success": false, "data": null, "error": error }))).into_response()
}

pub(crate) fn with_cookie(mut answer: Response, cookie: &str) -> Response {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        answer.headers_mut().insert(SET_COOKIE, cookie);
    }
    answer
}

/// Returns a refusal. It says the same about everything that exists and that does not.
pub(crate) fn refusal_page(status: StatusCode, reason: &str) -> Response {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "recall" }
                link rel="stylesheet" href="/open.css";
            }
            body {
                main {
                    h1 { "recall" }
                    p { (reason) "." }
                    p { "To open the page, run " code { "recall ui" } " in the project's folder." }
                }
            }
        }
    };
    page(status, markup)
}
