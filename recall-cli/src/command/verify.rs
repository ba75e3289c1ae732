//! `recall verify` and `recall feedback`: what a person says about a memory or a file.

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1::{self, FeedbackKind, VerifyMode};
use recall_core::Scope;

use super::launch::confirm_mode;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::adopted;
use crate::output::human::memory::{format_feedback, format_verify, sum};
use crate::{Exit, args, complete};

/// Arguments of `recall verify`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct VerifyArgs {
    /// The memories to mark as valid for the current state of their files; `profile` is the project's profile,
    /// `mode:NAME` a mode of the repository. Without an id, all memories are checked and none is marked, and so
    /// are the instructions and memories of agents.
    #[arg(value_name = "ID", add = ArgValueCompleter::new(complete::memories))]
    ids: Vec<String>,
    /// Confirm the named memories: you vouch for them although they came with the repository. Naming an id implies it.
    #[arg(long, conflicts_with = "check")]
    confirm: bool,
    /// With --confirm: confirm every unconfirmed memory of the scope that came with the repository. Read them first.
    #[arg(long, requires = "confirm", conflicts_with = "ids")]
    all: bool,
    /// Mark nothing, and exit with 1 if a memory is no longer valid, or if an instruction or a memory of an agent names what
    /// is no longer there.
    #[arg(long)]
    check: bool,
    /// Show what changed in the files and symbols of each memory that no longer holds. Marks nothing.
    #[arg(long, conflicts_with = "confirm")]
    diff: bool,
    /// The stores to check: project, global or all.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
}

/// The name of the project's profile in a list of ids.
const PROFILE: &str = "profile";

/// The beginning of the name of a mode in a list of ids.
const MODE: &str = "mode:";

pub(super) async fn run(args: VerifyArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let VerifyArgs { mut ids, confirm, all, check, diff, scope } = args;
    let marks = !check && !diff;
    let output = &context.output;
    if marks && ids.iter().any(|id| id.starts_with(MODE)) {
        for name in ids.iter().filter_map(|id| id.strip_prefix(MODE)) {
            confirm_mode(name, context)?;
            output.note(&format!("the mode `{name}` is confirmed as it is"));
        }
        ids.retain(|id| !id.starts_with(MODE));
        if ids.is_empty() {
            return Ok(Exit::Done);
        }
    }
    let client = context.connect().await?;
    if confirm && !all && ids.is_empty() {
        return Err(CliError::usage("--confirm needs an id, `profile` or --all").into());
    }
    let before = ids.len();
    ids.retain(|id| id != PROFILE);
    if ids.len() < before && marks {
        let mode = VerifyMode::ConfirmProfile;
        client.verify(ask_which(context, Vec::new(), scope, mode, false)).await?;
        if ids.is_empty() {
            output.note("the project's profile is confirmed as it is");
            return Ok(Exit::Done);
        }
    }
    let mode = match (marks, all) {
        (false, _) => VerifyMode::Check,
        (true, true) => VerifyMode::ConfirmAll,
        (true, false) if ids.is_empty() => VerifyMode::Check,
        (true, false) => VerifyMode::Confirm,
    };
    let answer = client.verify(ask_which(context, ids, scope, mode, diff)).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.text(&format_verify(&answer))?;
            output.text(&adopted::doubts(&answer))?;
            output.note(&sum(&answer));
            if let Some(note) = adopted::sum(&answer) {
                output.note(&note);
            }
        }
    }
    let is_doubted = answer.adopted.as_ref().is_some_and(|adopted| !adopted.doubts.is_empty());
    Ok(if check && (answer.broken > 0 || is_doubted) { Exit::NothingFound } else { Exit::Done })
}

fn ask_which(
    context: &CommandContext,
    ids: Vec<String>,
    scope: Scope,
    mode: VerifyMode,
    with_changes: bool,
) -> v1::VerifyRequest {
    let scope = scope::to_proto(scope).into();
    v1::VerifyRequest { context: Some(context.request_context()), ids, scope, mode: mode.into(), with_changes }
}

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

impl Said {
    fn words(self) -> &'static str {
        match self {
            Self::Useful => "useful",
            Self::NotUseful => "not useful",
            Self::Outdated => "outdated",
            Self::Duplicate => "a duplicate",
        }
    }
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

pub(super) async fn run_feedback(args: FeedbackArgs, context: &CommandContext) -> Result<Exit, CommandError> {
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
        Format::Human => {
            output.text(&format_feedback(&item, verdict.words(), &answer.item_stats.unwrap_or_default()))?;
        }
    }
    Ok(Exit::Done)
}
