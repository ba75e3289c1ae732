//! The session that a command applies to.

use recall_client::Client;
use recall_proto::Reason;
use recall_proto::v1::{self, RequestContext, SessionState};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};

/// Returns the context of a request in a session: the named one, else that of the environment, else the open one.
pub(super) async fn in_session(
    client: &Client,
    named: Option<String>,
    context: &CommandContext,
) -> Result<RequestContext, CommandError> {
    let request_context = context.request_context();
    if let Some(session_id) = named {
        return Ok(RequestContext { session_id, ..request_context });
    }
    if !request_context.session_id.is_empty() {
        return Ok(request_context);
    }
    let session_id = the_only(client, &request_context, SessionState::Open).await?;
    Ok(RequestContext { session_id, ..request_context })
}

/// The error message if no session of the project is in a state.
fn nothing_in(state: SessionState) -> &'static str {
    match state {
        SessionState::Abandoned => "nothing to recover: no session of this project was interrupted",
        SessionState::Open | SessionState::Ended | SessionState::Unspecified => "no session of this project is open",
    }
}

/// Finds the only session of the project in a state.
pub(super) async fn the_only(
    client: &Client,
    context: &RequestContext,
    state: SessionState,
) -> Result<String, CommandError> {
    let request = v1::ListSessionsRequest {
        context: Some(context.clone()),
        limit: Some(2),
        state: state.into(),
        ..v1::ListSessionsRequest::default()
    };
    let mut sessions = client.list_sessions(request).await?.sessions;
    match sessions.len() {
        1 => Ok(sessions.remove(0).id),
        0 => Err(CliError::new(Exit::NothingFound, Reason::NotFound, nothing_in(state))
            .with_hint("`recall session list` shows all sessions")
            .into()),
        _ => Err(CliError::usage("this command fits several sessions of the project")
            .with_hint("name one of `recall session list`")
            .into()),
    }
}
