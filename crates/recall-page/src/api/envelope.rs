//! What requests ask and answers tell: project, parameters and bodies, with what is wrong with one said in JSON; and
//! the JSON of the command line in the envelope of the API.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use recall_api::v1::{self, RequestContext};
use recall_api::{Failure, Reason};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::guard::Projects;
use crate::answer::{self, Shown};

/// The context of the project that a request is about.
pub(super) struct From(pub(super) RequestContext);

impl<S: Sync> FromRequestParts<S> for From {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        let projects =
            parts.extensions.get::<Projects>().map(|Projects(projects)| projects.as_slice()).unwrap_or_default();
        match projects {
            [project] => Ok(Self(project.subject.context.clone())),
            _ => Err(answer::failure_page(&Shown {
                status: StatusCode::BAD_REQUEST,
                reason: "INVALID_ARGUMENT",
                message: "the key opens several projects, and the request names none".to_owned(),
                hint: Some("add the header `Recall-Project` with the absolute path of the project's root".to_owned()),
            })),
        }
    }
}

/// The parameters in the address of a request.
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        read.map(|Query(read)| Self(read)).map_err(|error| wrong(StatusCode::BAD_REQUEST, &error.body_text()))
    }
}

/// The body of a request.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let read = Json::<T>::from_request(request, state).await;
        read.map(|Json(read)| Self(read)).map_err(|error| match error {
            JsonRejection::BytesRejection(error) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                answer::failure_page(&Shown {
                    status: StatusCode::PAYLOAD_TOO_LARGE,
                    reason: "LIMIT_EXCEEDED",
                    message: format!("the body is too large; the limit is {} bytes", super::BODY_BYTES),
                    hint: Some("send less: the text of a memory has at most 1 MiB".to_owned()),
                })
            }
            error => wrong(StatusCode::BAD_REQUEST, &error.body_text()),
        })
    }
}

fn wrong(status: StatusCode, message: &str) -> Response {
    answer::failure_page(&Shown {
        status,
        reason: "INVALID_ARGUMENT",
        message: message.to_owned(),
        hint: Some("/api/v1/openapi.json describes the parameters and bodies".to_owned()),
    })
}

/// The stores that a request is about.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Scope {
    /// The service's default for the request.
    #[default]
    #[serde(skip)]
    Default,
    Project,
    Domain,
    Global,
    All,
}

impl Scope {
    pub(super) fn to_proto(self) -> i32 {
        let scope = match self {
            Self::Default => v1::Scope::Unspecified,
            Self::Project => v1::Scope::Project,
            Self::Domain => v1::Scope::Domain,
            Self::Global => v1::Scope::Global,
            Self::All => v1::Scope::All,
        };
        scope.into()
    }
}

/// Splits a list at its commas.
pub(super) fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
}

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
