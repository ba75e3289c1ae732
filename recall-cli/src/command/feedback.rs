//! `recall feedback`

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use recall_api::v1::{self, FeedbackKind};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::memory::format_feedback;
use crate::{Exit, complete};

/// Arguments of `recall feedback`.
#[derive(Debug, Args)]
pub(crate) struct FeedbackArgs {
    /// The id of a memory, a document or a chunk, as shown by `recall search --json`.
    #[arg(value_name = "ID", add = ArgValueCompleter::new(complete::items))]
    item: String,
    /// The rating.
    verdict: Said,
    /// The item that it duplicates, for `duplicate`.
    #[arg(long, value_name = "ID", required_if_eq("verdict", "duplicate"))]
    duplicate_of: Option<String>,
    /// A note on the rating.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    note: String,
}

/// A rating of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Said {
    /// It helped.
    Useful,
    /// It did not help.
    #[value(name = "not_useful", alias = "not-useful")]
    NotUseful,
    /// It is no longer true.
    Outdated,
    /// Another item says the same.
    Duplicate,
}

impl From<Said> for FeedbackKind {
    fn from(said: Said) -> Self {
        match said {
            Said::Useful => Self::Useful,
            Said::NotUseful => Self::NotUseful,
            Said::Outdated => Self::Outdated,
            Said::Duplicate => Self::Duplicate,
        }
    }
}

pub(super) async fn run(args: FeedbackArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let FeedbackArgs { item, verdict, duplicate_of, note } = args;
    let output = &context.output;
    let client = context.connect().await?;
    let request = v1::FeedbackRequest {
        context: Some(context.request_context()),
        item_id: item.clone(),
        feedback: FeedbackKind::from(verdict).into(),
        note,
        duplicate_of: duplicate_of.unwrap_or_default(),
    };
    let answer = client.feedback(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&format_feedback(&item, &answer.item_stats.unwrap_or_default()))?,
    }
    Ok(Exit::Done)
}
