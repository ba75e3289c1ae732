//! The session that a command applies to.

use recall_api::Reason;
use recall_api::v1::{self, RequestContext, SessionState};
use recall_client::Client;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::human::session::name_of;

/// The largest page of sessions that the daemon returns.
const PAGE: u32 = 100;

/// The fewest characters of an abbreviated id.
const LEAST_CHARS: usize = 4;

/// The most sessions that an error lists.
const MOST_LISTED: usize = 10;

/// Which session a command means if neither its arguments nor the environment name one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unnamed {
    /// The only open one: the command ends it.
    OnlyOpen,
    /// The newest open one, else the newest.
    Newest,
}

/// Returns the context of a request in a session: the named one, else that of the environment, else `unnamed`. The latter is
/// reported on standard error.
pub(super) async fn in_session(
    client: &Client,
    session: Option<String>,
    unnamed: Unnamed,
    context: &CommandContext,
) -> Result<RequestContext, CommandError> {
    let request_context = context.request_context();
    if let Some(text) = session {
        let session_id = resolve_name(client, &request_context, text).await?;
        return Ok(RequestContext { session_id, ..request_context });
    }
    if !request_context.session_id.is_empty() {
        return Ok(request_context);
    }
    let session_id = match unnamed {
        Unnamed::OnlyOpen => the_only(client, &request_context, SessionState::Open).await?,
        Unnamed::Newest => {
            let session = newest(client, &request_context).await?;
            context.output.note(&format!("session {}", name_of(&session)));
            session.id
        }
    };
    Ok(RequestContext { session_id, ..request_context })
}

/// Returns the id of the session that a text names: a whole id, or a beginning that fits only one. A text that fits none is a new
/// id.
pub(super) async fn resolve_name(
    client: &Client,
    context: &RequestContext,
    text: String,
) -> Result<String, CommandError> {
    let mut fitting = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = sessions(client, context, SessionState::Unspecified, PAGE, cursor).await?;
        for session in page.sessions.into_iter().filter(|session| session.id.starts_with(&text)) {
            if session.id == text {
                return Ok(text);
            }
            fitting.push(session);
        }
        if page.next_cursor.is_empty() {
            break;
        }
        cursor = page.next_cursor;
    }
    match fitting.len() {
        1 if text.chars().count() >= LEAST_CHARS => Ok(fitting.remove(0).id),
        0 | 1 => Ok(text),
        _ if text.chars().count() < LEAST_CHARS => Ok(text),
        _ => Err(several(&format!("`{text}` fits several sessions"), &fitting)),
    }
}

fn several(message: &str, sessions: &[v1::Session]) -> CommandError {
    let listed: Vec<String> = sessions.iter().take(MOST_LISTED).map(name_of).collect();
    CliError::usage(format!("{message}: {}", listed.join("; "))).with_hint("name one by the beginning of its id").into()
}

/// The error message if no session of the project is in a state.
fn nothing_in(state: SessionState) -> &'static str {
    match state {
        SessionState::Abandoned => "nothing to recover: no session of this project was interrupted",
        SessionState::Open => "no session of this project is open",
        SessionState::Ended | SessionState::Unspecified => "this project has no session",
    }
}

fn none(state: SessionState) -> CommandError {
    CliError::new(Exit::NothingFound, Reason::NotFound, nothing_in(state))
        .with_hint("`recall session list` shows all sessions")
        .into()
}

/// Finds the newest open session of the project, else the newest.
async fn newest(client: &Client, context: &RequestContext) -> Result<v1::Session, CommandError> {
    for state in [SessionState::Open, SessionState::Unspecified] {
        let mut page = sessions(client, context, state, 1, String::new()).await?;
        if let Some(session) = page.sessions.pop() {
            return Ok(session);
        }
    }
    Err(none(SessionState::Unspecified))
}

/// Finds the only session of the project in a state.
pub(super) async fn the_only(
    client: &Client,
    context: &RequestContext,
    state: SessionState,
) -> Result<String, CommandError> {
    let mut page = sessions(client, context, state, PAGE, String::new()).await?;
    match page.sessions.len() {
        1 => Ok(page.sessions.remove(0).id),
        0 => Err(none(state)),
        _ => Err(several("this command fits several sessions of the project", &page.sessions)),
    }
}

async fn sessions(
    client: &Client,
    context: &RequestContext,
    state: SessionState,
    limit: u32,
    cursor: String,
) -> Result<v1::ListSessionsResponse, CommandError> {
    let request = v1::ListSessionsRequest {
        context: Some(context.clone()),
        limit: Some(limit),
        state: state.into(),
        cursor,
        ..v1::ListSessionsRequest::default()
    };
    Ok(client.list_sessions(request).await?)
}
