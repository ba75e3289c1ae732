//! `recall context` and `recall briefing`: what an agent should read first.

use clap::{Args, ValueEnum};
use recall_api::convert::scope;
use recall_api::v1::{self, BriefingSubject};
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::human::item::text;
use crate::output::human::session::briefing;
use crate::output::{Format, Output};
use crate::progress::patiently;
use crate::{Exit, args, standard_input};

/// Arguments of `recall context`.
#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    /// The task in words, a bug report or a trace. `type: lang: path: tag: scope:` filter inside it, `-` reads standard input.
    #[arg(required_unless_present_any = ["files", "subject"], value_name = "TASK")]
    task: Vec<String>,
    /// A file that the task concerns: a path, or an id as shown by `recall search --json`.
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Take the uncommitted changes of the work tree as the task.
    #[arg(long = "for", value_name = "SUBJECT")]
    subject: Option<Subject>,
    /// The maximum number of tokens, 1 to 100,000.
    #[arg(long, default_value_t = 4_000, value_name = "N")]
    budget_tokens: u32,
    /// What to pack, in order of priority: `related_code`, documentation, adrs, decisions, signatures, tests,
    /// `recent_changes`, ownership [default: all but ownership].
    #[arg(long, value_delimiter = ',', value_parser = args::context_type, value_name = "TYPE")]
    types: Vec<v1::ContextType>,
    /// The maximum number of parts per document, 1 to 20 [default: 3].
    #[arg(long, value_name = "N")]
    diversity: Option<u32>,
    /// The stores to read: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// The form: text for people, md as a model gets it, or json.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

/// What the context is for, other than a task in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// The uncommitted changes.
    Diff,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Md,
    Json,
}

pub(super) async fn run(args: ContextArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let ContextArgs { task, files, subject, budget_tokens, types, diversity, scope, format } = args;
    let task = standard_input::question(&task)?;
    let client = context.connect().await?;
    let request = v1::ContextRequest {
        context: Some(context.request_context()),
        task,
        file_paths: files,
        context_types: types.into_iter().map(i32::from).collect(),
        budget_tokens: Some(budget_tokens),
        tokenizer: String::new(),
        diversity,
        scope: scope::to_proto(scope).into(),
        filters: None,
        work_tree_changes: subject == Some(Subject::Diff),
    };
    let asked = client.context(request);
    let answer = patiently(&client, context.request_context(), output.format, asked).await?;
    let packed = answer.context.clone().unwrap_or_default();
    if output.format == Format::Json || format == Form::Json {
        output.answer(&answer)?;
    } else {
        output.warn(&answer.warnings);
        match format {
            Form::Text => output.text(&text(&packed.text, output.width))?,
            Form::Md | Form::Json => Output::raw(&packed.text)?,
        }
    }
    if packed.text.is_empty() {
        output.note("nothing found that fits the budget");
        return Ok(Exit::without_hits(&answer.warnings));
    }
    output.status_line(&format!("\n{} of {} tokens", packed.used_tokens, packed.budget_tokens));
    Ok(Exit::Done)
}

/// Arguments of `recall briefing`.
#[derive(Debug, Args)]
pub(crate) struct BriefingArgs {
    /// The goal of the session; adds what is known about it to the briefing.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    goal: String,
    /// Print what the session of the environment did so far, for an agent that lost its context.
    #[arg(long, conflicts_with = "goal")]
    session: bool,
    /// The maximum number of tokens, 1 to 20,000.
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    budget_tokens: u32,
}

pub(super) async fn run_briefing(args: BriefingArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let BriefingArgs { goal, session, budget_tokens } = args;
    let client = context.connect().await?;
    let subject = if session { BriefingSubject::Session } else { BriefingSubject::Unspecified };
    let request = v1::BriefingRequest {
        context: Some(context.request_context()),
        budget_tokens: Some(budget_tokens),
        goal,
        subject: subject.into(),
    };
    let asked = client.briefing(request);
    let answer = patiently(&client, context.request_context(), output.format, asked).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&briefing(&answer, output.width))?;
        }
    }
    Ok(Exit::Done)
}

/// Arguments of `recall changes`.
#[derive(Debug, Args)]
pub(crate) struct ChangesArgs {
    /// Since when: a date, an age (`3d`), `last week`, a commit, a tag, or `last-session`.
    #[arg(long, default_value = "last-session", value_name = "TIME")]
    since: String,
    /// The maximum number of tokens, 50 to 5,000.
    #[arg(long, default_value_t = 600, value_name = "N")]
    budget_tokens: u32,
}

pub(super) async fn run_changes(args: ChangesArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let ChangesArgs { since, budget_tokens } = args;
    let client = context.connect().await?;
    let request =
        v1::ChangesRequest { context: Some(context.request_context()), since, budget_tokens: Some(budget_tokens) };
    let answer = patiently(&client, context.request_context(), output.format, client.changes(request)).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&text(&answer.text, output.width))?;
        }
    }
    Ok(Exit::Done)
}
