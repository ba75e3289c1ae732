//! `recall verify`

use clap::Args;
use recall_core::Scope;
use recall_proto::convert::scope;
use recall_proto::v1::{self, VerifyMode};

use crate::complaint::{CommandError, Complaint};
use crate::invocation::Invocation;
use crate::output::Format;
use crate::output::human::memory::{sum, verified};
use crate::{Exit, args};

/// Arguments of `recall verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Memories that hold: they are marked so and tied to the files as they are. `profile` is the project's profile. Without
    /// any, all memories are looked at and none is marked.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Confirms what is named: from then on you vouch for it, though it came with the repository. Naming an id does so too.
    #[arg(long, conflicts_with = "check")]
    confirm: bool,
    /// With --confirm: every memory of the scope that came with the repository and is not confirmed. Read them first.
    #[arg(long, requires = "confirm", conflicts_with = "ids")]
    all: bool,
    /// Marks nothing, and ends with 1 when a memory no longer holds.
    #[arg(long)]
    check: bool,
    /// Which stores: project, global or all.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
}

/// Stands for the project's profile where ids are named.
const PROFILE: &str = "profile";

pub(super) async fn run(args: VerifyArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let VerifyArgs { mut ids, confirm, all, check, scope } = args;
    let output = &invocation.output;
    let client = invocation.connect().await?;
    if confirm && !all && ids.is_empty() {
        return Err(Complaint::usage("--confirm needs an id, `profile` or --all").into());
    }
    let before = ids.len();
    ids.retain(|id| id != PROFILE);
    if ids.len() < before && !check {
        let mode = VerifyMode::ConfirmProfile;
        client.verify(asked(invocation, Vec::new(), scope, mode)).await?;
        if ids.is_empty() {
            output.say("the project's profile is confirmed as it is");
            return Ok(Exit::Done);
        }
    }
    let mode = match (check, all) {
        (true, _) => VerifyMode::Check,
        (false, true) => VerifyMode::ConfirmAll,
        (false, false) if ids.is_empty() => VerifyMode::Check,
        (false, false) => VerifyMode::Confirm,
    };
    let answer = client.verify(asked(invocation, ids, scope, mode)).await?;
    match output.format {
        Format::Json => output.json(&recall_json::verified(&answer))?,
        Format::Human => {
            output.text(&verified(&answer))?;
            output.say(&sum(&answer));
        }
    }
    Ok(if check && answer.broken > 0 { Exit::NothingFound } else { Exit::Done })
}

fn asked(invocation: &Invocation, ids: Vec<String>, scope: Scope, mode: VerifyMode) -> v1::VerifyRequest {
    let scope = scope::to_proto(scope).into();
    v1::VerifyRequest { context: Some(invocation.context()), ids, scope, mode: mode.into() }
}
