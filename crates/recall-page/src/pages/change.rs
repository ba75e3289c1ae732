//! The changes that the page can make. Each is one call of the service.

use axum::Json;
use axum::extract::{Extension, State};
use axum::response::Response;
use recall_api::v1::{self, FeedbackKind, FeedbackRequest, PromoteRequest, RemoveRequest, VerifyMode, VerifyRequest};
use serde::Deserialize;
use serde_json::json;

use super::{Here, Site};
use crate::answer::{self, Shown};

/// A memory to change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    id: String,
    /// The store that holds it.
    #[serde(default)]
    scope: Store,
    /// The rating.
    #[serde(default)]
    extra: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Store {
    #[default]
    Project,
    Domain,
    Global,
}

impl Store {
    fn scope(self) -> v1::Scope {
        match self {
            Self::Project => v1::Scope::Project,
            Self::Domain => v1::Scope::Domain,
            Self::Global => v1::Scope::Global,
        }
    }
}

pub(super) async fn confirm(
    Extension(project): Here,
    State(mut site): State<Site>,
    Json(asked): Json<Asked>,
) -> Response {
    let request = VerifyRequest {
        context: Some(project.subject.context.clone()),
        ids: vec![asked.id],
        scope: asked.scope.scope().into(),
        mode: VerifyMode::Confirm.into(),
        with_changes: false,
    };
    let confirmed = site.rpc.verify(request).await;
    change_response(confirmed.map(|answer| json!({ "confirmed": answer.into_inner().results.len() })))
}

pub(super) async fn promote(
    Extension(project): Here,
    State(mut site): State<Site>,
    Json(asked): Json<Asked>,
) -> Response {
    let request = PromoteRequest {
        context: Some(project.subject.context.clone()),
        id: asked.id,
        to: v1::Scope::Global.into(),
        domain: String::new(),
    };
    change_response(site.rpc.promote(request).await.map(|answer| json!({ "id": answer.into_inner().id })))
}

pub(super) async fn feedback(
    Extension(project): Here,
    State(mut site): State<Site>,
    Json(asked): Json<Asked>,
) -> Response {
    let feedback = match asked.extra.as_str() {
        "useful" => FeedbackKind::Useful,
        "not_useful" => FeedbackKind::NotUseful,
        "outdated" => FeedbackKind::Outdated,
        // The service refuses it, with the ratings that there are.
        _ => FeedbackKind::Unspecified,
    };
    let request = FeedbackRequest {
        context: Some(project.subject.context.clone()),
        item_id: asked.id,
        feedback: feedback.into(),
        ..FeedbackRequest::default()
    };
    change_response(
        site.rpc.feedback(request).await.map(|answer| json!({ "acknowledged": answer.into_inner().acknowledged })),
    )
}

pub(super) async fn delete(
    Extension(project): Here,
    State(mut site): State<Site>,
    Json(asked): Json<Asked>,
) -> Response {
    let request = RemoveRequest {
        context: Some(project.subject.context.clone()),
        items: vec![asked.id],
        scope: asked.scope.scope().into(),
        purge: false,
    };
    change_response(site.rpc.remove(request).await.map(|answer| {
        let answer = answer.into_inner();
        let kept: Vec<_> = answer.failures.into_iter().map(|failure| failure.reason).collect();
        json!({ "deleted": answer.memories, "kept": kept })
    }))
}

fn change_response(outcome: Result<serde_json::Value, tonic::Status>) -> Response {
    match outcome {
        Ok(data) => answer::done(data),
        Err(status) => answer::failure_page(&Shown::from(status)),
    }
}
