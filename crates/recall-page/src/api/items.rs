//! Documents and memories: listed, read, added, amended and deleted.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use recall_api::v1::{
    AddRequest, AddStatus, GetRequest, ListRequest, ListSort, RemoveRequest, TextList, UpdateRequest,
};
use recall_core::title_of;
use serde::Deserialize;

use super::envelope::{Body, From, Parameters, Scope, json_answer, split_list};
use crate::pages::Site;
use crate::view::Moment;

/// The filters and the page of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of the query string")]
pub(super) struct List {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    language: String,
    #[serde(default)]
    path: String,
    /// Separated by commas.
    #[serde(default)]
    tags: String,
    #[serde(default)]
    scope: Scope,
    #[serde(default)]
    flagged: bool,
    #[serde(default)]
    stale: bool,
    #[serde(default)]
    contradicted: bool,
    #[serde(default)]
    proposed: bool,
    #[serde(default)]
    sort: Sort,
    limit: Option<u32>,
    #[serde(default)]
    cursor: String,
    /// Only what was made at or after this time.
    #[serde(default)]
    since: String,
    /// Only what was made before this time.
    #[serde(default)]
    before: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    UpdatedAt,
    CreatedAt,
    Title,
    Path,
}

pub(super) async fn list(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(asked): Parameters<List>,
) -> Response {
    let List {
        r#type,
        language,
        path,
        tags,
        scope,
        flagged,
        stale,
        contradicted,
        proposed,
        sort,
        limit,
        cursor,
        since,
        before,
    } = asked;
    let sort = match sort {
        Sort::UpdatedAt => ListSort::UpdatedAt,
        Sort::CreatedAt => ListSort::CreatedAt,
        Sort::Title => ListSort::Title,
        Sort::Path => ListSort::Path,
    };
    let request = ListRequest {
        context: Some(context),
        r#type,
        scope: scope.to_proto(),
        limit,
        sort: sort.into(),
        cursor,
        path,
        tags: split_list(&tags),
        language,
        flagged,
        stale,
        since,
        before,
        contradicted,
        proposed,
    };
    json_answer(site.rpc.list(request).await)
}

/// An item, and the lines of it that are wanted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Read {
    id: String,
    #[serde(default)]
    scope: Scope,
    start_line: Option<u32>,
    end_line: Option<u32>,
}

pub(super) async fn read(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(asked): Parameters<Read>,
) -> Response {
    let Read { id, scope, start_line, end_line } = asked;
    let scope = scope.to_proto();
    let request = GetRequest { context: Some(context), id, scope, start_line, end_line, ..GetRequest::default() };
    json_answer(site.rpc.get(request).await)
}

/// A memory to add.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Create {
    content: String,
    /// The first line of the content if absent.
    title: Option<String>,
    #[serde(default = "note")]
    r#type: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    related_files: Vec<String>,
    #[serde(default)]
    cues: Vec<String>,
    #[serde(default)]
    scope: Scope,
    #[serde(default)]
    supersedes: String,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    source: String,
    #[serde(default)]
    idempotency_key: String,
    #[serde(default)]
    valid_from: String,
    #[serde(default)]
    valid_until: String,
}

fn note() -> String {
    "note".to_owned()
}

pub(super) async fn create(From(context): From, State(mut site): State<Site>, Body(asked): Body<Create>) -> Response {
    let Create {
        content,
        title,
        r#type,
        tags,
        related_files,
        cues,
        scope,
        supersedes,
        force,
        source,
        idempotency_key,
        valid_from,
        valid_until,
    } = asked;
    let request = AddRequest {
        context: Some(context),
        r#type,
        title: title.unwrap_or_else(|| title_of(&content)),
        content,
        scope: scope.to_proto(),
        tags,
        related_files,
        cues,
        supersedes,
        force,
        source,
        idempotency_key,
        valid_from,
        valid_until,
        ..AddRequest::default()
    };
    let answer = site.rpc.add(request).await;
    let is_new = answer.as_ref().is_ok_and(|answer| answer.get_ref().status() != AddStatus::Duplicate);
    let mut said = json_answer(answer);
    if is_new {
        *said.status_mut() = StatusCode::CREATED;
    }
    said
}

/// A memory to change or to delete.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    id: String,
}

/// What changes; the rest stays.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Update {
    title: Option<String>,
    content: Option<String>,
    tags: Option<Vec<String>>,
    related_files: Option<Vec<String>>,
    cues: Option<Vec<String>>,
    valid_from: Option<String>,
    valid_until: Option<String>,
    /// The `updated_at` that the memory must have.
    expected_updated_at: Option<Moment>,
}

pub(super) async fn update(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(Named { id }): Parameters<Named>,
    Body(asked): Body<Update>,
) -> Response {
    let Update { title, content, tags, related_files, cues, valid_from, valid_until, expected_updated_at } = asked;
    let list = |values: Option<Vec<String>>| values.map(|values| TextList { values });
    let request = UpdateRequest {
        context: Some(context),
        id,
        title,
        content,
        tags: list(tags),
        related_files: list(related_files),
        cues: list(cues),
        expected_updated_at: expected_updated_at.map(|Moment(time)| time),
        valid_from,
        valid_until,
    };
    json_answer(site.rpc.update(request).await)
}

/// An item to delete, and the store that holds it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Delete {
    id: String,
    #[serde(default)]
    scope: Scope,
}

pub(super) async fn delete(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(Delete { id, scope }): Parameters<Delete>,
) -> Response {
    let request = RemoveRequest { context: Some(context), items: vec![id], scope: scope.to_proto(), purge: false };
    json_answer(site.rpc.remove(request).await)
}
