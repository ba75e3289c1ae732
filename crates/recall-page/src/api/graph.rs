//! The neighbours of a file, a symbol or a memory; and what the stores hold.

use axum::extract::State;
use axum::response::Response;
use recall_api::v1::{GraphRequest, StatsRequest};
use serde::Deserialize;

use super::ask::{From, Parameters, Scope, split_list};
use super::tell::json_answer;
use crate::pages::Site;

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
    let request = StatsRequest { context: Some(context), scope: scope.to_proto(), savings };
    json_answer(site.rpc.stats(request).await)
}
