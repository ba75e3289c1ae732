//! `recall session list`

use clap::{Args, ValueEnum};
use recall_api::v1::{self, SessionState};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::session::table_of;

/// Arguments of `recall session list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List only sessions in this state.
    #[arg(long)]
    state: Option<State>,
    /// The number of sessions, 1 to 100.
    #[arg(long, short, default_value_t = 20, value_name = "N")]
    limit: u32,
    /// The cursor from the previous page.
    #[arg(long, default_value = "", hide_default_value = true)]
    cursor: String,
}

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum State {
    /// In progress.
    Open,
    /// Ended.
    Ended,
    /// Interrupted.
    Abandoned,
}

impl From<State> for SessionState {
    fn from(state: State) -> Self {
        match state {
            State::Open => Self::Open,
            State::Ended => Self::Ended,
            State::Abandoned => Self::Abandoned,
        }
    }
}

pub(super) async fn run(args: ListArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let ListArgs { state, limit, cursor } = args;
    let client = context.connect().await?;
    let request = v1::ListSessionsRequest {
        context: Some(context.request_context()),
        limit: Some(limit),
        cursor,
        state: state.map_or(SessionState::Unspecified, SessionState::from).into(),
        ..v1::ListSessionsRequest::default()
    };
    let answer = client.list_sessions(request).await?;
    if output.format == Format::Json {
        output.answer(&answer)?;
    }
    if answer.sessions.is_empty() {
        output.note("nothing found");
        return Ok(Exit::NothingFound);
    }
    if output.format == Format::Human {
        context.page(&table_of(&answer.sessions, output.screen()))?;
        if !answer.next_cursor.is_empty() {
            output.left_out(&format!("more with --cursor {}", answer.next_cursor));
        }
    }
    Ok(Exit::Done)
}
