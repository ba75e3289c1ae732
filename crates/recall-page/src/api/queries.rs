//! Requests that only read: searches, neighbours, statistics and sessions.

use axum::extract::State;
use axum::response::Response;
use recall_api::v1::{
    GraphRequest, ListEventsRequest, ListSessionsRequest, RequestContext, SearchRequest, SessionState, StatsRequest,
};
use serde::Deserialize;

use super::envelope::{Body, From, Parameters, Scope, json_answer, split_list};
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

pub(super) async fn search_by_address(
    context: From,
    state: State<Site>,
    Parameters(asked): Parameters<Search>,
) -> Response {
    search(context, state, asked).await
}

pub(super) async fn search_by_body(context: From, state: State<Site>, Body(asked): Body<Search>) -> Response {
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

/// A node and how far to go from it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Graph {
    node: String,
    /// Separated by commas.
    #[serde(default)]
    relations: String,
    depth: Option<u32>,
    limit: Option<u32>,
    #[serde(default)]
    scope: Scope,
}

pub(super) async fn neighbours(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(asked): Parameters<Graph>,
) -> Response {
    let Graph { node, relations, depth, limit, scope } = asked;
    let request = GraphRequest {
        context: Some(context),
        node,
        relations: split_list(&relations),
        depth,
        limit,
        scope: scope.to_proto(),
    };
    json_answer(site.rpc.graph(request).await)
}

/// The stores to count.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stats {
    #[serde(default)]
    scope: Scope,
    #[serde(default)]
    savings: bool,
}

pub(super) async fn stats(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(asked): Parameters<Stats>,
) -> Response {
    let Stats { scope, savings } = asked;
    let request = StatsRequest { context: Some(context), scope: scope.to_proto(), savings, ..StatsRequest::default() };
    json_answer(site.rpc.stats(request).await)
}

/// The page of a list of sessions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    limit: Option<u32>,
    #[serde(default)]
    cursor: String,
    state: Option<Standing>,
}

/// The state of a session.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Standing {
    Open,
    Ended,
    Abandoned,
}

pub(super) async fn list_sessions(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(asked): Parameters<List>,
) -> Response {
    let List { limit, cursor, state } = asked;
    let state = state.map_or(SessionState::Unspecified, |state| match state {
        Standing::Open => SessionState::Open,
        Standing::Ended => SessionState::Ended,
        Standing::Abandoned => SessionState::Abandoned,
    });
    let request = ListSessionsRequest {
        context: Some(context),
        limit,
        cursor,
        state: state.into(),
        ..ListSessionsRequest::default()
    };
    json_answer(site.rpc.list_sessions(request).await)
}

/// A session, and the page of its events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct One {
    id: String,
    /// The types of the events, separated by commas.
    #[serde(default)]
    types: String,
    limit: Option<u32>,
    #[serde(default)]
    cursor: String,
}

pub(super) async fn session(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(asked): Parameters<One>,
) -> Response {
    let One { id, types, limit, cursor } = asked;
    let request =
        ListEventsRequest { context: Some(context), session_id: id, types: split_list(&types), limit, cursor };
    json_answer(site.rpc.list_events(request).await)
}
