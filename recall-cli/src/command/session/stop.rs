//! `recall session end`, `recall session recover` and `recall session keep`.

use clap::{Args, ValueEnum};
use recall_api::v1::{self, RequestContext, SessionState};
use recall_core::EndReason;

use super::candidates::{self, Save};
use crate::Exit;
use crate::command::session::which::{Unnamed, in_session, resolve_name, the_only};
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::human::quantity::count_noun;
use crate::output::human::session::{format_end, format_keep};
use crate::output::human::text::printable;
use crate::output::{Format, Output};
use crate::standard_input::{self, can_ask};

/// Arguments of `recall session end`.
#[derive(Debug, Args)]
pub(crate) struct EndArgs {
    /// The session [default: the one of the environment, or the open one].
    #[arg(value_name = "ID")]
    session: Option<String>,
    /// The summary in Markdown; `-` reads it from standard input [default: assembled from the events and git].
    #[arg(long, short, value_name = "TEXT")]
    summary: Option<String>,
    /// The reason for the end.
    #[arg(long, default_value = "end")]
    reason: Why,
    /// Print the memories that could be kept, and end nothing.
    #[arg(long, conflicts_with_all = ["summary", "save"])]
    candidates: bool,
    /// The candidates to save: their numbers, `all` or `none` [default: a terminal asks, a pipe saves none].
    #[arg(long, value_name = "LIST")]
    save: Option<Save>,
}

/// The reason for the end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Why {
    /// The work is done.
    End,
    /// The program exits.
    Exit,
    /// The context is compacted.
    Compact,
}

impl From<Why> for EndReason {
    fn from(why: Why) -> Self {
        match why {
            Why::End => Self::End,
            Why::Exit => Self::Exit,
            Why::Compact => Self::Compact,
        }
    }
}

/// Arguments of `recall session recover`.
#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// The session [default: the abandoned one].
    #[arg(value_name = "ID")]
    session: Option<String>,
}

pub(super) async fn end(args: EndArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let EndArgs { session, summary, reason, candidates, save } = args;
    let summary = match summary.as_deref() {
        Some("-") => standard_input::memory()?,
        Some(text) => text.to_owned(),
        None => String::new(),
    };
    let client = context.connect().await?;
    let request_context = in_session(&client, session, Unnamed::OnlyOpen, context).await?;
    // A session that only has a summary has no events, and so no candidates.
    let drafts = match candidates::session_candidates(&client, &request_context).await {
        Ok(found) => found,
        Err(_) if !summary.is_empty() && save.is_none() && !candidates => v1::ListDraftsResponse::default(),
        Err(error) => return Err(error),
    };
    if candidates {
        return list(&drafts, &context.output);
    }
    let drafts = drafts.drafts;
    let kept = match save {
        Some(save) => candidates::drafts_by_name(&drafts, &save)?,
        None if can_ask(context) => candidates::ask_about(&drafts, context).await?,
        None => {
            if !drafts.is_empty() {
                let id = printable(&request_context.session_id).into_owned();
                let count = count_noun(drafts.len() as u64, "memory", "memories");
                context.output.note(&format!(
                    "hint: {count} could be kept: `recall session end {id} --candidates`, then `--save`"
                ));
            }
            Vec::new()
        }
    };
    let memories = kept.into_iter().map(candidates::request).collect();
    finish(&client, request_context, summary, memories, reason.into(), &context.output).await
}

/// Prints the candidates.
fn list(drafts: &v1::ListDraftsResponse, output: &Output) -> Result<Exit, CommandError> {
    match output.format {
        Format::Json => output.answer(drafts)?,
        Format::Human => output.text(&candidates::format_drafts(&drafts.drafts))?,
    }
    if drafts.drafts.is_empty() {
        output.note("nothing to keep was found");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

pub(super) async fn recover(args: RecoverArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let client = context.connect().await?;
    let request_context = context.request_context();
    let session_id = match args.session {
        Some(text) => resolve_name(&client, &request_context, text).await?,
        None => the_only(&client, &request_context, SessionState::Abandoned).await?,
    };
    recover_session(&client, session_id, context).await
}

/// Ends a session that broke off.
pub(in crate::command) async fn recover_session(
    client: &recall_client::Client,
    session_id: String,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let request_context = RequestContext { session_id, ..context.request_context() };
    finish(client, request_context, String::new(), Vec::new(), EndReason::Recovered, &context.output).await
}

async fn finish(
    client: &recall_client::Client,
    context: RequestContext,
    summary: String,
    memories: Vec<v1::AddRequest>,
    reason: EndReason,
    output: &Output,
) -> Result<Exit, CommandError> {
    let request =
        v1::EndSessionRequest { context: Some(context), summary, memories, reason: reason.as_str().to_owned() };
    let answer = client.end_session(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&format_end(&answer))?;
        }
    }
    Ok(Exit::Done)
}

/// Arguments of `recall session keep`.
#[derive(Debug, Args)]
pub(crate) struct KeepArgs {
    /// The session [default: the one of the environment, or the newest].
    #[arg(value_name = "ID")]
    session: Option<String>,
}

pub(super) async fn keep(args: KeepArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = context.connect().await?;
    let request_context = in_session(&client, args.session, Unnamed::Newest, context).await?;
    let session_id = request_context.session_id.clone();
    let answer = client.keep_session(v1::KeepSessionRequest { context: Some(request_context), session_id }).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&format_keep(&answer))?;
        }
    }
    Ok(Exit::Done)
}
