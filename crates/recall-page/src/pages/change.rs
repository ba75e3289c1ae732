//! The changes that the page can make, each one call of the service, and the form that amends a memory.

use axum::Json;
use axum::extract::{Extension, State};
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{
    self, FeedbackKind, FeedbackRequest, Memory, PromoteRequest, RemoveRequest, ReviewAction, ReviewRequest, TextList,
    UpdateRequest, VerifyMode, VerifyRequest,
};
use serde::Deserialize;
use serde_json::json;
use tonic::Status;

use super::{Here, Site};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::Moment;

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

/// Accepts or rejects a proposal, or merges it with the memory that `extra` names.
pub(super) async fn review(
    Extension(project): Here,
    State(mut site): State<Site>,
    Json(asked): Json<Asked>,
) -> Response {
    let (action, into) = match asked.extra.as_str() {
        "accept" => (ReviewAction::Accept, String::new()),
        "reject" => (ReviewAction::Reject, String::new()),
        // The service refuses what is not an id.
        _ => (ReviewAction::Merge, asked.extra),
    };
    let context = Some(project.subject.context.clone());
    let request = ReviewRequest { context, id: asked.id, action: action.into(), into, ..ReviewRequest::default() };
    let reviewed = site.rpc.review(request).await;
    change_response(reviewed.map(|answer| {
        let warnings = answer.into_inner().warnings;
        let notes: Vec<_> = warnings.into_iter().map(|warning| warning.message).collect();
        json!({ "notes": notes })
    }))
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

/// The largest body of an amendment: a text of 1 MiB, with room for its escapes.
pub(super) const BODY_BYTES: usize = 2 * 1024 * 1024;

/// An amendment. What is absent keeps its value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Amendment {
    /// The memory's id.
    id: String,
    /// When the memory that the form was filled with had been amended; see [`seen_version`].
    seen: Moment,
    title: Option<String>,
    content: Option<String>,
    /// Separated by commas.
    tags: Option<String>,
    /// One on each line.
    cues: Option<String>,
}

/// Shows the form. It needs the script, which sends the fields that differ from what they were filled with.
pub(super) fn form(memory: &Memory) -> Markup {
    html! {
        details.amend #amend data-needs-script="" {
            summary.unseen tabindex="-1" { "Amend" }
            form data-amend=(memory.id) data-seen=(seen_version(memory)) {
                label { "Title" input name="title" value=(memory.title) required; }
                // A browser drops the first line break of this element.
                label { "Text" textarea name="content" rows="10" required { "\n" (memory.content) } }
                label { "Tags, separated by commas" input name="tags" value=(memory.tags.join(", ")) autocomplete="off"; }
                label { "Shown unasked at, one on each line" textarea name="cues" rows="3" { "\n" (memory.cues.join("\n")) } }
                button { "Save" }
            }
        }
    }
}

/// Returns when the memory was amended last, by which a form knows whether it is still what the memory says.
fn seen_version(memory: &Memory) -> String {
    memory.updated_at.as_ref().and_then(recall_api::json::rfc3339).unwrap_or_default()
}

pub(super) async fn amend(
    Extension(project): Here,
    State(mut site): State<Site>,
    Json(asked): Json<Amendment>,
) -> Response {
    match apply_amendment(&mut site, &project, asked).await {
        Ok(answer) => answer,
        Err(status) => answer::failure_page(&Shown::from(status)),
    }
}

async fn apply_amendment(site: &mut Site, project: &Project, asked: Amendment) -> Result<Response, Status> {
    let Amendment { id, seen: Moment(expected), title, content, tags, cues } = asked;
    let request = UpdateRequest {
        context: Some(project.subject.context.clone()),
        id: id.clone(),
        title,
        content,
        tags: tags.as_deref().map(split_tags),
        related_files: None,
        cues: cues.as_deref().map(split_lines),
        expected_updated_at: Some(expected),
        ..UpdateRequest::default()
    };
    let warnings = site.rpc.update(request).await?.into_inner().warnings;
    let notes: Vec<_> = warnings.into_iter().map(|warning| warning.message).collect();
    Ok(answer::done(json!({ "id": id, "notes": notes })))
}

fn split_tags(tags: &str) -> TextList {
    let values = tags.split(',').map(str::trim).filter(|tag| !tag.is_empty());
    TextList { values: values.map(str::to_owned).collect() }
}

fn split_lines(lines: &str) -> TextList {
    let values = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    TextList { values: values.map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_separated_by_commas() {
        assert_eq!(split_tags(" a b, ,c,").values, ["a b", "c"]);
        assert!(split_tags(" ").values.is_empty());
    }
}
