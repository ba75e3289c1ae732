//! `recall session show`

use clap::Args;
use recall_api::v1::{self, RequestContext};
use recall_client::Client;

use crate::Exit;
use crate::command::session::which::{Unnamed, in_session};
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::session::format_session;

/// The largest page of events that the daemon returns.
const PAGE: u32 = 100;

/// Arguments of `recall session show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The session [default: the one of the environment, or the newest].
    #[arg(value_name = "ID")]
    session: Option<String>,
    #[arg(help = "Only events of these types, as `session log` has them; and session_start, session_end")]
    #[arg(long = "type", value_delimiter = ',', value_name = "TYPE")]
    types: Vec<String>,
}

pub(super) async fn run(args: ShowArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = context.connect().await?;
    let request_context = in_session(&client, args.session, Unnamed::Newest, context).await?;
    let session = find(&client, &request_context).await?;
    // A session from another machine has a summary but no events here.
    let events = events(&client, &request_context, args.types).await.unwrap_or_default();
    match output.format {
        Format::Json => output.json(&recall_api::json::session(&session, &events))?,
        Format::Human => context.page(&format_session(&session, &events, output.screen()))?,
    }
    Ok(Exit::Done)
}

/// Returns the session of a context.
async fn find(client: &Client, context: &RequestContext) -> Result<v1::Session, CommandError> {
    let request = v1::ListSessionsRequest {
        context: Some(context.clone()),
        session_id: context.session_id.clone(),
        ..v1::ListSessionsRequest::default()
    };
    let known = client.list_sessions(request).await?.sessions.into_iter().next();
    Ok(known.unwrap_or_else(|| v1::Session { id: context.session_id.clone(), ..v1::Session::default() }))
}

/// Fetches all events of the session of a context.
async fn events(
    client: &Client,
    context: &RequestContext,
    types: Vec<String>,
) -> Result<Vec<v1::SessionEvent>, CommandError> {
    let (mut events, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = v1::ListEventsRequest {
            context: Some(context.clone()),
            session_id: context.session_id.clone(),
            types: types.clone(),
            limit: Some(PAGE),
            cursor,
        };
        let page = client.list_events(request).await?;
        events.extend(page.events);
        if page.next_cursor.is_empty() {
            return Ok(events);
        }
        cursor = page.next_cursor;
    }
}
