//! `recall status`

use clap::Args;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::status::render;
use crate::{Exit, args};

/// Arguments of `recall status`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command")]
pub(crate) struct StatusArgs {
    /// The stores to report: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// List the files that are not indexed, and what rules exclude, with the reasons.
    #[arg(long)]
    failures: bool,
    /// List every index on disk: for which root, how large, and since when the root is gone.
    #[arg(long)]
    stores: bool,
    /// List the sessions that are at work in all projects that the daemon has open: which agent, where, on what.
    #[arg(long)]
    sessions: bool,
    /// Show latencies and counters.
    #[arg(long)]
    metrics: bool,
}

pub(super) async fn run(args: StatusArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let StatusArgs { scope, failures, stores, sessions, metrics } = args;
    let output = &context.output;
    let client = context.connect().await?;
    let request = v1::StatusRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(scope).into(),
        every_store: false,
        failures,
        metrics,
        kept: stores,
        sessions,
    };
    let status = client.status(request).await?;
    match output.format {
        Format::Json => output.answer(&status)?,
        Format::Human => {
            context.page(&render(&status, output.screen()))?;
            if sessions && status.sessions.is_empty() {
                output.note("no session is at work in the projects that the daemon has open");
            }
            output.warn(&status.warnings);
            for store in &status.stores {
                output.warn(&store.warnings);
            }
        }
    }
    Ok(Exit::Done)
}
