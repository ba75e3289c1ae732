//! Searches.

use axum::extract::State;
use axum::response::Response;
use recall_api::v1::{RequestContext, SearchRequest};
use serde::Deserialize;

use super::ask::{Body, From, Parameters, Scope};
use super::tell::json_answer;
use crate::pages::Site;

/// The number of hits if a request states none.
const HITS: u32 = 20;

/// A search, in an address or a body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// The query, with filters in it.
    q: String,
    #[serde(default)]
    scope: Scope,
    /// A filter in RQL.
    #[serde(default)]
    filter: String,
    limit: Option<u32>,
    #[serde(default)]
    offset: u32,
    #[serde(default)]
    explain: bool,
    #[serde(default)]
    facets: bool,
}

pub(super) async fn by_address(context: From, state: State<Site>, Parameters(asked): Parameters<Search>) -> Response {
    search(context, state, asked).await
}

pub(super) async fn by_body(context: From, state: State<Site>, Body(asked): Body<Search>) -> Response {
    search(context, state, asked).await
}

async fn search(From(context): From, State(mut site): State<Site>, asked: Search) -> Response {
    let answer = site.rpc.search(request(context, asked)).await;
    json_answer(answer)
}

fn request(context: RequestContext, asked: Search) -> SearchRequest {
    let Search { q, scope, filter, limit, offset, explain, facets } = asked;
    SearchRequest {
        context: Some(context),
        query: q,
        scope: scope.to_proto(),
        filter,
        limit: Some(limit.unwrap_or(HITS)),
        offset,
        explain,
        facets,
        ..SearchRequest::default()
    }
}
