//! `recall session start` and `recall session log`.

use clap::Args;
use recall_api::v1;
use serde_json::{Map, Value};

use crate::command::session::which::{Unnamed, in_session};
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::session::{briefing, format_log, format_start};
use crate::{Exit, standard_input};

/// Arguments of `recall session log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    #[arg(
        help = "What kind: decision, error, milestone, agent_switch, observation, retrieval_query, retrieval_judgment"
    )]
    #[arg(value_name = "TYPE")]
    event_type: String,
    /// What happened; `-` reads it from standard input.
    #[arg(value_name = "TEXT")]
    content: String,
    /// The session [default: the one of the environment, or the newest].
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The reason.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    rationale: String,
    /// How an error was resolved.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    resolution: String,
    /// The agent before a switch.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "AGENT")]
    from_agent: String,
    /// The agent after a switch.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "AGENT")]
    to_agent: String,
    /// The files that it is about.
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Further data, as a JSON object.
    #[arg(long, value_parser = object, value_name = "JSON")]
    metadata: Option<Object>,
}

/// A JSON object.
#[derive(Clone, Debug)]
struct Object(Map<String, Value>);

fn object(text: &str) -> Result<Object, String> {
    serde_json::from_str(text).map(Object).map_err(|error| format!("not a JSON object: {error}"))
}

pub(super) async fn run(args: LogArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let LogArgs { event_type, content, session, rationale, resolution, from_agent, to_agent, files, metadata } = args;
    let text = if content == "-" { standard_input::memory()? } else { content };
    let client = context.connect().await?;
    let request = v1::LogEventRequest {
        context: Some(in_session(&client, session, Unnamed::Newest, context).await?),
        r#type: event_type,
        content: text,
        rationale,
        resolution,
        from_agent,
        to_agent,
        related_files: files,
        metadata: metadata.map(|Object(metadata)| recall_api::json::to_struct(metadata)),
        idempotency_key: String::new(),
        replacements: Vec::new(),
    };
    let answer = client.log_event(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&format_log(&answer))?;
        }
    }
    Ok(Exit::Done)
}

/// Arguments of `recall session start`.
#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// The goal of the session.
    #[arg(long, short, default_value = "", hide_default_value = true, value_name = "TEXT")]
    goal: String,
    /// The session's id [default: the one of the environment, or a new one].
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the briefing for the session.
    #[arg(long)]
    briefing: bool,
}

pub(super) async fn run_start(args: StartArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let mut request_context = context.request_context();
    if let Some(id) = args.session {
        request_context.session_id = id;
    }
    let client = context.connect().await?;
    let request = v1::StartSessionRequest { context: Some(request_context), goal: args.goal, briefing: args.briefing };
    let answer = client.start_session(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.text(&format_start(&answer))?;
            if let Some(told) = &answer.briefing {
                output.warn(&told.warnings);
                output.text(&format!("\n{}", briefing(told, output.width)))?;
            }
            if !answer.recoverable_session_id.is_empty() {
                let id = &answer.recoverable_session_id;
                output.note(&format!("hint: session {id} broke off; `recall session recover {id}` keeps what it did"));
            }
        }
    }
    Ok(Exit::Done)
}
