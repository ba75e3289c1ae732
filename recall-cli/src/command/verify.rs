//! `recall verify`

use clap::Args;
use recall_core::Scope;
use recall_proto::convert::scope;
use recall_proto::v1::{self, VerifyMode};

use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::output::Format;
use crate::output::human::memory::{sum, verified};
use crate::{Exit, args};

/// Arguments of `recall verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Memories that hold: they are marked so and tied to the files as they are. None: all are looked at.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Marks nothing, and ends with 1 when a memory no longer holds.
    #[arg(long)]
    check: bool,
    /// Which stores: project, global or all.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
}

pub(super) async fn run(args: VerifyArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let VerifyArgs { ids, check, scope } = args;
    let output = &invocation.output;
    let client = invocation.connect().await?;
    let mode = if check || ids.is_empty() { VerifyMode::Check } else { VerifyMode::Confirm };
    let request = v1::VerifyRequest {
        context: Some(invocation.context()),
        ids,
        scope: scope::to_proto(scope).into(),
        mode: mode.into(),
    };
    let answer = client.verify(request).await?;
    match output.format {
        Format::Json => output.json(&recall_json::verified(&answer))?,
        Format::Human => {
            output.text(&verified(&answer))?;
            output.say(&sum(&answer));
        }
    }
    Ok(if check && answer.broken > 0 { Exit::NothingFound } else { Exit::Done })
}
