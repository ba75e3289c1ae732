//! `recall doctor`

use clap::Args;
use recall_core::Scope;
use recall_proto::convert::scope;
use recall_proto::v1::{self, Severity};

use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::output::Format;
use crate::output::human::doctor::render;
use crate::{Exit, args};

/// Arguments of `recall doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The stores to check: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// Repair what can be repaired. A journal is never changed.
    #[arg(long)]
    fix: bool,
    /// Scan the indexed texts for secrets.
    #[arg(long)]
    secrets: bool,
}

/// Exit with 1 if a problem remains.
pub(super) async fn run(args: DoctorArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let DoctorArgs { scope, fix, secrets } = args;
    let output = &invocation.output;
    let client = invocation.connect().await?;
    let request =
        v1::DoctorRequest { context: Some(invocation.context()), scope: scope::to_proto(scope).into(), fix, secrets };
    let answer = client.doctor(request).await?;
    match output.format {
        Format::Json => output.json(&recall_json::doctor(&answer))?,
        Format::Human => output.text(&render(&answer))?,
    }
    let is_open = |finding: &v1::Finding| !finding.fixed && finding.severity() != Severity::Notice;
    Ok(if answer.findings.iter().any(is_open) { Exit::NothingFound } else { Exit::Done })
}
