//! The commits that changed a document.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use recall_api::v1::HistoryRequest;
use serde::Deserialize;

use super::{Here, Site, failure};
use crate::answer::{self, Shown};
use crate::view::layout::{self, Tab};
use crate::view::link;

/// The commits that are shown.
const COMMITS: u32 = 100;

/// The parameters of a history.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// An id or a path.
    id: String,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { id }) = asked;
    let context = Some(project.subject.context.clone());
    let request = HistoryRequest { context, id: id.clone(), limit: Some(COMMITS), ..HistoryRequest::default() };
    let answer = match site.rpc.history(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Search, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "History of " a href=(link::to("doc", &[("id", &id)])) { (answer.path) } }
        @for warning in &answer.warnings { p.note { (warning.message) } }
        @if answer.commits.is_empty() && answer.warnings.is_empty() { p.empty { "No commit has changed it." } }
        ol.timeline {
            @for commit in &answer.commits {
                li data-item="" {
                    div.head { span.title { (commit.subject) } }
                    p.facts { span { (commit.day) } span { (commit.author) } code { (commit.id) } }
                }
            }
        }
    };
    answer::page(StatusCode::OK, layout::page(&project, Tab::Search, &format!("History of {}", answer.path), &shown))
}
