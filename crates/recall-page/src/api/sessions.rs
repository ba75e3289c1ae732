//! Sessions: the list, and the events of one.

use axum::extract::State;
use axum::response::Response;
use recall_api::v1::{ListEventsRequest, ListSessionsRequest, SessionState};
use serde::Deserialize;

use super::ask::{From, Parameters, split_list};
use super::tell::json_answer;
use crate::pages::Site;

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

pub(super) async fn list(
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
    let request = ListSessionsRequest { context: Some(context), limit, cursor, state: state.into() };
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

pub(super) async fn one(
    From(context): From,
    State(mut site): State<Site>,
    Parameters(asked): Parameters<One>,
) -> Response {
    let One { id, types, limit, cursor } = asked;
    let request =
        ListEventsRequest { context: Some(context), session_id: id, types: split_list(&types), limit, cursor };
    json_answer(site.rpc.list_events(request).await)
}
